"""Claims on intervals over launches, which should contain the median, and on finding the machine's
states, where the truth is known. Times are log-normal; intervals depend on the order of times
alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from claim import Claim
from numpy.typing import NDArray

from hockney.infer.estimate.groups import SCATTER, SCATTER_FEW, Probed, merged
from hockney.infer.estimate.quantiles import (
    ENOUGH_LAUNCHES,
    FEW_LEVEL,
    FEW_LEVELS,
    deciding_interval,
    launch_interval,
)
from hockney.infer.estimate.states import cluster

Array = NDArray[np.float64]
Random = np.random.Generator

METHOD, STATES = "docs/method.md, Over launches", "docs/method.md, States"
PRECISION = 0.01


def correlated(random: Random, runs: int, launches: int, phi: float) -> Array:
    """Series of standard deviation 1 whose neighbours correlate by phi. Shape (runs, launches)."""
    values = random.standard_normal((runs, launches))
    for i in range(1, launches):
        values[:, i] = phi * values[:, i - 1] + np.sqrt(1.0 - phi**2) * values[:, i]
    return values


def held(launches: int, phi: float, n: int, seed: int) -> tuple[int, int]:
    """Counts runs with a fixed number of launches whose interval contains the median."""
    intervals = map(launch_interval, correlated(np.random.default_rng(seed), n, launches, phi))
    return sum(interval is not None and interval.holds(0.0) for interval in intervals), n


def held_by_ended(deviation: float, phi: float, most: int, n: int, seed: int) -> tuple[int, int]:
    """Counts runs whose interval contains the median, among those that end by the precision before
    `most` launches."""
    held = ended = 0
    for times in np.exp(deviation * correlated(np.random.default_rng(seed), n, most, phi)):
        for launches in range(ENOUGH_LAUNCHES, most + 1, 2):
            deciding = deciding_interval(times[:launches])
            half = np.median(times[: launches // 2])
            if deciding is not None and deciding.half_width <= PRECISION * half:
                interval = launch_interval(times[:launches], ended=True)
                ended += 1
                held += interval is not None and interval.holds(1.0)
                break
    return held, ended


def with_several_states(
    logs_of: Callable[[Random, NDArray[np.int64]], Array],
    launches: int,
    rounds: int,
    n: int,
    seed: int,
) -> tuple[int, int]:
    """Counts runs in which more than one state is found. logs_of: the logarithms of the probes, by
    the launch of each."""
    random, of = np.random.default_rng(seed), np.repeat(np.arange(launches), rounds)
    several = 0
    for _ in range(n):
        logs = logs_of(random, of)
        several += merged(Probed(logs, of), cluster(50.0 * np.exp(logs))).max() > 0
    return int(several), n


def launch_effects(spread: float, random: Random, of: NDArray[np.int64]) -> Array:
    """Each launch has its own value on one hill."""
    own = random.normal(0.0, spread, of.max() + 1)[of]
    return own + random.normal(0.0, 0.02, len(of))


def walk(step: float, random: Random, of: NDArray[np.int64]) -> Array:
    """A random walk, which goes on from launch to launch."""
    return np.cumsum(random.normal(0.0, step, len(of))) + random.normal(0.0, 0.02, len(of))


def two_states(
    ratio: float, scatter: float, by_launch: bool, random: Random, of: NDArray[np.int64]
) -> Array:
    """Two latencies that differ by a ratio: one or the other in each launch, or each for some
    rounds."""
    if by_launch:
        slow = (random.permutation(of.max() + 1) % 2 == 1)[of]
    else:
        slow = np.cumsum(random.random(len(of)) < 0.05) % 2 == 1
    return slow * np.log(ratio) + random.normal(0.0, scatter, len(of))


def with_a_wide_gap(
    draw: Callable[[Random, tuple[int, int]], Array], launches: int, n: int, seed: int
) -> tuple[int, int]:
    """Counts draws of launches from one hill with a gap that SCATTER calls real."""
    values = np.sort(draw(np.random.default_rng(seed), (n, launches)), axis=1)
    limit, wide = min(SCATTER, SCATTER_FEW * launches**2), np.zeros(n, dtype=bool)
    for count in range(1, launches):
        sides = np.split(values, [count], axis=1)
        residuals = [side - np.median(side, axis=1, keepdims=True) for side in sides]
        gap = values[:, count] - values[:, count - 1]
        wide |= np.hstack(residuals).std(axis=1) <= limit * gap
    return int(wide.sum()), n


def _of_fixed() -> list[Claim]:
    claims = []
    for launches in (*FEW_LEVELS, 8, 9, 10, 11, 12, 14, 17):
        level = FEW_LEVELS.get(launches, FEW_LEVEL)
        stated = f"at least {100 * level:.0f} % of {launches} launches"
        name = f"interval of {launches} launches"
        claims += [
            Claim(
                f"{name}, lag-1 0.6",
                METHOD,
                stated,
                None,
                level,
                partial(held, launches, 0.6),
                20000,
            ),
            Claim(
                f"{name}, independent",
                METHOD,
                "94 to 99 %",
                None,
                0.935,
                partial(held, launches, 0.0),
                10000,
            ),
        ]
    for launches in (ENOUGH_LAUNCHES, 19, 25, 40, 60):
        name = f"interval of {launches} launches"
        claims += [
            Claim(
                f"{name}, lag-1 {phi}",
                METHOD,
                f"95 %: {words}",
                None,
                least,
                partial(held, launches, phi),
                10000,
            )
            for phi, words, least in (
                (0.6, "at least 93 % where launches correlate by 0.6", 0.93),
                (0.3, "at least 95 % where they correlate by 0.3", 0.95),
                (0.0, "at least 96 % where they are independent", 0.96),
            )
        ]
    return claims


def _of_ended() -> list[Claim]:
    return [
        Claim(
            f"ended by the precision: deviation {100 * deviation:g} %, lag-1 {phi}, up to {most}",
            METHOD,
            "at least 93 % of the runs that end by the precision",
            None,
            0.93,
            partial(held_by_ended, deviation, phi, most),
            n,
        )
        for deviation, phi, most, n in (
            (0.005, 0.0, 40, 2000),
            (0.015, 0.0, 40, 2000),
            (0.03, 0.0, 40, 5000),
            (0.03, 0.0, 100, 1500),
            (0.015, 0.3, 40, 2000),
            (0.02, 0.3, 100, 1500),
            (0.005, 0.6, 40, 2000),
            (0.015, 0.6, 40, 4000),
            (0.02, 0.6, 40, 4000),
            (0.02, 0.6, 100, 1500),
        )
    ]


def _of_states() -> list[Claim]:
    claims = [
        Claim(
            name,
            STATES,
            "at most 1 % have a false state",
            0.01,
            None,
            partial(with_several_states, *made),
            1000,
        )
        for name, made in (
            ("one state, 6 launches that differ by 20 %", (partial(launch_effects, 0.2), 6, 30)),
            ("one state, 6 launches that differ by 40 %", (partial(launch_effects, 0.4), 6, 30)),
            ("one state, 12 launches that differ by 20 %", (partial(launch_effects, 0.2), 12, 50)),
            ("one state, 12 launches that differ by 40 %", (partial(launch_effects, 0.4), 12, 50)),
            ("one state, a random walk of 6 launches", (partial(walk, 0.03), 6, 100)),
            ("one state, a random walk of 30 launches", (partial(walk, 0.03), 30, 20)),
        )
    ]
    for scatter, seen_at, unseen_at in ((0.01, 1.3, 1.2), (0.03, 1.35, 1.2), (0.05, 1.45, 1.2)):
        for by_launch in (True, False):
            where = "of launches" if by_launch else "of rounds"
            name = f"two states {where} that scatter by {100 * scatter:.0f} %"
            made = [partial(two_states, r, scatter, by_launch) for r in (seen_at, unseen_at)]
            claims += [
                Claim(
                    f"{name}, {seen_at} apart",
                    STATES,
                    f"told apart from {seen_at} on",
                    None,
                    0.95,
                    partial(with_several_states, made[0], 12, 50),
                    300,
                ),
                Claim(
                    f"{name}, {unseen_at} apart",
                    STATES,
                    f"one state up to {unseen_at}",
                    0.05,
                    None,
                    partial(with_several_states, made[1], 12, 50),
                    300,
                ),
            ]
    return claims


def _of_gaps() -> list[Claim]:
    hills: dict[str, Callable[[Random, tuple[int, int]], Array]] = {
        "normal": lambda random, shape: random.standard_normal(shape),
        "uniform": lambda random, shape: random.random(shape),
        "exponential": lambda random, shape: random.standard_exponential(shape),
        "Student's t": lambda random, shape: random.standard_t(3.0, shape),
    }
    return [
        Claim(
            f"a gap between {launches} launches of one hill, {name}",
            "hockney.infer.estimate.groups.SCATTER",
            "at most 0.3 % of draws",
            0.003,
            None,
            partial(with_a_wide_gap, draw, launches),
            100_000,
        )
        for name, draw in hills.items()
        for launches in (4, 6, 10, 30)
    ]


CLAIMS: list[Claim] = [*_of_fixed(), *_of_ended(), *_of_states(), *_of_gaps()]
