"""Presets: sizes, repetitions and statistic of a classic program."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from hockney.plan import Size
from hockney.plan.workloads import Buffers
from hockney.plan.workloads.pingpong import Pingpong, Reduce

KIB, MIB = 1024, 1024**2


@dataclass(frozen=True)
class Preset:
    sizes: tuple[Size, ...]
    every_iteration: bool = False
    keep_clock_cost: bool = False
    reduce: Reduce = "max"
    buffers: Buffers | None = None
    """Buffers; None for the usual ones, returned."""
    seconds_a_size: float | None = None

    def applied(self, name: str, workload: Pingpong) -> Pingpong:
        """The workload as a sweep with this preset."""
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


def powers(first: int, last: int) -> list[int]:
    return [first << step for step in range((last // first).bit_length())]


def imb_size(size: int, messages: int = 1000, volume: int = 40 * MIB) -> Size:
    """A size with the repetitions of the Intel MPI Benchmarks, min(MSGSPERSAMPLE, max(1,
    OVERALL_VOL / size)), and a warm-up of a tenth of them, at least 10."""
    repetitions = min(messages, max(1, volume // max(size, 1)))
    return Size(size, repetitions, max(repetitions // 10, 10))
