"""A package of somebody else adds one thing of each kind, and the command line uses them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from conftest import Done, RunHockney, first_of
from hockney.run.mpis import Mpi
from samples import make_run, write_run

EXAMPLE = Path(__file__).parents[1] / "examples" / "addition" / "guest_package"
MODULES = {
    **{path.stem: path.read_text() for path in EXAMPLE.glob("[a-z]*.py")},
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

def assumption(mpi):
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
    "worthless": "",
    "broken": "raise OSError('not\\n here')",
    "failing_model": """
DATA = "no times"

def lacks(curve):
    return None

def fit(curve, *, resamples=200):
    return 1 / 0
""",
    "failing_reader": """
HEADED = True

def recognise(log):
    raise KeyError("its line")

def read(log):
    raise KeyError("its line")
""",
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

    return RunHockney(run)


@pytest.fixture
def result(tmp_path: Path) -> Path:
    run = make_run(lambda *_: [1e4, 1e4], sizes=(8, 64))
    return write_run(run, tmp_path / "result.jsonl")


def test_a_model(with_guest: RunHockney, result: Path) -> None:
    done = with_guest("fit", "--model", "guest", "--json", str(result))
    assert (done.status, done.stderr) == (0, "")
    [fit] = done.json["fits"]
    assert fit["parameters"]["level_s"]["value"] > 0.0
    assert "guest" in with_guest("fit", "--model", "auto", str(result)).stdout


@pytest.mark.long
def test_a_program(with_guest: RunHockney, tmp_path: Path, result: Path) -> None:
    (tmp_path / "some.log").write_text("guest: 8 1.5\nguest: 16 2.5\n")
    assert with_guest("import", "some.log", "-o", "read.jsonl").status == 0
    shown = with_guest("show", "--json", "read.jsonl").json
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
    done = with_guest.ok("job", "guest", "--", "pingpong", "-o", "run.jsonl")
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


def test_a_model_that_fails_is_named_and_the_others_are_fitted(
    hockney: RunHockney, tmp_path: Path, result: Path
) -> None:
    install(tmp_path / "site", MODULES, {"hockney.models": {"guest": "failing_model"}})
    with_it = beside(hockney, tmp_path / "site")
    what = "model 'guest' (guest_package.failing_model of guest-package) failed: "
    done = with_it("fit", "--model", "auto", str(result))
    assert done.status == 0
    assert f"{what}ZeroDivisionError: division by zero; it is left out" in done.stderr
    assert done.stdout.startswith(hockney("fit", "--model", "auto", str(result)).stdout[:40])
    alone = with_it("fit", "--model", "guest", str(result))
    assert alone.status == 1
    assert alone.stderr == (
        f"hockney: {what}ZeroDivisionError: division by zero\n  tell its authors, or uninstall it\n"
    )


def test_a_reader_that_fails_leaves_the_others_to_read(hockney: RunHockney, tmp_path: Path) -> None:
    install(tmp_path / "site", MODULES, {"hockney.programs": {"guest": "failing_reader"}})
    (tmp_path / "osu.log").write_text("# OSU MPI Latency Test v7.4\n# Size  Latency (us)\n8  1.5\n")
    done = beside(hockney, tmp_path / "site")("import", "osu.log", "-o", "read.jsonl")
    assert done.status == 0
    assert "format 'guest' (guest_package.failing_reader of guest-package) failed: " in done.stderr
    assert (tmp_path / "read.jsonl").exists()
