"""LLNL's mpiGraph: the rate from each rank to each other, all ranks at once, in MiB/s ("MB"). A
rate of 0 beside the diagonal was not measured."""

from __future__ import annotations

import re
from dataclasses import dataclass

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
_KNOWN = re.compile(r"^\s*(MsgSize|Times|Window|Procs)\s+(\d{1,19})$")
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


def recognise(log: Log) -> int | None:
    start = log.find(_START)
    if start is not None:
        return start
    heads = (n for n in range(1, len(log.lines) + 1) if _HEADING.match(log.whole_line(n)))
    return next(heads, None)


def read(log: Log) -> list[LogTable]:
    tables: list[LogTable] = []
    context = MpigraphContext()
    for line in range(1, len(log.lines) + 1):
        text = log.whole_line(line)
        start, known, row = _START.match(text), _KNOWN.match(text), _ROW.match(text)
        heading = _HEADING.match(text)
        if start:
            context = MpigraphContext(start[1], {})
        elif known:
            context.known = {**(context.known or {}), known[1]: int(known[2])}
        elif heading:
            _begin(log, line, heading, context, tables)
        elif row and context.order is not None:
            _row(log, line, row, context, context.order)
    for table in tables:
        _note_rows(table)
    return tables


def _note_rows(table: LogTable) -> None:
    """Notes ranks of which a matrix has no row."""
    for column, end in ((COLUMNS["to"], 0), (COLUMNS["from"], 1)):
        own = {row.peers[end] for row in table.rows if row.statistic == column.statistic}
        missing = [place.rank for place in table.places if place.rank not in own]
        if own and missing and not table.cut:
            few = ", ".join(map(str, missing[:MOST_NAMED]))
            more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
            table.note(f"no {column.statistic} of rank {few}{more}: the matrix lacks these rows")


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
            parameters={"hosts": hosts_text(place.host or "" for place in places)},
        )
        table.note("its MB are 2^20 bytes; rates are read so")
        tables.append(table)
        context.order = RowOrder(log, table)


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
        holes = []
        for other, cell in zip(context.ranks, cells, strict=True):
            if other == rank:
                continue
            if not cell or not number(cell):
                holes.append(other)
                continue
            peers = (rank, other) if row["way"] == "to" else (other, rank)
            table.add(line, size, COLUMNS[row["way"]], cell, peers=peers, window=window)
        if holes:
            table.note(f"{log.at(line)}: no rate {row['way']} rank {', '.join(map(str, holes))}")


def _cells(text: str, ranks: int) -> list[str]:
    """The cells of a row. Empty ones show only where tabs separate them."""
    cells = [cell.strip() for cell in text.removeprefix("\t").removesuffix("\t").split("\t")]
    if len(cells) == ranks - 1 and text.endswith("\t"):
        cells.append("")
    return cells if len(cells) == ranks else text.split()
