"""Netgauge 2: point to point (full and quiet output) and LogGP parameters."""

from __future__ import annotations

import re
from decimal import Decimal

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import Column, LogTable, whole

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

MEGABIT, MICRO = Decimal(10**6) / 8, Decimal("1e-6")
SEND, HALF = "how long the send blocks", "half the round trip"
FULL = (
    *(Column(f"send {name}", SEND) for name in ("min", "mean", "median", "max")),
    Column("send std", SEND),
    Column(""),
    *(Column(name, HALF) for name in ("min", "mean", "median", "max")),
    Column("std", HALF),
    Column(""),
    Column("least bandwidth", "of single exchanges", "value_Bps", MEGABIT),
    Column("bandwidth", "mean of single exchanges", "value_Bps", MEGABIT),
    Column("median bandwidth", "of single exchanges", "value_Bps", MEGABIT),
    Column("largest bandwidth", "of single exchanges", "value_Bps", MEGABIT),
)
QUIET = (
    Column("min", HALF),
    Column("median bandwidth", "of single exchanges", "value_Bps", MEGABIT),
)
MIXED = "each row has the shortest time beside the median bandwidth"
LOGGP = (
    Column("L", "LogGP's latency"),
    Column(""),
    Column("o_s", "overhead of a send"),
    Column("o_r", "overhead of a receive"),
    Column("g", "gap between messages, intercept of a line"),
    Column("G", "gap per byte, slope of that line", "value_s_per_B", MICRO),
    Column("1/G", "as printed", "value_Bps", Decimal(10**9) / 8),
    Column("lsqu", "least-squares deviation of g and G", "value", Decimal(1)),
)
MISLABELLED = "what it calls GiB/s is Gbit/s; rates are read so"


def recognise(log: Log) -> int | None:
    return next((n for p in (_FULL, _QUIET, _LOGGP) if (n := log.find(p)) is not None), None)


def read(log: Log) -> list[LogTable]:
    version = next((found[1] for text in log.lines if (found := _VERSION.search(text))), None)
    kinds = {
        "pingpong": (_FULL, FULL, ()),
        "pingpong-quiet": (_QUIET, QUIET, (MIXED,)),
        "loggp": (_LOGGP, LOGGP, (MISLABELLED,)),
    }
    tables: list[LogTable] = []
    for name, (pattern, columns, notes) in kinds.items():
        line = log.find(pattern)
        if line is not None:
            operation = name.removesuffix("-quiet")
            table = LogTable(operation, "Netgauge", line, version=version, ranks=2, notes=[*notes])
            _fill(log, table, pattern, columns)
            tables.append(table)
    return tables


def _fill(log: Log, table: LogTable, pattern: re.Pattern[str], columns: tuple[Column, ...]) -> None:
    loggp = pattern is _LOGGP
    for line, text in log.numbered(table.line):
        found = pattern.match(text)
        if found:
            groups = list(found.groups())
            size = groups[1] if loggp else groups.pop(0)
            with table.row(log, line):
                bytes = whole(size)
                for cell, column in zip(groups, columns, strict=True):
                    if column.definition:
                        table.add(line, bytes, column, cell)
        elif loggp and _LOGGP_CUT.match(text):
            table.cut_in(line)
