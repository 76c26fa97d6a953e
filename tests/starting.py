"""How hockney starts programs of an MPI, for programs of the tests."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from hockney.plan import Case, Placement
from hockney.run.measure.launches.trial import EMPTY_MESSAGES
from hockney.run.mpis import Mpi, family_of
from hockney.run.schedulers import find_starter

KEEPS_WORDS = 'said=$1; shift; exec "$@" >>"$said/stdout" 2>>"$said/stderr"'


def keeps_words(mpi: Mpi) -> bool:
    """Whether run_ranks returns all that ranks say, whatever the launcher drops."""
    return mpi.family in ("mpich", "intel")


def mpi_command(mpi: Mpi, ranks: int, program: Sequence[str]) -> list[str]:
    """The command of the MPI's own launcher."""
    placement = Placement(ranks=ranks)
    case = Case(workload=EMPTY_MESSAGES, placement=placement)
    return find_starter(mpi, placement).command(mpi, case, program)


def run_ranks(
    mpi: Mpi,
    ranks: int,
    program: Sequence[str],
    said: Path,
    env: Mapping[str, str],
    timeout_s: float,
) -> subprocess.CompletedProcess[str]:
    """Runs a program under the MPI's own launcher and returns what it said, whole: hydra drops what
    a failing rank wrote, once in some hundred such runs, so ranks write to files in `said`. Open
    MPI's launcher has hung where ranks closed its pipes early, and keeps them."""
    files = [said / "stdout", said / "stderr"]
    for file in files:
        file.write_text("")
    keeps = ["sh", "-c", KEEPS_WORDS, "sh", str(said)] if keeps_words(mpi) else []
    done = subprocess.run(
        mpi_command(mpi, ranks, [*keeps, *program]),
        capture_output=True,
        text=True,
        timeout=timeout_s,
        env={**os.environ, **family_of(mpi).environment(mpi), **env},
    )
    stdout, stderr = (file.read_text(errors="replace") for file in files)
    done.stdout, done.stderr = stdout + done.stdout, stderr + done.stderr
    return done
