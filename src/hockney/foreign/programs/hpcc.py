"""HPC Challenge's latency and bandwidth (b_eff): ping-pongs over pairs of ranks, and rings of all.

The final results are read: from the details where these are printed, else from the summary, which
has fewer digits, else from the major results. MB are 10^6 bytes."""

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


@dataclass
class HpccRun:
    """The numbers of one run: line, experiment, column and text of each."""

    line: int
    version: str | None = None
    ranks: int | None = None
    sizes: dict[str, int] = field(default_factory=lambda: dict(SIZES))
    is_detailed: bool = False
    """True below the heading of the final results."""
    details: list[tuple[int, str, Column, str]] = field(default_factory=list)
    summary: list[tuple[int, str, Column, str]] = field(default_factory=list)
    major: list[tuple[int, str, Column, str]] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    """Names in the summary so far."""


def recognise(log: Log) -> int | None:
    found = log.find(_TITLE)
    found = log.find(_SUMMARY) if found is None else found
    return log.find(_MAJOR) if found is None else found


def read(log: Log) -> list[LogTable]:
    sections: list[HpccRun] = []
    for line, text in log.numbered():
        if _begins(text, sections):
            sections.append(HpccRun(line))
        if sections:
            _see(line, text, sections[-1])
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


def _see(line: int, text: str, section: HpccRun) -> None:
    title, size, processes = _TITLE.match(text), _SIZES.match(text), _PROCESSES.search(text)
    pingpong, ring, summary = _PINGPONG.match(text), _RING.match(text), _SUMMARY.match(text)
    if summary:
        section.seen.add(text.partition("=")[0].strip())
    if title:
        section.version = title[1]
    elif _DETAILS.match(text):
        section.is_detailed = True
    elif size:
        section.sizes[size[1]] = int(size[2])
    elif processes:
        section.ranks = int(processes[1])
    elif pingpong and section.is_detailed:
        for name in NAMES:
            column = _pair_column(pingpong["what"], name, UNITS[pingpong["unit"]])
            section.details.append((line, PINGPONG, column, pingpong[name]))
    elif ring and section.is_detailed:
        name = f"hpcc-{ring['order'].removesuffix('ly')}-ring"
        section.details.append((line, name, _ring_column("Latency", "msecs"), ring["latency"]))
        rate = _ring_column("Bandwidth", "MByte/s")
        section.details.append((line, name, rate, ring["bandwidth"]))
    elif major := _MAJOR.match(text):
        section.major.append((line, *_major(major)))
    elif summary and summary["ring"] == "PingPong" and summary["of"].lower() in NAMES:
        column = _pair_column(summary["what"], summary["of"].lower(), UNITS[summary["unit"]])
        section.summary.append((line, PINGPONG, column, summary["value"]))
    elif summary and summary["ring"] == "Ring":
        name = f"hpcc-{summary['of'].removesuffix('lyOrdered').lower()}-ring"
        column = _ring_column(summary["what"], summary["unit"])
        section.summary.append((line, name, column, summary["value"]))


def _major(match: re.Match[str]) -> tuple[str, Column, str]:
    """The experiment, column and text of a major result."""
    unit = UNITS[match["unit"]]
    if match["ring"] == "Ping Pong":
        return PINGPONG, _pair_column(match["what"], match["of"].lower(), unit), match["value"]
    name = f"hpcc-{match['of'].removesuffix('ly').lower()}-ring"
    return name, _ring_column(match["what"], match["unit"]), match["value"]


def _pair_column(what: str, name: str, factor: Decimal) -> Column:
    if what == "Latency":
        return Column(NAMES[name], PAIRS, factor=factor)
    return Column(RATES[name], STREAM, "value_Bps", factor)


def _ring_column(what: str, unit: str) -> Column:
    if what == "Latency":
        return Column("mean", RINGS, factor=UNITS[unit])
    return Column("bandwidth", f"of a rank, {RINGS}", "value_Bps", UNITS[unit])


def _tables(log: Log, section: HpccRun) -> list[LogTable]:
    tables: dict[str, LogTable] = {}
    for line, name, column, text in section.details or section.summary or section.major:
        if name not in tables:
            tables[name] = LogTable(
                "pingpong" if name == PINGPONG else name.removeprefix("hpcc-"),
                "HPC Challenge latency and bandwidth",
                line,
                experiment=name,
                version=section.version,
                ranks=2 if name == PINGPONG else section.ranks,
                # The pairs are those of all processes.
                parameters={"processes": str(section.ranks)} if section.ranks else {},
            )
        what = "latency" if column.field == "value_s" else "bandwidth"
        with tables[name].row(log, line):
            tables[name].add(line, section.sizes[what], column, text)
    return list(tables.values())
