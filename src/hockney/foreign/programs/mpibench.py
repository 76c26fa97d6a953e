"""LLNL's mpiBench: one line for each collective and size, in microseconds over ranks."""

from __future__ import annotations

import re

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
    of_start: dict[tuple[str, str], LogTable] = {}
    seen: set[tuple[str, str, str, str]] = set()
    version, places = None, list[Place]()
    for line, text in log.numbered():
        start, host, row = _START.match(text), _HOST.match(text), _ROW.match(text)
        if start:
            version, places, of_start, seen = start[1], [], {}, set()
        elif host:
            places.append(Place(rank=int(host[1]), host=host[2]))
        elif row:
            key = (row["name"].lower(), row["comm"])
            if (*key, row["bytes"], row["ranks"]) in seen:
                of_start, seen = {}, set()  # a start whose first lines are missing
            seen.add((*key, row["bytes"], row["ranks"]))
            if key not in of_start:
                of_start[key] = _table(line, key, version, places)
                tables.append(of_start[key])
            _row(log, line, row, of_start[key])
        elif tables and line == log.last and _CUT.match(text):
            tables[-1].cut_in(line)
    return tables


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
