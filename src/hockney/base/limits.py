"""Explains limits that this process runs into: memory, processes, open files, sizes of files."""

from __future__ import annotations

import errno
import os
import re
import resource

MESSAGES = (
    (r"[Cc]annot allocate memory|failed to map segment|Out Of Memory", errno.ENOMEM),
    (r"Resource temporarily unavailable|can't start new thread", errno.EAGAIN),
    (r"Too many open files|SYS_LIMITS_PIPES", errno.EMFILE),
)
"""Regular expressions for what programs, the loader and Python print at a limit of the system, with
its error."""

LEAST_ADDRESS_SPACE = 256 << 20
"""Least address space (bytes): with less, Python and its numerical libraries fail while they are
loaded."""
LEAST_DESCRIPTORS = 12
"""Least open files: with fewer, directories cannot be searched, nor other programs run."""
THREADS = "OPENBLAS_NUM_THREADS"
"""Number of OpenBLAS's threads: where it cannot start them, it sends SIGINT to its own process."""
_is_spared = False


def why_too_little() -> str | None:
    """Why this process has too little memory, or too few open files, for any work; None if it has
    enough."""
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    if most != resource.RLIM_INFINITY and most < LEAST_ADDRESS_SPACE:
        least = f"hockney needs {LEAST_ADDRESS_SPACE >> 10} KiB"
        return f"memory is limited to {most >> 10} KiB (ulimit -v), {least}: raise it"
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if files != resource.RLIM_INFINITY and files < LEAST_DESCRIPTORS:
        least = f"hockney needs {LEAST_DESCRIPTORS}"
        return f"open files are limited to {files} (ulimit -n), {least}: raise it"
    return None


def spare_threads() -> None:
    """Sets one thread for numerical libraries where memory or processes are limited."""
    global _is_spared
    limits = (resource.RLIMIT_AS, resource.RLIMIT_NPROC)
    limited = any(resource.getrlimit(limit)[0] != resource.RLIM_INFINITY for limit in limits)
    if limited and THREADS not in os.environ:
        os.environ[THREADS] = "1"
        _is_spared = True


def of_the_user(env: dict[str, str]) -> dict[str, str]:
    """An environment without what spare_threads() set for hockney only."""
    return {name: v for name, v in env.items() if name != THREADS or not _is_spared}


def explained(error: BaseException) -> str | None:
    """The limit behind an error, and what to do; None without a limit."""
    number = error.errno if isinstance(error, OSError) else None
    number = number or (errno.ENOMEM if isinstance(error, MemoryError) else _error_of(str(error)))
    if number == errno.ENOMEM:
        return f"out of memory{_limit(resource.RLIMIT_AS, 'ulimit -v', 10, ' KiB')}"
    if number == errno.EAGAIN:
        return f"no more processes or threads{_limit(resource.RLIMIT_NPROC, 'ulimit -u')}"
    if number == errno.EMFILE:
        return f"too many open files{_limit(resource.RLIMIT_NOFILE, 'ulimit -n')}"
    if number == errno.ENFILE:
        return "too many open files on this machine: close some, or ask its administrator"
    if number == errno.EFBIG:
        return f"a file is too large{_limit(resource.RLIMIT_FSIZE, 'ulimit -f', 10, ' KiB')}"
    return None


def explained_text(text: str) -> str | None:
    """The limit behind what a program printed, and what to do; None without a limit."""
    return explained(RuntimeError(text))


def _error_of(text: str) -> int | None:
    return next((number for pattern, number in MESSAGES if re.search(pattern, text)), None)


def _limit(which: int, command: str, shift: int = 0, unit: str = "") -> str:
    most = resource.getrlimit(which)[0]
    if most == resource.RLIM_INFINITY:
        return ": free some, or ask for more"
    return f": the limit is {most >> shift}{unit} ({command}); raise it"
