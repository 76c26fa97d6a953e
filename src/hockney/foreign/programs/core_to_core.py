"""core-to-core-latency's CSV: nanoseconds below the diagonal, a row and a column for each core."""

from __future__ import annotations

from decimal import Decimal

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import Column, LogTable, is_number

HEADED = False
ONE_WAY = Column("mean", "mean transfer of a cache line, one way", factor=Decimal("1e-9"))
MOST_CORES = 2048


def _rows(log: Log) -> list[tuple[int, list[str]]]:
    return [(line, text.split(",")) for line, text in log.numbered() if "," in text]


def recognise(log: Log) -> int | None:
    rows = _rows(log)
    if not 2 <= len(rows) <= MOST_CORES:
        return None
    for row, (_, cells) in enumerate(rows):
        filled = [bool(cell.strip()) for cell in cells]
        if len(cells) != len(rows) or filled != [column < row for column in range(len(rows))]:
            return None
        if not all(is_number(cell.strip()) for cell in cells[:row]):
            return None
    return rows[0][0]


def read(log: Log) -> list[LogTable]:
    """The latencies as 0 bytes. Cores are numbered in the order of rows."""
    rows = _rows(log)
    if not rows:
        return []
    table = LogTable("core-to-core", "core-to-core-latency", rows[0][0], ranks=2)
    for row, (line, cells) in enumerate(rows[:MOST_CORES]):
        if len(cells) != len(rows[0][1]):
            table.cut_in(line)
            break
        for column, cell in enumerate(cells[:row]):
            with table.row(log, line):
                table.add(line, 0, ONE_WAY, cell.strip() or "-", peers=[column, row])
    else:
        if len(rows) < len(rows[0][1]):
            table.cut = f"{len(rows)} rows of {len(rows[0][1])} cores, read up to there"
    return [table]
