"""TACC's ping-pong timer: rates in MB of 2^20 bytes and round-trip times, as minimum, average and
maximum; the average rate is that of the average time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from hockney.base.units import exact_percent
from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import (
    BYTES,
    MEGABYTES,
    REPETITIONS,
    Column,
    LogTable,
    RowOrder,
    number,
    rounding_of,
    whole,
)
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
COARSE = 0.05
"""Fraction of a time that its rounding may hide; beyond, a more precise rate gives the time."""
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
    table, match = order.table, _ROW.match(text)
    cells = list(match.groups()) if match else text.split()[:1]
    if (match or _CUT.match(text)) and order.is_cut(line, cells, len(COLUMNS)):
        return
    if not match:
        return
    with table.row(log, line):
        rates, times = cells[2:5], cells[5:]
        finer = [_finer(whole(cells[1]), *pair) for pair in zip(times, rates, strict=True)]
        order.see(line, table.add_row(line, [*cells[:5], *finer], COLUMNS))
        if finer != times:
            table.note(
                f"times whose digits hide more than {exact_percent(COARSE)} of them are taken as "
                "bytes over the rates beside them"
            )


def _finer(size: int, seconds: str, rate: str) -> str:
    """A round trip in as many digits as its rate has, where those of the seconds hide more than
    COARSE of it and the rate is of such a time; else as it is printed."""
    time, per_second = number(seconds), number(rate)
    if not size or time is None or not per_second:
        return seconds
    known = rounding_of(per_second) or 0.0
    hidden = (rounding_of(time) or 0.0) if time else 1.0
    by_rate = 2 * size / (per_second * MEGABYTES["2^20"])
    half_unit = HALF.scaleb(int(time.as_tuple().exponent))
    is_such = abs(by_rate - time) <= half_unit + by_rate * Decimal(known)
    if hidden <= COARSE or known >= hidden or not is_such:
        return seconds
    return f"{by_rate:.{len(per_second.as_tuple().digits) - 1}e}"


def preset() -> Preset:
    """The preset: 1 KiB to 32 MiB, three exchanges each timed on its own on the first rank, no
    warm-up."""
    sizes = tuple(Size(KIB << i, repetitions=3) for i in range(16))
    return Preset(sizes, every_iteration=True, reduce="first", buffers="separate")


ONLY = "pingpong"
PLACES, MOST_PLACES = 6, 12
"""Decimals of the original's seconds, and the most that are written."""
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
    trips = {
        id(point): [2.0 * needed(point, field) for field in ("max_s", "mean_s", "min_s")]
        for point in points
    }
    places = max((_places(point.bytes, trips[id(point)]) for point in points), default=PLACES)
    lines = [HEADER]
    for point in points:
        rates = " --".join(_rate(point.bytes, seconds) for seconds in trips[id(point)])
        times = " --".join(f"{seconds:{places + 3}.{places}f}" for seconds in trips[id(point)])
        lines.append(f"{point.samples:2d} {point.bytes:8d}{rates}   {times}")
    return "\n".join(lines)


def _places(size: int, seconds: Sequence[float]) -> int:
    """The decimals that times need: those of the original, unless they hide more than COARSE of a
    time and no rate, as of 0 bytes, shows it."""
    shortest = min((each for each in seconds if each > 0.0), default=1.0)
    places = PLACES
    while not size and 0.5 * 10.0**-places > COARSE * shortest and places < MOST_PLACES:
        places += 3
    return places


def _rate(size: int, seconds: float) -> str:
    """The rate with a column more than the original F9.4, which keeps it apart from what is before
    it, and as many more as the rates of today need."""
    return f" {2 * size / 2**20 / seconds:9.4f}" if seconds > 0.0 else "         -"
