"""Durham's exercise: `bytes repetitions seconds` one way, and lines of statistics of ping-pong
round trips, which do not show the message size."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from hockney.base.errors import UsageError
from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import (
    BYTES,
    REPETITIONS,
    Column,
    LogTable,
    RowOrder,
    is_number,
    number_rows,
)
from hockney.foreign.programs._layout import count_of, loops
from hockney.infer.estimate.points import PointEstimate
from hockney.plan import sizes_of, workload_of
from hockney.plan.preset import MIB, Preset, powers
from hockney.records import Run

HEADED = False
_STATISTICS = re.compile(r"^mean = (\S+), stdv = (\S+), max = (\S+), min = (\S+)\s*$")
COLUMNS = (
    BYTES,
    REPETITIONS,
    Column("mean", "whole loop over 2n, larger of two ranks", factor=Decimal(1)),
)
HALF = Decimal("0.5")
SINGLE = "half of each ping-pong, timed singly on one rank"
NAMES = ("mean", "std", "max", "min")
LEAST_ROWS = 2
LONGEST_S = 0.01
"""Longest time (s) of its shortest message. Other tables of three numbers have larger ones: times
in microseconds, rates."""
_OWN_WORDS = re.compile(r"byte|size|length|rep|iter|count|sec|time|\bn\b", re.IGNORECASE)
"""Words of a heading that fits its columns."""


def recognise(log: Log) -> int | None:
    statistics = log.find(_STATISTICS)
    if statistics is not None:
        return statistics
    rows = list(number_rows(log, 3))
    whole = all(cell.isdigit() for _, row in rows for cell in row[:2])
    fractions = any(not row[2].isdigit() for _, row in rows)
    if len(rows) < LEAST_ROWS or not (whole and fractions) or _is_headed(log, rows[0][0]):
        return None
    return rows[0][0] if min(float(row[2]) for _, row in rows) <= LONGEST_S else None


def _is_headed(log: Log, first: int) -> bool:
    """True if the line above the first row names other columns than the program has, which prints
    no heading: those of a data frame, whose rows begin with a number, or of another table."""
    words = log.lines[first - 2].strip("# ").split() if first > 1 else []
    is_heading = bool(words) and all(word[0].isalpha() or word[0] in "([" for word in words)
    has_a_column_less = len(words) == len(COLUMNS) - 1
    is_other = len(words) == len(COLUMNS) and not all(map(_OWN_WORDS.search, words))
    return is_heading and (has_a_column_less or is_other)


def read(log: Log) -> list[LogTable]:
    if log.find(_STATISTICS) is not None:
        return _statistics(log)
    tables: list[LogTable] = []
    order = RowOrder(log, _table(0))
    seen: set[str] = set()
    for line, text in log.numbered():
        cells = text.split()
        if not cells or not cells[0].isdigit() or not all(map(is_number, cells)):
            continue
        if not tables or cells[0] in seen:
            # A repeated size begins another launch.
            tables.append(_table(line))
            order, seen = RowOrder(log, tables[-1]), set()
        if order.is_cut(line, cells, len(COLUMNS)):
            break
        seen.add(cells[0])
        if len(cells) == len(COLUMNS):
            with tables[-1].row(log, line):
                order.see(line, tables[-1].add_row(line, cells, COLUMNS))
    return tables


def _table(line: int) -> LogTable:
    return LogTable("pingpong", "Durham's ping-pong", line, ranks=2)


def _statistics(log: Log) -> list[LogTable]:
    """Reads each line of statistics as a launch."""
    if log.bytes is None:
        raise UsageError(
            f"{log.at(log.find(_STATISTICS) or 1)}: these lines do not show the message size",
            "give it with --bytes",
        )
    tables = []
    for line, text in log.numbered():
        match = _STATISTICS.match(text)
        if not match:
            continue
        table = _table(line)
        table.note("each line is read as a launch, but may be of another rank")
        with table.row(log, line):
            for name, cell in zip(NAMES, match.groups(), strict=True):
                table.add(line, log.bytes, Column(name, SINGLE, factor=HALF), cell)
        tables.append(table)
    return tables


def preset() -> Preset:
    """The preset: 1 B to 64 MiB; about 3 s a size by a timed warm-up of 100, whole loop, larger of
    two."""
    return Preset(sizes_of(powers(1, 64 * MIB)), seconds_a_size=3.0)


ONLY = "pingpong"


def layout(run: Run, points: Sequence[PointEstimate]) -> str:
    repetitions = loops(run)
    workload = workload_of(run.header.options)
    lines = []
    for point in points:
        if workload is not None and workload.times_every_iteration:
            seconds = (point.mean_s, point.std_s, point.max_s, point.min_s)
            named = dict(zip(("mean", "stdv", "max", "min"), seconds, strict=True))
            both_ways = (f"{name} = {2.0 * (value or 0.0):e}" for name, value in named.items())
            lines.append(", ".join(both_ways))
        else:
            lines.append(f"{point.bytes} {count_of(repetitions, point)} {point.typical_s:g}")
    return "\n".join(lines)
