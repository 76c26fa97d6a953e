"""The columns of nccl-tests, which its text and its JSON have in common."""

from __future__ import annotations

from decimal import Decimal

from hockney.foreign.logs.table import Column, is_number

WAYS = ("out-of-place", "in-place")
KINDS = ("type", "redop", "root")
"""Columns of the data type, the reduction and the root, each of one value in a table."""
TIMES = ("time", "cputime")
"""Titles of the first column of each way; the second is of `-C 1`."""
GIGA = Decimal(10**9)
MEAN = "mean over iterations, then over ranks"

COLUMNS = {
    "time": Column("mean", MEAN),
    "cputime": Column("mean CPU time", "of the calls, which may return before the operation ends"),
    "algbw": Column("algorithm bandwidth", "size over time", "value_Bps", GIGA),
    "busbw": Column(
        "bus bandwidth", "size over time, times what the links carry of it", "value_Bps", GIGA
    ),
    "i_min": Column("min", "of iterations"),
    "i_max": Column("max", "of iterations"),
    "i_p99": Column("p99", "of iterations"),
    "i_cv%": Column("coefficient of variation", "of iterations", "value", Decimal("0.01")),
}


def is_wrong(count: str) -> bool:
    """True if a printed number of wrong results is not 0."""
    return is_number(count) and float(count) != 0.0
