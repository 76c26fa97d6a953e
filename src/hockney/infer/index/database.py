"""The index: results of result files, each computed once, in an SQLite database.

An entry belongs to a version of hockney and to a file as it is: its path, size and time of change.
It has a digest; without a valid one it is computed again. A missing, stale or damaged index is
built again, with one line of message. Any number of processes may read and write it at a time: what
they add is written in short transactions, one process after the other.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from hockney import __version__
from hockney.base.endings import AtEnd
from hockney.base.errors import UsageError
from hockney.base.file_lock import locked
from hockney.base.trust import UntrustedError, cache_directory

OFF = "HOCKNEY_NO_CACHE"
"""Environment variable; if it is set and not empty, the index is neither read nor written."""
NAME = "index.sqlite"
"""File name in the user's cache."""
MOST_FILES = 100_000
"""Most entries, of about 6 KiB each; the oldest are removed beyond."""
SETTLED_S = 2.0
"""Age of a file in seconds from which on it cannot change again within a tick of its clock."""
UNSETTLED = -1
"""Time of change in the entry of a younger file; no real file has it."""
AT_ONCE = 500
"""Most files that one transaction adds."""
PATIENCE_S = 10.0
"""Longest wait for another process that writes; unwritten results are computed again next time."""
APPLICATION = 0x484F434B
"""SQLite's application_id of an index of ours."""
APPLICATION_BYTES = slice(68, 72)
"""Position of the application_id in an SQLite file (its file format, 1.3.18)."""
SCHEMA = (
    """CREATE TABLE files (
    id INTEGER PRIMARY KEY, file TEXT NOT NULL UNIQUE, size_bytes INTEGER NOT NULL,
    changed_ns INTEGER NOT NULL, hockney TEXT NOT NULL)""",
    """CREATE TABLE runs (
    file_id INTEGER PRIMARY KEY REFERENCES files ON DELETE CASCADE, cut TEXT, run TEXT,
    started TEXT, label TEXT, system TEXT, short_system TEXT, handover_s REAL, facts TEXT,
    curve_names TEXT, kind TEXT)""",
    """CREATE TABLE points (
    file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE, curve TEXT NOT NULL,
    bytes INTEGER NOT NULL, time_s REAL NOT NULL, low_s REAL, high_s REAL,
    PRIMARY KEY (file_id, curve, bytes)) WITHOUT ROWID""",
    """CREATE TABLE estimates (
    file_id INTEGER PRIMARY KEY REFERENCES files ON DELETE CASCADE, content BLOB NOT NULL)""",
    """CREATE TABLE findings (
    file_id INTEGER PRIMARY KEY REFERENCES files ON DELETE CASCADE, content BLOB NOT NULL)""",
    """CREATE TABLE digests (
    file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE, kind TEXT NOT NULL,
    digest TEXT NOT NULL, PRIMARY KEY (file_id, kind)) WITHOUT ROWID""",
    """CREATE VIEW measured AS
    SELECT file, run, started, label, system, curve, bytes, time_s, low_s, high_s,
    bytes / time_s AS bandwidth_Bps
    FROM files JOIN runs ON runs.file_id = files.id JOIN points ON points.file_id = files.id""",
)
"""docs/reports.md describes it. An index whose tables are not exactly these is of another version,
or forged, and is built again."""
NEW_FILE = "INSERT INTO files (file, size_bytes, changed_ns, hockney) VALUES (?, ?, ?, ?)"
DAMAGED = (sqlite3.DatabaseError, ValueError, TypeError)
"""Exceptions from reading a damaged database: invalid text and unexpected nulls included."""

Rows = list[tuple[Any, ...]]
T = TypeVar("T")


@dataclass(frozen=True)
class ResultKind(Generic[T]):
    """One kind of result of a file."""

    name: str
    work_out: Callable[[Path], T]
    """Computes the result of a file. Raises UsageError if it holds none."""
    rows: Callable[[sqlite3.Connection, int], Rows]
    """The stored rows of the file with this number; empty without any."""
    read: Callable[[Rows], T]
    """The result that the rows stand for, checked. Raises ValueError."""
    write: Callable[[sqlite3.Connection, int, T], None]
    """Replaces the result of the file with this number; adds no row if it cannot be stored."""


@dataclass(frozen=True)
class FileState:
    """Identity of a file's content: path, size and time of change."""

    file: str
    size_bytes: int
    changed_ns: int


Write = Callable[[sqlite3.Connection, int], None]
"""Writes the result of a file, by its number in the database."""


class Index:
    """One open index."""

    def __init__(self, path: Path | None, is_ours: bool = False) -> None:
        """path: the file; None for an index in memory, until it is closed. is_ours: any file there
        may be replaced; else raises UsageError if it is no index."""
        if path is not None and not is_ours:
            _check_replaceable(path)
        self._path = path
        self._added: list[tuple[FileState, Write]] = []
        self._requested: dict[str, tuple[FileState, Write]] = {}
        self.notes: dict[str, None] = {}
        """Messages about a damaged or outdated index."""
        self._database = self._opened()
        self._at_end = AtEnd(lambda: self._database.close())

    @classmethod
    def in_cache(cls) -> Index:
        """The index in the user's cache; in memory if the cache is disabled or cannot be used."""
        if not os.environ.get(OFF):
            with suppress(OSError, UntrustedError):
                return cls(cache_directory() / NAME, is_ours=True)
        return cls(None)

    def of(self, path: Path, kind: ResultKind[T]) -> T:
        """The result of a file, from the index if it is there."""
        state = _state(path)
        if state is None:
            return kind.work_out(path)
        stored = self._stored(state, kind)
        result = kind.work_out(path) if stored is None else stored
        if state.changed_ns / 1e9 > time.time() - SETTLED_S:
            state = replace(state, changed_ns=UNSETTLED)

        def write(to: sqlite3.Connection, file: int) -> None:
            kind.write(to, file, result)
            if rows := kind.rows(to, file):
                digest = _digest(state, rows)
                to.execute("REPLACE INTO digests VALUES (?, ?, ?)", (file, kind.name, digest))

        self._requested[state.file] = state, write
        if stored is None:
            self._added.append((state, write))
        if len(self._added) >= AT_ONCE:
            self._write()
        return result

    def files_with(self, kind: ResultKind[Any]) -> list[Path]:
        """The files of which it has results of this kind, the last added first."""
        query = (
            "SELECT file FROM files JOIN digests ON digests.file_id = files.id"
            " WHERE kind = ? ORDER BY files.id DESC"
        )
        try:
            return [Path(file) for (file,) in self._database.execute(query, (kind.name,))]
        except DAMAGED:
            return []

    def ask(self, query: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Column names and rows of a query over the files requested, on a copy in memory of their
        checked results. Raises UsageError if SQLite rejects it."""
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
            for statement in SCHEMA:
                copy.execute(statement)
            for state, write in self._requested.values():
                write(copy, _new_file(copy, state))
            copy.execute("PRAGMA query_only = ON")
            try:
                cursor = copy.execute(query)
                return [column[0] for column in cursor.description or ()], cursor.fetchall()
            except (sqlite3.Error, sqlite3.Warning) as error:
                raise UsageError(
                    f"--sql: {error}", "docs/reports.md has the tables, and examples"
                ) from error

    def close(self) -> None:
        """Writes added results, and removes the oldest entries and those of deleted files."""
        with suppress(*DAMAGED, sqlite3.Error, OSError):
            self._write()
            with self._writing():
                self._database.executemany("DELETE FROM main.files WHERE file = ?", self._gone())
                self._database.execute(
                    "DELETE FROM main.files WHERE id IN"
                    " (SELECT id FROM main.files ORDER BY id DESC LIMIT -1 OFFSET ?)",
                    (MOST_FILES,),
                )
        self._at_end.now()

    def _stored(self, state: FileState, kind: ResultKind[T]) -> T | None:
        try:
            number = self._number(state)
            if number is None:
                return None
            digest = self._database.execute(
                "SELECT digest FROM digests WHERE file_id = ? AND kind = ?", (number, kind.name)
            ).fetchone()
            rows = kind.rows(self._database, number) if digest else []
            if rows and digest[0] == _digest(state, rows):
                return kind.read(rows)
            if digest:
                self._note("an entry was damaged, and was worked out again")
        except sqlite3.OperationalError:
            pass
        except DAMAGED:
            self._build_again()
        return None

    def _note(self, words: str) -> None:
        self.notes[f"index {self._path}: {words}"] = None

    def _build_again(self) -> None:
        """Replaces a database that cannot be read."""
        self._note("it was damaged, and is built again")
        self._database.close()
        try:
            with self._locked():
                self._remove()
                self._database = self._made()
        except (sqlite3.Error, OSError):
            self._path = None
            self._database = self._made()

    def _number(self, state: FileState) -> int | None:
        row = self._database.execute(
            "SELECT id FROM files WHERE file = ? AND size_bytes = ? AND changed_ns = ?"
            " AND hockney = ?",
            (state.file, state.size_bytes, state.changed_ns, __version__),
        ).fetchone()
        return row[0] if row else None

    def _gone(self) -> list[tuple[str]]:
        """Deleted files of the directories that were requested."""
        folders = {str(Path(file).parent) for file in self._requested}
        files = self._database.execute("SELECT file FROM main.files").fetchall()
        return [
            (file,)
            for (file,) in files
            if file not in self._requested
            and file.rpartition("/")[0] in folders
            and not Path(file).exists()
        ]

    def _opened(self) -> sqlite3.Connection:
        """The database with our tables, made anew if it has others; in memory if the file can be
        neither read nor written."""
        try:
            is_old = self._path is not None and self._path.exists() and self._path.stat().st_size
            database = self._connected()
            if _has_our_tables(database):
                return database
            database.close()
            if is_old:
                self._note("it was damaged, or of another version, and is built again")
            with self._locked():
                return self._made()
        except (sqlite3.Error, OSError):
            self._path = None
            return self._made()

    def _made(self) -> sqlite3.Connection:
        """Creates the database unless another process has done so meanwhile."""
        database = self._connected()
        if _has_our_tables(database):
            return database
        database.close()
        self._remove()
        database = self._connected()
        database.execute("BEGIN IMMEDIATE")
        database.execute(f"PRAGMA application_id = {APPLICATION}")
        for statement in SCHEMA:
            database.execute(statement)
        database.execute("COMMIT")
        return database

    def _connected(self) -> sqlite3.Connection:
        place = ":memory:" if self._path is None else self._path
        database = sqlite3.connect(place, timeout=PATIENCE_S, isolation_level=None)
        database.execute("PRAGMA trusted_schema = OFF")
        database.execute("PRAGMA foreign_keys = ON")
        return database

    def _remove(self) -> None:
        """Removes the database with its journal, which would be applied to the new one. Needs the
        lock."""
        if self._path is not None:
            for path in (self._path, Path(f"{self._path}-journal")):
                path.unlink(missing_ok=True)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Excludes writes of other processes. Raises OSError if that takes too long."""
        if self._path is None:
            yield
            return
        with locked(Path(f"{self._path}.lock"), PATIENCE_S):
            yield

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._locked():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            finally:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")

    def _write(self) -> None:
        """Writes pending results, which are dropped if that is impossible."""
        added, self._added = self._added, []
        if not added:
            return
        with suppress(sqlite3.Error, OSError), self._writing():
            for state, write in added:
                number = self._number(state)
                write(self._database, self._new(state) if number is None else number)

    def _new(self, state: FileState) -> int:
        """Replaces the entries of a file and returns its new number."""
        self._database.execute("DELETE FROM files WHERE file = ?", (state.file,))
        return _new_file(self._database, state)


def _new_file(database: sqlite3.Connection, state: FileState) -> int:
    number = database.execute(
        NEW_FILE, (state.file, state.size_bytes, state.changed_ns, __version__)
    ).lastrowid
    assert number is not None
    return number


def _digest(state: FileState, rows: Rows) -> str:
    """Digest of a file's entry, with its identity."""
    content = repr((state.file, state.size_bytes, state.changed_ns, __version__, rows))
    return hashlib.blake2b(content.encode(errors="surrogatepass"), digest_size=16).hexdigest()


def _state(path: Path) -> FileState | None:
    """Identity of a file; None if it cannot be read, or has a name that SQLite cannot hold."""
    try:
        stat, file = path.stat(), str(path.resolve())
        file.encode()
    except (OSError, UnicodeEncodeError):
        return None
    return FileState(file, stat.st_size, stat.st_mtime_ns)


def _has_our_tables(database: sqlite3.Connection) -> bool:
    """Whether a database has our tables and nothing else. Raises sqlite3.OperationalError if it
    cannot be read."""
    try:
        rows = database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        number = database.execute("PRAGMA application_id").fetchone()[0]
    except sqlite3.OperationalError as error:
        if any(words in str(error) for words in ("malformed", "decode", "format")):
            return False
        raise
    except DAMAGED:  # no database
        return False
    return number == APPLICATION and [row[0] for row in rows] == list(SCHEMA)


def _check_replaceable(path: Path) -> None:
    """Raises UsageError if a file is neither new nor an index of any version, so that no other file
    is replaced."""
    try:
        with path.open("rb") as file:
            start = file.read(APPLICATION_BYTES.stop)
    except FileNotFoundError:
        return
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    number = int.from_bytes(start[APPLICATION_BYTES], "big")
    if start and not (start.startswith(b"SQLite format 3\0") and number == APPLICATION):
        raise UsageError(
            f"{path} is no index of hockney", "name a new file, or the index of an earlier history"
        )
