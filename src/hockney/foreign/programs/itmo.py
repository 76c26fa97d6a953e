"""ITMO's bandwidth measurement. One rank sends N messages that the other receives, then they swap:
a stream, although the program calls the time over 2N a latency. Its MB are 2^20 bytes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import MEGABYTES, Column, LogTable, RowError, whole
from hockney.foreign.programs._layout import count_of, loops
from hockney.infer.estimate.points import PointEstimate
from hockney.plan import Size
from hockney.plan.preset import Preset
from hockney.records import Run

HEADED = True

_ROW = re.compile(
    r"rank=(\d+) len=\d+ L\(bytes\)=(\S+) T\(us\)=(\S+) R\[bandwidth\]\(MB/s\)=(\S+) "
    r"s\[latency\]\(us\)=(\S+)"
)
_CUT = re.compile(r"rank=\d+ len=")
COLUMNS = (
    Column("whole loop", "all N sends of one rank"),
    Column("bandwidth", "2NL/T as printed, twice what was sent", "value_Bps", MEGABYTES["2^20"]),
    Column("mean", "T/2N, half the time from send to send"),
)
NO_PINGPONG = (
    "this program sends N messages and then receives N: it prints half the time per message of a "
    "stream, not of a ping-pong"
)


def recognise(log: Log) -> int | None:
    return log.find(_ROW)


def read(log: Log) -> list[LogTable]:
    tables: list[LogTable] = []
    seen: set[tuple[str, str]] = set()
    for line, text in log.numbered():
        match = _ROW.search(text)
        if match is None:
            if _CUT.search(text) and tables:
                tables[-1].cut_in(line)
            continue
        rank, size, *cells = match.groups()
        if not tables or (rank, size) in seen:
            notes = [NO_PINGPONG, "its MB are 2^20 bytes; rates are read so"]
            program = "ITMO's bandwidth measurement"
            tables.append(LogTable("send-then-receive", program, line, ranks=2, notes=notes))
            seen = set()
        seen.add((rank, size))
        table = tables[-1]
        with table.row(log, line):
            sender = whole(rank)
            if sender > 1:
                raise RowError(f"rank {sender}: that program has two")
            for column, cell in zip(COLUMNS, cells, strict=True):
                table.add(line, whole(size), column, cell, peers=[sender, 1 - sender])
    return tables


def preset() -> Preset:
    """The preset: 0 and 1 to 1,000,000 elements of four bytes by tens, loops of N = 10, no
    warm-up."""
    sizes = (0, *(4 * 10**power for power in range(7)))
    return Preset(tuple(Size(size, repetitions=10) for size in sizes), reduce="first")


ONLY = "pingpong"
ELEMENT_BYTES = 4


def layout(run: Run, points: Sequence[PointEstimate]) -> str:
    repetitions = loops(run)
    lines = []
    for point in points:
        one_way_us = point.typical_s * 1e6
        total_us = 2 * count_of(repetitions, point) * one_way_us
        rate = (point.bandwidth_Bps or 0.0) / 2**20
        rank = point.peers[0] if point.peers else 0
        lines.append(
            f"rank={rank} len={point.bytes // ELEMENT_BYTES} L(bytes)={point.bytes} "
            f"T(us)={total_us:g} R[bandwidth](MB/s)={rate:g} s[latency](us)={one_way_us:g}"
        )
    return "\n".join(lines)
