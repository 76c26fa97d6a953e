"""Lists the processes of this host, which may end while they are looked at."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def process_directories(root: Path = Path("/")) -> list[Path]:
    """Their directories in /proc; none where that cannot be read. Path.glob would raise the error
    of a process that has just ended."""
    with suppress(OSError):
        return [one for one in (root / "proc").iterdir() if one.name.isdigit()]
    return []
