"""What was worked out of result files, once a file, and kept in the user's cache.

An entry belongs to a version of hockney and to a file as it is: its path, size and time of change.
Entries are MessagePack that is checked as it is read; what is damaged is worked out again.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from hockney import __version__
from hockney.measure.build import UntrustedCacheError, cache_directory

OFF = "HOCKNEY_NO_CACHE"
"""Environment variable; where it is set and not empty, nothing is kept and nothing kept is used."""
MOST_ENTRIES = 20_000
"""Entries of some KiB each; the oldest are removed when there are more."""
LONGEST_ENTRY = 1 << 20
"""Bytes; a larger entry is not ours."""
SETTLED_S = 2.0
"""A file that was changed later than this may change again within one tick of its clock."""

T = TypeVar("T")


class Kept(Generic[T]):
    """One kind of results of files, from the cache where they are there."""

    def __init__(self, name: str, kind: type[T], work_out: Callable[[Path], T]) -> None:
        """name: the directory in the cache."""
        self._work_out, self._decoder = work_out, msgspec.msgpack.Decoder(kind)
        self._directory: Path | None = None
        with suppress(OSError, UntrustedCacheError):
            if not os.environ.get(OFF):
                self._directory = cache_directory() / name
                self._directory.mkdir(mode=0o700, exist_ok=True)

    def of(self, path: Path) -> T:
        """Raises AskedWronglyError where the file holds no result."""
        entry = self._entry(path)
        known = self._read(entry) if entry is not None else None
        if known is None:
            known = self._work_out(path)
            if entry is not None:
                _write(entry, known)
        return known

    def close(self) -> None:
        """Removes the oldest entries where there are too many."""
        if self._directory is None:
            return
        with suppress(OSError):
            entries = sorted(self._directory.iterdir(), key=lambda entry: entry.stat().st_mtime)
            for entry in entries[: max(len(entries) - MOST_ENTRIES, 0)]:
                entry.unlink()

    def _entry(self, path: Path) -> Path | None:
        """Where the file's result is kept; None where it is not."""
        if self._directory is None:
            return None
        try:
            found, resolved = path.stat(), path.resolve()
        except OSError:
            return None
        if found.st_mtime > time.time() - SETTLED_S:
            return None
        identity = f"{__version__}\0{os.fspath(resolved)}\0{found.st_size}\0{found.st_mtime_ns}"
        digest = hashlib.sha256(identity.encode(errors="surrogateescape")).hexdigest()
        return self._directory / digest

    def _read(self, entry: Path) -> T | None:
        try:
            with entry.open("rb") as file:
                return self._decoder.decode(file.read(LONGEST_ENTRY))
        except (OSError, ValueError):
            return None


def _write(entry: Path, known: object) -> None:
    """Puts a whole entry in its place, or none."""
    part = entry.with_suffix(f".{os.getpid()}")
    with suppress(OSError, ValueError):
        content = msgspec.msgpack.encode(known)
        if len(content) > LONGEST_ENTRY:
            return
        part.write_bytes(content)
        part.replace(entry)
    part.unlink(missing_ok=True)
