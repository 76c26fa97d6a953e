"""TACC's ping-pong timer: rates in MB of 2^20 bytes and round-trip times, as minimum, average and
maximum; the average rate is that of the average time."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from hockney.exchange._layout import rendered
from hockney.exchange._log import Log
from hockney.exchange._table import BYTES, MEGABYTES, REPETITIONS, Column, RowError, RowOrder, Table

if TYPE_CHECKING:
    from hockney.analysis import Analysis

_N = r"((?:[\d.*+]|-(?!-))+)"  # no "--" in it: a rule of them could be divided in endless ways
_THREE = rf"{_N}\s*--\s*{_N}\s*--\s*{_N}"
_ROW = re.compile(rf"^\s*(\d+)\s+(\d+)\s+{_THREE}\s+{_THREE}\s*$")
_HEADING = re.compile(r"^\s*RUNS\s+BYTES\s+RATE\(MB/s\)\s+TIME\(sec\)")
_CUT = re.compile(r"^\s*\d+\s+\d+\s.*--")
HALF = Decimal("0.5")
OF = "half of each round trip, timed singly, less the cost of the clock"
RATE = "2 bytes over a round trip"
COLUMNS = (
    REPETITIONS,
    BYTES,
    Column("least bandwidth", RATE, "value_Bps", MEGABYTES["2^20"]),
    Column("bandwidth", f"{RATE} of average length", "value_Bps", MEGABYTES["2^20"]),
    Column("largest bandwidth", RATE, "value_Bps", MEGABYTES["2^20"]),
    Column("max", OF, factor=HALF),
    Column("mean", OF, factor=HALF),
    Column("min", OF, factor=HALF),
)


def recognise(log: Log) -> int | None:
    return log.find(_HEADING)


def read(log: Log) -> list[Table]:
    tables: list[Table] = []
    order: RowOrder | None = None
    for line, text in log.numbered():
        if _HEADING.match(text):
            tables.append(Table("pingpong", "TACC's ping-pong timer", line, ranks=2))
            tables[-1].note("its MB are 2^20 bytes; rates are read so")
            order = RowOrder(log, tables[-1])
        elif order is not None:
            _row(log, line, text, order)
    return tables


def _row(log: Log, line: int, text: str, order: RowOrder) -> None:
    table, found = order.table, _ROW.match(text)
    cells = list(found.groups()) if found else text.split()[:1]
    if (found or _CUT.match(text)) and order.is_cut(line, cells, len(COLUMNS)):
        return
    if not found:
        return
    try:
        order.see(line, table.add_row(line, cells, COLUMNS))
    except RowError as error:
        table.leave_out(log.at(line), error)


def write(analysis: Analysis) -> bytes:
    return rendered("tacc", analysis)
