"""What a scheduler's own commands answer."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from hockney.errors import HockneyError
from hockney.measure.mpi import WRAPPER_TIMEOUT_S


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
