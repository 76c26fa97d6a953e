"""OSU Micro-Benchmarks 3 to 7.5, MPI and its Python port: all tables with sizes or times.

Columns are identified by title, not position: titles changed between versions, and contain blanks.
OSU's MB is 10^6 bytes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from hockney.base.errors import UsageError
from hockney.foreign.logs.commands import starts_program
from hockney.foreign.logs.log import Log
from hockney.foreign.logs.prefixes import hidden_title
from hockney.foreign.logs.rows import is_damaged_row, read_rows
from hockney.foreign.logs.setting_lines import processes_by_line
from hockney.foreign.logs.table import (
    BYTES,
    REPETITIONS,
    SKIPPED,
    Column,
    LogTable,
    is_number,
)
from hockney.foreign.programs._csv_heading import factor_of
from hockney.foreign.programs._osu_context import OsuContext
from hockney.foreign.programs._osu_layout import PARAMETER, RANKS, tables_text
from hockney.foreign.programs._osu_layout import preset as preset
from hockney.foreign.programs._osu_titles import NAMES, TWO_RANKS

HEADED = True

_TITLE = re.compile(
    r"^\s*(?:#{1,6}\s*(?:OSU|OMB)|(?:OSU|OMB)(?=.*\sTest\s+v[\d.]+\s*$))\s+"
    r"(?:Python\s+)?(?P<title>\S.*?)\s+Test(?:\s+v?(?P<version>[\d.]+))?"
)
"""The title of a table. Some people remove the # before they keep one: then it is the whole line,
with a version."""
_COMMAND = re.compile(r"[\s/'\"`]osu_\w")
_PAIRS = re.compile(r"\[ pairs: (\d+) \] \[ window size: (\w+) \]")
_SIDE = r"(\w+)(?: MEMORY)?(?: \((\w+)\))?"
_BUFFERS = re.compile(
    rf"# (?:Send Buffer|Rank 0 Memory) on {_SIDE}.* (?:Receive Buffer|Rank 1 Memory) on {_SIDE}"
)
"""The memories of both ranks; the second form is that of one-sided tests."""
_PROGRAM = re.compile(r"\bosu_(?:bw_fan_(?P<fan>in|out)\b|[a-z])")
"""Names of programs. Those with a fan have many ranks, but the title of osu_bw."""
PREFERRED = ("MD", "MH")
"""Managed memory that begins on the device, and on the host."""
_WINDOWS = re.compile(r"^\s*#((?:\s+\d+)+)\s*$")
_INIT = re.compile(r"^nprocs: (\d+), min: (\d+) ms, max: (\d+) ms, avg: (\d+) ms")

DATATYPE = "Datatype"
"""The parameter that may change without a new title."""
MEGA, MILLI = Decimal(10**6), Decimal("1e-3")

_IN_TIME = r"\([mnuµμ\ufffd]?s(?:ec)?\)"
_IN_RATE = r"\((?:[kKMG]i?B|[kMG]b)(?:/s(?:ec)?|ps)\)"
TRANSMITTED = "Transmit Size"
"""The column of the bytes that a derived datatype (-D) sends; "Size" is then what it spans."""
TITLES = (
    rf"P(?P<tail>[\d.]+) Tail Lat ?{_IN_TIME}",
    rf"P(?P<bw_tail>[\d.]+) Tail BW ?{_IN_RATE}",
    r"Size(?: \(B\))?",
    rf"(?:Avg |Min |Max )?Latency ?{_IN_TIME}",
    rf"(?:Bi-)?Bandwidth ?{_IN_RATE}",
    r"MB/s",
    r"Messages/s",
    r"Iterations",
    r"Validation",
    TRANSMITTED,
    rf"(?:Overall|Compute|Coll\. Init|MPI_Test|MPI_Wait|(?:Pure|Min|Max) Comm\.) ?{_IN_TIME}",
    r"Overlap ?\(%\)",
)
_TITLES = re.compile("|".join(TITLES))


def recognise(log: Log) -> int | None:
    hidden = hidden_title(log.lines)
    return log.find(_TITLE) or (hidden.line if hidden and "Test" in hidden.title else None)


def read(log: Log) -> list[LogTable]:
    """The tables of a log. Raises UsageError where other text is before every title."""
    hidden = hidden_title(log.lines)
    if hidden and not log.find(_TITLE):
        raise UsageError(*hidden.words(log.path, log.at(hidden.line)))
    tables: list[LogTable] = []
    context = OsuContext()
    unread: dict[int, str] = {}
    titled, reached = 0, 0
    commands, shown = processes_by_line(log, _COMMAND)
    known = {**commands, **shown}
    for line, text in log.numbered():
        if line < reached:
            continue
        title = _TITLE.match(text)
        if program := _PROGRAM.search(text):
            context.fan = program["fan"]
        if line in known:
            context.ranks, context.shown_ranks = known[line], shown.get(line)
        elif title:
            context.title, context.version = " ".join(title["title"].split()), title["version"]
            titled, unread[line] = line, context.title
        elif context.title or context.before:
            table, reached = _table(log, line, text, context)
            if table:
                # Without an empty line, that of the next table may follow the rows.
                last = max((row.line or 0 for row in table.rows), default=line)
                reached = min((n for n in known if last < n < reached), default=reached)
                unread.pop(titled, None)
                tables.append(table)
                if not context.quantity:
                    context.above = None
                    context = OsuContext(
                        version=context.version,
                        ranks=context.shown_ranks,
                        shown_ranks=context.shown_ranks,
                        before=table,
                        above=context,
                    )
                continue
        _parameter(text, context)
    if unread and not tables:
        tables = [LogTable(log.operation, "OSU", next(iter(unread)))]
    for line, name in unread.items():
        tables[0].note(f"{log.at(line)}: no table of known columns is below {name} Test")
    if hidden and tables:
        tables[0].note("; ".join(hidden.words(log.path, log.at(hidden.line))))
    return tables


def _parameter(text: str, context: OsuContext) -> None:
    pairs = _PAIRS.search(text)
    if pairs:
        context.pairs = int(pairs[1])
        context.parameters["window"] = pairs[2]
        return
    if "Uni-directional Bandwidth (MB/sec)" in text:
        context.quantity = _rate("bandwidth", "all pairs together")
    elif "Message Rate Profile" in text:
        context.quantity = Column("message rate", "all pairs together", "value_per_s", Decimal(1))
    buffers, parameter = _BUFFERS.search(text), PARAMETER.match(text)
    if buffers:
        context.parameters["buffers"] = (
            f"{_side(*buffers.group(1, 2))} to {_side(*buffers.group(3, 4))}"
        )
    if parameter and not _TITLE.match(text):
        name, value = parameter[1].strip(), parameter[2].strip().removesuffix(".")
        if name == RANKS and value.isdigit() and context.operation not in TWO_RANKS:
            context.ranks = int(value)
            return
        above = context.above
        if name == DATATYPE and not context.title and above and DATATYPE in above.parameters:
            # One title stands above the tables of all datatypes (-T).
            context.title, context.ranks, context.pairs = above.title, above.ranks, above.pairs
            context.fan = above.fan
            context.parameters = {**above.parameters, **context.parameters}
        context.parameters[name] = value


def _side(memory: str, letters: str | None) -> str:
    """The memory of one side; of managed memory also where it is at first, MD or MH."""
    return f"{memory} ({letters})" if letters in PREFERRED else memory


def _table(log: Log, line: int, text: str, context: OsuContext) -> tuple[LogTable | None, int]:
    """The table that begins in this line, if any, and the line after it."""
    init, windows = _INIT.match(text), _WINDOWS.match(text)
    if init:
        return _startup(log, line, init, context), line + 1
    if windows and context.quantity:
        each = [replace(context.quantity, window=int(w)) for w in windows[1].split()]
        columns = [BYTES, *each]
    else:
        columns = _columns(text, context)
    if not columns:
        return None, line
    below, has_rows = _first_row(log, line, columns, context)
    table = context.table(log, line)
    if TRANSMITTED in text:
        table.options["derived datatype"] = "yes"
        table.note("sizes are the bytes that its derived datatype sends, not those that it spans")
    end = read_rows(log, below if has_rows else len(log.lines) + 1, columns, table)
    end = end if has_rows else below
    if BYTES not in columns and len({row.line for row in table.rows}) > 1:
        _drop_all(log, table)
    if table.dropped and not table.rows:
        table.note(
            f"{log.at(line)}: its rows have other columns than this heading: name all of them "
            "there, such as # Size  Avg Latency(us)  Min Latency(us)  Max Latency(us)  Iterations"
        )
    if SKIPPED in columns:
        _note_failures(log, below, end, table)
    return table, end


def _drop_all(log: Log, table: LogTable) -> None:
    """Drops rows that are one below the other where each should have a size beside it: a table
    without sizes has one row."""
    table.dropped += dict.fromkeys(row.line for row in table.rows if row.line)
    table.rows = []
    words = "several rows, and none has a size: write each size beside its time"
    table.notes.insert(0, f"{log.at(table.line)}: {words}")


def _first_row(
    log: Log, line: int, columns: Sequence[Column], context: OsuContext
) -> tuple[int, bool]:
    """The line of the first row below a heading, and True; or that of what ends the table before
    it, and False: rows below another comment or command are of another program."""
    for below, more in log.numbered(line + 1):
        if (more.strip() and is_number(more.split()[0])) or is_damaged_row(more, columns):
            return below, True
        if PARAMETER.match(more):
            _parameter(more, context)
        elif more.lstrip().startswith("#") or starts_program(more) or _columns(more, context):
            return below, False
    return len(log.lines) + 1, False


def _columns(text: str, context: OsuContext) -> list[Column]:
    """The columns of a heading; empty if the line is not a heading."""
    text = " ".join(text.split())
    titles = list(_TITLES.finditer(text))
    rest = _TITLES.sub("", text).replace("#", "").strip()
    if not titles or rest:
        return []
    every = [_in_unit(_column(title, context), title[0]) for title in titles]
    if every.count(BYTES) > 1:
        every[every.index(BYTES)] = SKIPPED
    return every if any(column.definition for column in every) else []


def _in_unit(column: Column, title: str) -> Column:
    """The column in the unit of its title, if that has one."""
    unit = title[title.find("(") + 1 : -1] if title.endswith(")") else ""
    if not column.definition or unit in ("", "%"):
        return column
    return replace(column, factor=factor_of(unit, column.field))


def _rate(statistic: str, of: str) -> Column:
    return Column(statistic, f"bytes over time, {of}", "value_Bps", MEGA)


def _column(title: re.Match[str], context: OsuContext) -> Column:
    words = title[0].split("(")[0].strip().removeprefix("Bi-")
    if title["tail"]:
        return Column(_quantile(title["tail"]), f"nearest rank; {_mean_of(context)[1]}")
    if title["bw_tail"]:
        return _rate(f"p{title['bw_tail']} bandwidth", "nearest rank over windows")
    fixed = {
        "Size": BYTES,
        "Iterations": REPETITIONS,
        "Validation": SKIPPED,
        TRANSMITTED: BYTES,
        "Bandwidth": _rate("bandwidth", "windows of messages with one answer each"),
        "MB/s": _rate("bandwidth", "all pairs together"),
        "Messages/s": Column("message rate", "all pairs together", "value_per_s", Decimal(1)),
        "Min Latency": Column("least rank mean", "the least over ranks of each rank's mean"),
        "Max Latency": Column("largest rank mean", "the largest over ranks of each rank's mean"),
        "Overall": Column("mean overall", "mean of start, computation and wait together"),
        "Compute": Column("mean computation", "mean of the computation meanwhile"),
        "Pure Comm.": Column("mean", "mean of the operation with nothing computed meanwhile"),
        "Min Comm.": Column("least rank mean", "the least over ranks, the operation alone"),
        "Max Comm.": Column("largest rank mean", "the largest over ranks, the operation alone"),
        "Overlap": Column(
            "overlap",
            "fraction of the pure operation that computation hides",
            "value",
            Decimal("0.01"),
        ),
    }
    if words in fixed:
        return fixed[words]
    if words in ("Latency", "Avg Latency"):
        return Column("mean", _mean_of(context)[0])
    return Column(f"mean {words}", f"mean time in {words}")


def _quantile(percent: str) -> str:
    return "median" if percent in ("50", "50.0") else f"p{percent}"


def _mean_of(context: OsuContext) -> tuple[str, str]:
    """Definitions of the mean and of percentiles."""
    if context.is_one_sided:
        return "mean of operations with their synchronisation, origin rank", "of operations"
    if context.operation == "multi-latency":
        return "half the round trip, mean over pairs of each pair's mean", "of means over pairs"
    if context.operation not in NAMES.values():
        return "mean over ranks of each rank's mean", "of means over ranks"
    release = tuple(int(part) for part in re.findall(r"\d+", context.version or "0"))[:2]
    single = "round trips timed singly, over 2, first rank"
    if release >= (7, 4):
        return f"mean of {single}", single
    if context.version and release < (6, 0):
        return "whole loop over 2n, first rank", single
    return "mean of round trips over 2, first rank", single


def _startup(log: Log, line: int, init: re.Match[str], context: OsuContext) -> LogTable:
    context.ranks = int(init[1])
    table = context.table(log, line)
    names = ("least rank", "largest rank", "mean")
    columns = [Column(name, "MPI_Init, over ranks", factor=MILLI) for name in names]
    with table.row(log, line):
        table.add_row(line, init.groups()[1:], columns)
    return table


def _note_failures(log: Log, first: int, end: int, table: LogTable) -> None:
    """Notes rows where the benchmark itself found wrong data."""
    for line, text in log.numbered(first):
        if line >= end:
            return
        if "Fail" in text.split():
            table.note(f"{log.at(line)}: the benchmark's own validation failed")


ONLY = None

layout = tables_text
