"""MPICH's own selection trees, which the library contains as text."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

from hockney.base.errors import HockneyError
from hockney.run.mpis import Engine, ask_command

Tree = dict[str, Any]
"""Conditions in order: the library follows the first that holds, and never backtracks."""


def library_tree(engine: Engine | None, leaf: str, without: str | None = None) -> Tree:
    """The largest tree in the library that contains `leaf` and not `without`; trees of single
    devices are smaller."""
    if engine is None:
        raise HockneyError(
            "MPICH's own decisions are not known without its library",
            "name its wrapper with --mpicc",
        )
    trees = [
        json.loads(text)
        for path in (engine.path, *_libraries(engine))
        for text in re.findall(rb'\{\s*"collective=[^\0]*', path.read_bytes())
        if leaf.encode() in text and not (without and without.encode() in text)
    ]
    if not trees:
        raise HockneyError(
            "this MPICH contains no selection trees to insert rules into",
            "MPICH 4 and later have them",
        )
    return max(trees, key=len)


def _libraries(engine: Engine) -> list[Path]:
    """The shared MPI libraries that the engine is linked with."""
    try:
        done = ask_command(Path("ldd"), str(engine.path), env=engine.env)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HockneyError(
            f"the library with MPICH's own decisions is not known without ldd: {error}",
            "put ldd on PATH (Debian: libc-bin, Fedora: glibc-common)",
        ) from error
    paths = re.findall(r"=> (\S+)", done.stdout)
    return [Path(path) for path in paths if "mpi" in Path(path).name]
