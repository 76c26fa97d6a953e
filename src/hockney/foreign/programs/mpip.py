"""mpiP's report: for each call site the time of a call over all ranks, at the mean size that its
calls sent. Sites whose sizes the report does not have (receives, waits) are counted in a note."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from itertools import dropwhile, takewhile

from hockney.base.units import how_many
from hockney.foreign.logs.log import Log
from hockney.foreign.logs.surroundings import surroundings_of
from hockney.foreign.logs.table import Column, LogTable, RowError, number, scaled, whole
from hockney.foreign.programs._csv_heading import factor_of

HEADED = True

COLUMNS = (
    Column("max", "the longest call of a site"),
    Column("mean", "mean over the calls of a site, on all ranks"),
    Column("min", "the shortest call of a site"),
)
MEAN_SIZES = "sizes are the means of what the calls of a site sent"
SITE = "site"
"""The option that separates call sites of one size, which would be one point."""
LONGEST_COMMAND = 200
"""Most characters of an application's command that are kept."""
_TITLE = re.compile(r"^@ mpiP\s*$")
_VERSION = re.compile(r"^@ Version\s*:\s*(\S+)")
_COMMAND = re.compile(r"^@ Command\s*:\s*(\S.*)")
_TASK = re.compile(r"^@ MPI Task Assignment\s*:\s*\d+ \S+")
_SECTION = re.compile(r"^@--- (.{3,70}?) -*$")
_TIMES, _SIZES = "Callsite Time statistics", "Callsite Message Sent statistics"
_SITES, _END = "Callsites:", "End of Report"
_UNIT = re.compile(r"\(all, (?P<unit>[^()]{1,40})\)")
"""The unit in the title of the section of times."""
_ROW = re.compile(r"^(\w{2,60}) +(\d{1,9}) +\* +(\d{1,20})((?: +[-+\d.eE]{1,40}){3,6}) *$")
"""A line for all ranks of a site: name, number, count, and numbers."""
_ALL_RANKS = re.compile(r"^\w{2,60} +\d{1,9} +\*(?: |$)")
"""The beginning of such a line."""
_FRAME = re.compile(r"^ *(\d{1,9}) +\d{1,3} +(\S{1,200}) +(?:(\d{1,9}) +)?\S")
"""A line of a site's stack: number, level, file or address, and the line where it is known."""
_ANY_ROW = re.compile(r"\w{2,60} +\d{1,9} +[*\d].*")
"""A line of any section."""
_HAS_WORDS = re.compile(r"\w")
_NAMES = "Name "
"""The beginning of the heading of a section."""
LARGEST, MEAN, LEAST = range(3)


@dataclass(frozen=True)
class _CallSite:
    """A line for all ranks of a call site."""

    line: int
    call: str
    site: str
    count: str
    numbers: Sequence[str]


@dataclass(frozen=True)
class _Report:
    """The lines of one report, which ends where the next one begins."""

    log: Log
    first: int
    last: int
    heading: str
    """The heading above the report; empty without one."""

    def lines(self) -> Iterator[tuple[int, str]]:
        return ((line, self.log.lines[line - 1]) for line in range(self.first, self.last + 1))

    def value(self, pattern: re.Pattern[str]) -> str | None:
        return next((match[1] for _, text in self.lines() if (match := pattern.match(text))), None)

    @cached_property
    def titles(self) -> list[str]:
        return [match[1] for _, text in self.lines() if (match := _SECTION.match(text))]

    def has(self, section: str) -> bool:
        return any(title.startswith(section) for title in self.titles)

    def section(self, name: str) -> Iterator[tuple[int, str]]:
        """The lines of a section."""
        is_inside = False
        for line, text in self.lines():
            title = _SECTION.match(text)
            if title:
                is_inside = title[1].startswith(name)
            elif is_inside:
                yield line, text

    def row_lines(self, name: str) -> Iterator[tuple[int, str]]:
        """The lines of a section between its rules, without its heading."""
        lines = dropwhile(lambda each: not _HAS_WORDS.search(each[1]), self.section(name))
        inside = takewhile(lambda each: _HAS_WORDS.search(each[1]), lines)
        return ((line, text) for line, text in inside if not text.startswith(_NAMES))

    def rows(self, section: str) -> list[_CallSite]:
        """The lines for all ranks of a section."""
        matches = ((line, _ROW.match(text)) for line, text in self.section(section))
        return [_CallSite(line, m[1], m[2], m[3], m[4].split()) for line, m in matches if m]

    @cached_property
    def time_unit(self) -> Decimal:
        """The factor of times; milliseconds if the title has none. Raises RowError for an
        unknown unit."""
        titles = [title for title in self.titles if title.startswith(_TIMES)]
        match = _UNIT.search(titles[0]) if titles else None
        return factor_of(match["unit"] if match else "milliseconds", "value_s")

    @property
    def is_cut(self) -> bool:
        """True if call sites may be missing, because the report ends in a section that we read or
        above it."""
        return not self.has(_END) and (not self.has(_SIZES) or self.titles[-1].startswith(_SIZES))

    def table(self, operation: str, line: int, **options: str) -> LogTable:
        table = LogTable(
            operation, "mpiP", line, version=self.value(_VERSION), options=dict(options)
        )
        table.ranks = sum(_TASK.match(text) is not None for _, text in self.lines()) or None
        command = self.value(_COMMAND)
        table.parameters["heading"] = self.heading
        if command:
            table.parameters["application"] = command.strip()[:LONGEST_COMMAND]
        return table


def recognise(log: Log) -> int | None:
    return log.find(_TITLE) if log.find(_SECTION) is not None else None


def read(log: Log) -> list[LogTable]:
    """Tables of each function of MPI in each report, with a row for each of its sites."""
    return [table for report in _reports(log) for table in _tables(report)]


def _reports(log: Log) -> Iterator[_Report]:
    """The reports of a log, which may have several where an application ran several times."""
    starts = [line for line, text in log.numbered() if _TITLE.match(text)] or [1]
    above = surroundings_of(log, starts)
    ends = [line - 1 for line in starts[1:]] + [len(log.lines)]
    for first, start, last in zip([1, *starts[1:]], starts, ends, strict=True):
        heading = above[start].heading if start in above else None
        yield _Report(log, first, last, _heading(heading or ""))


def _heading(above: str) -> str:
    """The heading above a report. In the report before it, rows above a rule look like underlined
    headings."""
    last = above.rpartition(" / ")[2]
    return "" if _ANY_ROW.fullmatch(last) else last


def _tables(report: _Report) -> list[LogTable]:
    """The tables of a report; one without rows gives the reason if there are no others."""
    sizes = {(row.call, row.site): row.numbers[MEAN] for row in report.rows(_SIZES)}
    times = report.rows(_TIMES)
    by_call: dict[str, list[_CallSite]] = {}
    for row in times:
        if (row.call, row.site) in sizes:
            by_call.setdefault(row.call, []).append(row)
    places = _places(report)
    tables = [t for rows in by_call.values() for t in _tables_of_call(report, rows, sizes, places)]
    unknown = len(times) - sum(map(len, by_call.values()))
    without = f"{how_many(unknown, 'call site')} without a size"
    if not tables:
        tables = [report.table("MPI", report.first)]
        tables[0].note(_why_empty(report, without if unknown else None))
    elif unknown:
        tables[0].note(f"{without} left out")
    for line, text in (*report.row_lines(_TIMES), *report.row_lines(_SIZES)):
        is_of_a_rank = _ANY_ROW.fullmatch(text) and not _ALL_RANKS.match(text)
        if not is_of_a_rank and not _ROW.match(text) and line < report.log.last:
            tables[0].drop(report.log, line, "it has no numbers that can be read")
    if report.is_cut:
        _note_cut(report, tables)
    return tables


def _why_empty(report: _Report, without: str | None) -> str:
    """The reason why a report has no time that can be read. without: its call sites without a
    size, if it has any."""
    where = report.log.at(report.first)
    if without is None:
        return f"{where}: a report without call sites of all ranks in a section {_TIMES!r}"
    missing = "" if report.has(_SIZES) else f": the report has no section {_SIZES!r}"
    return f"{where}: {without}, and none with one{missing}"


def _note_cut(report: _Report, tables: Sequence[LogTable]) -> None:
    """Notes a report without its end in each table, because each becomes a file of its own."""
    log, last = report.log, min(report.last, report.log.last)
    section = f", in the section {report.titles[-1]!r}" if report.titles else ""
    for table in tables:
        table.note(f"{log.at(last)}: the report is cut here{section}; call sites may be missing")
        if last == log.last and not log.whole:
            table.cut_in(last)


def _tables_of_call(
    report: _Report,
    rows: Sequence[_CallSite],
    sizes: Mapping[tuple[str, str], str],
    places: Mapping[str, str],
) -> list[LogTable]:
    """One table of all sites of a call while their sizes differ. Sites of equal size would hide
    each other there: then each site has a table of its own."""
    operation = f"MPI_{rows[0].call}"
    if _differ_in_size([sizes[row.call, row.site] for row in rows]):
        joint = report.table(operation, rows[0].line)
        tables, distinct = [joint] * len(rows), [joint]
    else:
        names = _names([row.site for row in rows], places)
        tables = distinct = [
            report.table(operation, row.line, **{SITE: name})
            for row, name in zip(rows, names, strict=True)
        ]
    for table in distinct:
        table.note(MEAN_SIZES)
        if SITE in table.options:
            table.note(
                f"call sites of {operation} have equal sizes: this one, {table.options[SITE]}, is "
                "an experiment of its own"
            )
    for row, table in zip(rows, tables, strict=True):
        with table.row(report.log, row.line):
            _add(table, row, sizes[row.call, row.site], report.time_unit)
    return distinct


def _differ_in_size(sizes: Sequence[str]) -> bool:
    """True if no two sizes are of the same whole number of bytes."""
    known = list[int]()
    for size in sizes:
        with suppress(RowError):
            known.append(_bytes(size))
    return len(set(known)) == len(known)


def _places(report: _Report) -> dict[str, str]:
    """The place of each site in the source, with its callers, where the report has all of it.
    Numbers of sites can differ between two runs of an application, but places do not."""
    frames: dict[str, list[str | None]] = {}
    for _, text in report.section(_SITES):
        frame = _FRAME.match(text)
        if frame:
            place = f"{frame[2]}:{frame[3]}" if frame[3] else None
            frames.setdefault(frame[1], []).append(place)
    return {
        site: " < ".join(filter(None, places)) for site, places in frames.items() if all(places)
    }


def _names(sites: Sequence[str], places: Mapping[str, str]) -> list[str]:
    """The places of sites; their numbers unless each has a place that no other has."""
    names = [places[site] for site in sites if site in places]
    return names if len(set(names)) == len(sites) else list(sites)


def _add(table: LogTable, row: _CallSite, size: str, unit: Decimal) -> None:
    bytes = _bytes(size)
    for column, cell in zip(COLUMNS, row.numbers, strict=False):
        timed = replace(column, factor=unit)
        table.add(row.line, bytes, timed, cell, repetitions=whole(row.count))


def _bytes(size: str) -> int:
    mean_size = number(size)
    if mean_size is None:
        raise RowError(f"{size!r} is no size")
    return round(scaled(mean_size, Decimal(1)))
