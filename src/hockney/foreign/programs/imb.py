"""Intel MPI Benchmarks 3 to 2021.11: MPI-1, NBC, RMA, EXT and P2P.

Times are minimum, maximum and average, in that order, over the means of ranks. Megabytes were 2^20
bytes up to 4.1 and are 10^6 now; the printed numbers show which.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import msgspec

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.rows import read_rows
from hockney.foreign.logs.table import (
    BYTES,
    MEGABYTES,
    REPETITIONS,
    SKIPPED,
    Column,
    LogTable,
    implied,
)
from hockney.foreign.programs._layout import count_of, counts, needed
from hockney.infer.estimate.points import PointEstimate
from hockney.plan.preset import MIB, Preset, imb_size, powers
from hockney.records import LARGEST_NUMBER, Run, Summary

HEADED = True

_SUITE = re.compile(
    r"Intel ?\(R\) MPI Benchmarks? (?P<version>[\w. -]{1,40}?)"
    r"(?:, (?:IMB-)?(?P<part>[\w-]+) part)?\s*$"
)
_SETTING = re.compile(r"^\s*# (MPI Version|MPI Thread Environment|Machine)\s*: +(\S.{0,80}?)\s*$")
"""Lines below the suite's name; starts of the program differ in them only with their settings."""
_TITLE = re.compile(r"^\s*# Benchmarking (?P<name>[\w() -]*[\w()-])\s*$")
_PROCESSES = re.compile(r"^\s*# #processes = (\d+)(?: \(threads: (\d+)\))?")
_WINDOW = re.compile(r"^\s*#\s*window_size = (\d+)")
_GROUPS = re.compile(r"\( (\d+) groups of (\d+) processes each")
_GROUP = re.compile(r"^\s*#\s*Group\s+(\d+):\s*(\d{1,9}(?: +\d{1,9})*) *$")
_MORE_RANKS = re.compile(r"^\s*#((?: +\d{1,9})+) *$")
"""A group of more ranks than a line has goes on in the next one."""
_MODE = re.compile(r"^\s*#\s*MODE: ([A-Z-]+)")
_HEADING = re.compile(r"^\s*(?:#bytes|#repetitions|Group)\b.*(?:usec\]|/sec)")
_LONG = re.compile(r"^(\s*\d{1,20})l(?=\s)")
"""A size as IMB-MT prints it: the l is a mistake in its format."""
P2P_LOOPS = {"pingpong": "2n", "pingping": "n", "sendrecv_replace": "n"}
"""What IMB-P2P divides the time of a loop by."""
RATE = Column("bandwidth", "its count of messages over time", "value_Bps", Decimal(1))
MOST_NAMED = 10
"""Most groups that a note names."""
MESSAGES = (1, 2, 4)
"""Messages that a rank sends and receives per repetition: ping-pong, Sendrecv, Exchange."""
LEAST_RATE = 20.0
"""Least rate (MB/s) with enough digits to show which MB is meant."""

COLUMNS = {
    "#bytes": BYTES,
    "#repetitions": REPETITIONS,
    "Group": Column("group"),
    "defects": Column("defects", "wrong results, as the benchmark counts", "value", Decimal(1)),
    "t_min[usec]": Column("least rank mean", "the least over ranks of each rank's loop over n"),
    "t_max[usec]": Column("largest rank mean", "the largest over ranks of each rank's loop over n"),
    "t_avg[usec]": Column("mean", "mean over ranks of each rank's whole loop over n"),
    "t_ovrl[usec]": Column("mean overall", "mean of the operation and a computation together"),
    "t_pure[usec]": Column("mean", "mean of the operation with nothing computed meanwhile"),
    "t_CPU[usec]": Column("mean computation", "mean of the computation meanwhile"),
    "overlap[%]": Column(
        "overlap", "fraction of the pure operation that computation hides", "value", Decimal("0.01")
    ),
    "Mbytes/sec": RATE,
    "Msg/sec": Column("message rate", "of all ranks", "value_per_s", Decimal(1)),
}


@dataclass
class ImbContext:
    """Information from the lines before a table's heading."""

    version: str | None = None
    part: str | None = None
    name: str = ""
    ranks: int | None = None
    mode: str | None = None
    groups: dict[str, list[int]] = field(default_factory=dict)
    last_group: list[int] | None = None
    """That of the line before."""
    group_count: int | None = None
    """Number of groups that run at the same time (-multi)."""
    threads: int | None = None
    """Threads of each process (IMB-MT)."""
    window: int | None = None
    settings: dict[str, str] = field(default_factory=dict)
    is_titled: bool = False
    """True if the next table belongs to this test: each has a title or a mode of its own."""

    def table(self, log: Log, line: int) -> LogTable:
        part = f", {self.part} part" if self.part else ""
        name = f" {self.name}" if self.is_titled else ""
        table = LogTable(
            operation=self.name.lower().replace(" ", "-") if self.is_titled else log.operation,
            program=f"Intel MPI Benchmarks{name}{part}",
            version=self.version,
            line=line,
            ranks=self.ranks,
            options={
                **({"mode": self.mode.lower()} if self.mode else {}),
                **({"groups": self.group_count} if self.group_count else {}),
                **({"threads": self.threads} if self.threads else {}),
                **({"window": self.window} if self.window else {}),
            },
            parameters=dict(self.settings),
        )
        if not self.is_titled:
            table.note(f"{log.at(line)}: a table without a title, after that of another test")
        self.is_titled = False
        return table


def recognise(log: Log) -> int | None:
    return log.find(_TITLE)


def read(log: Log) -> list[LogTable]:
    log = replace(log, lines=tuple(_LONG.sub(r"\1", text) for text in log.lines))
    tables: list[LogTable] = []
    context = ImbContext()
    reached = 0
    for line, text in log.numbered():
        if line < reached:
            continue
        if context.name and _HEADING.match(text):
            table = context.table(log, line)
            reached = _rows(log, line, text.split(), context, table)
            tables.append(table)
        else:
            _see(text, context)
    for version in dict.fromkeys(table.version for table in tables):
        _settle_megabyte([table for table in tables if table.version == version], version)
    return tables


def _see(text: str, context: ImbContext) -> None:
    """Reads a line before a heading."""
    suite, title, groups = _SUITE.search(text), _TITLE.match(text), _GROUPS.search(text)
    processes, group, mode = _PROCESSES.match(text), _GROUP.match(text), _MODE.match(text)
    window = _WINDOW.match(text)
    last_group, context.last_group = context.last_group, None
    if suite:
        context.version, context.part = suite["version"].strip(), suite["part"]
        context.settings = {}
    elif setting := _SETTING.match(text):
        context.settings[setting[1]] = setting[2]
    elif title:
        context.name, context.ranks, context.mode = title["name"], None, None
        context.groups, context.group_count = {}, None
        context.threads, context.window = None, None
        context.is_titled = True
    elif processes:
        context.ranks = int(processes[1])
        context.threads = int(processes[2]) if processes[2] else None
    elif window:
        context.window = int(window[1])
    elif groups:
        context.ranks = int(groups[1]) * int(groups[2])
        context.group_count = int(groups[1])
    elif group:
        context.last_group = context.groups[group[1]] = [int(rank) for rank in group[2].split()]
    elif last_group is not None and (more := _MORE_RANKS.match(text)):
        last_group += map(int, more[1].split())
        context.last_group = last_group
    elif mode:
        context.mode = mode[1]
        context.is_titled = True


def _rows(log: Log, line: int, titles: list[str], context: ImbContext, table: LogTable) -> int:
    columns = [_column(title, context) for title in titles]
    unknown = [title for title, column in zip(titles, columns, strict=True) if column is SKIPPED]
    if unknown:
        table.note(f"{log.at(line)}: unknown columns {', '.join(unknown)}: ignored")
    if columns[0].statistic == "group":
        # One row per group and size: groups are read as algorithms, then replaced by their ranks.
        columns[0] = replace(columns[0], statistic="algorithm")
    end = read_rows(log, line + 1, columns, table, ends=lambda text: text.lstrip().startswith("#"))
    table.rows = [_grouped(row, context) for row in table.rows]
    without_ranks = {row.algorithm for row in table.rows if row.algorithm}
    if without_ranks:
        groups = ", ".join(sorted(without_ranks)[:MOST_NAMED])
        table.note(
            f"{log.at(line)}: no line above shows the ranks of group {groups}: its number is kept "
            "as its algorithm"
        )
    return end


def _column(title: str, context: ImbContext) -> Column:
    if title != "t[usec]":
        return COLUMNS.get(title, SKIPPED)
    if context.part == "P2P":
        over = P2P_LOOPS.get(context.name.lower(), "the number of its messages")
        return Column("mean", f"mean over ranks of each rank's whole loop over {over}")
    over = "2n" if "pingpong" in context.name.lower() else "n"
    return Column("mean", f"whole loop over {over}, larger of two ranks")


def _grouped(row: Summary, context: ImbContext) -> Summary:
    peers = context.groups.get(row.algorithm) if row.algorithm else None
    if peers is None:
        return row
    return msgspec.structs.replace(row, algorithm=None, peers=tuple(peers))


def _settle_megabyte(tables: Sequence[LogTable], version: str | None) -> None:
    """Converts the rates of one version's tables to bytes per second, once all of them show what
    its megabyte is. Removes rates if they do not."""
    megabyte = implied([ratio for table in tables for ratio in _ratios(table)])
    if megabyte is None:
        megabyte = _megabyte_of(version)
    for table in tables:
        if any(row.value_Bps is not None for row in table.rows):
            _convert(table, megabyte)


def _convert(table: LogTable, megabyte: str | None) -> None:
    """Converts the rates of a table to bytes per second; removes them where the megabyte is
    unknown."""
    if megabyte is None:
        table.rows = [row for row in table.rows if row.value_Bps is None]
        table.note(
            "rates are ignored: neither they nor the version show whether a megabyte "
            "is 10^6 or 2^20 bytes"
        )
        return
    own = implied(_ratios(table))
    if own not in (None, megabyte):
        table.note(
            f"its sizes and times show Mbytes of {own} bytes, but the other tables of this version "
            f"{megabyte}: rates are read as these"
        )
    elif megabyte == "2^20":
        table.note("its Mbytes are 2^20 bytes; rates are read so")
    table.rows = [_in_bytes(row, MEGABYTES[megabyte]) for row in table.rows]
    for row in table.rows:
        if (row.value_Bps or 0.0) > LARGEST_NUMBER:
            table.note(f"line {row.line}: a rate is out of range and ignored")
    table.rows = [row for row in table.rows if (row.value_Bps or 0.0) <= LARGEST_NUMBER]


def _in_bytes(row: Summary, megabyte: Decimal) -> Summary:
    if row.value_Bps is None:
        return row
    rate = float(Decimal(repr(row.value_Bps)) * megabyte)
    return msgspec.structs.replace(row, value_Bps=rate)


def _ratios(table: LogTable) -> list[float]:
    """Bytes per second over the printed rate, for rows with enough digits."""
    rows: dict[Any, dict[str, Summary]] = {}
    for row in table.rows:
        rows.setdefault((row.line, row.peers), {})[row.statistic] = row
    ratios = []
    for named in rows.values():
        rate = named.get("bandwidth")
        if rate is None or not rate.value_Bps or rate.value_Bps < LEAST_RATE or not rate.bytes:
            continue
        slowest = named.get("largest rank mean") or named.get("mean")
        messages = named.get("message rate")
        if slowest and slowest.value_s:
            plain = rate.bytes / slowest.value_s / rate.value_Bps
            ratios.append(min((plain * n for n in MESSAGES), key=lambda b: abs(b / 1.024e6 - 1.0)))
        elif messages and messages.value_per_s:
            ratios.append(rate.bytes * messages.value_per_s / rate.value_Bps)
    return ratios


def _megabyte_of(version: str | None) -> str | None:
    match = re.match(r"\d+", version or "")
    if match is None:
        return None
    major = int(match[0])
    return "10^6" if major >= 2019 else "2^20" if major <= 4 else None


def preset() -> Preset:
    """The preset of Intel MPI Benchmarks 2021, PingPong."""
    sizes = tuple(imb_size(size) for size in (0, *powers(1, 4 * MIB)))
    return Preset(sizes, buffers="separate")


ONLY = "pingpong"
RULE = "#" + 51 * "-"
HEADER = f"""{RULE}
# Benchmarking PingPong
# #processes = 2
{RULE}
       #bytes #repetitions      t[usec]   Mbytes/sec"""


def layout(run: Run, points: Sequence[PointEstimate]) -> str:
    repetitions = counts(run)
    rows = (
        f"{point.bytes:13d}{count_of(repetitions, point):13d}"
        f"{needed(point, 'mean_s') * 1e6:13.2f}"
        f"{(point.bandwidth_Bps or 0.0) / 1e6:13.2f}"
        for point in points
    )
    return "\n".join([HEADER, *rows])
