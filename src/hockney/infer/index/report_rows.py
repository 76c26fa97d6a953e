"""Rows of the index that a report keeps of each file: its estimates and findings."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import msgspec

from hockney import records
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.findings import DecidingFinding
from hockney.infer.analysis.gate import FAILED
from hockney.infer.analysis.histories import History
from hockney.infer.analysis.reduced import Reduced
from hockney.infer.index.database import Index, ResultKind, Rows

LONGEST_ENTRY = 1 << 20
"""Bytes of an entry above which it is not stored."""


def _reduced(path: Path) -> Reduced:
    return Reduced.of(Analysis(records.read(path)))


def with_newest(index: Index, histories: Iterable[History]) -> list[History]:
    """The histories, each with the failed findings of its newest run by itself."""
    return [replace(history, failed=_failed(index, history.runs[-1].file)) for history in histories]


def _failed(index: Index, file: str) -> tuple[DecidingFinding, ...]:
    known = index.of(Path(file), REDUCED).findings
    return tuple(replace(finding, run=file) for finding in known if finding.status == FAILED)


def _rows(database: sqlite3.Connection, file: int) -> Rows:
    return database.execute("SELECT content FROM estimates WHERE file_id = ?", (file,)).fetchall()


def _read(rows: Rows) -> Reduced:
    if not rows:
        raise ValueError("it was too long to be kept")
    return _decoder().decode(rows[0][0])


@lru_cache(maxsize=1)
def _decoder() -> msgspec.msgpack.Decoder[Reduced]:
    return msgspec.msgpack.Decoder(Reduced)


def _write(database: sqlite3.Connection, file: int, reduced: Reduced) -> None:
    content = msgspec.msgpack.encode(reduced)
    if len(content) <= LONGEST_ENTRY:
        database.execute("INSERT OR REPLACE INTO estimates VALUES (?, ?)", (file, content))


REDUCED = ResultKind("report", _reduced, _rows, _read, _write)
