"""ITMO's bandwidth measurement. One rank sends N messages that the other only receives, and then
the other way round: a stream, though it calls the time over 2N a latency. Its MB are 2^20 bytes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hockney.exchange._layout import rendered
from hockney.exchange._log import Log
from hockney.exchange._table import MEGABYTES, Column, RowError, Table, whole

if TYPE_CHECKING:
    from hockney.analysis import Analysis

_ROW = re.compile(
    r"rank=(\d+) len=\d+ L\(bytes\)=(\S+) T\(us\)=(\S+) R\[bandwidth\]\(MB/s\)=(\S+) "
    r"s\[latency\]\(us\)=(\S+)"
)
_CUT = re.compile(r"rank=\d+ len=")
COLUMNS = (
    Column("whole loop", "all N sends of one rank"),
    Column("bandwidth", "2NL/T as printed, twice what was sent", "value_Bps", MEGABYTES["2^20"]),
    Column("mean", "T/2N, half the time from send to send"),
)
NO_PINGPONG = (
    "this program sends N messages and then receives N: its times are those of a stream of "
    "messages, not of a ping-pong, and half of that; they are not called pingpong"
)


def recognise(log: Log) -> int | None:
    return log.find(_ROW)


def read(log: Log) -> list[Table]:
    tables: list[Table] = []
    seen: set[tuple[str, str]] = set()
    for line, text in log.numbered():
        found = _ROW.search(text)
        if found is None:
            if _CUT.search(text) and tables:
                tables[-1].cut = f"the table ends in the middle of line {line}, read up to there"
            continue
        rank, size, *cells = found.groups()
        if not tables or (rank, size) in seen:
            notes = [NO_PINGPONG, "its MB are 2^20 bytes; rates are read so"]
            program = "ITMO's bandwidth measurement"
            tables.append(Table("send-then-receive", program, line, ranks=2, notes=notes))
            seen = set()
        seen.add((rank, size))
        _row(log, line, tables[-1], rank, size, cells)
    return tables


def _row(log: Log, line: int, table: Table, rank: str, size: str, cells: list[str]) -> None:
    before = len(table.rows)
    try:
        sender = whole(rank)
        if sender > 1:
            raise RowError(f"rank {sender}: that program has two")
        for column, cell in zip(COLUMNS, cells, strict=True):
            table.add(line, whole(size), column, cell, peers=[sender, 1 - sender])
    except RowError as error:
        del table.rows[before:]
        table.leave_out(log.at(line), error)


def write(analysis: Analysis) -> bytes:
    return rendered("itmo", analysis)
