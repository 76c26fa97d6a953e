"""C programs of tests that call parts of the engine."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hockney.measure.build import SOURCES
from hockney.measure.compiler import FLAGS


def build_check(mpicc: str | Path, source: Path, program: Path, *options: str) -> Path:
    """`source` with all of the engine but its main program; returns `program`."""
    parts = [part for part in SOURCES.rglob("*.c") if part.name != "main.c"]
    command = [mpicc, *FLAGS, "-O0", *options, f"-I{SOURCES}", "-o", program, source, *parts, "-lm"]
    subprocess.run(command, check=True)
    return program
