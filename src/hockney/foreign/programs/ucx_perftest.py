"""UCX's ucx_perftest, 1.4 to 1.20: the last row of each test, in text and as CSV (-v).

Rows before the last cover the time since the row before. Its MB are 2^20 bytes; the "average" of
the last row covers the end of the test only, and is not read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from hockney.foreign.logs.column_names import TIME_UNITS
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

_COMMAND = re.compile(r"(?:^|[\s/])ucx_perftest(?P<options>\s.*)?$")
_TEST = re.compile(r"(?:^|\s)-t[ =]?([a-z]\w{1,40})")
_SIZES = re.compile(r"(?:^|\s)-s[ =]?([\d,:]{1,200})(?=\s|$)")
_BATCH = re.compile(r"(?:^|\s)-b[ =]?\S")
_THREADS = re.compile(r"(?:^|\s)-T[ =]?(\d{1,6}(?::\d{1,6})?)(?=\s|$)")
_WINDOW = re.compile(r"(?:^|\s)-O[ =]?(\d{1,9})(?=\s|$)")
_PARAMETER = re.compile(r"^\s*\| ([A-Z][A-Za-z ]{1,20}):\s+(\S.*?)\s*\|$")
_HEADING = re.compile(
    r"^\s*\|(?:\s*(?P<stage>Stage|Test)\s*\|)?\s*# iterations\s*\|"
    r"\s*(?P<typical>typical|\d{1,3}(?:\.\d{1,3})? ?%ile)\s*\| average \| overall \|"
)
_UNITS = re.compile(
    r"\|\s*(?P<what>latency|overhead) \((?P<time>[^()|]{1,20})\)\s*"
    r"\|\s*bandwidth \((?P<rate>[^()|]{1,20})\)\s*\|\s*message rate \((?P<messages>[^()|]{1,20})\)"
)
"""The line above a heading."""
_CSV = re.compile(
    r"^(?P<names>(?:[^,]{1,80},){0,8})iterations,(?P<typical>typical|\d{1,3}(?:\.\d{1,3})?_percentile)_lat,"
    r"avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr$"
)
_NAMED = re.compile(r"^\+([\w.][\w.-]{0,80}?(?:/[\w.-]{1,80}?)*)-{3,}[+-]*$")
"""The rule above a test of a batch file."""
_FINAL = re.compile(
    r"^\s*(?P<name>Final:|[\w.-]*[a-z][\w.-]*(?:/[\w.-]+)*|[\w.-]+(?:/[\w.-]+)+)?"
    r"\s+(?P<cells>\d[\d,]*(?:\s+\d[\d.,]*){3,7})(?=\s*$|\s+[^\d\s])"
)
_NUMBERS = re.compile(r"\d\.\d+\s+\d+\.\d+\s+\d+\.\d+\s")
"""Times of a row."""
_PROGRESS = re.compile(r"^\s*(?:[^,]{1,80},)*\[thread \d+\]")
MICRO, MILLION = TIME_UNITS["usec"], MEGABYTES["2^20"]
"""Units of times and bandwidths, where no line above a heading shows them."""
RATES = {"MB/s": MILLION, "MiB/s": MILLION, "GiB/s": 1024 * MILLION}
NAMES = {
    "tag match latency": "tag_lat",
    "tag match bandwidth": "tag_bw",
    "tag sync match latency": "tag_sync_lat",
    "tag sync match bandwidth": "tag_sync_bw",
    "active message latency": "am_lat",
    "active message bandwidth": "am_bw",
    "put latency": "put_lat",
    "put bandwidth": "put_bw",
    "get latency": "get",
    "get bandwidth": "get_bw",
    "atomic add latency": "add_lat",
    "atomic add message rate": "add_mr",
    "atomic add bandwidth": "add",
    "atomic fetch-and-add latency": "fadd",
    "atomic swap latency": "swap",
    "atomic compare-and-swap latency": "cswap",
    "am latency": "am_lat",
    "am bandwidth": "am_bw",
    "stream latency": "stream_lat",
    "stream bandwidth": "stream_bw",
}
"""Names of tests (-t) by their descriptions; the description is the name of any other."""
_BANNER = re.compile(rf"^={{3,}} ((?:ucp_)?(?:{'|'.join(NAMES.values())})) ={{3,}}$")
"""The name of a test, as scripts print it above its box."""
BEGINNINGS = (_COMMAND, _HEADING, _CSV, _NAMED, _PARAMETER, _BANNER)
"""Lines that begin a test, or a part of what is above it."""
BOTH_LAYERS = frozenset({"put_lat", "put_bw", "get", "add", "fadd", "swap", "cswap"})
"""Tests of either layer, which begin with ucp_ on the upper one."""
WHOLE = re.compile(r"(?:ucp_)?(?:get|fadd|swap|cswap)$")
"""Tests whose time is that of a whole operation, unless several are in flight."""
BY_CELLS = {8: (1, 3, 5, 7), 4: (None, 1, 2, 3)}
"""Cells of the quantile, and of the overall time, bandwidth and rate; threads print fewer."""
DEFAULT_SIZE = 8
"""Message size (bytes) of a command without -s, of all versions."""
NEAR = 0.02
"""Relative tolerance of a size that bandwidth and rate imply."""


@dataclass
class UcxRow:
    names: list[str]
    """The names that a batch file gives to a test."""
    cells: list[str]
    is_final: bool
    """True if the row is marked as the last of its test."""


@dataclass
class UcxContext:
    """Information from the lines before a row."""

    test: str | None = None
    size: int | None = None
    is_sure: bool = True
    """False if the size is that of a command without -s, which the numbers must agree with."""
    parameters: dict[str, str] = field(default_factory=dict)
    typical: str = ""
    is_latency: bool = False
    """True if the heading calls the times latencies, and not overheads."""
    time_unit: Decimal = MICRO
    rate_unit: Decimal = MILLION
    unknown: str = ""
    """The printed units that are unknown."""
    line: int = 0
    """The line of the heading; 0 before it."""
    results: str = "last"
    """Which rows below the heading are results: with a "Stage" column the one called Final, with a
    "Test" column (-f) each, else the last one."""
    columns: int | None = None
    """Number of columns of names in CSV; None in text."""
    names: list[str] = field(default_factory=list)
    """Names of the test below, from the rule above it."""
    unfinished: int = 0
    """The line of a row of progress that no result has followed yet."""
    is_used: bool = False
    """True if a result was read: what is above belongs to that one, not to the next heading."""


def recognise(log: Log) -> int | None:
    line = log.find(_HEADING)
    return log.find(_CSV) if line is None else line


def read(log: Log) -> list[LogTable]:
    tables: list[LogTable] = []
    context = UcxContext(size=log.bytes)
    last: tuple[int, UcxRow] | None = None
    """The row that is the last so far, where nothing marks it."""
    lost, progress = list[int](), list[int]()
    for line, joined in log.joined():
        text = joined.replace("\\\n", " ")
        begins = any(of.search(text) for of in BEGINNINGS)
        row = None if begins or not context.line else _row(line, text, context)
        if row and last and len(row.cells) < len(last[1].cells):
            row = None
        if last and (begins or (row and row.names != last[1].names)):
            _add(log, *last, context, tables)
            last = None
        if begins:
            lost += [context.unfinished] if context.unfinished else []
            context.unfinished = 0
            context = _see(log, line, text, context)
        elif row and row.is_final:
            _add(log, line, row, context, tables)
            last = None
        elif row:
            progress += [last[0]] if last else []
            last, context.unfinished = (line, row), 0
        elif last and _is_damaged(text):
            last, context.unfinished = None, line  # the last row, behind or around a message
    if last:
        _add(log, *last, context, tables)
    for table in tables[:1]:
        table.passed_over += progress
    for line in [*lost, *([context.unfinished] if context.unfinished else [])]:
        words = f"{log.at(line)}: a test without its last row: what it had measured is not read"
        if not tables:
            tables.append(LogTable(log.operation, "ucx_perftest", line))
        tables[-1].note(words)
    return tables


def _is_damaged(text: str) -> bool:
    """True if a line begins with a number, or has times, and is no progress."""
    begins = text.split(maxsplit=1)[:1]
    return not _PROGRESS.match(text) and (
        any(map(is_number, begins)) or _NUMBERS.search(text) is not None
    )


def _see(log: Log, line: int, text: str, context: UcxContext) -> UcxContext:
    """The context below a line that begins a test, or a part of it."""
    command, parameter, named = _COMMAND.search(text), _PARAMETER.match(text), _NAMED.match(text)
    heading, csv, banner = _HEADING.match(text), _CSV.match(text), _BANNER.match(text)
    if command:
        return _commanded(log, command["options"] or "")
    if context.is_used and not named:
        context = UcxContext(size=log.bytes)
    if parameter and parameter[1] == "Test":
        described = parameter[2].removeprefix("UCP ").split("/")[0].strip()
        name = NAMES.get(described, described.replace(" ", "-"))
        is_upper = context.parameters.get("API", "").startswith("protocol")
        upper = is_upper and (name in BOTH_LAYERS or described.startswith("am "))
        context.test = context.test or (f"ucp_{name}" if upper else name)
    elif parameter and parameter[1] == "Message size":
        if parameter[2].isdigit():
            context.size, context.is_sure = int(parameter[2]), True
    elif parameter:
        context.parameters[parameter[1]] = parameter[2]
    elif banner:
        context.test = context.test or banner[1]
    elif named:
        context.names = named[1].split("/")
    elif heading:
        context.line, context.typical, context.columns = line, heading["typical"], None
        context.results = heading["stage"] or "last"
        _see_units(log.lines[max(line - 3, 0) : line], context)
    elif csv:
        context.line, context.typical, context.results = line, csv["typical"], "last"
        context.columns = csv["names"].count(",")
    return context


def _see_units(above: Sequence[str], context: UcxContext) -> None:
    """Reads the units in the lines above a heading."""
    context.time_unit, context.rate_unit, context.unknown = MICRO, MILLION, ""
    units = next(filter(None, map(_UNITS.search, above)), None)
    context.is_latency = units is not None and units["what"] == "latency"
    if units is None:
        return
    known = {"time": TIME_UNITS, "rate": RATES, "messages": ("msg/s",)}
    context.unknown = ", ".join(units[name] for name in known if units[name] not in known[name])
    if not context.unknown:
        context.time_unit, context.rate_unit = TIME_UNITS[units["time"]], RATES[units["rate"]]


def _commanded(log: Log, options: str) -> UcxContext:
    test, sizes, window = _TEST.search(options), _SIZES.search(options), _WINDOW.search(options)
    threads = _THREADS.search(options)
    context = UcxContext(test[1] if test else None, log.bytes)
    if sizes:
        context.size = _sum(sizes[1])
    elif context.size is None and not _BATCH.search(options):
        context.size, context.is_sure = DEFAULT_SIZE, False
    if threads:
        context.parameters["threads"] = threads[1]
    if window:
        context.parameters["Window size"] = window[1]
    return context


def _sum(text: str) -> int | None:
    """The size of a message from its parts: 512,512 or 1024:16. None if they are no sizes."""
    total = 0
    for part in text.split(","):
        size, _, count = part.partition(":")
        if not size.isdigit() or not (count or "1").isdigit():
            return None
        total += int(size) * int(count or 1)
    return total


def _row(line: int, text: str, context: UcxContext) -> UcxRow | None:
    """The names and numbers of a row; None where it is no result."""
    if _PROGRESS.match(text):
        context.unfinished = line
        return None
    if context.columns is not None:
        cells = [cell.strip() for cell in text.split(",")]
        names, numbers = cells[: context.columns], cells[context.columns :]
        # Version 1.9 marks the last row in CSV, too.
        is_marked = bool(numbers) and numbers[0].startswith("Final:")
        numbers = [cell.removeprefix("Final:").strip() for cell in numbers]
        if len(numbers) not in BY_CELLS or not all(map(is_number, numbers)):
            return None
        if is_marked:
            context.unfinished = 0
        return UcxRow(names, numbers, is_marked)
    match = _FINAL.match(text)
    if match is None:
        if "Final:" in text:
            context.unfinished = line
        return None
    cells = match["cells"].split()
    for place in (0, *range(len(cells) * 3 // 4, len(cells))):  # repetitions and message rates
        cells[place] = cells[place].replace(",", "")  # -N separates thousands
    name = match["name"] or ""
    if name == "Final:" or context.results == "Test":
        context.unfinished = 0
        return UcxRow([] if name in ("", "Final:") else name.split("/"), cells, True)
    if context.results == "last" or context.typical == "typical":
        # Without OpenMP, version 1.9 does not mark the last row.
        return UcxRow([], cells, False)
    context.unfinished = line
    return None


def _add(log: Log, line: int, row: UcxRow, context: UcxContext, tables: list[LogTable]) -> None:
    context.is_used = True
    names = row.names or context.names
    words = [name for name in names if not name.isdigit()]
    named = _test_of(words) or context.test
    test = named or log.operation
    known = {name: value for name, value in context.parameters.items() if name == "threads"}
    others = "/".join(word for word in words if word != test)
    table = LogTable(
        test.replace("_", "-"),
        "ucx_perftest",
        context.line,
        ranks=2,
        options=known | ({"batch": others} if others else {}),
        parameters=dict(context.parameters),
    )
    if context.rate_unit == MILLION:
        table.note("its MB are 2^20 bytes; rates are read so")
    tables.append(table)
    cells = row.cells
    is_last = line == log.last and not log.whole
    if line == log.last and len(cells) not in BY_CELLS:
        table.cut_in(line)
        return
    with table.row(log, line):
        if len(cells) not in BY_CELLS:
            raise RowError(f"{len(cells)} columns, not 8 or 4")
        if context.unknown:
            raise RowError(f"unknown units: {context.unknown}")
        places = BY_CELLS[len(cells)]
        rate, messages = cells[places[2] or 0], cells[places[3] or 0]
        size = _size(log, names, context, rate, messages)
        is_shorter = len(cells) == max(BY_CELLS) and len(cells[-1]) < len(cells[-2])
        if is_last and is_shorter and not _agrees(size, rate, messages, context.rate_unit):
            table.cut_in(line)
            return
        repetitions = whole(cells[0])
        for place, column in zip(places, _columns(named, context), strict=True):
            if place is not None and column is not SKIPPED:
                table.add(line, size, column, cells[place], repetitions=repetitions)


def _test_of(words: Sequence[str]) -> str | None:
    """The word that names a test, of those of batch files."""
    named = (word for word in words if word.endswith(("lat", "bw", "mr", "latency", "bandwidth")))
    return next(named, words[0] if words else None)


def _size(log: Log, names: Sequence[str], context: UcxContext, rate: str, messages: str) -> int:
    """The message size. A test of a batch file has one of its own, which is not printed: a number
    that names it is taken for it where bandwidth and message rate agree with it."""
    sized = next((int(name) for name in names if name.isdigit()), None)
    if sized is not None and _agrees(sized, rate, messages, context.rate_unit):
        return sized
    size = log.bytes if names else context.size
    if size is None or (
        not context.is_sure and not _agrees(size, rate, messages, context.rate_unit)
    ):
        raise RowError("the log does not show the message size: give it with --bytes")
    return size


def _agrees(size: int, rate: str, messages: str, unit: Decimal) -> bool:
    """True if a bandwidth, printed in this unit, is that of so many messages of this size."""
    if not (is_number(rate) and is_number(messages)):
        return False
    printed, expected = Decimal(rate), Decimal(messages) * size / unit
    rounded = Decimal("0.005") + size / unit / 2
    return expected > rounded and abs(printed - expected) <= rounded + expected * Decimal(NEAR)


def _columns(test: str | None, context: UcxContext) -> Sequence[Column]:
    """Columns of a test, of one without a name by its heading. A latency is one way; a message of a
    stream has none: its time is called an overhead."""
    is_latency = context.is_latency if test is None else test.endswith(("_lat", "latency"))
    is_whole = WHOLE.match(test or "") and context.parameters.get("Window size", "1") == "1"
    percent = "50" if context.typical == "typical" else re.sub(r"[^\d.].*", "", context.typical)
    quantile = "median" if float(percent or 50) == 50.0 else f"p{float(percent):g}"
    of = "half of the round trip" if is_latency else "of a message in a stream"
    of = "of the whole operation" if is_whole else of
    end = "" if is_latency or is_whole else " overhead"
    return (
        Column(f"{quantile}{end}", f"{of}, over iterations", factor=context.time_unit),
        Column(f"mean{end}", f"{of}, over the whole test", factor=context.time_unit),
        Column("bandwidth", "bytes over time, whole test", "value_Bps", context.rate_unit),
        Column("message rate", "messages over time, whole test", "value_per_s", Decimal(1)),
    )
