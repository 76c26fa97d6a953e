"""No function of the engine may have the name of one of the C library's: the dynamic linker would
give it to every library of the process that calls that name. Two are there for just that
(engine/carriers.c)."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from hockney.run.mpis import Engine

COUNTED = {"process_vm_readv", "process_vm_writev"}


def functions(file: Path, *options: str) -> set[str]:
    listed = subprocess.run(
        ["nm", "--defined-only", *options, file], capture_output=True, text=True, check=True
    )
    rows = [line.split() for line in listed.stdout.splitlines()]
    return {row[2].partition("@")[0] for row in rows if len(row) == 3 and row[1] in "TW"}


def test_the_engine_hides_no_function_of_the_c_library(engine: Engine) -> None:
    linked = subprocess.run(["ldd", engine.path], capture_output=True, text=True, check=True)
    libc = re.search(r"=> (\S*/libc\.so\S*)", linked.stdout)
    assert libc is not None
    ours, theirs = functions(engine.path, "--extern-only"), functions(Path(libc[1]), "--dynamic")
    assert "main" in ours
    assert "accept" in theirs
    assert {name for name in ours & theirs if not name.startswith("_")} == COUNTED
