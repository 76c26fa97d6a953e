"""nodecomm's ping-pong between nodes: rows of 4-byte words, a column for each number of pairs that
exchange at once, round trips in seconds."""

from __future__ import annotations

import re
from decimal import Decimal

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import Column, LogTable, RowError, RowOrder, is_number, whole

HEADED = True

_TITLE = re.compile(r"^\s*Pingpong for\s*$")
_LIST = re.compile(r"^\s*(master|partner):\s*(\d[\d, ]*)$")
WORD_BYTES = 4
TIME = Column("mean", "half of the round trip, pairs at once", factor=Decimal("0.5"))


def recognise(log: Log) -> int | None:
    line = log.find(_TITLE)
    return line if line is not None and log.find(_LIST) is not None else None


def read(log: Log) -> list[LogTable]:
    tables: list[LogTable] = []
    ranks: dict[str, list[int]] = {}
    order: RowOrder | None = None
    for line, text in log.numbered():
        listed = _LIST.match(text)
        cells = text.split()
        if _TITLE.match(text):
            tables.append(LogTable("pingpong", "nodecomm", line, experiment="pairs"))
            order, ranks = RowOrder(log, tables[-1]), {}
        elif listed:
            ranks[listed[1]] = [whole(part) for part in re.findall(r"\d{1,9}", listed[2])]
        elif order is not None and len(cells) > 1 and is_number(cells[0]):
            _row(log, line, cells, ranks, order)
    return tables


def _row(
    log: Log, line: int, cells: list[str], ranks: dict[str, list[int]], order: RowOrder
) -> None:
    masters, partners = ranks.get("master", []), ranks.get("partner", [])
    table = order.table
    if order.is_cut(line, cells, 1 + len(masters)):
        return
    with table.row(log, line):
        if len(cells) < 1 + len(masters):
            raise RowError(f"{len(cells) - 1} times of {len(masters)} pairs")
        size = WORD_BYTES * whole(cells[0])
        for pairs, cell in enumerate(cells[1:], start=1):
            if pairs > min(len(masters), len(partners)):
                raise RowError(f"{len(cells) - 1} times of {len(masters)} pairs")
            axes = {"ranks": 2 * pairs, "pairs": pairs, "peers": [*masters, *partners]}
            table.add(line, size, TIME, cell, **axes)
        order.see(line, size)
