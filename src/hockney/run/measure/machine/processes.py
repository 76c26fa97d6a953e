"""Lists the processes of this host, which may end while they are looked at."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def process_directories(root: Path = Path("/")) -> list[Path]:
    """Their directories in /proc; none where that cannot be read. Path.glob would raise the error
    of a process that has just ended."""
    with suppress(OSError):
        return [entry for entry in (root / "proc").iterdir() if entry.name.isdigit()]
    return []


def why_no_processes() -> str | None:
    """Why MPI libraries and launchers do not find themselves in /proc; None where they do."""
    with suppress(OSError):
        if Path("/proc/self").readlink().name == str(os.getpid()):  # of another namespace: not
            return None
    return (
        "/proc does not show this PID namespace, and MPI libraries look up their processes there: "
        "mount it anew (unshare --mount-proc, or mount -t proc proc /proc)"
    )
