"""A program of the user with and without settings of its MPI library, in paired blocks."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hockney.base.errors import HockneyError
from hockney.infer.estimate.interval import Interval
from hockney.infer.estimate.quantiles import median_interval
from hockney.profiling.causes import OF_HOST
from hockney.profiling.expected import OF_ALL_BLOCKS
from hockney.profiling.kinds import Profile
from hockney.profiling.mix import collective_of

LEAST_FRACTION = 0.02
"""Least fraction of the time in MPI that a collective takes to be tuned."""
MOST_CELLS = 6
"""Most cells (collective, ranks, size) that are measured, those with the most time first."""
UNTUNED = frozenset({"barrier", "gather", "scatter", "gatherv", "scatterv", "alltoallw", "scan"})
"""Collectives that are not tuned: their rules cannot depend on sizes, or libraries have none for
them."""


@dataclass(frozen=True)
class Used:
    """A program's calls of one collective with one number of ranks and size."""

    collective: str
    ranks: int
    bytes: int
    seconds: float
    """Time in these calls, summed over ranks (s)."""


def used_collectives(profile: Profile) -> list[Used]:
    """The blocking collectives on the host's memory, which is what is measured, in which a program
    spends its time in MPI."""
    spent: dict[tuple[str, int, int], float] = {}
    for calls in profile.calls:
        name = collective_of(calls)
        ranks = calls.communicator_size
        if name is None or name in UNTUNED or ranks is None or ranks < 2 or not calls.bytes_sum:
            continue
        if calls.call == f"MPI_{name.capitalize()}" and calls.memory in OF_HOST:
            blocks = ranks if name in OF_ALL_BLOCKS else 1
            key = name, ranks, calls.bytes_sum // (calls.count * blocks)
            spent[key] = spent.get(key, 0.0) + calls.time_s
    total = sum(calls.time_s for calls in profile.calls)
    used = [Used(*key, seconds) for key, seconds in spent.items()]
    used = [use for use in used if use.seconds >= LEAST_FRACTION * total]
    return sorted(used, key=lambda use: -use.seconds)[:MOST_CELLS]


@dataclass(frozen=True)
class ProgramGain:
    """The program's time with the settings over that without, block by block."""

    ratios: list[float]

    @property
    def ratio(self) -> float:
        return float(np.median(self.ratios))

    @property
    def interval(self) -> Interval | None:
        """Confidence interval of the median; None for fewer than five blocks."""
        return median_interval(np.array(self.ratios))

    @property
    def verdict(self) -> str:
        interval = self.interval
        if interval is None:
            return "unknown"
        if interval.high < 1.0:
            return "faster"
        return "slower" if interval.low > 1.0 else "no difference"


def gain_of(words: Sequence[str], settings: Mapping[str, str], blocks: int) -> ProgramGain:
    """Runs the command twice a block, in turn first with and first without the settings."""
    ratios = []
    _seconds(words, {})  # warm-up: caches its files
    for block in range(blocks):
        orders = [settings, {}] if block % 2 else [{}, settings]
        times = [_seconds(words, env) for env in orders]
        tuned, plain = times if block % 2 else reversed(times)
        ratios.append(tuned / plain)
    return ProgramGain(ratios)


def _seconds(words: Sequence[str], settings: Mapping[str, str]) -> float:
    """The wall time of one run (s). Its output is not shown: each run prints it."""
    began = time.monotonic()
    try:
        done = subprocess.run(
            words, env={**os.environ, **settings}, stdin=subprocess.DEVNULL, capture_output=True
        )
    except OSError as error:
        raise HockneyError(f"{words[0]} cannot be started: {error.strerror}") from error
    if done.returncode != 0:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise HockneyError(
            f"{' '.join(words)} ended with exit status {done.returncode}"
            + (" with the rules" if settings else "")
            + (f": {last[0]}" if last else "")
        )
    return time.monotonic() - began
