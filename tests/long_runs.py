"""Long runs to which things happen, and what they leave behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from conftest import TEST_TIMEOUT_S

LONG = ["--sizes", "8,1KiB", "--launches", "3", "--budget", "60s", "--precision", "0.01%"]


def engines_alive() -> list[int]:
    """Engines out of this test run's own cache; the dead have no program any more."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (process / "exe").readlink().is_relative_to(os.environ["XDG_CACHE_HOME"]):
                found.append(int(process.name))
    return found


def nothing_left() -> bool:
    for _ in range(600):
        if not engines_alive():
            return True
        time.sleep(0.1)
    return False


def measuring_into(
    path: Path, *options: str, env: dict[str, str] | None = None
) -> subprocess.Popen[str]:
    """A long run that has written its first rounds."""
    process = subprocess.Popen(
        [sys.executable, "-m", "hockney", "pingpong", "-o", str(path), *LONG, *options],
        env={**os.environ, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(10 * TEST_TIMEOUT_S):
        if process.poll() is not None or (path.exists() and b'"samples"' in path.read_bytes()):
            break
        time.sleep(0.1)
    return process
