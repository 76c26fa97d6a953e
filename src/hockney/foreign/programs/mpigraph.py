"""LLNL's mpiGraph and its fork by qzan9: the rate from each rank to each other, all ranks at once.
LLNL's MB are 2^20 bytes, those of the fork 10^6. A rate of 0 beside the diagonal was not measured.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from hockney.base.units import listed
from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import (
    MEGABYTES,
    Column,
    LogTable,
    RowError,
    RowOrder,
    number,
    whole,
)
from hockney.foreign.programs._layout import hosts_text
from hockney.records import Place

HEADED = True

_START = re.compile(r"^\s*START mpiGraph v(\S{1,20})")
_KNOWN = re.compile(
    r"^\s*(MsgSize|Times|Window|Warmup|Procs|(?:Msg Size|Iterations|Window Size|Procs):)"
    r"\s+(\d{1,19})(?: Bytes)?$"
)
_OF_FORK = re.compile(r"^\s*(?:Msg Size: +\d+ Bytes|(?:Send|Recv) max: +\S+ MB/s)$")
"""Lines that only the fork prints, whose rates are bytes per microsecond."""
NAMES = {
    "Msg Size:": "MsgSize",
    "Iterations:": "Times",
    "Window Size:": "Window",
    "Procs:": "Procs",
}
"""Names of LLNL's header by those of the fork."""
SETTING = {"Times": "iterations", "Warmup": "warmup iterations"}
"""Names of what separates experiments, by those of the header."""
_HEADING = re.compile(r"^\s*(?P<side>Send|Recv)\s+(?P<names>\S+:\d{1,9}(?:\s+\S+:\d{1,9})*)\s*$")
_ROW = re.compile(r"^\s*(?P<host>\S+):(?P<rank>\d{1,9})\s+(?P<way>to|from)(?P<cells>\s.*)$")
COLUMNS = {
    "to": Column(
        "bandwidth", "of a window of sends, as the sender times it", "value_Bps", MEGABYTES["2^20"]
    ),
    "from": Column(
        "receive bandwidth",
        "of a window of receives, as the receiver times it",
        "value_Bps",
        MEGABYTES["2^20"],
    ),
}


MOST_NAMED = 20
"""Most ranks that a note names."""


@dataclass
class MpigraphContext:
    """Information from the lines above a matrix."""

    version: str | None = None
    known: dict[str, int] | None = None
    ranks: tuple[int, ...] = ()
    """Ranks of the columns."""
    order: RowOrder | None = None
    is_fork: bool = False

    @property
    def megabyte(self) -> str:
        """The meaning of MB in the rates."""
        return "10^6" if self.is_fork else "2^20"

    def column(self, way: str) -> Column:
        """The meaning of a rate to or from a rank."""
        return replace(COLUMNS[way], factor=MEGABYTES[self.megabyte])


def recognise(log: Log) -> int | None:
    start = log.find(_START)
    if start is not None:
        return start
    heads = (n for n in range(1, len(log.lines) + 1) if _HEADING.match(log.whole_line(n)))
    return next(heads, None)


def read(log: Log) -> list[LogTable]:
    tables: list[LogTable] = []
    context, received = MpigraphContext(), list[LogTable]()
    for line in range(1, len(log.lines) + 1):
        text = log.whole_line(line)
        context.is_fork = context.is_fork or bool(_OF_FORK.match(text))
        start, known, row = _START.match(text), _KNOWN.match(text), _ROW.match(text)
        heading = _HEADING.match(text)
        if start:
            context = MpigraphContext(start[1], {})
        elif known:
            name = NAMES.get(known[1], known[1])
            context.known = {**(context.known or {}), name: int(known[2])}
        elif heading:
            _begin(log, line, heading, context, tables)
            received += tables[-1:] if heading["side"] == "Recv" else []
        elif row and context.order is not None:
            _row(log, line, row, context, context.order)
    for table in tables:
        _note_rows(table, is_received=any(table is each for each in received))
    return tables


def _note_rows(table: LogTable, *, is_received: bool) -> None:
    """Notes ranks without a row in the matrices; is_received: there is a heading of receivers."""
    for column, end, is_headed in ((COLUMNS["to"], 0, False), (COLUMNS["from"], 1, is_received)):
        own = {row.peers[end] for row in table.rows if row.statistic == column.statistic}
        missing = [place.rank for place in table.places if place.rank not in own]
        if (own or is_headed) and missing and not table.cut:
            few = listed(missing, MOST_NAMED)
            table.note(f"no {column.statistic} of rank {few}: the matrix lacks these rows")


def _begin(
    log: Log, line: int, heading: re.Match[str], context: MpigraphContext, tables: list[LogTable]
) -> None:
    """Begins a matrix; those of senders and of receivers are one table."""
    named = [name.rpartition(":") for name in heading["names"].split()]
    context.ranks = tuple(int(rank) for _, _, rank in named)
    if heading["side"] == "Send" or context.order is None:
        known = context.known or {}
        places = [Place(rank=int(rank), host=host) for host, _, rank in named]
        table = LogTable(
            "bandwidth",
            "mpiGraph",
            line,
            experiment="mpigraph",
            version=context.version,
            ranks=known.get("Procs") or len(named),
            places=places,
            parameters=_parameters(places, known, context.megabyte),
        )
        table.note(f"its MB are {context.megabyte} bytes; rates are read so")
        tables.append(table)
        context.order = RowOrder(log, table)


def _parameters(places: list[Place], known: Mapping[str, int], megabyte: str) -> dict[str, str]:
    """What separates matrices of one log: their hosts, iterations and the program."""
    counts = {title: str(known[name]) for name, title in SETTING.items() if name in known}
    hosts = hosts_text(place.host or "" for place in places)
    return {"hosts": hosts, **counts, "megabytes": megabyte}


def _row(
    log: Log, line: int, row: re.Match[str], context: MpigraphContext, order: RowOrder
) -> None:
    table, known = order.table, context.known or {}
    cells = _cells(row["cells"], len(context.ranks))
    if order.is_cut(line, cells, len(context.ranks)):
        return
    size = known.get("MsgSize", log.bytes)
    with table.row(log, line):
        if size is None:
            raise RowError("no MsgSize above: give the message size with --bytes")
        if len(cells) != len(context.ranks):
            raise RowError(f"{len(cells)} rates of {len(context.ranks)} ranks")
        rank, window = whole(row["rank"]), known.get("Window")
        column, holes = context.column(row["way"]), []
        for other, cell in zip(context.ranks, cells, strict=True):
            if other == rank:
                continue
            if not cell or not number(cell):
                holes.append(other)
                continue
            peers = (rank, other) if row["way"] == "to" else (other, rank)
            table.add(line, size, column, cell, peers=peers, window=window)
        if holes:
            table.note(f"{log.at(line)}: no rate {row['way']} rank {', '.join(map(str, holes))}")


def _cells(text: str, ranks: int) -> list[str]:
    """The cells of a row. Empty ones show only where tabs separate them."""
    cells = [cell.strip() for cell in text.removeprefix("\t").removesuffix("\t").split("\t")]
    if len(cells) == ranks - 1 and text.endswith("\t"):
        cells.append("")
    return cells if len(cells) == ranks else text.split()
