"""Temporary files and directories: for this user only, with names that nobody can guess, removed at
any end of the process."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hockney.endings import AtEnd


def new_name(prefix: str, suffix: str, directory: Path | None) -> Path:
    """A path in `directory`, default $TMPDIR, that is not there and that nobody can prepare."""
    place = Path(tempfile.gettempdir()) if directory is None else directory
    return place.absolute() / f"{prefix}{os.urandom(8).hex()}{suffix}"


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
    """A new empty file until the end of the block, where it was not moved. Raises OSError."""
    path = new_name(prefix, suffix, directory)
    remove = AtEnd(lambda: path.unlink(missing_ok=True))
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode))
        yield path
    finally:
        remove.now()
