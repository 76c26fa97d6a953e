"""NetPIPE 2, 3 and 5: its output and its np.out.

A megabit is 2^20 bits up to version 3 and 10^6 in 5; the numbers show which. Times are one way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import TypeVar

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import (
    BYTES,
    MEGABYTES,
    REPETITIONS,
    Column,
    LogTable,
    RowOrder,
    implied,
    number_rows,
)
from hockney.records import Place

HEADED = False
_CONSOLE = re.compile(
    r"(?<!\d)(?P<bytes>\d+)\s+(?P<unit>bytes|B)\s+(?P<times>\d+) times -->\s+"
    r"(?P<rate>\S+) Mbps\s+in\s+(?P<time>\S+) usec"
)
_CUT = re.compile(r"(?<!\d)\d+\s+(?:bytes|B)\s+\d+ times -->")
_HOST = re.compile(r"^(\d{1,9}): ([\w.-]+)$")
BIT = Decimal("0.125")
LEAST_ROWS = 3
"""Least number of consistent rows to be recognised as np.out."""
LEAST_RATIO, MOST_RATIO = 0.97, 1.08
"""Range of bits / (time * rate), in 10^6, for either megabit after rounding."""
BEST = "the shortest of several trials, each the mean of many exchanges, one way"
TRIALS = "mean of several trials, each the mean of many exchanges, one way"


def recognise(log: Log) -> int | None:
    console = log.find(_CONSOLE)
    if console is not None:
        return console
    for width in (3, 5, 6):
        rows = list(number_rows(log, width))
        if len(rows) >= LEAST_ROWS and _kind([cells for _, cells in rows]):
            return rows[0][0]
    return None


def read(log: Log) -> list[LogTable]:
    if log.find(_CONSOLE) is not None:
        return _console(log)
    for width in (3, 5, 6):
        rows = list(number_rows(log, width))
        version = _kind([cells for _, cells in rows])
        if rows and version:
            return _np_out(log, rows, version)
    return []


def _kind(rows: Sequence[Sequence[str]]) -> str | None:
    """The version whose np.out has these columns, if the numbers are consistent."""
    if not rows:
        return None
    numbers = [[float(cell) for cell in row] for row in rows]
    if len(rows[0]) == 3 and _agree([(8.0 * b, s, r) for b, r, s in numbers]):
        return "3"
    if len(rows[0]) == 5 and all(row[2] == 8.0 * row[3] for row in numbers):
        return "2" if _agree([(bits, s, r) for s, r, bits, _, _ in numbers]) else None
    five = [row[:5] for row in numbers] if len(rows[0]) > 3 else []
    if five and all(low <= mean <= high for _, mean, low, high, _ in five):
        return "5" if _agree([(8.0 * b, t * 1e-6, 1e3 * r) for b, r, _, _, t in five]) else None
    return None


def _agree(rows: Sequence[tuple[float, float, float]]) -> bool:
    """True if bits over seconds equal the printed megabits per second, as far as digits show."""
    known = [bits / seconds / rate / 1e6 for bits, seconds, rate in rows if seconds * rate > 0.0]
    fits = [LEAST_RATIO < ratio < MOST_RATIO for ratio in known]
    return len(fits) > 0 and sum(fits) >= 0.8 * len(rows)


def _table(line: int, version: str, places: list[Place]) -> LogTable:
    return LogTable("pingpong", "NetPIPE", line, version=version, ranks=2, places=places)


def _console(log: Log) -> list[LogTable]:
    """A new table begins where sizes restart."""
    tables: list[LogTable] = []
    hosts: dict[int, str] = {}
    found: list[tuple[int, re.Match[str]]] = []
    for line, text in log.numbered():
        host, row = _HOST.match(text), _CONSOLE.search(text)
        if host:
            hosts[int(host[1])] = host[2]
        elif row:
            found.append((line, row))
    places = [Place(rank=rank, host=host) for rank, host in hosts.items()]
    version = "5" if found and found[0][1]["unit"] == "B" else "3"
    for part in _restarts(found, [int(row["bytes"]) for _, row in found]):
        rows = [(line, [m["bytes"], m["times"], m["rate"], m["time"]]) for line, m in part]
        table = _table(part[0][0], version, places)
        of = TRIALS if version == "5" else BEST
        time = Column("mean" if version == "5" else "best trial", of)
        _fill(log, table, rows, [BYTES, REPETITIONS, _megabits(rows), time])
        tables.append(table)
    cut = log.find(_CUT)
    for line, text in log.numbered(cut or 1):
        if _CUT.search(text) and not _CONSOLE.search(text) and tables:
            tables[-1].cut_in(line)
    return tables


Row = TypeVar("Row")


def _restarts(rows: Sequence[Row], sizes: Sequence[float]) -> list[list[Row]]:
    """The rows of each run: sizes of one ascend, but for the few bytes by which NetPIPE perturbs
    them."""
    starts = [0, *(i + 1 for i, (a, b) in enumerate(pairwise(sizes)) if 2 * b < a)]
    return [list(rows[a:b]) for a, b in pairwise([*starts, len(rows)]) if b > a]


def _megabits(rows: Sequence[tuple[int, Sequence[str]]]) -> Column | None:
    """The column of rates with the megabit that the rows imply; None if they show neither."""
    ratios = []
    for _, (size, _, rate, time) in rows:
        try:
            if float(rate) >= 1.0 and float(time) > 0.0:
                ratios.append(8.0 * float(size) / (float(time) * 1e-6) / float(rate))
        except ValueError:
            continue
    unit = implied(ratios)
    if unit is None:
        return None
    return Column("bandwidth", f"megabits of {unit}", "value_Bps", BIT * MEGABYTES[unit])


def _np_out(log: Log, rows: list[tuple[int, list[str]]], version: str) -> list[LogTable]:
    binary, gigabit = BIT * MEGABYTES["2^20"], BIT * Decimal(10**9)
    layouts: dict[str, list[Column | None]] = {
        "2": [
            Column("best trial", BEST, factor=Decimal(1)),
            Column("bandwidth", "megabits of 2^20", "value_Bps", binary),
            None,
            BYTES,
            Column("variance", "of the trials' times, in s^2", "value", Decimal(1)),
        ],
        "3": [
            BYTES,
            Column("bandwidth", "megabits of 2^20", "value_Bps", binary),
            Column("best trial", BEST, factor=Decimal(1)),
        ],
        "5": [
            BYTES,
            Column("bandwidth", "mean over trials", "value_Bps", gigabit),
            Column("least trial bandwidth", "the least of the trials", "value_Bps", gigabit),
            Column("largest trial bandwidth", "the largest of the trials", "value_Bps", gigabit),
            Column("mean", TRIALS),
        ],
    }
    layout = layouts[version]
    layout += [None] * (len(rows[0][1]) - len(layout))
    at = layout.index(BYTES)
    tables = []
    for part in _restarts(rows, [float(cells[at]) for _, cells in rows]):
        table = _table(part[0][0], version, [])
        _fill(log, table, part, layout)
        tables.append(table)
    return tables


def _fill(
    log: Log,
    table: LogTable,
    rows: Sequence[tuple[int, Sequence[str]]],
    columns: Sequence[Column | None],
) -> None:
    """Adds the rows. NetPIPE perturbs sizes by a few bytes, so their order is not checked."""
    order = RowOrder(log, table)
    kept = [column for column in columns if column is not None]
    if len(kept) < len(columns) and not any(c.field == "value_Bps" for c in kept):
        table.note("rates are ignored: they do not show whether a megabit is 10^6 or 2^20 bits")
    if any("2^20" in column.definition for column in kept):
        table.note("its megabits are 2^20 bits; rates are read so")
    sizes: set[int] = set()
    for line, cells in rows:
        if order.is_cut(line, cells, len(columns)):
            return
        known = [cell for cell, c in zip(cells, columns, strict=True) if c is not None]
        with table.row(log, line):
            size = table.add_row(line, known, kept)
            if size in sizes:
                table.note(f"{log.at(line)}: {size} bytes again; the last row counts")
            sizes.add(size)
