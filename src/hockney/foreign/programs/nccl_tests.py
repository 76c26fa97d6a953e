"""nccl-tests and rccl-tests, as text (2.0 to 2.19) and as JSON (_nccl_json.py).

Each size is measured out of place and in place, which are imported as two algorithms. Sizes of
collectives that gather or scatter count the data of all ranks. GB are 10^9 bytes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from hockney.foreign.logs.commands import MPI_LAUNCHERS, processes_of
from hockney.foreign.logs.log import LONGEST_LINE, Log
from hockney.foreign.logs.rows import read_rows
from hockney.foreign.logs.table import (
    BYTES,
    COUNT,
    SKIPPED,
    Column,
    LogTable,
    RowError,
    is_number,
    is_value,
    is_written_size,
)
from hockney.foreign.programs import _nccl_json
from hockney.foreign.programs._csv_heading import factor_of
from hockney.foreign.programs._nccl_columns import COLUMNS, KINDS, TIMES, WAYS, is_wrong
from hockney.records import Place

HEADED = True

# Web pages drop the marks: a line that begins with # is a heading there.
_HEADING = re.compile(r"^#?\s*size\s+count\b.*\s(?:cpu)?time\s+algbw\s+busbw")
_UNITS = re.compile(r"^#?\s*\(B\)\s+\(elements\)(?P<units>.*)$")
"""The line of units below a heading."""
_VERSION = re.compile(r"^#?\s*(?:nccl|rccl)-tests version (\S+)")
_START = re.compile(r"^#?\s*Collective test starting: (\S+)")
_RANK = re.compile(
    r"^#?\s*Rank\s+(\d{1,9})\b.* on\s+(\S+)\s+device\b(?:\s+\d+\s+\[\S+\]\s*(\S.{0,60})?)?"
)
_LIBRARY = re.compile(r"\b(?:NCCL|RCCL) version ([\w.+:-]{1,60})|-library=(\d{4,6})\b")
_COMMAND = re.compile(r"(?:^|[\s/])(?P<operation>[a-z]\w{1,30})_perf(?P<options>\s.*)?$")
_LAUNCHED = re.compile(rf"\b(?:{MPI_LAUNCHERS})\s")
_SETTING = re.compile(r"^#?\s*nThreads?:? (\d{1,6}) nGpus:? (\d{1,6})\b.*?(agg iters:? \d+.*)?$")
_MODE = re.compile(r"^#?\s*((?:(?:Blocking|Parallel Init) Enabled|Per-Iteration Report): .{1,80})")
"""Lines of options that change what is timed."""
_FOOT = re.compile(r"^\s*(?:#|Out of bounds values|Avg bus bandwidth)")
_CYCLE = re.compile(r"^#?\s*Testing \d+ cycle\.")
CYCLE = "another cycle of one start of rccl-tests is read as a launch"
_RCCL = re.compile(r"^(?=.*\balgBw\b)(?=.*\bbusBw\b).*\binPlace\b")
"""A line of the files that rccl-tests writes with -x."""
WRONG = ("#wrong", "error")


def recognise(log: Log) -> int | None:
    if _nccl_json.is_json(log):
        return 1
    heading = log.find(_HEADING)
    return log.find(_RCCL) if heading is None and not log.columns else heading


def read(log: Log) -> list[LogTable]:
    if _nccl_json.is_json(log):
        return _nccl_json.read(log)
    return _read_text(log) or [_refused(log)]


def _refused(log: Log) -> LogTable:
    table = LogTable(log.operation, "rccl-tests", 1)
    table.note(
        f"{log.at(log.find(_RCCL) or 1)}: the files that rccl-tests writes with -x are not read: "
        "import the table that it prints"
    )
    return table


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
        command, setting, mode = _COMMAND.search(text), _SETTING.match(text), _MODE.match(text)
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
        elif mode:
            self.setting = f"{self.setting}, {mode[1]}".strip(", ")
        elif command and not text.startswith("#"):
            before = text[: command.start()]
            is_alone = _LAUNCHED.search(before) is None
            self.processes = 1 if is_alone else processes_of(text)
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
    uncut = replace(log, whole=True)
    for line, text in log.numbered():
        if line < reached:
            continue
        if _HEADING.match(text):
            titles = _titles(text)
            tables.append(context.table(line))
            first = _first_row(log, line + 1)
            width, numbers = _width(log, first), _columns(log, line, first, titles, tables[-1])
            # Where nothing is read of the last cell, a row that has it is whole without a newline.
            source = uncut if numbers[-1] is SKIPPED else log
            reached = _rows(source, first, titles, numbers, width, tables[-1])
            while not tables[-1].cut and (below := _further_row(log, reached)):
                # Data types, reductions and roots (-d all, -o all) are below one heading.
                is_cycle, reached = below > reached, below
                tables.append(context.table(reached))
                if is_cycle:
                    tables[-1].note(f"{log.at(reached)}: {CYCLE}")
                reached = _rows(source, reached, titles, numbers, width, tables[-1])
        else:
            context.see(text)
    return tables


def _titles(text: str) -> list[str]:
    """The titles of all cells of a row: a timestamp (-S) is two of them."""
    return text.removeprefix("#").replace("timestamp", "date clock").split()


def _first_time(titles: Sequence[str]) -> int:
    return next(i for i, title in enumerate(titles) if title in TIMES)


def _table(line: int, operation: str, version: str | None, places: list[Place]) -> LogTable:
    return LogTable(
        operation, "nccl-tests", line, version=version, ranks=len(places) or None, places=places
    )


def _first_row(log: Log, line: int) -> int:
    """The line of the first row below a heading; `line` without one."""
    for number, text in log.numbered(line):
        cells = text.split()
        is_glued = any("." in cell for cell in cells[-8:]) and all(map(is_value, cells[-4:]))
        if is_written_size(_first_cell(text)) or _HEADING.match(text) or (cells and is_glued):
            return number
    return line


def _width(log: Log, line: int) -> int:
    """The number of cells of most rows: debug output amid them may have split one."""
    widths = Counter(map(len, _numbers_below(log, line)))
    return widths.most_common(1)[0][0] if widths else 0


def _rows(
    log: Log, line: int, titles: list[str], numbers: list[Column], width: int, table: LogTable
) -> int:
    """Reads rows of one kind from a line on, and returns the line where they end. Older versions
    omit the reduction or root: cells are matched from both ends."""
    first = _first_time(titles)
    second = len(titles) - 1 - titles[::-1].index(titles[first])
    if width == first + len(titles) - second < len(titles):
        # A traffic matrix (alltoallv) is measured in place only.
        titles, numbers = titles[:first] + titles[second:], numbers[second - first :]
    rows = _numbers_below(log, line)
    kind = next((_kind(row, titles) for row in rows if len(row) == width), {})
    table.parameters |= kind
    blank = min(max(len(titles) - width, 0), first - 2)
    columns = [BYTES, COUNT, *[SKIPPED] * (first - 2 - blank), *numbers]

    def is_other(text: str) -> bool:
        cells = text.split()
        return len(cells) == width > 0 and is_number(cells[0]) and _kind(cells, titles) != kind

    # Debug output may have empty lines, too.
    end = read_rows(log, line, columns, table, lambda text: _ends(text) or is_other(text))
    _note_wrong(log, line, end, len(columns), titles, table)
    return end


def _ends(text: str) -> bool:
    """True for lines below a table, also where a page took the # off."""
    below = (_FOOT, _HEADING, _RANK, _VERSION, _START, _SETTING)
    return any(pattern.match(text) for pattern in below)


def _further_row(log: Log, line: int) -> int | None:
    """The line of a row that belongs to the heading above, from this line on: it may be below the
    comment that begins another cycle of rccl-tests. None without one."""
    if line < len(log.lines) and _CYCLE.match(log.lines[line - 1]):
        line += 1
    return line if line <= len(log.lines) and _has_number(log.lines[line - 1]) else None


def _has_number(text: str) -> bool:
    """True if a line begins with a number."""
    return is_number(_first_cell(text))


def _first_cell(text: str) -> str:
    return next(iter(text.split(maxsplit=1)), "")


def _numbers_below(log: Log, line: int) -> Iterator[list[str]]:
    """The cells of lines that begin with a number, up to the end of the table."""
    for _, text in log.numbered(line):
        if _ends(text):
            return
        if _has_number(text):
            yield text.split()


def _kind(cells: Sequence[str], titles: Sequence[str]) -> dict[str, str]:
    """The data type, reduction and root of a row; empty where columns are missing."""
    if len(cells) != len(titles):
        return {}
    return {name: cell for name, cell in zip(titles, cells, strict=True) if name in KINDS}


def _order_of_ways(log: Log, line: int) -> Sequence[str]:
    """Which of both ways has the first columns, by the line above the heading. rccl-tests has one
    of them alone with -O 0."""
    above = log.lines[line - 2] if line > 1 else ""
    out_of_place, in_place = (above.find(way) for way in WAYS)
    is_reversed = in_place >= 0 and (out_of_place < 0 or in_place < out_of_place)
    return WAYS[::-1] if is_reversed else WAYS


def _columns(
    log: Log, line: int, first: int, titles: Sequence[str], table: LogTable
) -> list[Column]:
    """The columns from the first time on, of both ways, where a second time begins the latter, in
    the units that are printed between the heading and the first row."""
    ways, units = _order_of_ways(log, line), iter(_units(log, line, first))
    way, columns = -1, []
    for title in titles[_first_time(titles) :]:
        way += title in TIMES
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
    match = next(filter(None, map(_UNITS.match, lines)), None)
    return re.findall(r"\(([^()]{1,40})\)", match["units"]) if match else []


def _in_unit(column: Column, title: str, unit: str | None, table: LogTable) -> Column:
    """The column in the printed unit; without one, in that of the program's first versions."""
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
        if any(map(is_wrong, counts)):
            table.note(f"{log.at(line)}: the benchmark found wrong results")
