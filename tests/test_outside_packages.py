"""A package of somebody else adds one thing of each kind, and the command line uses them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from conftest import Done, RunHockney, first_of
from hockney.run.mpis import Mpi
from samples import make_run, write_run

MODULES = {
    "model": '''
"""A constant time."""
import numpy as np

from hockney.infer.fitting.fit import new_fit, parameter

DATA = "any times"

def lacks(curve):
    return None

def fit(curve, *, resamples=200):
    level = float(np.median(curve.median_s))
    levels = np.median(curve.resampled(resamples), axis=1)
    found = {"level_s": parameter(level, levels, curve.launches)}
    return new_fit("guest", curve, lambda bytes_, *_: np.full(len(bytes_), level), found, {}, 1)
''',
    "program": '''
"""A log with a line "guest: BYTES MICROSECONDS" for each size; the same as a file and a table."""
from hockney.foreign.logs.table import BYTES, Column, LogTable
from hockney.plan import Size
from hockney.plan.preset import Preset

HEADED = True
ONLY = None

def recognise(log):
    return next((number for number, line in log.numbered() if line.startswith("guest:")), None)

def read(log):
    table = LogTable("pingpong", "Guest", recognise(log), ranks=2)
    for number, line in log.numbered():
        table.add_row(number, line.split()[1:], (BYTES, Column("mean", "as the guest says")))
    return [table]

def write(analysis):
    return f"{len(analysis.run.launches)} launches".encode()

def layout(run, points):
    return "".join(f"guest: {point.bytes}" for point in points)

def preset():
    return Preset((Size(16, repetitions=5),))
''',
    "scheduler": '''
"""A job is where $GUEST_JOB is set."""
import os

from hockney.run.schedulers import Allocation, JobState

SUBMIT, CANCEL = ("guestsub",), ("guestdel",)

def allocation():
    return Allocation(1) if os.environ.get("GUEST_JOB") else None

def launcher():
    return "guest"

def directives(job):
    return [f"#GUEST {job.name}"]

def launch(mpi, case, engine):
    return "guestrun"

def unasked(mpi):
    return None


def state(number):
    return JobState("over", ended=True, well=True)

def log(number, job):
    return None
''',
    "launcher": '''
"""A launcher that is called guestrun."""
from hockney.run.launchers import Launcher

LAUNCHER = Launcher(name="guestrun", programs=("guestrun",), says="Guest", starts=("Guest MPI",))
''',
    "mpi": '''
"""Another name for Open MPI, whose launcher prints another version."""
from hockney.run.mpis.openmpi import *
from hockney.run.mpis.openmpi import RulesFormat

LIBRARIES = ("Guest MPI",)
FORMATS = {"guest-rules": RulesFormat(frozenset(), lambda rules, engine: {}, lambda path: {})}
''',
    "figure": '''
"""The sizes that were measured."""
from hockney.show.drawing.description import PlotAxis, Figure, Panel, Series

TAKES, SHARED, CHOICE = (), True, None

def describe(analyses, options):
    sizes = [float(point.bytes) for one in analyses for point in one.estimates.headline]
    across, up = PlotAxis("size", "the guest's size"), PlotAxis("count", "y")
    panel = Panel(across, up, [Series("", sizes, sizes)])
    return Figure("guest", "Sizes", (panel,), ())
''',
    "worthless": "",
    "broken": "raise OSError('not\\n here')",
}
KINDS = {
    "hockney.models": "model",
    "hockney.programs": "program",
    "hockney.schedulers": "scheduler",
    "hockney.launchers": "launcher",
    "hockney.mpis": "mpi",
    "hockney.figures": "figure",
}


def install(directory: Path, modules: dict[str, str], entries: dict[str, dict[str, str]]) -> None:
    """Installs a package into a directory, as pip would."""
    (directory / "guest_package").mkdir(parents=True)
    (directory / "guest_package" / "__init__.py").touch()
    for name, text in modules.items():
        (directory / "guest_package" / f"{name}.py").write_text(text)
    about = directory / "guest_package-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: guest-package\nVersion: 1.0\n")
    lines = [
        line
        for group, named in entries.items()
        for line in (f"[{group}]", *(f"{name} = guest_package.{m}" for name, m in named.items()))
    ]
    (about / "entry_points.txt").write_text("\n".join(lines) + "\n")


@pytest.fixture
def with_guest(tmp_path: Path, hockney: RunHockney) -> RunHockney:
    """hockney beside a package that adds one of each kind, called guest."""
    install(tmp_path / "site", MODULES, {group: {"guest": kind} for group, kind in KINDS.items()})
    return beside(hockney, tmp_path / "site")


def beside(hockney: RunHockney, site: Path) -> RunHockney:
    def run(*arguments: str, env: dict[str, str] | None = None, cwd: Path | None = None) -> Done:
        path = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))
        return hockney(*arguments, env={"PYTHONPATH": path, **(env or {})}, cwd=cwd, process=True)

    return run


@pytest.fixture
def result(tmp_path: Path) -> Path:
    run = make_run(lambda *_: [1e4, 1e4], sizes=(8, 64))
    return write_run(run, tmp_path / "result.jsonl")


def test_a_model(with_guest: RunHockney, result: Path) -> None:
    done = with_guest("fit", "--model", "guest", "--json", str(result))
    assert (done.status, done.stderr) == (0, "")
    [fit] = json.loads(done.stdout)["fits"]
    assert fit["parameters"]["level_s"]["value"] > 0.0
    assert "guest" in with_guest("fit", "--model", "auto", str(result)).stdout


@pytest.mark.long
def test_a_program(with_guest: RunHockney, tmp_path: Path, result: Path) -> None:
    (tmp_path / "some.log").write_text("guest: 8 1.5\nguest: 16 2.5\n")
    assert with_guest("import", "some.log", "-o", "read.jsonl").status == 0
    shown = json.loads(with_guest("show", "--json", "read.jsonl").stdout)
    assert [point["bytes"] for point in shown["points"]] == [8, 16]
    assert with_guest("export", "--to", "guest", str(result)).stdout == "5 launches"
    assert with_guest("show", "--format", "guest", str(result)).stdout == "guest: 8guest: 64\n"


@pytest.mark.long
def test_a_preset(with_guest: RunHockney, tmp_path: Path) -> None:
    assert with_guest("pingpong", "--preset", "guest", "-q", "-o", "run.jsonl").status == 0
    assert '"bytes":16' in (tmp_path / "run.jsonl").read_text()


@pytest.mark.long
def test_a_launcher(with_guest: RunHockney, tmp_path: Path, mpi: Mpi) -> None:
    (tmp_path / "guestrun").write_text(f'#!/bin/sh\nexec "{mpi.mpiexec}" "$@"\n')
    (tmp_path / "guestrun").chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    words = ("pingpong", "--sizes", "8", "--launches", "1", "--budget", "0.2s", "-q")
    for number, launcher in enumerate(((), ("--launcher", "guest"))):
        name = f"run{number}.jsonl"
        done = with_guest(*words, *launcher, "-o", name, env={"GUEST_JOB": "1", "PATH": path})
        assert (done.status, done.stderr) == (0, "")
        assert '"launcher":"guestrun"' in (tmp_path / name).read_text()


def test_a_batch_system(with_guest: RunHockney) -> None:
    done = with_guest("job", "guest", "--", "pingpong", "-o", "run.jsonl")
    assert done.status == 0
    assert "#GUEST hockney-pingpong" in done.stdout


@pytest.mark.long
def test_an_mpi_family(with_guest: RunHockney, tmp_path: Path) -> None:
    for name, words in (("mpicc", "exit 1"), ("mpiexec", "echo Guest MPI")):
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{words}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    done = with_guest("doctor", "--mpicc", str(tmp_path / "bin" / "mpicc"))
    assert "could not build the engine" in done.stdout
    assert "no mpiexec" not in done.stdout
    assert "guest-rules" in with_guest("tune", "--help").stdout


@pytest.mark.long
def test_a_figure(with_guest: RunHockney, tmp_path: Path, result: Path) -> None:
    done = with_guest("plot", "--what", "guest", str(result), "-o", "guest.svg")
    assert (done.status, done.stderr) == (0, "wrote guest.svg\n")
    assert (tmp_path / "guest.svg").stat().st_size > 1000


@pytest.mark.parametrize(
    ("name", "module", "reason"),
    first_of(
        [
            ("guest", "broken", "OSError: not here"),
            ("guest", "nowhere", "ModuleNotFoundError: No module named 'guest_package.nowhere'"),
            (
                "guest",
                "worthless",
                "TypeError: guest_package.worthless of guest-package is not a valid "
                "model: it lacks DATA (Model); it lacks lacks (Model); it lacks fit (Model)",
            ),
            ("loggp", "model", "TypeError: there is another model of this name"),
        ],
        2,
    ),
)
def test_a_broken_one_is_left_out_with_a_warning(
    hockney: RunHockney, tmp_path: Path, result: Path, name: str, module: str, reason: str
) -> None:
    install(tmp_path / "site", MODULES, {"hockney.models": {name: module}})
    done = beside(hockney, tmp_path / "site")("fit", "--model", "auto", str(result))
    where = f"guest_package.{module} of guest-package"
    warning = f"hockney: warning: model {name!r} ({where}) is ignored: {reason}\n"
    assert (done.status, done.stderr) == (0, warning)
    usual = hockney("fit", "--model", "auto", str(result))
    assert done.stdout == usual.stdout
