"""The classic programs: their grids, repetitions and statistics, as options of ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from hockney.spec import Size, sizes_of
from hockney.spec.workloads import Buffers
from hockney.spec.workloads.pingpong import Pingpong, Reduce

KIB, MIB = 1024, 1024**2


@dataclass(frozen=True)
class Preset:
    sizes: tuple[Size, ...]
    format: str
    """The layout of its own table (views/layouts)."""
    every_iteration: bool = False
    keep_clock_cost: bool = False
    reduce: Reduce = "max"
    buffers: Buffers | None = None
    """None: the usual ones, returned."""
    seconds_a_size: float | None = None

    def applied(self, name: str, workload: Pingpong) -> Pingpong:
        """The sweep of that classic program, with what `workload` adds to it."""
        return msgspec.structs.replace(
            workload,
            preset=name,
            sweep=True,
            every_iteration=self.every_iteration or workload.every_iteration,
            keep_clock_cost=self.keep_clock_cost,
            reduce=self.reduce,
            buffers=self.buffers,
            seconds_a_size=self.seconds_a_size,
        )


def _powers(first: int, last: int) -> list[int]:
    return [first << step for step in range((last // first).bit_length())]


def _durham() -> Preset:
    """1 B to 64 MiB; about 3 s a size by a timed warm-up of 100, whole loop, larger of two."""
    return Preset(sizes_of(_powers(1, 64 * MIB)), "durham", seconds_a_size=3.0)


def _tacc() -> Preset:
    """1 KiB to 32 MiB, three exchanges each timed on its own on the first rank, none before."""
    sizes = tuple(Size(KIB << i, repetitions=3) for i in range(16))
    return Preset(sizes, "tacc", every_iteration=True, reduce="first", buffers="separate")


def _itmo() -> Preset:
    """0 and 1 to 1,000,000 elements of four bytes by tens, loops of N = 10, no warm-up."""
    sizes = (0, *(4 * 10**power for power in range(7)))
    return Preset(tuple(Size(size, repetitions=10) for size in sizes), "itmo", reduce="first")


def _osu() -> Preset:
    """OSU Micro-Benchmarks 7.4, osu_latency: each exchange timed with the clock inside."""
    sizes = tuple(
        Size(size, 10000, 100) if size <= 8 * KIB else Size(size, 1000, 10)
        for size in _powers(1, 4 * MIB)
    )
    return Preset(
        sizes,
        "osu",
        every_iteration=True,
        keep_clock_cost=True,
        reduce="first",
        buffers="separate",
    )


def imb_size(size: int, messages: int = 1000, volume: int = 40 * MIB) -> Size:
    """With the repetitions of the Intel MPI Benchmarks, min(MSGSPERSAMPLE, max(1, OVERALL_VOL /
    size)), and a tenth of them before, at least 10."""
    repetitions = min(messages, max(1, volume // max(size, 1)))
    return Size(size, repetitions, max(repetitions // 10, 10))


def _imb() -> Preset:
    """Intel MPI Benchmarks 2021, PingPong."""
    sizes = tuple(imb_size(size) for size in (0, *_powers(1, 4 * MIB)))
    return Preset(sizes, "imb", buffers="separate")


PRESETS: dict[str, Callable[[], Preset]] = {
    "durham": _durham,
    "tacc": _tacc,
    "itmo": _itmo,
    "osu": _osu,
    "imb": _imb,
}
