"""What a history keeps of each file, worked out once a file and kept in the user's cache.

An entry belongs to a version of hockney and to a file as it is: its path, size and time of change.
Entries are JSON that is checked as it is read; what is damaged is worked out again.
"""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import msgspec

from hockney import __version__, records
from hockney.analysis import Analysis
from hockney.analysis.history import RunFacts
from hockney.measure.build import UntrustedCacheError, cache_directory

OFF = "HOCKNEY_NO_CACHE"
"""Environment variable; where it is set and not empty, nothing is kept and nothing kept is used."""
MOST_ENTRIES = 20_000
"""Entries of some KiB each; the oldest are removed when there are more."""
LONGEST_ENTRY = 1 << 20
"""Bytes; a larger entry is not ours."""
SETTLED_S = 2.0
"""A file that was changed later than this may change again within one tick of its clock."""


class Known(msgspec.Struct, frozen=True):
    """What is known of one file."""

    cut: str | None
    """What is missing in the file (Run.cut)."""
    facts: RunFacts | None


_decoder = msgspec.json.Decoder(Known)


class Facts:
    """The facts of files, from the cache where they are there."""

    def __init__(self) -> None:
        self._directory: Path | None = None
        with suppress(OSError, UntrustedCacheError):
            if not os.environ.get(OFF):
                self._directory = cache_directory() / "facts"
                self._directory.mkdir(mode=0o700, exist_ok=True)

    def of(self, path: Path) -> Known:
        """Raises AskedWronglyError where the file holds no result."""
        entry = self._entry(path)
        known = _read(entry) if entry is not None else None
        if known is None:
            run = records.read(path)
            known = Known(run.cut, Analysis(run).facts)
            if entry is not None and known.facts is not None:
                _write(entry, known)
        if known.facts is not None:
            known = Known(known.cut, replace(known.facts, file=str(path)))
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
        """Where the file's facts are kept; None where they are not."""
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
        return self._directory / f"{digest}.json"


def _read(entry: Path) -> Known | None:
    try:
        with entry.open("rb") as file:
            return _decoder.decode(file.read(LONGEST_ENTRY))
    except (OSError, ValueError):
        return None


def _write(entry: Path, known: Known) -> None:
    """Puts a whole entry in its place, or none."""
    part = entry.with_suffix(f".{os.getpid()}")
    with suppress(OSError, ValueError):
        part.write_bytes(msgspec.json.encode(known))
        part.replace(entry)
    part.unlink(missing_ok=True)
