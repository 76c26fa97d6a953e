"""nccl-tests and rccl-tests, as text (2.0 to 2.19) and as JSON.

Each size is measured out of place and in place, which are imported as two algorithms. Sizes of
collectives that gather or scatter count the data of all ranks. GB are 10^9 bytes.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from hockney.foreign.logs.log import LONGEST_LINE, Log
from hockney.foreign.logs.surroundings import processes_of
from hockney.foreign.logs.table import (
    BYTES,
    SKIPPED,
    Column,
    LogTable,
    RowError,
    is_number,
    number,
    read_rows,
)
from hockney.foreign.programs._csv_heading import factor_of
from hockney.records import Place

HEADED = True

_HEADING = re.compile(r"^#\s+size\s+count\b.*\btime\s+algbw\s+busbw")
_UNITS = re.compile(r"^#\s+\(B\)\s+\(elements\)(?P<units>.*)$")
"""The line of units below a heading."""
_VERSION = re.compile(r"^# (?:nccl|rccl)-tests version (\S+)")
_START = re.compile(r"^# Collective test starting: (\S+)")
_RANK = re.compile(
    r"^#\s+Rank\s+(\d{1,9})\b.* on\s+(\S+)\s+device\b(?:\s+\d+\s+\[\S+\]\s*(\S.{0,60})?)?"
)
_LIBRARY = re.compile(r"\b(?:NCCL|RCCL) version ([\w.+:-]{1,60})|-library=(\d{4,6})\b")
_COMMAND = re.compile(r"(?:^|[\s/])(?P<operation>[a-z]\w{1,30})_perf(?P<options>\s.*)?$")
_LAUNCHED = re.compile(r"\b(?:mpirun|mpiexec|srun|aprun|jsrun|flux|prun)\b")
_SETTING = re.compile(r"^# nThreads?:? (\d{1,6}) nGpus:? (\d{1,6})\b.*?(agg iters:? \d+.*)?$")
_JSON = re.compile(r'"average_bus_bandwidth"|"out_of_place"')
WAYS = ("out-of-place", "in-place")
GIGA = Decimal(10**9)
MEAN = "mean over iterations, then over ranks"

COLUMNS = {
    "time": Column("mean", MEAN),
    "algbw": Column("algorithm bandwidth", "size over time", "value_Bps", GIGA),
    "busbw": Column(
        "bus bandwidth", "size over time, times what the links carry of it", "value_Bps", GIGA
    ),
    "i_min": Column("min", "of iterations"),
    "i_max": Column("max", "of iterations"),
    "i_p99": Column("p99", "of iterations"),
    "i_cv%": Column("coefficient of variation", "of iterations", "value", Decimal("0.01")),
}
ITERATIONS = {
    "min": "min",
    "max": "max",
    "p50": "median",
    "p95": "p95",
    "p99": "p99",
    "stdev": "std",
    "avg": "mean of iterations",
}
KINDS = ("type", "redop", "root")
"""Columns of the data type, the reduction and the root, each of one value in a table."""
WRONG = ("#wrong", "error")


def recognise(log: Log) -> int | None:
    return 1 if _is_json(log) else log.find(_HEADING)


def _is_json(log: Log) -> bool:
    return log.text.lstrip()[:1] == "{" and bool(_JSON.search(log.text))


def read(log: Log) -> list[LogTable]:
    return _read_json(log) if _is_json(log) else _read_text(log)


@dataclass
class NcclContext:
    """Information from the lines before a table's heading."""

    unnamed: str
    version: str | None = None
    operation: str | None = None
    commanded: str | None = None
    """The operation of the command above: the program itself names it only since 2.15."""
    processes: int | None = None
    """Processes that the command starts: one where it has no launcher."""
    devices: int | None = None
    """GPUs of each process: its threads, times the GPUs of each."""
    setting: str = ""
    places: list[Place] = field(default_factory=list)
    devices_named: set[str] = field(default_factory=set)
    library: str | None = None
    """The version of the library that the log names."""

    begun: str = ""
    """The part of a command that the next line continues."""

    def see(self, text: str) -> None:
        text, self.begun = self.begun + text, ""
        if text.endswith("\\") and len(text) < LONGEST_LINE:
            self.begun = text[:-1]
            return
        start, rank, release = _START.match(text), _RANK.match(text), _VERSION.match(text)
        command, setting = _COMMAND.search(text), _SETTING.match(text)
        if library := _LIBRARY.search(text):
            self.library = library[1] or library[2]
        if release:
            self.version, self.operation, self.places = release[1], None, []
        elif start:
            self.operation, self.places = start[1].removesuffix("_perf"), []
        elif rank:
            self.places = [*(self.places if int(rank[1]) else []), _place(rank)]
            named = self.devices_named if int(rank[1]) else set()
            self.devices_named = named | ({rank[3].strip()} if rank[3] else set())
        elif setting:
            self.devices = int(setting[1]) * int(setting[2])
            self.setting = f"{setting[2]} GPUs a thread, {setting[3] or ''}".strip(", ")
            self.places = []
        elif command and not text.startswith("#"):
            before = text[: command.start()]
            is_alone = _LAUNCHED.search(before) is None
            self.processes = 1 if is_alone else processes_of(before)
            self.commanded, self.operation = command["operation"], None

    def table(self, line: int) -> LogTable:
        ranks = len(self.places)
        if not ranks and self.commanded and self.processes and self.devices:
            ranks = self.processes * self.devices
        table = _table(
            line, self.operation or self.commanded or self.unnamed, self.version, self.places
        )
        table.ranks = ranks or None
        nodes = len({place.host for place in self.places})
        where = f"{nodes} nodes" if nodes > 1 else "1 node"
        devices = ", ".join([*sorted(self.devices_named), where]) if nodes else None
        known = {"setting": self.setting, "devices": devices, "library": self.library}
        table.parameters = {name: value for name, value in known.items() if value}
        return table


def _place(rank: re.Match[str]) -> Place:
    return Place(rank=int(rank[1]), host=rank[2])


def _read_text(log: Log) -> list[LogTable]:
    tables: list[LogTable] = []
    context = NcclContext(log.operation)
    reached = 0
    for line, text in log.numbered():
        if line < reached:
            continue
        if _HEADING.match(text):
            titles = text.removeprefix("#").split()
            tables.append(context.table(line))
            first = _first_row(log, line + 1)
            width, numbers = _width(log, first), _columns(log, line, first, titles, tables[-1])
            reached = _rows(log, first, titles, numbers, width, tables[-1])
            while not tables[-1].cut and _begins_row(log, reached):
                # Data types, reductions and roots (-d all, -o all) are below one heading.
                tables.append(context.table(reached))
                reached = _rows(log, reached, titles, numbers, width, tables[-1])
        else:
            context.see(text)
    return tables


def _table(line: int, operation: str, version: str | None, places: list[Place]) -> LogTable:
    return LogTable(
        operation, "nccl-tests", line, version=version, ranks=len(places) or None, places=places
    )


def _first_row(log: Log, line: int) -> int:
    """The line of the first row below a heading; `line` without one."""
    starts = (n for n, text in log.numbered(line) if _has_number(text) or _HEADING.match(text))
    return next(starts, line)


def _width(log: Log, line: int) -> int:
    """The number of cells of most rows: debug output amid them may have split one."""
    widths = Counter(map(len, _numbers_below(log, line)))
    return widths.most_common(1)[0][0] if widths else 0


def _rows(
    log: Log, line: int, titles: list[str], numbers: list[Column], width: int, table: LogTable
) -> int:
    """Reads rows of one kind from a line on, and returns the line where they end. Older versions
    omit the reduction or root: cells are matched from both ends."""
    first = titles.index("time")
    rows = _numbers_below(log, line)
    kind = next((_kind(row, titles) for row in rows if len(row) == width), {})
    table.parameters |= kind
    blank = min(max(len(titles) - width, 0), first - 2)
    columns = [BYTES, *[SKIPPED] * (first - 1 - blank), *numbers]

    def is_other(text: str) -> bool:
        cells = text.split()
        return len(cells) == width and is_number(cells[0]) and _kind(cells, titles) != kind

    # Debug output may have empty lines, too.
    end = read_rows(
        log, line, columns, table, lambda text: text.lstrip().startswith("#") or is_other(text)
    )
    _note_wrong(log, line, end, len(columns), titles, table)
    return end


def _begins_row(log: Log, line: int) -> bool:
    return line <= len(log.lines) and _has_number(log.lines[line - 1])


def _has_number(text: str) -> bool:
    """True if a line begins with a number."""
    return is_number(text.strip().partition(" ")[0])


def _numbers_below(log: Log, line: int) -> Iterator[list[str]]:
    """The cells of lines that begin with a number, up to the end of the table."""
    for _, text in log.numbered(line):
        if text.lstrip().startswith("#"):
            return
        if _has_number(text):
            yield text.split()


def _kind(cells: Sequence[str], titles: Sequence[str]) -> dict[str, str]:
    """The data type, reduction and root of a row; empty where columns are missing."""
    if len(cells) != len(titles):
        return {}
    return {name: cell for name, cell in zip(titles, cells, strict=True) if name in KINDS}


def _order_of_ways(log: Log, line: int) -> Sequence[str]:
    """Which of both ways has the first columns, by the line above the heading."""
    above = log.lines[line - 2] if line > 1 else ""
    places = [above.find(way) for way in WAYS]
    return WAYS if min(places) < 0 or places[0] < places[1] else WAYS[::-1]


def _columns(
    log: Log, line: int, first: int, titles: Sequence[str], table: LogTable
) -> list[Column]:
    """The columns from the first time on, of both ways, where a second time begins the latter, in
    the units that are printed between the heading and the first row."""
    ways, units = _order_of_ways(log, line), iter(_units(log, line, first))
    way, columns = -1, []
    for title in titles[titles.index("time") :]:
        way += title == "time"
        column = COLUMNS.get(title, SKIPPED)
        if column is not SKIPPED:
            named = replace(column, algorithm=ways[min(way, 1)])
            column = _in_unit(named, title, next(units, None), table)
        columns.append(column)
    return columns


def _units(log: Log, line: int, first: int) -> list[str]:
    """The units of the columns that have one, after those of size and count; empty where no line
    shows them."""
    lines = log.lines[line : max(first - 1, line)]
    found = next(filter(None, map(_UNITS.match, lines)), None)
    return re.findall(r"\(([^()]{1,40})\)", found["units"]) if found else []


def _in_unit(column: Column, title: str, unit: str | None, table: LogTable) -> Column:
    """The column in the printed unit, as the program has it since its beginning without one."""
    if unit is None or (column.field == "value" and unit == "%"):
        return column
    try:
        return replace(column, factor=factor_of(unit, column.field))
    except RowError:
        table.note(f"unknown unit of {title}: {unit}: ignored")
        return SKIPPED


def _note_wrong(
    log: Log, first: int, end: int, width: int, titles: Sequence[str], table: LogTable
) -> None:
    """Notes rows with results that the benchmark itself found wrong."""
    ends = [i - len(titles) for i, title in enumerate(titles) if title in WRONG]
    for line, text in log.numbered(first):
        if line >= end:
            return
        cells = text.split()
        is_row = len(cells) == width and is_number(cells[0])
        counts = [cells[i] for i in ends if is_row and len(cells) >= -i]
        if any(count.replace(".", "").strip("0").isdigit() for count in counts):
            table.note(f"{log.at(line)}: the benchmark found wrong results")


def _read_json(log: Log) -> list[LogTable]:
    try:
        # Numbers keep the digits that were printed.
        document = json.loads(log.text, parse_float=str)
    except (ValueError, RecursionError) as error:
        table = _table(1, log.operation, None, [])
        table.note(f"{log.at(getattr(error, 'lineno', 1))}: not whole JSON: {error}")
        return [table]
    results = document.get("results") if isinstance(document, dict) else None
    table = _json_table(document if isinstance(document, dict) else {}, log.operation)
    for result in results if isinstance(results, list) else []:
        try:
            _json_row(result, table)
        except (RowError, KeyError, TypeError, AttributeError) as error:
            table.note(f"{log.path}: a result is ignored: {error}")
    return [table]


def _json_table(document: dict[str, Any], unnamed: str) -> LogTable:
    devices = document.get("devices")
    places = [
        Place(rank=rank, host=_text(device["hostname"]) if device.get("hostname") else None)
        for rank, device in enumerate(devices if isinstance(devices, list) else [])
        if isinstance(device, dict)
    ]
    args = document.get("args")
    program = _text(args[0] if isinstance(args, list) and args else args or unnamed).split()
    operation = program[0].rsplit("/", 1)[-1].removesuffix("_perf") if program else unnamed
    version = document.get("version")
    return _table(1, operation, None if version is None else _text(version), places)


def _text(value: Any) -> str:
    """The value as text without surrogates, which JSON escapes may contain."""
    return str(value).encode(errors="replace").decode()


def _json_row(result: dict[str, Any], table: LogTable) -> None:
    size = result["size"]
    if type(size) is not int or size < 0:
        raise RowError(f"size {size!r}")
    for way in WAYS:
        name = way.replace("-", "_")
        of = {"algorithm": way}
        group, each = result.get(name) or {}, result.get(f"{name}_per_iter") or {}
        for key, title in (("time", "time"), ("alg_bw", "algbw"), ("bus_bw", "busbw")):
            _json_value(table, size, COLUMNS[title], group.get(key), of)
        for key, statistic in ITERATIONS.items():
            _json_value(table, size, Column(statistic, "of iterations"), each.get(key), of)
        if group.get("nwrong") not in (None, 0, "0", "0.0", "N/A"):
            table.note(f"{size} bytes {way}: the benchmark found wrong results")


def _json_value(table: LogTable, size: int, column: Column, value: Any, of: dict[str, Any]) -> None:
    if value is not None:
        exact = number(str(value))
        if exact is not None:
            table.add(None, size, column, exact, **of)
