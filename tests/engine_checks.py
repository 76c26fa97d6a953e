"""C programs of tests that call parts of the engine."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

from filelock import FileLock

from hockney.measure.build import SOURCES
from hockney.measure.compiler import FLAGS


def build_check(mpicc: str | Path, source: Path, program: Path, *options: str) -> Path:
    """`source` with all of the engine but its main program; returns `program`."""
    parts = engine_objects(mpicc)
    command = [mpicc, *FLAGS, "-O0", *options, f"-I{SOURCES}", "-o", program, source, *parts, "-lm"]
    subprocess.run(command, check=True)
    return program


def engine_objects(mpicc: str | Path) -> list[Path]:
    """The engine with the faults that tests inject, but for its main program: compiled once for all
    processes that share a cache ($HOCKNEY_TEST_CACHE outlives the sources that it was made of)."""
    made = Path(os.environ["XDG_CACHE_HOME"]) / f"engine-objects-{_key(mpicc)}"
    with FileLock(f"{made}.lock"):
        for folder in (SOURCES, SOURCES / "operations"):
            objects = made / folder.name
            if (objects / "done").exists():
                continue
            objects.mkdir(parents=True)
            parts = [part for part in folder.glob("*.c") if part.name != "main.c"]
            command = [mpicc, *FLAGS, "-O0", "-DHOCKNEY_FAULTS", f"-I{SOURCES}", "-c", *parts]
            subprocess.run(command, check=True, cwd=objects)
            (objects / "done").touch()
    return sorted(made.rglob("*.o"))


def _key(mpicc: str | Path) -> str:
    """A digest of all that the objects are made of."""
    digest = hashlib.sha256("\0".join((str(mpicc), *FLAGS)).encode())
    for part in sorted(SOURCES.rglob("*.[ch]")):
        digest.update(part.read_bytes())
    return digest.hexdigest()[:16]
