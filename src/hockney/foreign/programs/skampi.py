"""SKaMPI 5: a block for each measurement of its input, and a row for each value of the loops in it.

A row has the loops' variables, the size, the mean and its standard error, the number of valid
repetitions, and times of ranks, which are not read: of many ranks they are quantiles."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import Column, LogTable, RowError, whole

HEADED = True

US = Decimal("1e-6")
_VERSION = re.compile(r"^\s*#?\s*SKaMPI Version (\S{1,20})")
_BEGIN = re.compile(r'^\s*(?:# ?)?begin result "(?P<name>[^"]{1,200})"\s*$')
_END = re.compile(r"^\s*(?:# ?)?end result\b")
_ROW = re.compile(
    r"^\s*(?P<loops>(?:[A-Za-z]\w{0,60}=\s*\S{1,60}\s+){0,20})(?:(?P<bytes>\d{1,20})\s+)?"
    r"(?P<mean>\d{1,20}\.\d{1,20})\s+(?P<error>\d{1,20}\.\d{1,20})\s+(?P<count>\d{1,9})"
    r"(?P<ranks>(?:\s+(?:[\d.]{1,40}|---))*)\s*$"
)
_LOOP = re.compile(r"(?<!\S)([A-Za-z]\w{0,60})=\s*(\S{1,60})")
_BEGINS_AS_ROW = re.compile(r"^\s*(?:[A-Za-z]\w{0,60}=|\d)")
RANKS = ("procs", "nodes", "num_procs")
"""Loop variables that are the number of ranks."""
SIZES = ("count", "len", "length", "bytes", "size")
"""Loop variables that the size of a row follows from."""
MEAN = (
    "mean of the middle half of the repetitions, the slowest rank of each; taken for microseconds, "
    "as SKaMPI prints them unless its input has set_unit"
)
HALVED = "times of its ping-pongs are whole round trips: half of them is read"
NOT_DIVIDED = "SKaMPI prints the time of all iterations of this ping-pong: it is not read"
NO_ROW = "not a size, a mean, its error and a count"
BOTH_AT_ONCE = "sendrecv"
"""In the names of ping-pongs in which both ranks send at once: an exchange, no round trip."""


@dataclass
class _Block:
    """A measurement of SKaMPI's input."""

    name: str
    line: int
    version: str | None
    tables: dict[tuple[tuple[str, str], ...], LogTable] = field(default_factory=dict)
    latest: LogTable | None = None
    """The table of the last row."""
    damaged: list[int] = field(default_factory=list)
    """Lines above all rows that begin as one."""

    @property
    def operation(self) -> str:
        """Its name up to the first "-", as in SKaMPI's own inputs: MPI_Bcast-length is a bcast."""
        first = self.name.partition("-")[0].lower().removeprefix("mpi_")
        if first.startswith("pingpong"):
            return "exchange" if BOTH_AT_ONCE in first else "pingpong"
        return first

    @property
    def is_round_trip(self) -> bool:
        return self.operation == "pingpong"

    def table(self, line: int, loops: dict[str, str]) -> LogTable:
        """The table of rows that differ in their size and number of ranks only."""
        others = tuple((n, v) for n, v in loops.items() if n not in (*RANKS, *SIZES))
        if others not in self.tables:
            options = {"measurement": self.name, **dict(others)}
            table = LogTable(self.operation, "SKaMPI", line, version=self.version, options=options)
            if self.is_round_trip:
                table.note(HALVED)
            self.tables[others] = table
        self.latest = self.tables[others]
        return self.latest


def recognise(log: Log) -> int | None:
    return log.find(_BEGIN)


def read(log: Log) -> list[LogTable]:
    blocks: list[_Block] = []
    version, is_inside = None, False
    for line, text in log.numbered():
        begin, shown = _BEGIN.match(text), _VERSION.match(text)
        if begin:
            blocks.append(_Block(begin["name"], line, version))
            is_inside = True
        elif shown:
            version = shown[1]
        elif _END.match(text):
            is_inside = False
        elif is_inside and _BEGINS_AS_ROW.match(text):
            _row(log, line, text, blocks[-1])
    return [table for block in blocks for table in _tables(log, block)]


def _tables(log: Log, block: _Block) -> list[LogTable]:
    tables = list(block.tables.values())
    if not tables:
        tables = [LogTable(block.operation, "SKaMPI", block.line)]
        tables[0].note(f"{log.at(block.line)}: {block.name!r} has no rows")
    for line in block.damaged:
        tables[0].drop(log, line, NO_ROW)
    return tables


def _no_row(log: Log, line: int, block: _Block) -> None:
    """Notes a line that is no row, and whose loops are not known, with the row above it."""
    if line == log.last:
        (block.latest or block.table(line, {})).cut_in(line)
    elif block.latest:
        block.latest.drop(log, line, NO_ROW)
    else:
        block.damaged.append(line)


def _row(log: Log, line: int, text: str, block: _Block) -> None:
    row = _ROW.match(text)
    if row is None:
        _no_row(log, line, block)
        return
    loops = dict(_LOOP.findall(row["loops"]))
    table = block.table(line, loops)
    if line == log.last and not log.whole:
        table.cut_in(line)
        return
    with table.row(log, line):
        if "iprobe" in block.name.lower():
            raise RowError(NOT_DIVIDED)
        size = row["bytes"] or ("0" if block.operation == "barrier" else None)
        if size is None:
            raise RowError("it shows no size")
        ranks = next((whole(loops[name]) for name in RANKS if name in loops), None)
        factor = US / 2 if block.is_round_trip else US
        known = {"ranks": 2 if block.is_round_trip else ranks, "repetitions": whole(row["count"])}
        table.add(line, whole(size), Column("mean", MEAN, factor=factor), row["mean"], **known)
        error = Column("standard error", "of the mean", factor=factor)
        table.add(line, whole(size), error, row["error"], **known)
