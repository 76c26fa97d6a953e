"""What a scheduler's own commands answer, and how our jobs are known there."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

from hockney.errors import HockneyError
from hockney.measure.mpi import WRAPPER_TIMEOUT_S


def our_name() -> str:
    """What this process calls the jobs and steps that it starts, to find those that outlive it."""
    return f"hockney-{os.getpid()}"


def answer(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=WRAPPER_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HockneyError(f"{command[0]}: {error}") from error
