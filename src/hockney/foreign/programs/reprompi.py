"""ReproMPI: a line for each call of a collective, or its summaries; in seconds, until the last rank
is done.

The lines of calls are samples of one launch. A second start of the program in a log is kept apart:
its calls are no more samples of the first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from hockney.base.units import how_many
from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import Column, LogTable, RowError, whole
from hockney.records.run import REPEATED

HEADED = True

_HEADING = re.compile(
    r"^\s*(?:process\s+)?test(?=.*\s(?:total_)?nrep\b)(?=.*\s(?:count|msize_bytes)\b)"
    r"(?:\s+\w+){3,}\s*$"
)
_SETTING = re.compile(r"^\s*#@(\w{1,60})=(.*)$")
LONGEST_SETTING = 200
_NAME = re.compile(r"^[A-Za-z]\w{1,80}$")
CALL = Column("mean", "one call, until the last rank is done", factor=Decimal(1))
STATISTICS = {
    f"{name}_sec": Column(name, "over calls, each until the last rank is done", factor=Decimal(1))
    for name in ("mean", "median", "min", "max")
}
DECIMALS = 10
"""Decimals of each time: a last line with fewer is cut."""
NO_SETTINGS = frozenset(
    {"nrep", "nprocs", "reproMPIcommitSHA1", "datatype_size_bytes", "datatype_extent_bytes"}
)
"""Settings at the top that make no other experiment, or are read into other fields."""
PING_PONG = "its time is of whole exchanges as the program makes them; it is not halved"


@dataclass
class _Start:
    """A start of the program: what its first lines say, and its columns."""

    number: int
    settings: dict[str, str] = field(default_factory=dict)
    columns: Sequence[str] = ()
    line: int = 0
    why_not: str | None = None
    """Why rows below the heading are not read; None if they are."""
    tables: dict[tuple[str, str], LogTable] = field(default_factory=dict)
    missed: int = 0
    """Calls that began too late or took too long for their window."""


def recognise(log: Log) -> int | None:
    return log.find(_HEADING)


def read(log: Log) -> list[LogTable]:
    starts = [_Start(1)]
    for line, text in log.numbered():
        setting = _SETTING.match(text)
        if setting or _HEADING.match(text):
            if starts[-1].tables and (setting is None or text.startswith("#@")):
                starts.append(_Start(len(starts) + 1))
            if setting:
                starts[-1].settings[setting[1]] = setting[2].strip()[:LONGEST_SETTING]
            else:
                starts[-1].columns, starts[-1].line = text.split(), line
                starts[-1].why_not = _why_not(starts[-1].columns)
        elif starts[-1].columns:
            _line(log, line, text, starts[-1])
    return [table for start in starts for table in _tables(log, start)]


def _tables(log: Log, start: _Start) -> list[LogTable]:
    tables = list(start.tables.values())
    if not tables and start.line:
        tables = [LogTable("MPI", "ReproMPI", start.line)]
        tables[0].note(f"{log.at(start.line)}: {start.why_not or 'a heading without rows'}")
    if start.missed and tables:
        calls = how_many(start.missed, "call")
        tables[0].note(f"left out: {calls} that missed the window (errorcode)")
    return tables


def _why_not(columns: Sequence[str]) -> str | None:
    if columns[0] == "process":
        return "a line is the start and end of one rank (-v): run ReproMPI without -v"
    if "total_nrep" not in columns:
        return None if "runtime_sec" in columns else "a heading without runtime_sec"
    if "valid_nrep" not in columns:
        return "a heading without valid_nrep"
    return None if any(name in columns for name in STATISTICS) else "a heading without statistics"


def _line(log: Log, line: int, text: str, start: _Start) -> None:
    cells = text.split()
    if not cells or not _NAME.match(cells[0]) or start.why_not:
        return
    if len(cells) != len(start.columns) and not cells[0].startswith("MPI_"):
        return  # a message of something else
    row = dict(zip(start.columns, cells, strict=False))
    is_summary = "total_nrep" in start.columns
    table = _table(line, row, start, is_summary)
    if line == log.last and _is_cut(log, cells, start.columns):
        table.cut_in(line)
        return
    with table.row(log, line):
        if len(cells) != len(start.columns):
            raise RowError(f"{len(cells)} cells, not {len(start.columns)}")
        if row.get("errorcode", "0") != "0":
            start.missed += 1
            return
        size = _size(row, start.settings, table.operation)
        if is_summary:
            count = whole(row["valid_nrep"])
            for name, column in STATISTICS.items():
                if name in row:
                    table.add(line, size, column, row[name], repetitions=count)
        else:
            table.add(line, size, CALL, row["runtime_sec"])


def _is_cut(log: Log, cells: Sequence[str], columns: Sequence[str]) -> bool:
    decimals = len(cells[-1].partition(".")[2])
    return len(cells) < len(columns) or (not log.whole and decimals < DECIMALS)


def _table(line: int, row: Mapping[str, str], start: _Start, is_summary: bool) -> LogTable:
    """The table of a call of an operation, the n-th of each size; of summaries, of all sizes."""
    key = row["test"], "" if is_summary else row.get("nrep", "")
    if key not in start.tables:
        name = row["test"]
        is_mpi = name.startswith("MPI_")
        options = {} if is_summary else {REPEATED: "samples"}
        if start.number > 1 and not is_summary:
            options["start"] = str(start.number)
        table = start.tables[key] = LogTable(
            name.removeprefix("MPI_").lower() if is_mpi else name,
            "ReproMPI",
            line,
            ranks=_ranks(start.settings),
            options=options,
            parameters={n: v for n, v in start.settings.items() if n not in NO_SETTINGS},
            of_samples=not is_summary,
        )
        if not is_mpi and "send" in name.lower():
            table.note(f"{name}: {PING_PONG}")
    return start.tables[key]


def _ranks(settings: Mapping[str, str]) -> int | None:
    text = settings.get("nprocs", "")
    return int(text) if re.fullmatch(r"[1-9]\d{0,8}", text) else None


def _size(row: Mapping[str, str], settings: Mapping[str, str], operation: str) -> int:
    """The bytes of a row, whose size may be a count of elements. Raises RowError where the log does
    not show theirs."""
    if operation == "barrier":
        return 0
    if "msize_bytes" in row:
        return whole(row["msize_bytes"])
    element = settings.get("datatype_size_bytes")
    if element is None:
        raise RowError(
            "its size counts elements, and no line #@datatype_size_bytes=N above shows theirs"
        )
    return whole(row["count"]) * whole(element)
