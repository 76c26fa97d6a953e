"""Libraries that stand between the engine and its MPI or libc, for what no record shows."""

from __future__ import annotations

import shlex
import subprocess
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from conftest import Done
from hockney.run.mpis import Mpi

SOURCES = Path(__file__).parent / "engine"
MESSAGE = 5000
"""Bytes that no message of the engine's own has, in whole elements of 4; what `watch` records."""


def build_library(mpi: Mpi, name: str, directory: Path) -> Path:
    """Compiles tests/engine/<name>.c with the wrapper of the MPI."""
    library = directory / f"{name}.so"
    source = SOURCES / f"{name}.c"
    subprocess.run(
        [mpi.mpicc, "-std=gnu11", "-O1", "-shared", "-fPIC", "-o", library, source], check=True
    )
    return library


def write_wrapper(path: Path, program: Path, *, redirect: str = "", **variables: object) -> Path:
    """A script that becomes the program, with variables that the launcher itself shall not see."""
    words = " ".join(f"{name}={shlex.quote(str(value))}" for name, value in variables.items())
    path.write_text(f'#!/bin/sh\n{words} exec {shlex.quote(str(program))} "$@" {redirect}\n')
    path.chmod(0o755)
    return path


@dataclass(frozen=True)
class Call:
    """One call of MPI as watched_mpi.c recorded it. Addresses are 0 where there is no buffer."""

    name: str
    sent: int
    received: int
    root: int


Watch = Callable[..., tuple[Done, dict[int, list[Call]]]]
"""watch(*arguments, ranks=2, message=MESSAGE): the fixture of tests/engine."""


def read_calls(trace: Path) -> dict[int, list[Call]]:
    """The calls of each rank, in order; `trace` is the HOCKNEY_TEST_TRACE of the run."""
    calls: dict[int, list[Call]] = defaultdict(list)
    for path in sorted(trace.parent.glob(f"{trace.name}.*")):
        rank = int(path.suffix[1:])
        for line in path.read_text().splitlines():
            name, sent, received, root = line.split()
            calls[rank].append(Call(name, int(sent, 16), int(received, 16), int(root)))
    return dict(calls)
