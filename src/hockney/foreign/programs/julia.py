"""MPIBenchmarks.jl, the benchmarks of Julia's MPI.jl: tables in CSV, on stdout below a title and in
files, which have no title and are named after the benchmark.

Its times of collectives are over ranks: the least, largest and mean of each rank's mean.
"""

from __future__ import annotations

import re
from decimal import Decimal

from hockney.foreign.logs.log import UNKNOWN, Log
from hockney.foreign.logs.table import (
    BYTES,
    LONGEST_SHOWN,
    REPETITIONS,
    Column,
    LogTable,
    RowError,
    RowOrder,
)

HEADED = True

_TITLE = re.compile(
    r"^Running benchmark (?P<suite>IMB|OSU) (?P<name>[A-Z][\w ]{0,40}) with type \S{1,40} on "
    r"(?P<ranks>\d{1,9}) MPI ranks"
)
_FILE = re.compile(r"^julia_(?P<suite>imb|osu)_(?P<name>[a-z]\w{0,40})\.csv$")
_HEADING = re.compile(
    r"^size \(bytes\),(?:iterat(?:i)?ons,)?"
    r"(?:time \(seconds\)|time \(seconds\),throughput \(MB/s\)|latency \(seconds\)"
    r"|bandwidth \(MB/s\)|min_time \(seconds\),max_time \(seconds\),avg_time \(seconds\))$"
)
UNIT_UNKNOWN = "time (seconds)"
"""The last column of one-sided tables, which are in microseconds whatever it is called."""
SECONDS = Decimal(1)
HALF, EXCHANGE = "half of a round trip, mean of a loop", "both messages, mean of a loop"
NAMES = {"latency": "pingpong", "broadcast": "bcast", "bw": "bandwidth"}
"""Our operation by the program's name of a benchmark, where they differ."""
PAIRS = {"pingpong": HALF, "pingping": EXCHANGE}
"""Definition of the time between two ranks, by operation."""
COLUMNS = {
    "iterations": REPETITIONS,
    "iteratons": REPETITIONS,  # as older versions write it
    "throughput (MB/s)": Column("bandwidth", "bytes over the time", "value_Bps", Decimal(10**6)),
    "bandwidth (MB/s)": Column("bandwidth", "as the column is called", "value_Bps", Decimal(10**6)),
    "min_time (seconds)": Column("least rank mean", "of a loop", factor=SECONDS),
    "max_time (seconds)": Column("largest rank mean", "of a loop", factor=SECONDS),
    "avg_time (seconds)": Column("mean", "over ranks, of a loop", factor=SECONDS),
}

LARGEST_RATE = 1e12
"""Bytes a second. No network between two processes has that; the program printed it until its pull
request 16 of May 2024, which fixes the bandwidth."""


def recognise(log: Log) -> int | None:
    """The heading's line, if the file's name or a title shows the program."""
    if _FILE.match(log.path.name) is None and log.find(_TITLE) is None:
        return None
    return log.find(_HEADING)


def read(log: Log) -> list[LogTable]:
    tables: list[LogTable] = []
    named = _FILE.match(log.path.name)
    for line, text in log.numbered():
        named = _TITLE.match(text) or named
        if _HEADING.match(text):
            tables.append(_table(log, line, text.split(","), named))
            named = None  # a title is of the table below it
    return tables


def _table(log: Log, line: int, heading: list[str], named: re.Match[str] | None) -> LogTable:
    name = named["name"].lower().replace(" ", "-") if named else log.operation
    operation = NAMES.get(name, name)
    ranks = int(named["ranks"]) if named and "ranks" in named.groupdict() else None
    table = LogTable(
        operation,
        f"MPIBenchmarks.jl {named['suite'].upper()}" if named else "MPIBenchmarks.jl",
        line,
        ranks=2 if operation in PAIRS else ranks,
    )
    if operation == UNKNOWN:
        table.note(f"{log.at(line)}: no title above this heading: the operation is unknown")
    time = Column("mean", PAIRS.get(operation, "as the column is called"), factor=SECONDS)
    if heading[-1] == UNIT_UNKNOWN:
        table.note(f"{log.at(line)}: one-sided times are not in seconds as this heading has it")
        return table
    columns = [BYTES, *(COLUMNS.get(cell, time) for cell in heading[1:])]
    order = RowOrder(log, table)
    for number, text in log.numbered(line + 1):
        cells = text.split(",")
        if not any(map(str.isalnum, text)) or _TITLE.match(text):
            break
        if order.is_cut(number, cells, len(columns)):
            break
        if not cells[0].isdigit():
            if len(cells) == len(columns):
                table.drop(log, number, f"other text in the row: {text[:LONGEST_SHOWN]}")
            continue
        with table.row(log, number):
            if len(cells) != len(columns):
                raise RowError(f"not {len(columns)} columns")
            order.see(number, table.add_row(number, cells, columns))
    if any((row.value_Bps or 0.0) > LARGEST_RATE for row in table.rows):
        table.note(
            f"{log.at(line)}: bandwidths above 10^12 bytes a second, as versions before May 2024 "
            "compute them wrongly; read as printed"
        )
    return table
