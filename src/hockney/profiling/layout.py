"""The file that the recorder writes for each rank (recorder/layout.h), as arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from hockney.base.errors import HockneyError
from hockney.base.printable import one_line
from hockney.plan.memories import MEMORIES, Memory
from hockney.profiling.kinds import Datatype, End

Records = NDArray[Any]
"""An array of one of the types below."""

VERSION = 5
NAMES, NAME_BYTES = 512, 40
REGIONS, REGION_BYTES = 64, 64
GROUPS, CELLS, BINS, EVENTS = 512, 8192, 28, 16384
FIRST_BIN_TICKS = 16
"""Ticks of a call in the first bin; at most twice as many."""
PAGE_BYTES = 4096
BUFFER_BITS = 64
NO_GROUP = 2**16 - 1
DATATYPES: tuple[Datatype | None, ...] = (None, *get_args(Datatype))
MEMORY_NAMES: tuple[Memory, ...] = ("host", *MEMORIES)
"""By number; 0 and 1 are memory of the host, without a driver of an accelerator and with one."""
ENDS: dict[int, End] = {1: "lost", 2: "finalized", 3: "aborted"}
"""End of a rank, by `state`; a rank that is still recording was killed, or did not call
MPI_Finalize."""
COARSE_BYTES = 1
"""Flag of `coarse`: the bytes of the cell are an upper limit."""


def _each(form: str, *names: str) -> list[tuple[str, str]]:
    """Fields of one type, in their order."""
    return [(name, form) for name in names]


CELL = np.dtype(
    [
        ("bytes", "<u8"),
        ("peer", "<i4"),
        *_each("<u2", "call", "group", "region", "started"),
        *_each("u1", "datatype", "coarse", "memory", "unused"),
        *_each("<u8", "count", "untimed", "bytes_sum", "ticks", "completion_ticks", "most_ticks"),
        ("buffers", "<u8"),
        ("bins", "<u4", BINS),
    ]
)
GROUP = np.dtype(
    [("members", "<u8"), ("size", "<i4"), ("rank", "<i4"), ("name", f"S{REGION_BYTES}")]
)
EVENT = np.dtype(
    [
        *_each("<u8", "enter", "exit", "members"),
        *_each("<u4", "number", "cell"),
        *_each("<i4", "peer", "tag"),
        ("kind", "<u2"),
        ("unused", "<u2", 3),
    ]
)
EVENTS_TYPE = np.dtype([("count", "<u4"), ("mask", "<u4"), ("event", EVENT, EVENTS)])
SENT, RECEIVED = 1, 2
NO_LAUNCHER = 14695981039346656037
"""The job of a rank whose launcher is not known (recorder/job.c)."""
HEADER = np.dtype(
    [
        ("magic", "S8"),
        *_each("<u4", "version", "bytes", "state", "thread_level"),
        ("job", "<u8"),
        *_each("<i4", "rank", "ranks"),
        ("pid", "<i8"),
        *_each("<u8", "first_ticks", "first_ns", "last_ticks", "last_ns", "began_ticks"),
        *_each("<u8", "ended_ticks", "lost_calls", "lost_ticks", "lost_bytes", "lost_requests"),
        *_each("<f8", "call_ticks", "poll_ticks", "page_ticks"),
        ("unfinished", "<u8"),
        ("cpu_wait_ns", "<i8"),
        *_each("<i4", "cpu_first", "cpu_last"),
        *_each("<u4", "names", "regions", "groups", "cells"),
        *(("host", "S64"), ("boot", "S40"), ("cpus", "S256"), ("cache", "S128")),
        *_each("S256", "library", "program"),
    ]
)
FILE = np.dtype(
    [
        ("header", HEADER),
        ("names", f"S{NAME_BYTES}", NAMES),
        ("regions", f"S{REGION_BYTES}", REGIONS),
        ("groups", GROUP, GROUPS),
        ("cells", CELL, CELLS),
        ("messages", EVENTS_TYPE),
        ("collectives", EVENTS_TYPE),
    ]
)


PROBLEM_NAME = "problem"
"""Name of the file with the recorder's reason for recording nothing."""
TRACE_VERSION, TRACE_HEADER_BYTES = 1, 65536
TRACE_NAME = "order."
"""Prefix of the names of files with the order of calls."""
TRACE_HEADER = np.dtype(
    [
        ("magic", "S8"),
        *_each("<u4", "version", "act_bytes"),
        ("job", "<u8"),
        *_each("<i4", "rank", "ranks"),
        *_each("<u8", "acts", "left_out"),
    ]
)
MOST_LEFT_OUT = 2**63 - 1
"""Largest number that a profile holds: the program may have damaged these."""
ACT = np.dtype(
    [
        *_each("<u8", "enter", "exit", "bytes", "members"),
        *_each("<i4", "peer", "tag"),
        ("request", "<u4"),
        ("call", "<u2"),
        *_each("u1", "what", "unused"),
    ]
)


@dataclass(frozen=True)
class RankFile:
    """The recorded data of one rank."""

    header: Any
    """A record of HEADER."""
    names: list[str]
    regions: list[str]
    groups: Records
    cells: Records
    """The whole table; cells without a call are free."""
    messages: Records
    collectives: Records
    pages: int = 0
    """Pages of the file that calls were written to."""
    acts: Records | None = None
    """The order of calls, an array of ACT; None if it was not recorded."""
    acts_left_out: int = 0

    @property
    def s_per_tick(self) -> float:
        """Seconds per tick; a nanosecond if the clocks were compared only once."""
        spent = int(self.header["last_ticks"]) - int(self.header["first_ticks"])
        passed = int(self.header["last_ns"]) - int(self.header["first_ns"])
        return passed / spent * 1e-9 if spent > 0 and passed > 0 else 1e-9

    @property
    def wall_s(self) -> float:
        """Time from the end of MPI_Init to MPI_Finalize, or to the last known moment: for a lost
        rank, the end of its last recorded call."""
        ended = int(self.header["ended_ticks"])
        if ENDS.get(int(self.header["state"])) != "finalized":
            exits = (events["exit"].max(initial=0) for events in (self.messages, self.collectives))
            ended = max(ended, *map(int, exits))
        return max(ended - int(self.header["began_ticks"]), 0) * self.s_per_tick

    @property
    def recording_s(self) -> float | None:
        """Time of the rank spent on recording, by the cost of each call; None if the program
        damaged these numbers."""
        header, cells = self.header, self.cells[self.cells["count"] > 0]
        polls = int(cells["untimed"].sum())
        calls = int(cells["count"].sum()) - polls
        ticks = float(
            calls * header["call_ticks"]
            + polls * header["poll_ticks"]
            + self.pages * header["page_ticks"]
        )
        return ticks * self.s_per_tick if 0.0 <= ticks < 2.0**63 else None

    def seconds_at(self, ticks: Records) -> NDArray[np.float64]:
        """Moments on the clock of the host (CLOCK_MONOTONIC)."""
        passed = ticks.astype(np.int64) - np.int64(self.header["first_ticks"])
        moments = passed * self.s_per_tick + float(self.header["first_ns"]) * 1e-9
        exact: NDArray[np.float64] = moments.astype(np.float64)
        return exact


def read_rank(path: Path) -> RankFile:
    """The data of one rank. Raises HockneyError if the file is not a rank's, or of another
    recorder."""
    content = path.read_bytes()
    if len(content) != FILE.itemsize:
        raise HockneyError(f"{path}: {len(content)} bytes are no record of a rank")
    whole = np.frombuffer(content, dtype=FILE)[0]
    header = whole["header"]
    if (bytes(header["magic"]), int(header["version"])) != (b"hockney", VERSION):
        raise HockneyError(f"{path}: not written by the recorder of this hockney")
    acts, left_out = _acts(path.with_name(f"{TRACE_NAME}{path.name}"))
    names = [text(name) for name in whole["names"][: int(header["names"])]]
    regions = [text(name) for name in whole["regions"][: int(header["regions"])]]
    cells = _cells(whole["cells"], len(names), len(regions))
    return RankFile(
        header,
        names,
        regions,
        whole["groups"][: int(header["groups"])],
        cells,
        _events(whole["messages"], cells),
        _events(whole["collectives"], cells),
        _pages(whole),
        acts,
        left_out,
    )


def _cells(written: Records, names: int, regions: int) -> Records:
    """The table without cells that the program damaged by stray writes: the file is part of its
    memory."""
    cells: Records = written.copy()
    is_whole = (cells["call"] >= 1) & (cells["call"] <= names)
    is_whole &= (cells["datatype"] < len(DATATYPES)) & (cells["region"] < max(regions, 1))
    is_whole &= cells["memory"] < len(MEMORY_NAMES)
    cells["count"][~is_whole] = 0
    return cells


def buffers_in(bits: int) -> int | None:
    """Estimated number of buffers, each of which sets one of BUFFER_BITS by its address (linear
    counting: Whang et al., TODS 15, 1990). None if no bit is set; if all are, the estimate for one
    bit less."""
    set_bits = min(bits.bit_count(), BUFFER_BITS - 1)
    return round(-BUFFER_BITS * math.log(1.0 - set_bits / BUFFER_BITS)) if set_bits else None


def _pages(whole: Any) -> int:
    used = [int(whole["header"]["cells"]) * CELL.itemsize]
    for events in (whole["messages"], whole["collectives"]):
        used.append((EVENTS if events["mask"] else int(events["count"])) * EVENT.itemsize)
    return sum(-(-bytes_ // PAGE_BYTES) for bytes_ in used)


def _acts(path: Path) -> tuple[Records | None, int]:
    """The order of a rank's calls, and the number of missing calls after it."""
    if not path.exists():
        return None, 0
    content = path.read_bytes()
    if len(content) < TRACE_HEADER_BYTES:
        return None, 0
    header = np.frombuffer(content, dtype=TRACE_HEADER, count=1)[0]
    if (header["magic"], header["version"]) != (b"hocktrc", TRACE_VERSION):
        return None, 0
    made, room = int(header["acts"]), (len(content) - TRACE_HEADER_BYTES) // ACT.itemsize
    count = min(made, room)
    acts = np.frombuffer(content, dtype=ACT, count=count, offset=TRACE_HEADER_BYTES)
    return acts, min(int(header["left_out"]) + made - count, MOST_LEFT_OUT)


def _events(of: Any, cells: Records) -> Records:
    """Events whose call has a cell."""
    events: Records = of["event"][: int(of["count"])]
    events = events[events["cell"] < CELLS]
    counted: Records = events[cells["count"][events["cell"]] > 0]
    return counted


def text(value: bytes) -> str:
    """A name from a program, whatever its bytes are."""
    return one_line(bytes(value).decode(errors="replace"))
