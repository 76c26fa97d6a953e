"""Finds and removes shared memory of killed ranks: files that MPI libraries remove when ranks end
well, and that otherwise take memory until the machine starts again."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from hockney.run.measure.machine.processes import process_directories

DIRECTORY = Path("/dev/shm")
PREFIXES = ("mpich_shm_", "vader_segment.", "sm_segment.", "ucx_shm_posix_", "Intel_MPI_")
"""Prefixes of the files' names with MPICH, Open MPI 4 and 5, UCX and Intel MPI."""


def size_and_free(root: Path = Path("/")) -> tuple[int, int] | None:
    """Bytes of the file system and bytes of it that are free; None where there is none."""
    try:
        file_system = os.statvfs(root / DIRECTORY.relative_to("/"))
    except OSError:
        return None
    return file_system.f_blocks * file_system.f_frsize, file_system.f_bavail * file_system.f_frsize


def present() -> frozenset[str]:
    """The names of the libraries' files that exist."""
    with suppress(OSError):
        names = (path.name for path in DIRECTORY.iterdir())
        return frozenset(name for name in names if name.startswith(PREFIXES))
    return frozenset()


def remove_left(before: frozenset[str]) -> None:
    """Removes files that did not exist before, are ours, and are used by no process. A file that
    another launch of ours is just making is in use from its first moment on. Nothing is removed
    without /proc, which shows that."""
    names = [name for name in present() - before if _is_ours(DIRECTORY / name)]
    if not names or not Path("/proc/self/maps").exists():
        return
    used = set(_used())
    for name in names:
        if str(DIRECTORY / name) not in used:
            with suppress(OSError):
                (DIRECTORY / name).unlink()


def _is_ours(path: Path) -> bool:
    with suppress(OSError):
        status = path.lstat()
        return status.st_uid == os.geteuid() and stat.S_ISREG(status.st_mode)
    return False


def _used() -> Iterator[str]:
    """The files of shared memory that processes have opened or mapped."""
    for process in process_directories():
        # The descriptors first: what is mapped meanwhile is found as mapped.
        with suppress(OSError):
            for descriptor in (process / "fd").iterdir():
                with suppress(OSError):
                    yield str(descriptor.readlink())
        with suppress(OSError):
            for line in (process / "maps").read_text(errors="replace").splitlines():
                _, separator, name = line.partition(f" {DIRECTORY}/")
                if separator:
                    yield f"{DIRECTORY}/{name}"
