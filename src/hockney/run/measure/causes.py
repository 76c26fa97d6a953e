"""Why the system let a launch fail, where neither the engine nor the launcher knows it."""

from __future__ import annotations

import os
import resource

from hockney.base.limits import explained
from hockney.base.units import format_size
from hockney.run.measure.launch import Outcome
from hockney.run.measure.shared_memory import DIRECTORY

LEAST_SHARED = 8 << 20
"""Least shared memory that two ranks take (bytes), rounded up."""


def cause_of(outcome: Outcome) -> str | None:
    """The first limit that explains the failure; None where none is known."""
    return _small_files() or _small_shared_memory() or _refused(outcome.last_lines)


def _small_files() -> str | None:
    most = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    if most == resource.RLIM_INFINITY or most >= LEAST_SHARED:
        return None
    return (
        f"files are limited to {format_size(most)} (ulimit -f), also those in {DIRECTORY} through "
        "which ranks communicate: raise the limit"
    )


def _small_shared_memory() -> str | None:
    try:
        found = os.statvfs(DIRECTORY)
    except OSError:
        return f"{DIRECTORY}, through which ranks communicate, is missing: mount a tmpfs there"
    size, free = found.f_blocks * found.f_frsize, found.f_bavail * found.f_frsize
    if free >= LEAST_SHARED:
        return None
    return (
        f"{DIRECTORY}, through which ranks communicate, has {format_size(size)}, of which "
        f"{format_size(free)} are free: enlarge it (mount -o remount,size=1G {DIRECTORY}; of a "
        "container --shm-size=1g), or remove what others left there"
    )


def _refused(lines: list[str]) -> str | None:
    """The limit that a launcher's last lines report; None without one."""
    words = "\n".join(lines)
    if "Resource temporarily unavailable" in words:
        return explained(BlockingIOError(11, words))
    return explained(RuntimeError(words))
