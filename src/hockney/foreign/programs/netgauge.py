"""Netgauge 2: point to point (full and quiet output) and LogGP parameters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from hockney.foreign.logs.commands import starts_program
from hockney.foreign.logs.log import Log
from hockney.foreign.logs.surroundings import surroundings_of
from hockney.foreign.logs.table import BYTES, MOST_NOTES, SKIPPED, Column, LogTable, RowOrder

HEADED = True

_N = r"([-+\w.]+)"
_FULL = re.compile(
    rf"^\s*(\d+)\s+-\s+{_N} {_N} {_N} {_N} \({_N} (\d+)\)\s+-\s+{_N} {_N} {_N} {_N} \({_N} (\d+)\)"
    rf"\s+-\s+{_N} {_N} {_N} {_N}\s*$"
)
_QUIET = re.compile(rf"^\s*(\d+) bytes\s+-> {_N} us\s+== {_N} Mbit/s")
_LOGGP = re.compile(
    rf"^\s*L={_N}\s+s=(\d+)\s+o_s={_N}\s+o_r={_N}\s+g={_N}\s+G={_N} \({_N} GiB/s\) lsqu\(g,G\)={_N}"
)
_LOGGP_CUT = re.compile(r"^\s*L=\S+\s+s=\d+")
_VERSION = re.compile(r"Netgauge v([\d.]+)")
_ARGUMENTS = re.compile(r"Netgauge v[\d.]+ .*\(\S*netgauge\S* +(-.{1,200}?) *\)\s*$")
_UNLIKE = re.compile(
    r"(?:^| )(?:-[ofctsg] ?|--(?:output|fulltestresults|testcount|time|size|gradation)[= ])"
    r"[^\s-]\S*(?= |$)"
)
"""Arguments in which runs of one setting may differ: output, sizes, and how often or how long."""

_TESTING = re.compile(r"Testing \d+ bytes \d+ times")
"""The line above a row, which looks like a heading. The count is no setting."""

MEGABIT, MICRO = Decimal(10**6) / 8, Decimal("1e-6")
SEND, HALF = "how long the send blocks", "half the round trip"
FULL = (
    BYTES,
    *(Column(f"send {name}", SEND) for name in ("min", "mean", "median", "max")),
    Column("send std", SEND),
    SKIPPED,
    *(Column(name, HALF) for name in ("min", "mean", "median", "max")),
    Column("std", HALF),
    SKIPPED,
    Column("least bandwidth", "of single exchanges", "value_Bps", MEGABIT),
    Column("bandwidth", "mean of single exchanges", "value_Bps", MEGABIT),
    Column("median bandwidth", "of single exchanges", "value_Bps", MEGABIT),
    Column("largest bandwidth", "of single exchanges", "value_Bps", MEGABIT),
)
QUIET = (
    BYTES,
    Column("min", HALF),
    Column("median bandwidth", "of single exchanges", "value_Bps", MEGABIT),
)
MIXED = "each row has the shortest time beside the median bandwidth"
LOGGP = (
    Column("L", "LogGP's latency"),
    BYTES,
    Column("o_s", "overhead of a send"),
    Column("o_r", "overhead of a receive"),
    Column("g", "gap between messages, intercept of a line"),
    Column("G", "gap per byte, slope of that line", "value_s_per_B", MICRO),
    Column("1/G", "as printed", "value_Bps", 1024 * MEGABIT),
    Column("lsqu", "least-squares deviation of g and G", "value", Decimal(1)),
)
MISLABELLED = "what it calls GiB/s is 1.024 Gbit/s; rates are read so"
"""It prints 1/G * 8 / 1024, where 1/G is in bytes per microsecond."""


@dataclass(frozen=True, eq=False)
class NetgaugeKind:
    """A kind of row that the program prints."""

    operation: str
    row: re.Pattern[str]
    columns: Sequence[Column]
    notes: Sequence[str] = ()
    cut: re.Pattern[str] | None = None
    """The beginning of a row whose end is missing."""


KINDS = (
    NetgaugeKind("pingpong", _FULL, FULL),
    NetgaugeKind("pingpong", _QUIET, QUIET, (MIXED,)),
    NetgaugeKind("loggp", _LOGGP, LOGGP, (MISLABELLED,), _LOGGP_CUT),
)


def recognise(log: Log) -> int | None:
    return next((n for kind in KINDS if (n := log.find(kind.row)) is not None), None)


def read(log: Log) -> list[LogTable]:
    version = next((match[1] for text in log.lines if (match := _VERSION.search(text))), None)
    reading = _Reading(log, version)
    for line, text in log.numbered():
        reading.see(line, text)
    above = surroundings_of(log, [table.line for table in reading.tables])
    for table in reading.tables:
        headings = (above[table.line].heading or "").split(" / ")
        own = [heading for heading in headings if not _TESTING.fullmatch(heading)]
        table.parameters["heading"] = " / ".join(own)
    return reading.tables


@dataclass
class _Open:
    """The table of a kind of rows in the run that is being read."""

    table: LogTable
    order: RowOrder
    first_size: int | None = None
    place: int = 0
    """Where the next note about the order of rows goes."""

    def see(self, line: int, size: int) -> None:
        """Notes the order of a row above the reasons of ignored rows, which would leave no room for
        it where many slopes are below 0."""
        notes, self.table.notes = self.table.notes, []
        self.order.see(line, size)
        added, self.table.notes = self.table.notes, notes
        notes[self.place : self.place] = added
        self.place += len(added)
        del notes[MOST_NOTES:]


@dataclass
class _Reading:
    """Reads a log line by line, with tables for each run of the program. One table of several runs
    would mix them: the number of one run would count where a row of another cannot be read."""

    log: Log
    version: str | None
    arguments: str | None = None
    opened: dict[NetgaugeKind, _Open] = field(default_factory=dict)
    """The tables of the current run, none where another run begins."""
    tables: list[LogTable] = field(default_factory=list)

    def see(self, line: int, text: str) -> None:
        for kind in KINDS:
            row = kind.row.match(text)
            if row:
                self._add(line, kind, row.groups())
                return
            if kind.cut and kind.cut.match(text):
                self._open(line, kind).table.cut_in(line)
                return
        version = _VERSION.search(text)
        if version:
            self.version = version[1]
            self._see_arguments(text)
        if version or starts_program(text):
            self.opened = {}

    def _see_arguments(self, heading: str) -> None:
        """Reads the arguments in a heading. A second one above the rows of a run has none."""
        arguments = _ARGUMENTS.search(heading)
        if arguments:
            self.arguments = _UNLIKE.sub("", arguments[1]).strip()
        elif self.opened:
            self.arguments = None

    def _add(self, line: int, kind: NetgaugeKind, cells: Sequence[str]) -> None:
        """Adds a row, in a table of another run if sizes start again, because they ascend."""
        size = int(cells[kind.columns.index(BYTES)])
        part = self._open(line, kind)
        if part.first_size is not None and size <= part.first_size:
            del self.opened[kind]
            part = self._open(line, kind)
        if part.first_size is None:
            part.first_size = size
        with part.table.row(self.log, line):
            part.table.add_row(line, cells, kind.columns)
            part.see(line, size)

    def _open(self, line: int, kind: NetgaugeKind) -> _Open:
        if kind not in self.opened:
            table = LogTable(
                kind.operation,
                "Netgauge",
                line,
                version=self.version,
                ranks=2,
                notes=[*kind.notes],
                parameters={"arguments": self.arguments} if self.arguments else {},
            )
            self.tables.append(table)
            self.opened[kind] = _Open(table, RowOrder(self.log, table), place=len(table.notes))
        return self.opened[kind]
