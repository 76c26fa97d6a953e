"""NetPIPE 2, 3 and 5: its output and its np.out.

A megabit is 2^20 bits up to version 3 and 10^6 in 5; the numbers show which. Times are one way.
Version 5 prints sizes, rates and times in units of 1000 with three decimals, so that its output
shows the bytes of a size only below 1 MB.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
    again,
    implied,
    is_number,
    number_rows,
)
from hockney.records import Place

HEADED = False
_SIZE = r"(?<![\w.])(?P<size>\d+(?:\.\d+)?)\s+(?P<unit>bytes|[KMGT]?B)\s+(?P<times>\d+) times -->"
_RESULTS = (
    r"\s+(?P<rate>\S+)\s+(?P<rate_unit>[KMGT]?bps)\s+in\s+(?P<time>\S+)\s+(?P<time_unit>[num]?sec)"
)
_CONSOLE = re.compile(_SIZE + _RESULTS)
_STARTED = re.compile(f"{_SIZE}(?:{_RESULTS})?")
"""A row, or only the part that NetPIPE prints before it measures."""
_HOST = re.compile(r"^(\d{1,9}): ([\w.-]+)$")
_BUFFERS = re.compile(r"\bbuffers are (\d{1,12}) and (\d{1,12}) bytes")
"""NetPIPE's line about its TCP buffers for sending and receiving (-b)."""
MODES = {
    "Passing data in both directions simultaneously": "bidirectional",
    "Streaming in one direction only": "stream",
}
"""The operation of the tables below these words; others are ping-pongs."""
MOST_AT_ONCE = 8
"""Most messages at once that rates and times show: larger numbers differ by less than the two
megabits."""
BIT = Decimal("0.125")
SIZE_UNITS = {
    "bytes": Decimal(1),
    "B": Decimal(1),
    "KB": Decimal(10**3),
    "MB": Decimal(10**6),
    "GB": Decimal(10**9),
    "TB": Decimal(10**12),
}
RATE_UNITS = {
    "bps": Decimal("1e-6"),
    "Kbps": Decimal("1e-3"),
    "Mbps": Decimal(1),
    "Gbps": Decimal(10**3),
    "Tbps": Decimal(10**6),
}
"""In megabits per second."""
TIME_UNITS = {
    "nsec": Decimal("1e-3"),
    "usec": Decimal(1),
    "msec": Decimal(10**3),
    "sec": Decimal(10**6),
}
"""In microseconds."""
LARGEST_SIZE = 2**31 - 1
"""Largest size (bytes) that NetPIPE 5 counts."""
MOST_SIZES = 200
"""Most rows of one run: two sizes for each power of two, each three times."""
LEAST_RATE = 0.5
"""Least rate (Mbps) that shows the megabit: its two decimals change the ratio by at most 1 %."""
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


def _table(line: int, version: str, places: list[Place], operation: str = "pingpong") -> LogTable:
    return LogTable(operation, "NetPIPE", line, version=version, ranks=2, places=places)


@dataclass(frozen=True)
class PrintedSize:
    """A size as the console shows it, rounded to `step` bytes."""

    text: str
    bytes: Decimal
    step: Decimal

    @property
    def exact(self) -> int | None:
        """The bytes, if the printed digits show them all."""
        is_exact = self.step <= 1 and self.bytes == self.bytes.to_integral_value()
        return int(self.bytes) if is_exact else None

    def fits(self, size: int) -> bool:
        return 2 * abs(size - self.bytes) <= self.step


@dataclass(frozen=True)
class ConsoleRow:
    line: int
    version: str
    size: PrintedSize
    results: tuple[str, str, str] | None
    """Repetitions, rate in Mbps and time in microseconds; None if other output, or the end of the
    log, follows the size."""
    operation: str
    buffers: str | None
    """Bytes of the TCP buffers of send and receive, where a line above shows them."""


def _console_row(
    line: int, match: re.Match[str], operation: str, buffers: str | None
) -> ConsoleRow:
    digits = Decimal(match["size"])
    unit = SIZE_UNITS[match["unit"]]
    step = unit.scaleb(-len(match["size"].partition(".")[2]))
    size = PrintedSize(f"{match['size']} {match['unit']}", digits * unit, step)
    version = "5" if match["unit"] != "bytes" else "2" if match["time_unit"] == "sec" else "3"
    if match["rate"] is None:
        return ConsoleRow(line, version, size, None, operation, buffers)
    rate = _in_unit(match["rate"], RATE_UNITS[match["rate_unit"]])
    time = _in_unit(match["time"], TIME_UNITS[match["time_unit"]])
    return ConsoleRow(line, version, size, (match["times"], rate, time), operation, buffers)


def _in_unit(text: str, factor: Decimal) -> str:
    """The number in the unit of its column. Other texts, such as nan, stay as they are."""
    return f"{Decimal(text) * factor:f}" if factor != 1 and is_number(text) else text


def _console(log: Log) -> list[LogTable]:
    """A new table begins where sizes restart, or another mode or other buffers are shown."""
    hosts: dict[int, str] = {}
    rows: list[ConsoleRow] = []
    next_operation, buffers = "pingpong", None
    for line, text in log.numbered():
        host, row = _HOST.match(text), _STARTED.search(text)
        if host:
            hosts[int(host[1])] = host[2]
        elif row:
            rows.append(_console_row(line, row, next_operation, buffers))
        elif match := _BUFFERS.search(text):
            buffers = f"{match[1]} and {match[2]} bytes"
        else:
            next_operation = next(
                (of for words, of in MODES.items() if words in text), next_operation
            )
    places = [Place(rank=rank, host=host) for rank, host in hosts.items()]
    groups = itertools.groupby(rows, lambda row: (row.operation, row.buffers))
    parts = [part for _, of in groups for part in _restarts(list(of), _printed_size)]
    return [_console_table(log, part, places, end=rows[-1].line) for part in parts]


def _console_table(log: Log, part: Sequence[ConsoleRow], places: list[Place], end: int) -> LogTable:
    """The table of one run. `end` is the last row of the log: what it lacks was never printed."""
    version = min(row.version for row in part)  # a row without a time does not show version 2
    table = _table(part[0].line, version, places, part[0].operation)
    if part[0].buffers:
        table.parameters["buffers"] = part[0].buffers
    rows: list[tuple[int, Sequence[str]]] = []
    for row, size in zip(part, exact_sizes([row.size for row in part]), strict=True):
        if row.results is None and row.line == end:
            table.cut_in(row.line)
        elif row.results is None:
            table.drop(log, row.line, "its rate and time do not follow in the same line")
        elif size is None:
            table.drop(log, row.line, f"{row.size.text} is rounded; np.out has the exact bytes")
        else:
            rows.append((row.line, [str(size), *row.results]))
            if row.size.exact is None:
                table.note(
                    "sizes from 1 MB on are rounded; the sequence of sizes shows their bytes"
                )
    of = TRIALS if version == "5" else BEST
    time = Column("mean" if version == "5" else "best trial", of)
    if rows:
        rate, at_once = _megabits(rows)
        if at_once > 1 and table.operation == "pingpong":
            table.options["messages at once"] = at_once
        _fill(log, table, rows, [BYTES, REPETITIONS, rate, time])
    return table


def exact_sizes(printed: Sequence[PrintedSize]) -> list[int | None]:
    """The bytes of each size. For rounded ones, they are those of the sequence that NetPIPE tests,
    if all exact sizes are of it; None if they are not, since a rounded size would be wrong."""
    exact = [size.exact for size in printed]
    first = exact[0]
    if None not in exact or first is None or len(exact) > MOST_SIZES:
        return exact
    steps = {b - a for a, b in pairwise(exact) if a is not None and b is not None and a < b}
    for perturbation in sorted(steps):
        for start in (first, first + perturbation):
            sizes = sequence(start, perturbation)[: len(printed)]
            if len(sizes) == len(printed) and all(map(PrintedSize.fits, printed, sizes)):
                return list(sizes)
    # Without perturbation sizes lie apart, so that rows may be missing (--factorsof2, excerpts).
    unperturbed = sequence(first, 0)
    fitting = [[size for size in unperturbed if p.fits(size)] for p in printed]
    unique = [sizes[0] for sizes in fitting if len(sizes) == 1]
    return list(unique) if len(set(unique)) == len(printed) else exact


def sequence(start: int, perturbation: int) -> list[int]:
    """The sizes that NetPIPE 5 tests from `start` on (the main loop of its netpipe.c): two for each
    power of two, and those that differ from them by the perturbation once there is room."""
    sizes: list[int] = []
    base, step = start, max(start // 2, 1)
    tested = 1 if start > 1 else 0
    while base <= LARGEST_SIZE:
        if tested > 2 and tested % 2:
            step *= 2
        is_perturbed = 0 < perturbation < step - 1
        offsets = (-perturbation, 0, perturbation) if is_perturbed else (0,)
        sizes += [base + offset for offset in offsets]
        tested += len(offsets)
        base += step
    return sizes


Row = TypeVar("Row")


def _printed_size(row: ConsoleRow) -> float:
    return float(row.size.bytes)


def _restarts(rows: Sequence[Row], size_of: Callable[[Row], float]) -> list[list[Row]]:
    """The rows of each run: sizes of one ascend, but for the few bytes by which NetPIPE perturbs
    them, and never come back to the first."""
    parts: list[list[Row]] = []
    first = last = 0.0
    for row in rows:
        size = size_of(row)
        if parts and 2 * size >= last and (size != first or last == first):
            parts[-1].append(row)
        else:
            parts.append([row])
            first = size
        last = size
    return parts


def _megabits(rows: Sequence[tuple[int, Sequence[str]]]) -> tuple[Column | None, int]:
    """The column of rates with the megabit that the rows imply, None if they show neither; and how
    many messages at once a rate is of: both directions, or several pairs."""
    ratios = []
    for _, (size, _, rate, time) in rows:
        try:
            if float(rate) >= LEAST_RATE and float(time) > 0.0:
                ratios.append(8.0 * float(size) / (float(time) * 1e-6) / float(rate))
        except ValueError:
            continue
    for at_once in range(1, MOST_AT_ONCE + 1):
        unit = implied([ratio * at_once for ratio in ratios])
        if unit is not None:
            of = f"megabits of {unit}" + (f", of {at_once} messages at once" * (at_once > 1))
            return Column("bandwidth", of, "value_Bps", BIT * MEGABYTES[unit]), at_once
    return None, 1


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
    for part in _restarts(rows, lambda row: float(row[1][at])):
        table = _table(part[0][0], version, [])
        _fill(log, table, _uncut(log, table, part), layout)
        tables.append(table)
    return tables


def _uncut(
    log: Log, table: LogTable, rows: Sequence[tuple[int, list[str]]]
) -> list[tuple[int, list[str]]]:
    """The rows without a last one in which the log ends. The console needs no such check: a unit
    ends each of its rows."""
    order = RowOrder(log, table)
    return [(line, cells) for line, cells in rows if not order.is_cut(line, cells, len(cells))]


def _fill(
    log: Log,
    table: LogTable,
    rows: Sequence[tuple[int, Sequence[str]]],
    columns: Sequence[Column | None],
) -> None:
    """Adds the rows. NetPIPE perturbs sizes by a few bytes, so their order is not checked."""
    kept = [column for column in columns if column is not None]
    if len(kept) < len(columns) and not any(c.field == "value_Bps" for c in kept):
        table.note("rates are ignored: they do not show whether a megabit is 10^6 or 2^20 bits")
    if any("2^20" in column.definition for column in kept):
        table.note("its megabits are 2^20 bits; rates are read so")
    sizes: set[int] = set()
    for line, cells in rows:
        known = [cell for cell, c in zip(cells, columns, strict=True) if c is not None]
        with table.row(log, line):
            size = table.add_row(line, known, kept)
            if size in sizes:
                table.note(again(log, line, size))
            sizes.add(size)
