"""Temporary files and directories: for this user only, with names that nobody can guess, removed at
any end of the process; after SIGKILL by the next one that makes such a file there."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from hockney.base.endings import AtEnd

LONGEST_USE_S = 7 * 24 * 3600.0
"""Age from which a temporary file belongs to no process, wherever that runs."""


def new_name(prefix: str, suffix: str, directory: Path | None) -> Path:
    """An unused path in `directory`, default $TMPDIR, which nobody can guess."""
    place = (Path(tempfile.gettempdir()) if directory is None else directory).absolute()
    known = _known_processes()
    if known is None:
        return place / f"{prefix}{os.urandom(8).hex()}{suffix}"
    _remove_left(place, prefix, known)
    return place / f"{prefix}{known}-{os.getpid()}-{os.urandom(8).hex()}{suffix}"


@cache
def _known_processes() -> str | None:
    """Identifies where process numbers mean the same as here: in this boot of this machine, in
    this container. None where that is unknown; only Linux shows it."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text()
        words = f"{os.uname().nodename} {boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return None
    return hashlib.sha256(words.encode()).hexdigest()[:8]


@cache
def _remove_left(place: Path, prefix: str, known: str) -> None:
    """Removes what killed processes of this user have left there, and what is too old to be in use
    by those of another host or boot; once, as a directory may be large. Others can forge such
    names, but not the owner."""
    ours = re.compile(rf"{re.escape(prefix)}([0-9a-f]{{8}})-(\d+)-[0-9a-f]{{16}}(\.\w+)?")
    with suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            named = ours.fullmatch(entry.name)
            if named is None or (named[1] == known and _is_alive(int(named[2]))):
                continue
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                is_old = time.time() - status.st_mtime > LONGEST_USE_S
                if status.st_uid != os.getuid() or (named[1] != known and not is_old):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    Path(entry.path).unlink()


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # another user's
        return True
    return True


@contextmanager
def temporary_directory(prefix: str, directory: Path | None = None) -> Iterator[Path]:
    """A new directory of mode 0700 until the end of the block. Raises OSError."""
    path = new_name(prefix, "", directory)
    # Registered first: a signal may come at any point.
    remove = AtEnd(lambda: shutil.rmtree(path, ignore_errors=True))
    try:
        path.mkdir(mode=0o700)
        yield path
    finally:
        remove.now()


@contextmanager
def temporary_file(
    prefix: str, suffix: str = "", directory: Path | None = None, mode: int = 0o600
) -> Iterator[Path]:
    """A new empty file until the end of the block, unless it is moved. Raises OSError."""
    path = new_name(prefix, suffix, directory)
    remove = AtEnd(lambda: path.unlink(missing_ok=True))
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode))
        yield path
    finally:
        remove.now()
