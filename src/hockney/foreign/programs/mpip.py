"""mpiP's report: for each call site the time of a call over all ranks, at the mean size that its
calls sent. Sites whose sizes the report does not have (receives, waits) are counted in a note."""

from __future__ import annotations

import re
from decimal import Decimal

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import Column, LogTable, RowError, number, scaled, whole

HEADED = True

MILLI = Decimal("1e-3")
COLUMNS = (
    Column("max", "the longest call of a site", factor=MILLI),
    Column("mean", "mean over the calls of a site, on all ranks", factor=MILLI),
    Column("min", "the shortest call of a site", factor=MILLI),
)
MEAN_SIZES = "sizes are the means of what the calls of a site sent"
_TITLE = re.compile(r"^@ mpiP\s*$")
_VERSION = re.compile(r"^@ Version\s*:\s*(\S+)")
_TASK = re.compile(r"^@ MPI Task Assignment\s*:\s*\d+ \S+")
_SECTION = re.compile(r"^@--- (.{3,70}?) -*$")
_TIMES, _SIZES = "Callsite Time statistics", "Callsite Message Sent statistics"
_ROW = re.compile(r"^(\w{2,60}) +(\d{1,9}) +\* +(\d{1,20})((?: +[-+\d.eE]{1,40}){3,6}) *$")
"""A line for all ranks of a site: name, number, count, and numbers."""
LARGEST, MEAN, LEAST = range(3)


def recognise(log: Log) -> int | None:
    return log.find(_TITLE) if log.find(_SECTION) is not None else None


def read(log: Log) -> list[LogTable]:
    """A table for each function of MPI, with a row for each of its sites."""
    sizes = {(name, site): cells[MEAN] for _, name, site, _, cells in _rows(log, _SIZES)}
    version = next((found[1] for text in log.lines if (found := _VERSION.match(text))), None)
    ranks = sum(_TASK.match(text) is not None for text in log.lines) or None
    tables: dict[str, LogTable] = {}
    unknown = 0
    for line, name, site, count, cells in _rows(log, _TIMES):
        if (name, site) not in sizes:
            unknown += 1
            continue
        table = tables.setdefault(
            name,
            LogTable(f"MPI_{name}", "mpiP", line, version=version, ranks=ranks, notes=[MEAN_SIZES]),
        )
        with table.row(log, line):
            _add(table, line, sizes[name, site], count, cells)
    if unknown and tables:
        words = f"{unknown} call site{'s' * (unknown > 1)} without a size left out"
        next(iter(tables.values())).note(words)
    return list(tables.values())


def _add(table: LogTable, line: int, size: str, count: str, cells: list[str]) -> None:
    mean_size = number(size)
    if mean_size is None:
        raise RowError(f"{size!r} is no size")
    bytes = round(scaled(mean_size, Decimal(1)))
    for column, cell in zip(COLUMNS, cells, strict=False):
        table.add(line, bytes, column, cell, repetitions=whole(count))


def _rows(log: Log, section: str) -> list[tuple[int, str, str, str, list[str]]]:
    """The lines for all ranks of a section: line, function, site, count, and the numbers."""
    found, is_inside = [], False
    for line, text in log.numbered():
        title = _SECTION.match(text)
        if title:
            is_inside = title[1].startswith(section)
        row = _ROW.match(text) if is_inside else None
        if row:
            found.append((line, row[1], row[2], row[3], row[4].split()))
    return found
