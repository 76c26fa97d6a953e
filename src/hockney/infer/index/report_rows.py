"""Rows of the index that a report keeps of each file, its estimates and findings, and those that a
history keeps of the newest one, its findings alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from hockney import records
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.findings import DecidingFinding
from hockney.infer.analysis.gate import FAILED
from hockney.infer.analysis.reduced import Reduced
from hockney.infer.index.database import Index, ResultKind, Rows

if TYPE_CHECKING:
    from hockney.infer.analysis.history.histories import History

LONGEST_ENTRY = 1 << 20
"""Bytes of an entry above which it is not stored."""

T = TypeVar("T")


def with_newest(index: Index, histories: Iterable[History]) -> list[History]:
    """The histories, each with the failed findings of its newest run by itself."""
    return [replace(history, failed=_failed(index, history.runs[-1].file)) for history in histories]


def _failed(index: Index, file: str) -> tuple[DecidingFinding, ...]:
    findings = index.of(Path(file), FINDINGS)
    return tuple(replace(finding, run=file) for finding in findings if finding.status == FAILED)


def _reduced(path: Path) -> Reduced:
    return Reduced.of(Analysis(records.read(path)))


def _findings(path: Path) -> list[DecidingFinding]:
    return list(Analysis(records.read(path)).findings_by_itself)


def _stored(name: str, table: str, work_out: Callable[[Path], T], form: Any) -> ResultKind[T]:
    """A kind of result that is kept as MessagePack in one row of a table, unless it is too long.
    form: its type."""

    def rows(database: sqlite3.Connection, file: int) -> Rows:
        query = f"SELECT content FROM {table} WHERE file_id = ?"
        return database.execute(query, (file,)).fetchall()

    def read(rows: Rows) -> T:
        result: T = _decoder(form).decode(rows[0][0])
        return result

    def write(database: sqlite3.Connection, file: int, result: T) -> None:
        database.execute(f"DELETE FROM {table} WHERE file_id = ?", (file,))
        content = msgspec.msgpack.encode(result)
        if len(content) <= LONGEST_ENTRY:
            database.execute(f"INSERT INTO {table} VALUES (?, ?)", (file, content))

    return ResultKind(name, work_out, rows, read, write)


@lru_cache
def _decoder(form: Any) -> msgspec.msgpack.Decoder[Any]:
    return msgspec.msgpack.Decoder(form)


REDUCED = _stored("report", "estimates", _reduced, Reduced)
FINDINGS = _stored("findings", "findings", _findings, list[DecidingFinding])
