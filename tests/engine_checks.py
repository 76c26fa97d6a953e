"""C programs of tests that call parts of the engine."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

from filelock import FileLock

from hockney.run.measure.toolchain.build import ENGINE
from hockney.run.measure.toolchain.compiler import FLAGS

SOURCES = ENGINE.directory
WHAT_CHECKS_CALL = (
    *("assign", "check", "cpu_list", "grouping", "order", "pairing", "topology", "tree"),
)
WHAT_THESE_CALL = (
    *(
        "accelerator",
        "arrival",
        "grid",
        "json",
        "layout",
        "library",
        "line",
        "list",
        "load",
        "one_sided",
        "operations",
    ),
    *(
        "affinity",
        "cgroup",
        "clock",
        "pattern",
        "probe",
        "records",
        "sample_key",
        "values",
        "operations/copy",
        "operations/handover",
        "operations/pingpong",
    ),
)
"""Sources of the engine by name: all of it takes four times as long to compile."""
OPTIONS = (*FLAGS, "-O0", "-DHOCKNEY_FAULTS", f"-I{SOURCES}")


def build_check(mpicc: str | Path, source: Path, program: Path) -> Path:
    """`source` with parts of the engine; returns `program`."""
    parts = engine_objects(mpicc)
    subprocess.run([mpicc, *OPTIONS, "-o", program, source, *parts, "-lm"], check=True)
    return program


def engine_objects(mpicc: str | Path) -> list[Path]:
    """Parts of the engine with the faults that tests inject: compiled once for all processes that
    share a cache ($HOCKNEY_TEST_CACHE outlives the sources that it was made of)."""
    made = Path(os.environ["XDG_CACHE_HOME"]) / f"engine-objects-{_key(mpicc)}"
    parts = [SOURCES / f"{name}.c" for name in (*WHAT_CHECKS_CALL, *WHAT_THESE_CALL)]
    with FileLock(f"{made}.lock"):
        for folder in (SOURCES, SOURCES / "operations"):
            objects = made / folder.name
            if (objects / "done").exists():
                continue
            objects.mkdir(parents=True, exist_ok=True)
            inside = [part for part in parts if part.parent == folder]
            subprocess.run([mpicc, *OPTIONS, "-c", *inside], check=True, cwd=objects)
            (objects / "done").touch()
    return sorted(made.rglob("*.o"))


def _key(mpicc: str | Path) -> str:
    """A digest of all that the objects are made of."""
    names = (str(mpicc), *OPTIONS, *WHAT_CHECKS_CALL, *WHAT_THESE_CALL)
    digest = hashlib.sha256("\0".join(names).encode())
    for part in sorted(p for p in SOURCES.rglob("*") if p.suffix in (".c", ".h", ".def")):
        digest.update(part.read_bytes())
    return digest.hexdigest()[:16]
