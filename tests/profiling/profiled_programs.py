"""Programs that are compiled and profiled."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from conftest import Done, RunHockney, in_environment
from hockney.run.measure import baseline
from hockney.run.measure.toolchain.build import build_engine
from hockney.run.mpis import Mpi, family_of
from starting import mpi_command

RANKS = 4
Profiled = Callable[..., tuple[Done, dict[str, Any]]]
"""profiled(program, argument, ranks=RANKS): how the command ended, and `show --json`; that is empty
where no profile was written."""


def build(mpi: Mpi, directory: Path, source: Path, *words: str) -> Path:
    path = directory / source.stem
    subprocess.run([mpi.mpicc, "-O1", "-w", "-o", path, source, *words], check=True)
    return path


def profiled_by(mpi: Mpi, hockney: RunHockney, directory: Path) -> Profiled:
    def run(path: Path, *words: str, ranks: int = RANKS) -> tuple[Done, dict[str, Any]]:
        family = family_of(mpi)
        command = [str(path), *words]
        if ranks:
            command = mpi_command(mpi, ranks, command)
        env = {"MPICC": str(mpi.mpicc), **family.environment(mpi)}
        with in_environment(env):
            keep_messages_alone(mpi)
        done = hockney("profile", "-o", "p.jsonl", "--", *command, env=env)
        if not (directory / "p.jsonl").exists():
            return done, {}
        return done, hockney("show", "p.jsonl", "--json").json

    return run


def keep_messages_alone(mpi: Mpi) -> None:
    """Keeps the times of messages alone, disturbed or not: other tests hold the CPUs, and each
    profile would measure them again."""
    kept = baseline._kept(build_engine(mpi).path)
    if not kept.exists() and (times := baseline.machine_of(mpi)) is not None:
        kept.write_bytes(msgspec.json.encode(times))
