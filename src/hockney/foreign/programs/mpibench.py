"""LLNL's mpiBench: one line for each collective and size, in microseconds over ranks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import Column, LogTable, RowError, whole
from hockney.records import Place

HEADED = True

_START = re.compile(r"^\s*START mpiBench v(\S{1,20})")
_HOST = re.compile(r"^\s*(\d{1,9}) : (\S{1,255})$")
_ROW = re.compile(
    r"^\s*(?P<name>[A-Z][\w ]{0,19}?)\s+Bytes:\s*(?P<bytes>\d{1,20})\s+"
    r"Iters:\s*(?P<repetitions>\d{1,9})\s+Avg:\s*(?P<avg>\S{1,40})\s+Min:\s*(?P<min>\S{1,40})\s+Max:\s*(?P<max>\S{1,40})"
    r"\s+Comm:\s*(?P<comm>.{1,255}?)\s+Ranks:\s*(?P<ranks>\d{1,9})$"
)
_CUT = re.compile(r"^\s*[A-Z]\w*\s+Bytes:\s*\d*")
WORLD = "MPI_COMM_WORLD"
ESTIMATED = 5
"""Repetitions by which mpiBench estimates a time (ITRS_EST); slow operations have no more."""
COLUMNS = {
    "avg": Column("mean", "mean over ranks of each rank's mean"),
    "min": Column("least rank mean", "the least over ranks of each rank's mean"),
    "max": Column("largest rank mean", "the largest over ranks of each rank's mean"),
}


def recognise(log: Log) -> int | None:
    return log.find(_ROW)


def read(log: Log) -> list[LogTable]:
    """A table for each operation and communicator of a start."""
    tables: list[LogTable] = []
    starts: list[dict[tuple[str, str], LogTable]] = [{}]
    seen: set[tuple[str, str, str, str]] = set()
    version, places, lost = None, list[Place](), list[int]()
    for line, text in log.numbered():
        start, host, row = _START.match(text), _HOST.match(text), _ROW.match(text)
        if start:
            version, places, seen = start[1], [], set()
            starts.append({})
        elif host:
            places.append(Place(rank=int(host[1]), host=host[2]))
        elif row:
            key = (row["name"].lower(), row["comm"])
            if (*key, row["bytes"], row["ranks"]) in seen:
                starts.append({})  # a start whose first lines are missing
                seen = set()
            seen.add((*key, row["bytes"], row["ranks"]))
            if key not in starts[-1]:
                tables.append(_table(line, key, version, places))
                starts[-1][key] = tables[-1]
            _row(log, line, row, starts[-1][key])
        elif tables and line == log.last and _CUT.match(text):
            tables[-1].cut_in(line)
        elif "Bytes:" in text and "Iters:" in text:
            lost.append(line)
    for line in lost if tables else ():
        tables[0].drop(log, line, "other text in the row")
    _keep_counts_apart([list(each.values()) for each in starts])
    return tables


def _keep_counts_apart(starts: Sequence[Sequence[LogTable]]) -> None:
    """Gives tables the number of repetitions that the user chose as a parameter, where starts
    differ in it."""
    chosen = [(tables, _chosen_repetitions(tables)) for tables in starts]
    if len({count for _, count in chosen} - {None}) < 2:
        return  # a start whose count is unknown may have that of the others
    for tables, count in chosen:
        for table in tables:
            if count is not None:
                table.parameters["repetitions"] = str(count)


def _chosen_repetitions(tables: Sequence[LogTable]) -> int | None:
    """The most repetitions that the user allows a start; None if it does not show them. mpiBench
    reduces them to keep within its time limit, to another number for each time, so that only a
    number that most rows have in common was chosen."""
    counts = Counter(row.repetitions for table in tables for row in table.rows)
    most = max((count for count in counts if count is not None), default=0)
    rows_with_most = counts[most] // len(COLUMNS)
    is_common = rows_with_most > 1 and 2 * counts[most] >= counts.total()
    return most if is_common and most > ESTIMATED else None


def _table(line: int, key: tuple[str, str], version: str | None, places: list[Place]) -> LogTable:
    operation, comm = key
    options = {} if comm == WORLD else {"communicator": comm}
    name = operation.replace(" ", "-")
    hosts = {place.host for place in places}
    return LogTable(
        name,
        "mpiBench",
        line,
        version=version,
        options=options,
        places=list(places),
        parameters={"nodes": str(len(hosts))} if hosts else {},
    )


def _row(log: Log, line: int, row: re.Match[str], table: LogTable) -> None:
    with table.row(log, line):
        known = {"ranks": whole(row["ranks"]), "repetitions": whole(row["repetitions"])}
        if not known["ranks"]:
            raise RowError("0 ranks")
        for name, column in COLUMNS.items():
            table.add(line, whole(row["bytes"]), column, row[name], **known)
