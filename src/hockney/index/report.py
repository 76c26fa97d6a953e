"""What a report keeps of each file: its estimates."""

from __future__ import annotations

import sqlite3
from functools import lru_cache
from pathlib import Path

import msgspec

from hockney import records
from hockney.analysis import Analysis
from hockney.analysis.reduced import Reduced
from hockney.index.database import Kind

LONGEST_ENTRY = 1 << 20
"""Bytes; a larger one is not kept."""


def _reduced(path: Path) -> Reduced:
    return Reduced.of(Analysis(records.read(path)))


def _read(database: sqlite3.Connection, file: int) -> Reduced | None:
    row = database.execute("SELECT content FROM estimates WHERE file_id = ?", (file,)).fetchone()
    return None if row is None else _decoder().decode(row[0])


@lru_cache(maxsize=1)
def _decoder() -> msgspec.msgpack.Decoder[Reduced]:
    return msgspec.msgpack.Decoder(Reduced)


def _write(database: sqlite3.Connection, file: int, reduced: Reduced) -> None:
    content = msgspec.msgpack.encode(reduced)
    if len(content) <= LONGEST_ENTRY:
        database.execute("INSERT OR REPLACE INTO estimates VALUES (?, ?)", (file, content))


REDUCED = Kind(_reduced, _read, _write)
