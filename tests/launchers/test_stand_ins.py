"""Each launcher that this machine lacks, by a stand-in that starts real ranks (stand_in.py)."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from stand_in import KINDS

from conftest import Done, RunHockney, kept_short
from hockney.run.launchers import LAUNCHERS, hydra, launcher_named
from hockney.run.mpis import Engine, Mpi

STAND_IN = Path(__file__).with_name("stand_in.py")
RUN = ("pingpong", "--sizes", "8", "--launches", "1", "--budget", "0.2s", "-q", "-o", "run.jsonl")
REAL = {"hydra", "intel", "openmpi", "srun", "flux", "smpirun"}
"""Launchers of which the real ones are tested."""
RunKind = Callable[..., tuple[Done, dict[str, str]]]
"""Its status and output, and the options that the stand-in was given."""


@pytest.fixture(autouse=True)
def _mpich(mpi: Mpi) -> None:
    if mpi.launcher != "hydra" or mpi.family != "mpich":
        pytest.skip("stand-ins start ranks as MPICH does")


def test_every_launcher_is_tested() -> None:
    assert {*KINDS} | REAL == {*LAUNCHERS.names()}


def place(kind: str, directory: Path) -> Path:
    """The stand-in under its program's name."""
    directory.mkdir(exist_ok=True)
    program = directory / KINDS[kind].program
    program.write_text(f'#!/bin/sh\nSTAND_IN={kind} exec "{sys.executable}" "{STAND_IN}" "$@"\n')
    program.chmod(0o755)
    return program


@pytest.fixture
def run_kind(hockney: RunHockney, mpi: Mpi, engine: Engine, tmp_path: Path) -> RunKind:
    """Measures with the launcher of a kind first on PATH, and a wrapper beside which there is
    none."""
    (tmp_path / "lone").mkdir()
    wrapper = tmp_path / "lone" / "cc"
    wrapper.write_text(f'#!/bin/sh\nexec "{mpi.mpicc}" "$@"\n')
    wrapper.chmod(0o755)

    def run(kind: str, *words: str) -> tuple[Done, dict[str, str]]:
        program, log = place(kind, tmp_path / "bin"), tmp_path / "asked.json"
        env = {
            "PATH": f"{program.parent}:{os.environ['PATH']}",
            "STAND_IN_MPIEXEC": str(mpi.mpiexec),
            "STAND_IN_LOG": str(log),
        }
        built = ("--mpicc", str(wrapper), "--engine", str(engine.path))
        done = hockney(*RUN, *built, *words, env=env)
        return done, json.loads(log.read_text()) if log.exists() else {}

    return run


@pytest.mark.parametrize("kind", kept_short(sorted(KINDS), {"pals", "ibrun", "standard"}))
def test_a_launcher_on_path_starts_a_library_without_one(
    run_kind: RunKind, kind: str, tmp_path: Path
) -> None:
    launcher = launcher_named(kind)
    # Hydra is on PATH, too; one of a library that is not here is believed where it is named.
    is_first = KINDS[kind].program == "mpiexec" and not launcher.starts
    done, _ = run_kind(kind, *(() if is_first else ("--launcher", kind)))
    assert done.status == 0, done.stderr
    launches = [
        json.loads(line)
        for line in (tmp_path / "run.jsonl").read_text().splitlines()
        if line.startswith('{"kind":"launch"')
    ]
    assert launches[0]["launcher"].startswith(launcher.name)
    assert launches[0]["mpi"]["library"] == "MPICH"


LAYOUTS = {
    "pals": {"-n": "4", "--ppn": "2", "--cpu-bind": "none", "--hosts": "a,b"},
    "aprun": {"-n": "4", "-N": "2", "-cc": "none", "-L": "a,b"},
    "pals_aprun": {"-n": "4", "-N": "2", "--cc": "none", "-L": "a,b"},
    "parastation": {"-n": "4", "-ppn": "2", "-H": "a b"},
    "mpirun_rsh": {"-np": "4", "hosts": "a,a,b,b"},
}
WITHOUT_HOSTS = {
    "jsrun": {
        **{"--nrs": "2", "--rs_per_host": "1", "--tasks_per_rs": "2", "--cpu_per_rs": "ALL_CPUS"},
        "--bind": "none",
    },
    "lrun": {"-N": "2", "-T": "2", "-n": "4", "--nolbind": ""},
    "mpiexec_mpt": {"-np": "4", "-ppn": "2"},
}
NODES = ("-n", "4", "--nodes", "2", "--oversubscribe")


@pytest.mark.parametrize(
    "kind", kept_short([*LAYOUTS, *WITHOUT_HOSTS], {"pals", "jsrun", "mpirun_rsh"})
)
def test_ranks_of_each_node_are_asked_for(run_kind: RunKind, kind: str, tmp_path: Path) -> None:
    """The ranks are all on this host, which the engine notices; the command is what counts."""
    reached = tmp_path / "bin" / "ssh"
    reached.parent.mkdir()
    reached.write_text("#!/bin/sh\nexit 0\n")
    reached.chmod(0o755)
    hosts = ("--hosts", "a,b") if kind in LAYOUTS else ()
    _, options = run_kind(kind, "--launcher", kind, *NODES, *hosts)
    assert options == {**LAYOUTS, **WITHOUT_HOSTS}[kind]


@pytest.mark.parametrize(
    ("kind", "words", "why"),
    [
        ("ibrun", (*NODES, "--hosts", "a,b"), "ibrun cannot take hosts"),
        ("fujitsu", NODES, "Fujitsu cannot take a number of ranks per node"),
        ("lrun", (*NODES, "--place", "node"), "lrun cannot place neighbours on different nodes"),
    ],
)
def test_what_a_launcher_cannot_do_is_refused(
    run_kind: RunKind, kind: str, words: tuple[str, ...], why: str
) -> None:
    done, options = run_kind(kind, "--launcher", kind, *words)
    assert (done.status, options) == (2, {})
    assert why in done.stderr
    assert "--launch" in done.stderr


def test_a_launcher_of_another_library_on_path_is_not_taken(run_kind: RunKind) -> None:
    done, options = run_kind("fujitsu")
    assert (done.status, options) == (0, {}), "hydra of PATH starts it"


def test_hydra_is_told_from_its_relatives() -> None:
    assert hydra.LAUNCHER.version(Path("mpiexec"), "Intel(R) MPI Library, HYDRA") is None
