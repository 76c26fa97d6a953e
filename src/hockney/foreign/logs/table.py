"""Tables, which importers read from logs, with the exact numbers that were printed."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import takewhile
from statistics import median
from typing import Any

from hockney.foreign.logs.log import Log
from hockney.infer.estimate.summaries import CENTRES
from hockney.plan.axes import key_without
from hockney.records import LARGEST_NUMBER, LARGEST_WHOLE, Place, Summary

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?")
_NO_NUMBER = frozenset({"nan", "-nan", "inf", "-inf"})
"""Results that are wrong."""
NO_NUMBERS = _NO_NUMBER | {"n/a", "-"}
"""What is printed in place of numbers, in lower case."""
LONGEST_NUMBER = 40
"""Most characters of a number."""
LEAST_NUMBER = sys.float_info.min
"""Least magnitude of numbers other than 0: smaller doubles lose digits, and then become 0."""
MEGABYTES = {"10^6": Decimal(10**6), "2^20": Decimal(2**20)}
"""Meanings of MB; they differ by 4.9 %."""
NEAR = 0.015
"""Relative tolerance for the unit that numbers imply."""
LONGEST_SHOWN = 80
"""Most characters of a line in a message."""
MOST_NUMBERS = 1_000_000
"""Most numbers of a table; a result file holds about twice as many."""
MOST_NOTES = 20
"""Most notes about a table."""

_WRITTEN_SIZE = re.compile(r"\d[\d.,'’]*(?:[kmgt]i?)?b?", re.IGNORECASE)
"""A size with a unit, or with marks between its thousands."""

_NAMED = re.compile(r"\bline (\d{1,9})\b")

ORDERED = (("min", "mean", "max"), ("least rank mean", "mean", "largest rank mean"))


class RowError(Exception):
    """A row cannot be read."""


class TooLargeError(Exception):
    """A table exceeds a limit."""


@dataclass(frozen=True)
class Column:
    """The meaning of a column: a value of Summary is the printed number times `factor`."""

    statistic: str
    definition: str = ""
    field: str = "value_s"
    factor: Decimal = Decimal("1e-6")
    algorithm: str | None = None
    window: int | None = None
    """Messages in flight of this column, set, like `algorithm`, if columns differ in it."""


BYTES, REPETITIONS, COUNT, SKIPPED = map(Column, ("bytes", "repetitions", "count", ""))


@dataclass
class LogTable:
    """One table of a log: one operation, measured by one start of the program."""

    operation: str
    program: str
    line: int
    experiment: str | None = None
    """The experiment, if it is not the operation."""
    version: str | None = None
    algorithm: str | None = None
    ranks: int | None = None
    peers: list[int] | None = None
    memory: str | None = None
    peer_memory: str | None = None
    """The axes of these names (plan.axes)."""
    options: dict[str, Any] = field(default_factory=dict)
    """Options that distinguish experiments: window, synchronisation, buffers."""
    places: list[Place] = field(default_factory=list)
    rows: list[Summary] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    cut: str | None = None
    parameters: dict[str, str] = field(default_factory=dict)
    """The setting that the log shows. Tables of one operation that differ in it are experiments of
    their own (logs/settings_above.py)."""
    run: str | None = None
    """The run of the program, by its job or its end, where the log shows it. Such tables are
    launches, whatever their numbers are."""
    of_samples: bool = False
    """True if the numbers are samples of one launch."""
    dropped: list[int] = field(default_factory=list)
    """Lines of all rows that could not be read; notes give the reasons of the first."""
    passed_over: list[int] = field(default_factory=list)
    """Lines that resemble rows, and are none: progress, ratios."""

    @property
    def named(self) -> set[int]:
        """The lines of which notes say that they were not read, or not all of it."""
        return {*self.dropped, *(int(n) for note in self.notes for n in _NAMED.findall(note))}

    def note(self, words: str) -> None:
        if len(self.notes) < MOST_NOTES and words not in self.notes:
            self.notes.append(words)

    def drop(self, log: Log, line: int, reason: str) -> None:
        """Notes a row that cannot be read."""
        self.dropped.append(line)
        self.note(f"{log.at(line)}: {reason}; the row is ignored")

    def take_back(self, log: Log, lines: Sequence[int], reason: str) -> None:
        """Removes rows that were read, and notes them."""
        removed = set(lines)
        self.rows[:] = [row for row in self.rows if row.line not in removed]
        for line in lines:
            self.drop(log, line, reason)

    @contextmanager
    def row(self, log: Log, line: int) -> Iterator[None]:
        """Adds all numbers of a row; after a RowError none, with a note."""
        before = len(self.rows)
        try:
            yield
        except RowError as error:
            del self.rows[before:]
            self.drop(log, line, str(error))

    def cut_in(self, line: int) -> None:
        self.cut = f"the table ends in the middle of line {line}, read up to there"

    def add(
        self, line: int | None, bytes: int, column: Column, text: str | Decimal, **more: Any
    ) -> None:
        """Adds a printed number, unless it is unknown (nan, N/A). Raises RowError for one that is
        out of range."""
        if isinstance(text, str) and column.field == "value":
            text = text.removesuffix("%")
        value = text if isinstance(text, Decimal) else number(text)
        if value is None:
            if str(text).lower() in _NO_NUMBER:
                self.note(f"line {line}: {column.statistic} is {text}: it is left out")
            return
        if not value and column.field == "value_s":
            self._check_zero(line, column, text)
        counts = {"bytes": bytes, "ranks": self.ranks, "messages of a window": column.window}
        for what, count in counts.items():
            if (count or 0) > LARGEST_WHOLE:
                raise RowError(f"{count} {what} is out of range")
        if len(self.rows) >= MOST_NUMBERS:
            raise TooLargeError(f"more than {MOST_NUMBERS} numbers of {self.operation}")
        known: dict[str, Any] = {
            "algorithm": column.algorithm or self.algorithm,
            "window": column.window,
            "ranks": self.ranks,
            "peers": self.peers,
            "memory": self.memory,
            "peer_memory": self.peer_memory,
            **more,
            column.field: scaled(value, column.factor),
            "rounding": rounding_of(value),
        }
        known["peers"] = tuple(known["peers"] or ())
        self.rows.append(
            Summary(
                launch=0,
                operation=self.operation,
                bytes=bytes,
                statistic=column.statistic,
                definition=column.definition,
                line=line,
                **known,
            )
        )

    def _check_zero(self, line: int | None, column: Column, text: str | Decimal) -> None:
        """Notes a time of 0, which is shorter than the program prints or its clock shows. Samples
        keep it: without the shortest of them, the median would be too long. Raises RowError where
        it would be the time of the point."""
        if column.statistic not in CENTRES:
            return
        if self.of_samples:
            self.note("times of 0 are shorter than the clock shows: they are kept as samples")
            return
        words = f"{column.statistic} is {text}, a time shorter than the program prints"
        if column.statistic != "min":
            raise RowError(words)
        self.note(f"line {line}: {words}")

    def add_row(
        self, line: int, cells: Sequence[str], columns: Sequence[Column], **more: Any
    ) -> int:
        """Adds all numbers of a row (`row`). Returns its size in bytes."""
        named = {c.statistic: cell for c, cell in zip(columns, cells, strict=True)}
        size = whole(named["bytes"]) if "bytes" in named else 0
        if "repetitions" in named:
            more["repetitions"] = whole(named["repetitions"])
        if "count" in named:
            whole(named["count"])
        if "algorithm" in named:
            more["algorithm"] = named["algorithm"]
        for column, cell in zip(columns, cells, strict=True):
            if column.definition:
                self.add(line, size, column, cell, **more)
        return size


def is_number(text: str) -> bool:
    return len(text) <= LONGEST_NUMBER and bool(_NUMBER.fullmatch(text))


def is_value(text: str) -> bool:
    """True for a number, or what stands for it."""
    return is_number(text) or text.lower() in NO_NUMBERS


def is_written_size(text: str) -> bool:
    """True for a number, also with a unit or marks between its thousands."""
    return len(text) <= LONGEST_NUMBER and bool(_WRITTEN_SIZE.fullmatch(text))


def number(text: str) -> Decimal | None:
    """The exact printed number; None for texts such as nan and N/A."""
    if text.lower() in NO_NUMBERS:
        return None
    if not is_number(text):
        raise RowError(f"{text[:LONGEST_NUMBER]!r} is not a number")
    return Decimal(text)


def whole(text: str) -> int:
    """A size or count. Raises RowError unless it is a whole number in range."""
    value = number(text)
    if value is None or value != value.to_integral_value() or not 0 <= value <= LARGEST_WHOLE:
        raise RowError(f"{text!r} is out of range: a whole number from 0 to 2^62 is needed")
    return int(value)


def rounding_of(value: Decimal) -> float | None:
    """Half a unit of the last printed digit as a fraction of the number, to three digits; None for
    0, and where a double shows no more digits than were printed."""
    places = value.as_tuple().exponent
    if not value or not isinstance(places, int):
        return None
    fraction = float(Decimal((0, (5,), places - 1)) / abs(value))
    return float(f"{fraction:.3g}") if fraction > sys.float_info.epsilon else None


def scaled(value: Decimal, factor: Decimal) -> float:
    """The printed number in our unit, as the nearest double."""
    result = float(value * factor)
    if not 0.0 <= result <= LARGEST_NUMBER or (value and result < LEAST_NUMBER):
        raise RowError(f"{value} is out of range")
    return result


def again(log: Log, line: int, size: int) -> str:
    return f"{log.at(line)}: {size} bytes again; the last row counts"


@dataclass
class RowOrder:
    """Checks the sequence of rows: whether sizes ascend, and whether the last row was cut."""

    log: Log
    table: LogTable
    before: Sequence[str] = ()
    size: int = -1
    seen: set[tuple[object, ...]] = field(default_factory=set)

    def see(self, line: int, size: int) -> None:
        if self.table.rows:
            row = self.table.rows[-1]
            point = (size, key_without(row, "bytes"))
            if point in self.seen:
                self.table.note(again(self.log, line, size))
            self.seen.add(point)
        if size < self.size:
            self.table.note(
                f"{self.log.at(line)}: out of order: {size} bytes after {self.size}; read as "
                "printed"
            )
        self.size = size
        rows = takewhile(lambda row: row.line == line, reversed(self.table.rows))
        known = {row.statistic: row.value_s for row in rows}
        for names in ORDERED:
            values = [value for name in names if (value := known.get(name)) is not None]
            if values != sorted(values):
                self.table.note(
                    f"{self.log.at(line)}: out of order: {', '.join(names)} do not ascend; read as "
                    "printed"
                )

    def goes_on(self, line: int, columns: int) -> bool:
        """True if this line is a row of a larger size."""
        cells = self.log.lines[line - 1].split() if line <= len(self.log.lines) else []
        is_row = len(cells) == columns and cells[0].isdigit() and self.size >= 0
        return is_row and int(cells[0]) > self.size

    def is_cut(self, line: int, cells: Sequence[str], columns: int) -> bool:
        """True if the log ends inside this row: it has fewer cells, or no newline and fewer
        decimals than the previous row."""
        shorter = any(
            _decimals(cell) < _decimals(above)
            for cell, above in zip(cells, self.before, strict=False)
        )
        self.before = cells
        if line < self.log.last:
            return False
        if len(cells) < columns or (not self.log.whole and shorter):
            self.table.cut_in(line)
            return True
        return False


def _decimals(text: str) -> int:
    return len(text.partition(".")[2])


def number_rows(log: Log, width: int) -> Iterator[tuple[int, list[str]]]:
    """Lines that consist of `width` numbers."""
    for line, text in log.numbered():
        cells = text.split()
        if len(cells) == width and all(map(is_number, cells)):
            yield line, cells


def implied(ratios: Sequence[float], units: dict[str, Decimal] = MEGABYTES) -> str | None:
    """The unit that the numbers imply, from ratios of bytes per second to printed rates. None if
    no unit is close enough."""
    if not ratios:
        return None
    middle = median(ratios)
    near = {name: abs(middle / float(unit) - 1.0) for name, unit in units.items()}
    best = min(near, key=lambda name: near[name])
    return best if near[best] < NEAR else None
