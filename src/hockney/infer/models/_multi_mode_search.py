"""Fits the multi-mode model: number, width and sizes of chunks."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from hockney.infer.arrays import Array, Flags
from hockney.infer.fitting.fit import SEED, Curve
from hockney.infer.fitting.likelihood import akaike
from hockney.infer.models._multi_mode_time import general_s, simulated_T_b_s

DECISIVE = 4.0
"""Fall of Akaike's criterion that one more chunk needs."""
BOUNDS = {
    "B_r_Bps": (1e7, 1e12),
    "T_l_s": (1e-8, 1e-3),
    "C_1_bytes": (2.0**14, 2.0**25),
    "C_ratio": (1.01, 2.0**9),
    "kappa": (1.0, 2.0),
}
FIRST_CHUNKS = tuple(2.0 ** (half / 2) for half in range(32, 46))
FIRST_RATIOS = (2.0, 4.0, 8.0, 16.0)
CHUNKS_A_MESSAGE = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64)
"""Numbers of chunks a message at which pairs out of lock-step are simulated; ln times between them
are interpolated."""
MOST_EVENTS, LEAST_EXCHANGES = 1000, 4
"""Most chunks that are simulated one by one, and half of the fewest exchanges that are
simulated."""
MOST_AHEAD, MOST_SIMULATED = 16, 80
"""Most processes a node, and most points with three or more of them, that are simulated."""
BEST_STARTS = 3
"""Number of the best starts, of all pairs of chunks, that are refined: kinks make local minima."""
TOLERATED = 0.05
"""Residual above which it counts linearly, not squared."""
MOST_WIDTHS = 64
"""Most widths tried of the first of two chunks; of more, as many at equal ratios."""
MOST_POINTS = 400
"""Most points of the search and of resamples; of more, a random subset is used."""


@dataclass(frozen=True)
class Structure:
    """How many chunk sizes there are, and how many processes the first of two interleaves."""

    levels: int
    width: int
    most: int
    """Largest number of processes a node."""
    runs_ahead: bool = False
    """Whether three and more pairs lose lock-step, as they do with one chunk in the simulation."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the fitted numbers, which are logarithms except for kappa."""
        chunks = ("C_1_bytes", "C_ratio")[: self.levels]
        return ("B_r_Bps", "T_l_s", *chunks, *(("kappa",) if self.most > 1 else ()))

    @property
    def free(self) -> int:
        """Number of fitted numbers, with the width of the first of two levels."""
        return len(self.names) + (self.levels == 2)

    @property
    def bounds(self) -> tuple[Array, Array]:
        limits = np.array(
            [
                limit if name == "kappa" else np.log(limit)
                for name, limit in ((name, BOUNDS[name]) for name in self.names)
            ]
        )
        return limits[:, 0], limits[:, 1]

    def values(self, q: Array) -> dict[str, float]:
        pairs = zip(self.names, q, strict=True)
        return {name: float(value if name == "kappa" else np.exp(value)) for name, value in pairs}

    def chunks(self, q: Array) -> tuple[float, ...]:
        values = self.values(q)
        first = values.get("C_1_bytes", 0.0)
        return (first, first * values.get("C_ratio", 1.0))[: self.levels]

    def seconds(self, q: Array, x: Array, p: Array, n: Array) -> Array:
        """One-way time T_b / 2 n. Pairs that run ahead are simulated."""
        seconds = self.lock_step_s(q, x, p, n)
        if not self.runs_ahead:
            return seconds
        gained = _ln_ahead(self.values(q), x, p, n)
        return np.asarray(seconds * np.exp(_between(gained, x / self.chunks(q)[0])))

    def lock_step_s(self, q: Array, x: Array, p: Array, n: Array) -> Array:
        """One-way time T_b / 2 n with all pairs in lock-step."""
        values = self.values(q)
        whole = general_s(
            x,
            n,
            p,
            values["B_r_Bps"],
            values["T_l_s"],
            C_bytes=self.chunks(q),
            widths=((), (self.most,), (self.width, self.most))[self.levels],
            kappa=values.get("kappa", 1.0),
        )
        return np.asarray(whole / (2.0 * n))


@dataclass(frozen=True)
class Points:
    """The data: sizes, processes per node, repetitions, and ln of one-way seconds."""

    x: Array
    p: Array
    n: Array
    ln_t: Array
    ln_ahead: Array | None = None
    """ln of simulated over lock-step time for each of CHUNKS_A_MESSAGE, shape (those, points)."""

    def residuals(self, structure: Structure, q: Array) -> Array:
        ln_s = np.log(structure.lock_step_s(q, self.x, self.p, self.n))
        if structure.runs_ahead:
            assert self.ln_ahead is not None
            ln_s += _between(self.ln_ahead, self.x / structure.chunks(q)[0])
        return np.asarray(self.ln_t - ln_s)

    def with_times(self, seconds: Array) -> Points:
        return replace(self, ln_t=np.log(seconds))

    def at(self, chosen: NDArray[np.intp] | Flags) -> Points:
        """The chosen points."""
        ahead = None if self.ln_ahead is None else self.ln_ahead[:, chosen]
        return Points(self.x[chosen], self.p[chosen], self.n[chosen], self.ln_t[chosen], ahead)

    def simulated(self, structure: Structure, q: Array) -> Points:
        """The points with the gain of pairs that run ahead, by the bandwidth, latency and kappa of
        q."""
        return replace(self, ln_ahead=_ln_ahead(structure.values(q), self.x, self.p, self.n))


def _between(ln_ahead: Array, chunks: Array) -> Array:
    """ln_ahead interpolated between the simulated numbers of chunks a message."""
    known = np.log(CHUNKS_A_MESSAGE)
    place = np.interp(np.log(np.maximum(chunks, 1.0)), known, np.arange(len(known)))
    below = np.minimum(place.astype(np.intp), len(known) - 2)
    part, column = place - below, np.arange(len(chunks))
    return np.asarray((1.0 - part) * ln_ahead[below, column] + part * ln_ahead[below + 1, column])


def _ln_ahead(values: dict[str, float], x: Array, p: Array, n: Array) -> Array:
    """ln of the simulated over the lock-step time, shape (CHUNKS_A_MESSAGE, points); 0 where pairs
    stay in lock-step: one or two of them, and messages of one chunk. Only whole chunks are
    simulated, as libraries cut messages of powers of two: a partial last chunk would decide who is
    first."""
    gained = np.zeros((len(CHUNKS_A_MESSAGE), len(x)))
    rate, latency_s, kappa = values["B_r_Bps"], values["T_l_s"], values.get("kappa", 1.0)
    for i in np.flatnonzero(p > 2.0):
        pairs = np.array([p[i]])
        for row, chunks in enumerate(CHUNKS_A_MESSAGE[1:], start=1):
            if x[i] / chunks < BOUNDS["C_1_bytes"][0]:
                gained[row:, i] = gained[row - 1, i]
                break
            size, chunks_a_s = np.array([float(chunks)]), rate * chunks / x[i]
            lock_step = general_s(size, n[i], pairs, chunks_a_s, latency_s, (1.0,), (p[i],), kappa)
            how = (round(p[i]), chunks_a_s, latency_s, 1.0, kappa)
            gained[row, i] = np.log(_simulated_s(chunks, round(n[i]), *how) / lock_step[0])
    return gained


def _simulated_s(chunks: int, n: int, p: int, *more: float) -> float:
    """The simulated time of n exchanges of messages of so many chunks; many exchanges are
    extrapolated from the second half of the first ones."""
    most = 2 * max(MOST_EVENTS // (4 * p * chunks), LEAST_EXCHANGES)
    if n <= most:
        return simulated_T_b_s(float(chunks), n, p, *more)
    half, whole = (simulated_T_b_s(float(chunks), of, p, *more) for of in (most // 2, most))
    return whole + (n - most) * (whole - half) / (most - most // 2)


@dataclass(frozen=True)
class Solution:
    structure: Structure
    q: Array
    cost: float
    converged: bool


def points_of(curve: Curve) -> Points:
    assert curve.pairs is not None
    assert curve.repetitions is not None
    return Points(curve.bytes, curve.pairs, curve.repetitions, np.log(curve.median_s))


def select(points: Points) -> tuple[Solution, Points]:
    """The solution, and the points that it is fitted to.

    The fewest chunks that suffice: one more must lower Akaike's corrected criterion by DECISIVE.
    The best width of the first of two chunks. Before two chunks are chosen, one with which pairs
    run ahead of lock-step is tried."""
    most = int(points.p.max())
    levels = [[Structure(0, 0, most)], [Structure(1, most, most)]]
    levels.append([Structure(2, width, most) for width in _widths(points.p, most)])
    chosen: Rated | None = None
    for structures in levels:
        best = min(
            (_rated(points, structure) for structure in structures), default=None, key=itemgetter(0)
        )
        if best and (chosen is None or best[0] < chosen[0] - DECISIVE):
            chosen = best
    assert chosen is not None
    can_be_simulated = 0 < (points.p > 2.0).sum() <= MOST_SIMULATED and most <= MOST_AHEAD
    if chosen[1].structure.levels == 2 and can_be_simulated:
        ahead = replace(levels[1][0], runs_ahead=True)
        simulated = _simulated(points, levels[1][0])
        one_chunk = _rated(simulated, ahead)
        if one_chunk[0] < chosen[0] + DECISIVE:
            points = simulated.simulated(ahead, one_chunk[1].q)
            chosen = one_chunk
    return polished(points, chosen[1].structure, chosen[1].q), points


Rated = tuple[float, Solution]
"""Akaike's criterion of a solution, and the solution."""


def _rated(points: Points, structure: Structure) -> Rated:
    few = thinned(points)
    solution = searched(few, structure)
    return akaike(few.residuals(structure, solution.q), structure.free), solution


def _simulated(points: Points, structure: Structure) -> Points:
    """Points simulated by parameters from one and two pairs, which stay in lock-step, or from all
    if these are too few."""
    calm = points.at(points.p <= 2.0)
    start = searched(calm if len(calm.x) > 2 * structure.free else points, structure)
    return points.simulated(structure, start.q)


def _widths(p: Array, most: int) -> list[int]:
    """Widths of the first of two chunks to try. Two chunks differ only if numbers of processes lie
    on both sides."""
    several = p[p > 1]
    least = math.ceil(several.min()) if len(several) else most
    if most - least <= MOST_WIDTHS:
        return list(range(least, most))
    spread = np.geomspace(least, most - 1, MOST_WIDTHS).round().astype(np.int64)
    return [int(width) for width in np.unique(spread)]


def thinned(points: Points) -> Points:
    chosen = np.random.default_rng(SEED).permutation(len(points.x))[:MOST_POINTS]
    return points.at(chosen)


def searched(points: Points, structure: Structure) -> Solution:
    starts = sorted(_starts(points, structure), key=lambda q: _loss(points.residuals(structure, q)))
    solutions = [polished(points, structure, q) for q in starts[:BEST_STARTS]]
    return min(solutions, key=lambda solution: solution.cost)


def _starts(points: Points, structure: Structure) -> list[Array]:
    """Starts of the search: bandwidth and latency by eye, every pair of chunks, and a bus with and
    without a limit."""
    largest, smallest = points.x == points.x.max(), points.x == points.x.min()
    rate = float(np.median((points.p * points.x)[largest] * np.exp(-points.ln_t[largest])))
    least = float(np.exp(points.ln_t[smallest].min()))
    latency = max(least - points.x.min() / rate, 0.1 * least)
    chunks = [np.array([])]
    if structure.levels:
        chunks = [np.array([first]) for first in FIRST_CHUNKS]
    if structure.levels == 2:
        chunks = [np.append(first, ratio) for first in chunks for ratio in FIRST_RATIOS]
    kappas = [[1.1], [1.6]] if structure.most > 1 else [[]]
    low, high = structure.bounds
    return [
        np.clip(np.concatenate((np.log([rate, latency, *some]), kappa)), low, high)
        for some in chunks
        for kappa in kappas
    ]


def _loss(residuals: Array) -> float:
    return float((np.sqrt(1.0 + (residuals / TOLERATED) ** 2) - 1.0).sum())


def polished(points: Points, structure: Structure, start: Array) -> Solution:
    """The local minimum from `start`."""
    from scipy import optimize

    low, high = structure.bounds
    inside = np.clip(start, low + 1e-9, high - 1e-9)
    minimum = optimize.least_squares(
        lambda q: points.residuals(structure, q),
        inside,
        bounds=(low, high),
        loss="soft_l1",
        f_scale=TOLERATED,
        x_scale=np.maximum(1e-3, 0.1 * (high - low)),
        max_nfev=100,
    )
    return Solution(structure, np.asarray(minimum.x), float(minimum.cost), minimum.status > 0)
