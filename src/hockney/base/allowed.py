"""The CPUs that this process may use."""

from __future__ import annotations

import os


def allowed_set() -> set[int]:
    """Numbers of the CPUs that this process may use; empty where the system keeps no such set: only
    Linux and FreeBSD do."""
    ask = getattr(os, "sched_getaffinity", None)
    return set(ask(0)) if ask else set()


def allowed_count() -> int:
    """Number of CPUs that this process may use, at least 1; all of the machine where no set is
    kept."""
    return len(allowed_set()) or os.cpu_count() or 1
