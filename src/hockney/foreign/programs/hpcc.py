"""HPC Challenge's latency and bandwidth (b_eff): ping-pongs over pairs of ranks, and rings of all.

The final results are read: each from the details where these are printed, else from the summary,
which has fewer digits, else from the major results. MB are 10^6 bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import Column, LogTable

HEADED = True

_TITLE = re.compile(r"^\s*Latency-Bandwidth-Benchmark R(\S{1,20})")
_DETAILS = re.compile(r"^\s*Detailed benchmark results:")
_PINGPONG = re.compile(
    r"^\s*(?P<what>Latency|Bandwidth)\s+min / avg / max:\s*(?P<min>\S+) /\s*(?P<avg>\S+) /"
    r"\s*(?P<max>\S+) (?P<unit>msecs|MByte/s)"
)
_RING = re.compile(
    r"^\s*On (?P<order>naturally|randomly)\s+ordered ring: latency=\s*(?P<latency>\S+) msec, "
    r"bandwidth=\s*(?P<bandwidth>\S+) MB/s"
)
_SIZES = re.compile(r"^\s*The (latency|bandwidth)\s+measurements were done with\s+(\d{1,20}) bytes")
_PROCESSES = re.compile(r"(?:directions on|CommWorldProcs=)\s*(\d{1,9})(?: processes)?\b")
_SUMMARY = re.compile(
    r"^\s*(?P<of>Min|Avg|Max|NaturallyOrdered|RandomlyOrdered)(?P<ring>PingPong|Ring)"
    r"(?P<what>Latency|Bandwidth)_(?P<unit>usec|GBytes)=(?P<value>\S+)$"
)
_MAJOR = re.compile(
    r"^\s*(?P<of>Max|Min|Naturally|Randomly)\s+(?P<ring>Ping Pong|Ordered Ring) "
    r"(?P<what>Latency|Bandwidth):\s+(?P<value>\S+) (?P<unit>msecs|MB/s)$"
)
_OF_SUMMARY = re.compile(r"^\s*\w+=\S+$")
_OF_DETAILS = re.compile(r"^\s*(?:Latency|Bandwidth|On )|min / avg / max|ed ring: latency=")
_OF_RESULT = re.compile(
    r"(?:PingPong|OrderedRing)(?:Latency|Bandwidth)_"
    r"|\b(?:Ping Pong|Ordered Ring) (?:Latency|Bandwidth)|^\s*(?:Max|Min) Ping"
)
"""What every form of a result has."""
_END = re.compile(r"^\s*End of (?:Summary section|HPC Challenge tests)")
SIZES = {"latency": 8, "bandwidth": 2_000_000}
"""Message sizes (bytes) of all versions, where the log does not show them."""
UNITS = {
    "msecs": Decimal("1e-3"),
    "usec": Decimal("1e-6"),
    "MByte/s": Decimal(10**6),
    "MB/s": Decimal(10**6),
    "GBytes": Decimal(10**9),
}
NAMES = {"min": "min", "avg": "mean", "max": "max"}
RATES = {"min": "min bandwidth", "avg": "bandwidth", "max": "max bandwidth"}
PAIRS = "half of the round trip, over pairs of ranks"
STREAM = "of messages in a ping-pong, over pairs of ranks"
RINGS = "both directions at once, a message of each rank"
PINGPONG = "hpcc-pingpong"


ALL_RESULTS = 10
"""Three latencies and three bandwidths of the pairs, and one of each of both rings."""
NOT_RUN = "-1"
"""What the summary has for a test that was not run."""
UNFINISHED = "the file ends in the middle of this line, so that its number may be cut"


@dataclass(frozen=True)
class HpccResult:
    line: int
    experiment: str
    column: Column
    text: str
    is_cut: bool = False
    """True if the log ends with these digits, so that more may have followed."""

    @property
    def name(self) -> tuple[str, str]:
        return self.experiment, self.column.statistic


@dataclass
class HpccRun:
    """The numbers of one run."""

    line: int
    version: str | None = None
    ranks: int | None = None
    sizes: dict[str, int] = field(default_factory=lambda: dict(SIZES))
    is_detailed: bool = False
    """True below the heading of the final results."""
    details: list[HpccResult] = field(default_factory=list)
    summary: list[HpccResult] = field(default_factory=list)
    major: list[HpccResult] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    """Names in the summary so far."""
    is_ended: bool = False
    """True below the line that ends the summary."""
    is_in_summary: bool = False
    """True amid the lines of the summary."""
    damaged: list[int] = field(default_factory=list)
    """Lines of results that cannot be read."""
    cut: int | None = None
    """The line in whose middle the log ends."""

    @property
    def results(self) -> list[HpccResult]:
        """Each result from the source with the most digits that has all of it: a log that was cut
        in the details still has the major results above them."""
        chosen: list[HpccResult] = []
        whole = [result for result in self.summary if not result.is_cut]
        for source in (self.details, whole, self.major, self.summary):
            known = {result.name for result in chosen}
            chosen += [result for result in source if result.name not in known]
        return chosen


def recognise(log: Log) -> int | None:
    line = log.find(_TITLE)
    line = log.find(_SUMMARY) if line is None else line
    return log.find(_MAJOR) if line is None else line


def read(log: Log) -> list[LogTable]:
    sections: list[HpccRun] = []
    for line, text in log.numbered():
        if _begins(text, sections):
            sections.append(HpccRun(line))
        is_cut = not log.whole and line == len(log.lines)
        if sections:
            _see(line, text, sections[-1], is_cut)
    return [table for section in sections for table in _tables(log, section)]


def _begins(text: str, sections: list[HpccRun]) -> bool:
    """True in the first line of a run: its title, which comes twice, or a summary without one."""
    if sections:
        last = sections[-1]
        if _TITLE.match(text):
            return bool(last.details or last.summary or last.major)
        again = _SUMMARY.match(text) is not None and text.partition("=")[0].strip() in last.seen
        return again or ("CommWorldProcs=" in text and bool(last.summary))
    if _TITLE.match(text):
        return True
    return "CommWorldProcs=" in text or any(of.match(text) for of in (_SUMMARY, _MAJOR))


def _see(line: int, text: str, section: HpccRun, is_cut: bool) -> None:
    _see_setting(text, section, is_cut)
    details = _detailed(line, text) if section.is_detailed else []
    section.details += details
    major, summary = _MAJOR.match(text), _SUMMARY.match(text)
    is_damaged = _is_damaged(text, section)
    if major:
        section.major.append(_major(line, major))
    elif summary:
        section.seen.add(text.partition("=")[0].strip())
        section.summary += _summarised(line, summary, is_cut)
    if is_cut and text.strip() and not details and not major:
        section.cut = line
    elif not details and not major and not summary and is_damaged:
        section.damaged.append(line)


def _is_damaged(text: str, section: HpccRun) -> bool:
    """True for other text in the summary, and for what is left of a result elsewhere."""
    if section.is_in_summary:
        section.is_in_summary = bool(text.strip()) and _END.match(text) is None
        return section.is_in_summary and not _OF_SUMMARY.match(text)
    section.is_in_summary = _OF_SUMMARY.match(text) is not None and not section.is_ended
    is_of_details = section.is_detailed and _OF_DETAILS.search(text) is not None
    return is_of_details or _OF_RESULT.search(text) is not None


def _see_setting(text: str, section: HpccRun, is_cut: bool) -> None:
    title, size, processes = _TITLE.match(text), _SIZES.match(text), _PROCESSES.search(text)
    if title:
        section.version = title[1]
    elif _DETAILS.match(text):
        section.is_detailed = True
    elif _END.match(text):
        section.is_ended = True
    elif size:
        section.sizes[size[1]] = int(size[2])
    elif processes and not is_cut:
        section.ranks = int(processes[1])


def _detailed(line: int, text: str) -> list[HpccResult]:
    """The results in a line below the heading of the final results."""
    if pairs := _PINGPONG.match(text):
        unit = UNITS[pairs["unit"]]
        columns = {name: _pair_column(pairs["what"], name, unit) for name in NAMES}
        return [HpccResult(line, PINGPONG, column, pairs[name]) for name, column in columns.items()]
    if ring := _RING.match(text):
        name = f"hpcc-{ring['order'].removesuffix('ly')}-ring"
        return [
            HpccResult(line, name, _ring_column("Latency", "msecs"), ring["latency"]),
            HpccResult(line, name, _ring_column("Bandwidth", "MByte/s"), ring["bandwidth"]),
        ]
    return []


def _summarised(line: int, match: re.Match[str], is_cut: bool) -> list[HpccResult]:
    """The result in a line of the summary, whose number ends the line and may be cut."""
    if match["ring"] == "Ring":
        name = f"hpcc-{match['of'].removesuffix('lyOrdered').lower()}-ring"
        column = _ring_column(match["what"], match["unit"])
        return [HpccResult(line, name, column, match["value"], is_cut)]
    if match["of"].lower() not in NAMES:
        return []
    column = _pair_column(match["what"], match["of"].lower(), UNITS[match["unit"]])
    return [HpccResult(line, PINGPONG, column, match["value"], is_cut)]


def _major(line: int, match: re.Match[str]) -> HpccResult:
    if match["ring"] == "Ping Pong":
        column = _pair_column(match["what"], match["of"].lower(), UNITS[match["unit"]])
        return HpccResult(line, PINGPONG, column, match["value"])
    name = f"hpcc-{match['of'].removesuffix('ly').lower()}-ring"
    return HpccResult(line, name, _ring_column(match["what"], match["unit"]), match["value"])


def _pair_column(what: str, name: str, factor: Decimal) -> Column:
    if what == "Latency":
        return Column(NAMES[name], PAIRS, factor=factor)
    return Column(RATES[name], STREAM, "value_Bps", factor)


def _ring_column(what: str, unit: str) -> Column:
    if what == "Latency":
        return Column("mean", RINGS, factor=UNITS[unit])
    return Column("bandwidth", f"of a rank, {RINGS}", "value_Bps", UNITS[unit])


def _tables(log: Log, section: HpccRun) -> list[LogTable]:
    results = section.results
    values = {result.text for result in results if not result.is_cut}
    if values == {NOT_RUN}:
        return [_not_run(log, section, results[0])]
    tables: dict[str, LogTable] = {}
    for result in results:
        if result.experiment not in tables:
            tables[result.experiment] = _table(section, result)
        table = tables[result.experiment]
        if result.is_cut:
            table.drop(log, result.line, UNFINISHED)
            continue
        what = "latency" if result.column.field == "value_s" else "bandwidth"
        with table.row(log, result.line):
            table.add(result.line, section.sizes[what], result.column, result.text)
    for line in section.damaged if tables else ():
        next(iter(tables.values())).drop(log, line, "no result can be read")
    _note_sources(log, section, tables)
    _note_cut(section, results, list(tables.values()))
    return list(tables.values())


def _table(section: HpccRun, first: HpccResult) -> LogTable:
    name = first.experiment
    return LogTable(
        "pingpong" if name == PINGPONG else name.removeprefix("hpcc-"),
        "HPC Challenge latency and bandwidth",
        first.line,
        experiment=name,
        version=section.version,
        ranks=2 if name == PINGPONG else section.ranks,
        # The pairs are those of all processes.
        parameters={"processes": str(section.ranks)} if section.ranks else {},
    )


def _not_run(log: Log, section: HpccRun, first: HpccResult) -> LogTable:
    """A table without rows that gives the reason: HPCC prints -1 and no more."""
    table = _table(section, first)
    reason = "all its results are -1"
    if section.ranks == 1:
        reason = "it needs two processes, and the run had one"
    table.note(f"{log.at(first.line)}: the latency and bandwidth test was not run: {reason}")
    return table


def _note_sources(log: Log, section: HpccRun, tables: dict[str, LogTable]) -> None:
    """Notes the first result of each table that is missing where most results are read."""
    lack = "the details lack it" if section.details else "the summary lacks it"
    best = section.details or section.summary or section.major
    for source, results in (("summary", section.summary), ("major results", section.major)):
        lines = {result.line for result in results if results is not best}
        taken = [result for result in section.results if result.line in lines]
        for result in {result.experiment: result for result in reversed(taken)}.values():
            where = log.at(result.line)
            tables[result.experiment].note(f"{where}: read from the {source}, since {lack}")


def _note_cut(section: HpccRun, results: list[HpccResult], tables: list[LogTable]) -> None:
    """Marks the tables as interrupted if the log ends before all results."""
    names = {result.name for result in results}
    is_short = len(names) < ALL_RESULTS or any(result.is_cut for result in results)
    if section.cut is None or section.is_ended or not is_short:
        return
    for table in tables:
        if table.rows:
            table.cut_in(section.cut)
