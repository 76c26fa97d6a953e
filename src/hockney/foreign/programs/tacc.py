"""TACC's ping-pong timer: rates in MB of 2^20 bytes and round-trip times, as minimum, average and
maximum; the average rate is that of the average time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import BYTES, MEGABYTES, REPETITIONS, Column, LogTable, RowOrder
from hockney.foreign.programs._layout import needed
from hockney.infer.estimate.points import PointEstimate
from hockney.plan import Size
from hockney.plan.preset import KIB, Preset
from hockney.records import Run

HEADED = True

_N = r"((?:[\d.*+]|-(?!-))+)"  # without "--", against exponential backtracking
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


def read(log: Log) -> list[LogTable]:
    tables: list[LogTable] = []
    order: RowOrder | None = None
    for line, text in log.numbered():
        if _HEADING.match(text):
            tables.append(LogTable("pingpong", "TACC's ping-pong timer", line, ranks=2))
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
    with table.row(log, line):
        order.see(line, table.add_row(line, cells, COLUMNS))


def preset() -> Preset:
    """The preset: 1 KiB to 32 MiB, three exchanges each timed on its own on the first rank, no
    warm-up."""
    sizes = tuple(Size(KIB << i, repetitions=3) for i in range(16))
    return Preset(sizes, every_iteration=True, reduce="first", buffers="separate")


ONLY = "pingpong"
HEADER = (
    "RUNS  BYTES"
    + 14 * " "
    + "RATE(MB/s)"
    + 28 * " "
    + "TIME(sec)\n"
    + 16 * " "
    + "MIN   --     AVG   --     MAX"
    + 7 * " "
    + "MAX     --  AVG     --  MIN "
)


def layout(run: Run, points: Sequence[PointEstimate]) -> str:  # noqa: ARG001
    lines = [HEADER]
    for point in points:
        slowest, mean, fastest = (
            2.0 * needed(point, field) for field in ("max_s", "mean_s", "min_s")
        )
        rates = [_rate(point.bytes, seconds) for seconds in (slowest, mean, fastest)]
        lines.append(
            f"{point.samples:2d} {point.bytes:8d}{rates[0]} --{rates[1]} --{rates[2]}   "
            f"{slowest:9.6f} --{mean:9.6f} --{fastest:9.6f}"
        )
    return "\n".join(lines)


def _rate(size: int, seconds: float) -> str:
    """The rate with one column more than the original F9.4, for the rates of today."""
    return f"{2 * size / 2**20 / seconds:10.4f}" if seconds > 0.0 else "         -"
