"""Long runs to which things happen, and what they leave behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from conftest import TEST_TIMEOUT_S, Done

LONG = ["--sizes", "8,1KiB", "--launches", "3", "--budget", "60s", "--precision", "0.01%"]
OF_THE_LIBRARY = ("ompi.", "prte.", "pmix", "openmpi-sessions", "prterun")
"""Prefixes of temporary files that a killed Open MPI leaves."""
WORKER = "PYTEST_XDIST_WORKER"
"""Names the process of a test run (pytest -n 2); what it starts inherits the variable."""


def engines_alive() -> list[int]:
    """Engines out of this test run's own cache that this process of it has started; the dead have
    no program any more."""
    pids = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if not (process / "exe").readlink().is_relative_to(os.environ["XDG_CACHE_HOME"]):
                continue
            if WORKER not in os.environ or _worker_of(process) == os.environ[WORKER]:
                pids.append(int(process.name))
    return pids


def _worker_of(process: Path) -> str | None:
    settings = (process / "environ").read_bytes().split(b"\0")
    prefix = f"{WORKER}=".encode()
    return next(
        (setting[len(prefix) :].decode() for setting in settings if setting.startswith(prefix)),
        None,
    )


def comes_true(condition: Callable[[], bool], within_s: float = 60.0) -> bool:
    for _ in range(int(within_s / 0.1)):
        if condition():
            return True
        time.sleep(0.1)
    return False


def nothing_left() -> bool:
    return comes_true(lambda: not engines_alive())


@dataclass(frozen=True)
class Running:
    """The engine under its launcher; what it has written so far is in `path`."""

    process: subprocess.Popen[bytes]
    path: Path

    def done(self) -> Done:
        """Status -1 while it runs."""
        status = self.process.poll()
        return Done(-1 if status is None else status, self.path.read_text(), "")


StartEngine = Callable[..., Running]
"""start_engine(*arguments, ranks=2): the fixture of tests/engine."""


def measuring_into(
    path: Path, *options: str, env: dict[str, str] | None = None
) -> subprocess.Popen[str]:
    """A long run of a ping-pong that has written its first rounds."""
    return written_into(path, "pingpong", *LONG, *options, env=env)


def written_into(
    path: Path, *words: str, env: dict[str, str] | None = None
) -> subprocess.Popen[str]:
    """A run that has written its first rounds."""
    process = subprocess.Popen(
        [sys.executable, "-m", "hockney", *words, "-o", str(path)],
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
