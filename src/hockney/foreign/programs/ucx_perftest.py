"""UCX's ucx_perftest, 1.4 to 1.18: the last row of each test, in text and as CSV (-v).

Rows before the last are of the time since the row before. Its MB are 2^20 bytes; the "average" of
the last row is of the end of the test alone, and is not read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import (
    MEGABYTES,
    SKIPPED,
    Column,
    LogTable,
    RowError,
    is_number,
    whole,
)

HEADED = True

_COMMAND = re.compile(r"(?:^|[\s/])ucx_perftest\s(?P<options>.*)$")
_TEST = re.compile(r"(?:^|\s)-t[ =]?([a-z]\w{1,40})")
_SIZE = re.compile(r"(?:^|\s)-s[ =]?(\d{1,19})(?=\s|$)")
_THREADS = re.compile(r"(?:^|\s)-T[ =]?(\d{1,6})(?=\s|$)")
_PARAMETER = re.compile(r"^\s*\| ([A-Z][A-Za-z ]{1,20}):\s+(\S.*?)\s*\|$")
_HEADING = re.compile(
    r"^\s*\|(?:\s*(?P<stage>Stage|Test)\s*\|)?\s*# iterations\s*\|"
    r"\s*(?P<typical>typical|[\d.]+%ile)\s*\| average \| overall \|"
)
_CSV = re.compile(
    r"^(?P<names>(?:[^,]{1,80},){0,8})iterations,(?P<typical>typical|[\d.]+_percentile)_lat,"
    r"avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr$"
)
_NAMED = re.compile(r"^\+([a-z]\w*(?:/[\w.-]+)*)-{3,}[+-]*$")
"""The rule above a test of a batch file."""
_FINAL = re.compile(
    r"^\s*(?P<name>Final:|[a-z]\w*(?:/[\w.-]+)*)?\s+(?P<cells>[\d.,]+(?:\s+[\d.,]+)+)"
)
_PROGRESS = re.compile(r"^\s*\[thread \d+\]")
MILLION = MEGABYTES["2^20"]
NAMES = {
    "tag match latency": "tag_lat",
    "tag match bandwidth": "tag_bw",
    "tag sync match latency": "tag_sync_lat",
    "tag sync match bandwidth": "tag_sync_bw",
    "active message latency": "am_lat",
    "active message bandwidth": "am_bw",
    "put latency": "put_lat",
    "put bandwidth": "put_bw",
    "stream latency": "stream_lat",
    "stream bandwidth": "stream_bw",
}
"""Names of tests (-t) by their descriptions; the description is the name of any other."""
BY_CELLS = {8: (1, 3, 5, 7), 4: (None, 1, 2, 3)}
"""Cells of the quantile, and of the overall time, bandwidth and rate; threads print fewer."""


@dataclass
class UcxContext:
    """Information from the lines before a row."""

    test: str | None = None
    size: int | None = None
    parameters: dict[str, str] = field(default_factory=dict)
    typical: str = ""
    line: int = 0
    """The line of the heading; 0 before it."""
    results: str = "last"
    """Which rows below the heading are results: with a "Stage" column the one called Final, with a
    "Test" column (-f) each, else the last one."""
    names: int | None = None
    """Number of columns of names in CSV; None in text."""
    unfinished: int = 0
    """The line of a row of progress that no result has followed yet."""


def recognise(log: Log) -> int | None:
    found = log.find(_HEADING)
    return log.find(_CSV) if found is None else found


def read(log: Log) -> list[LogTable]:
    tables: list[LogTable] = []
    context = UcxContext()
    last: tuple[int, list[str]] | None = None
    """The row that is the last so far, where nothing marks it."""
    lost: list[int] = []
    for line, text in log.numbered():
        begins = any(of.search(text) for of in (_COMMAND, _HEADING, _CSV, _NAMED, _PARAMETER))
        row = None if begins or not context.line else _row(line, text, context)
        if last and (begins or (row and row[0] != last[1][0])):
            _add(log, *last, context, tables)
            last = None
        if begins:
            lost += [context.unfinished] if context.unfinished else []
            context.unfinished = 0
            _see(log, line, text, context)
        elif row and context.results == "last":
            last = (line, row)
        elif row:
            _add(log, line, row, context, tables)
    if last:
        _add(log, *last, context, tables)
    for line in [*lost, *([context.unfinished] if context.unfinished else [])]:
        words = f"{log.at(line)}: a test without its last row: what it had measured is not read"
        (tables or [LogTable(log.operation, "ucx_perftest", line)])[-1].note(words)
    return tables


def _see(log: Log, line: int, text: str, context: UcxContext) -> None:
    command, parameter, named = _COMMAND.search(text), _PARAMETER.match(text), _NAMED.match(text)
    heading, csv = _HEADING.match(text), _CSV.match(text)
    if command:
        test, size = _TEST.search(command["options"]), _SIZE.search(command["options"])
        threads = _THREADS.search(command["options"])
        context.test = test[1] if test else None
        context.size = int(size[1]) if size else log.bytes
        context.parameters = {"threads": threads[1]} if threads else {}
        context.line = 0
    elif parameter and parameter[1] == "Test":
        described = parameter[2].removeprefix("UCP ")
        name = NAMES.get(described, described.split("/")[0].strip().replace(" ", "-"))
        context.test = context.test or name
    elif parameter and parameter[1] == "Message size":
        context.size = int(parameter[2]) if parameter[2].isdigit() else context.size
    elif parameter:
        context.parameters[parameter[1]] = parameter[2]
    elif named:
        # Each line of a batch file has a size of its own, which is not printed.
        context.test, context.size = named[1].split("/")[0], log.bytes
    elif heading:
        context.line, context.typical, context.names = line, heading["typical"], None
        context.results = heading["stage"] or "last"
    elif csv:
        context.line, context.typical, context.results = line, csv["typical"], "last"
        context.names = csv["names"].count(",")


def _row(line: int, text: str, context: UcxContext) -> list[str] | None:
    """The names of a row, as one cell, and its numbers; None where it is no result."""
    if context.names is not None:
        cells = [cell.strip() for cell in text.split(",")]
        names, numbers = cells[: context.names], cells[context.names :]
        is_row = len(numbers) in BY_CELLS and all(map(is_number, numbers))
        return ["/".join(names), *numbers] if is_row else None
    found = _FINAL.match(text)
    is_final = found is not None and (context.results != "Stage" or found["name"] is not None)
    if found and is_final:
        context.unfinished = 0
        name = "" if found["name"] == "Final:" else found["name"] or ""
        # -N separates thousands.
        return [name, *(cell.replace(",", "") for cell in found["cells"].split())]
    context.unfinished = line if found or _PROGRESS.match(text) else context.unfinished
    return None


def _add(log: Log, line: int, row: list[str], context: UcxContext, tables: list[LogTable]) -> None:
    name, *cells = row
    test = name.split("/")[0] or context.test or log.operation
    table = LogTable(
        test.replace("_", "-"),
        "ucx_perftest",
        context.line,
        ranks=2,
        options={name: value for name, value in context.parameters.items() if name == "threads"},
        parameters=dict(context.parameters),
    )
    table.note("its MB are 2^20 bytes; rates are read so")
    tables.append(table)
    size = log.bytes if name or context.size is None else context.size
    if line == log.last and len(cells) not in BY_CELLS:
        table.cut_in(line)
        return
    with table.row(log, line):
        if size is None:
            raise RowError("the log does not show the message size: give it with --bytes")
        if len(cells) not in BY_CELLS:
            raise RowError(f"{len(cells)} columns, not 8 or 4")
        repetitions = whole(cells[0])
        places = BY_CELLS[len(cells)]
        for place, column in zip(places, _columns(test, context.typical), strict=True):
            if place is not None and column is not SKIPPED:
                table.add(line, size, column, cells[place], repetitions=repetitions)


def _columns(test: str, typical: str) -> Sequence[Column]:
    """Columns of a test. A latency is one way; a message of a stream has none: its time is called
    an overhead."""
    is_latency = test.endswith(("_lat", "latency"))
    percent = "50" if typical == "typical" else re.sub(r"[^\d.].*", "", typical)
    quantile = "median" if float(percent or 50) == 50.0 else f"p{float(percent):g}"
    of = "half of the round trip" if is_latency else "of a message in a stream"
    end = "" if is_latency else " overhead"
    return (
        Column(f"{quantile}{end}", f"{of}, over iterations"),
        Column(f"mean{end}", f"{of}, over the whole test"),
        Column("bandwidth", "bytes over time, whole test", "value_Bps", MILLION),
        Column("message rate", "messages over time, whole test", "value_per_s", Decimal(1)),
    )
