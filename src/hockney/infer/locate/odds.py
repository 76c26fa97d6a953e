"""How likely each part of a network explains the times of the pairs that passed it.

A time is that of sound pairs of its level, times what each slow part adds, times noise with heavy
tails (likelihoods.py). The size of a slowness is unknown: its likelihood
is averaged over a grid, as is that of the differences which sound parts have, too. Parts that lose
messages slow down some of them by far. Several faults are found one after another, each judged with
the others taken into account (noisy group testing, Chan et al. 2011,
doi 10.1109/Allerton.2011.6120391; adaptive, by Bayes: Sobel and Groll 1966, doi 10.2307/1266631).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hockney.infer.arrays import Array, Flags, Whole
from hockney.infer.estimate.interval import Interval
from hockney.infer.estimate.launches import MAD_TO_SIGMA
from hockney.infer.estimate.medians import own_medians, sorted_by
from hockney.infer.locate.candidates import KINDS, NODE, NetworkPart
from hockney.infer.locate.explanations import Explanations, LikelyFault
from hockney.infer.locate.likelihoods import (
    LEAST_DISTURBED,
    LEAST_SCALE,
    LOST,
    LOST_LEAST,
    SPREADS,
    PartLikelihoods,
    TimeNoise,
    differs_by_message,
    likelihoods_of,
    log_likelihoods,
    log_mean,
    log_t,
    noise_of,
    of_slow_or_lost,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FEWEST = 8
"""Fewest pairs of one level, which show its usual time."""
ENOUGH = 4
"""Fewest times of a node that show how it differs from others."""
LARGEST_PART = 0.45
"""Fraction of the pairs of its levels above which a part is not judged: they are what is usual."""
SURE = math.log(1000.0)
"""Log odds at which an explanation is taken for true."""
CLEARED = -math.log(100.0)
"""Log odds of a slowness of SOUGHT, without the prior, up to which a part is sound."""
DOUBT = 0.02
"""Probability that any of the parts which count as sound slows down all that passes it."""
LOSES = -math.log(20.0)
"""Log odds of losing messages below which a part counts as sound: few times never exclude a loss
that is rare enough."""
MOST_FAULTS = 8


@dataclass(frozen=True)
class RoundTimes:
    """What was measured: each observation is a pair in one round."""

    logs: Array
    """Shape (sizes, observations): logarithms of seconds, NaN where one is missing."""
    weights: csr_array[Any, Any]
    """Shape (observations, parts), as `Passed.weights`."""
    classes: Whole
    """Shape (sizes, observations): observations with the same number take the same time if all
    parts are sound."""
    left_out: float = 0.0
    """Fraction of the pairs whose large messages say nothing, since others delayed them."""


@dataclass(frozen=True)
class _Scores:
    """Log likelihoods of every part, over that of a sound one."""

    total: Array
    """Shape (parts,): of a fault that shows at any of the sizes."""
    by_size: Array
    """Shape (sizes, parts)."""
    slow: Array
    """Shape (parts,): of a fault that slows down all messages, where it is likeliest."""
    sought: Array
    """Shape (parts,): of a slowness of SOUGHT or more, at the size that excludes it least."""


def judge(times: RoundTimes, parts: list[NetworkPart]) -> Explanations:
    """What is slow, and what may be."""
    judge_ = _Peeling(times, parts)
    faults = judge_.faults()
    return judge_.judged(faults)


class _Peeling:
    def __init__(self, times: RoundTimes, parts: list[NetworkPart]) -> None:
        self.times, self.parts = times, parts
        weights = times.weights.tocsc()
        self.weights = weights
        self.kinds = [float(value) for value in np.unique(weights.data) if value > 0.0]
        """The different weights: the likelihood of an observation is worked out once for each."""
        self.of_kind = [_only(weights, value) for value in self.kinds]
        self.seen = np.diff(weights.indptr)
        self.same = _same_columns(weights)
        columns = [i for i, part in enumerate(parts) if part.kind == NODE]
        of_it = weights[:, columns].tocoo()
        self.of_nodes = of_it.row, of_it.col
        """Each observation with the nodes at its ends."""
        self.unjudged = _usual(times.classes[0], weights, self.seen)
        self.prior = -math.log(max(int((self.seen > 0).sum()), 2))
        self.known: dict[tuple[Any, ...], _Scores] = {}
        """Scores that were worked out, by the faults taken into account."""
        self.shifts: dict[int, Array] = {}
        """The slowness of each fault found so far, shape (sizes,); NaN: it differs by message."""
        self.noise = [TimeNoise(LEAST_SCALE, SPREADS[0], LEAST_DISTURBED)] * len(times.logs)

    def rest(self, without: int | None = None) -> Array:
        """Shape (sizes, observations): logarithms of times over the usual ones, without what the
        faults explain, except one of them. The usual ones are those that none of them slows
        down."""
        logs = self.explained([part for part in self.shifts if part != without])
        if without not in self.shifts:
            return np.asarray(logs - self.usual(logs))
        return np.asarray(logs - self.usual(self.explained(list(self.shifts))))

    def explained(self, parts: list[int]) -> Array:
        """The logarithms of times without what these slow parts add to them."""
        logs: Array = self.times.logs.copy()
        for part in parts:
            own, weight = self.column(part)
            for size, shift in enumerate(self.shifts[part]):
                if np.isnan(shift):
                    over = logs[size, own] - self.usual(logs)[size, own]
                    logs[size, own[over > LOST_LEAST / 2.0]] = np.nan
                else:
                    logs[size, own] -= shift * weight
        return logs

    def usual(self, logs: Array) -> Array:
        """The median of each observation's class; NaN where that has too few."""
        every = zip(self.times.classes, logs, strict=True)
        return np.stack([own_medians(classes, own, FEWEST) for classes, own in every])

    def column(self, part: int) -> tuple[Whole, Array]:
        start, end = self.weights.indptr[part : part + 2]
        return self.weights.indices[start:end], self.weights.data[start:end]

    def faults(self) -> list[int]:
        """The slow parts, each the likeliest one after those before it. Each is then looked at
        again beside the others: the first one explains too much where two faults meet."""
        faults: list[int] = []
        while len(faults) < MOST_FAULTS:
            total = self.scored().total.copy()
            total[self.like(faults)] = -np.inf
            best = int(total.argmax())
            if total[best] + self.prior < SURE:
                break
            best = self.named(best)
            faults.append(best)
            self.shifts[best] = self.shift(best)
            for part in faults:
                self.shifts[part] = self.shift(part)
        # What the others explain, once they are known, is no fault.
        for part in list(faults):
            if self.scored(part).total[part] + self.prior < SURE:
                faults.remove(part)
                del self.shifts[part]
        return faults

    def named(self, part: int) -> int:
        """The part of the most common kind among those that nothing separates from this one."""
        same = np.flatnonzero(self.like([part]) & ~self.unjudged)
        return int(min(same.tolist(), key=lambda i: KINDS.index(self.parts[i].kind)))

    def like(self, parts: list[int]) -> Flags:
        """Shape (parts,): those that nothing separates from one of these."""
        return np.isin(self.same, self.same[parts])

    def shift(self, part: int) -> Array:
        """The slowness of a part at each size, NaN if it differs by message."""
        rest = self.rest(part)
        own, weight = self.column(part)
        shifts = np.zeros(len(rest))
        for size, times in enumerate(rest[:, own]):
            likely = likelihoods_of(times, weight, self.noise[size])
            is_shown = of_slow_or_lost(likely)[0] > 0.0
            differs = is_shown and differs_by_message(likely)
            # What is slow at one size is likely so at others, too little to be a fault there.
            shifts[size] = np.nan if differs else self.profile(rest, size, part)[0]
        return shifts

    def profile(self, rest: Array, size: int, part: int) -> tuple[float, float, float]:
        """The likeliest slowness of a part, and the ends of its interval by the likelihood."""
        own, weight = self.column(part)
        times = rest[size, own]
        known = ~np.isnan(times)
        times, weight, scale = times[known], weight[known], self.noise[size].scale
        if not len(times):
            return 0.0, 0.0, 0.0
        ratios = times / weight
        low, high = np.quantile(ratios, (0.0, 1.0))
        grid = np.linspace(low, high, 200)
        for _ in range(2):
            likely = log_t((times - grid[:, None] * weight) / scale).sum(axis=1)
            near = np.flatnonzero(likely > likely.max() - 4.0)
            step = grid[1] - grid[0]
            grid = np.linspace(grid[near[0]] - step, grid[near[-1]] + step, 200)
        likely = log_t((times - grid[:, None] * weight) / scale).sum(axis=1)
        inside = grid[likely > likely.max() - 1.92]
        return float(grid[likely.argmax()]), float(inside[0]), float(inside[-1])

    def scored(self, without: int | None = None) -> _Scores:
        """The scores by the times without what the faults explain, except one."""
        key = tuple(
            (part, *shifts.tolist()) for part, shifts in self.shifts.items() if part != without
        )
        if key not in self.known:
            self.known[key] = self.scores(self.rest(without))
        return self.known[key]

    def scores(self, rest: Array) -> _Scores:
        by_size, sought, slow = [], [], []
        for size, times in enumerate(rest):
            self.noise[size] = noise = noise_of(times, self.spread)
            columns = sum(
                chosen.T @ log_likelihoods(times, np.full(len(times), weight), noise)
                for weight, chosen in zip(self.kinds, self.of_kind, strict=True)
            )
            of_it = PartLikelihoods(np.asarray(columns, np.float64))
            by_size.append(of_slow_or_lost(of_it))
            sought.append(of_it.sought)
            slow.append(log_mean(of_it.slow) - of_it.sound)
        every = np.array(by_size)
        # A fault may show at any of the sizes.
        together = np.logaddexp(0.0, every).sum(axis=0)
        near = np.minimum(together, 30.0)
        total = np.where(together > 30.0, together, np.log(np.maximum(np.expm1(near), 1e-300)))
        total = total - math.log(2.0 ** len(rest) - 1.0)
        total[self.unjudged | (self.seen == 0)] = -np.inf
        return _Scores(total, every, np.max(slow, axis=0), np.max(sought, axis=0))

    def spread(self, rest: Array, scale: float) -> float:
        """The standard deviation of sound parts, as far as the nodes show it."""
        rows, nodes = self.of_nodes
        times = rest[rows]
        known = ~np.isnan(times)
        times, nodes = times[known], nodes[known]
        order, _, starts, counts = sorted_by(nodes, times)
        starts, counts = starts[counts >= ENOUGH], counts[counts >= ENOUGH]
        medians = times[order][starts + counts // 2]
        noise = 1.4 * scale / np.sqrt(counts)
        if len(medians) < FEWEST:
            return SPREADS[0]
        middle = float(np.median(medians))
        total = MAD_TO_SIGMA * float(np.median(np.abs(medians - middle)))
        own = math.sqrt(max(total**2 - float(np.median(noise)) ** 2, 0.0))
        return float(np.clip(own, *SPREADS))

    def judged(self, faults: list[int]) -> Explanations:
        scores = self.scored()
        odds = scores.total + self.prior
        of_fault = self.like(faults)
        is_seen = (self.seen > 0) & ~self.unjudged & ~of_fault
        slow = np.where(is_seen, scores.slow + self.prior, -np.inf)
        open_ = is_seen & (_is_open(slow) | (odds > LOSES))
        unclear = ~self.unjudged & ~of_fault & ((self.seen == 0) | (scores.sought > CLEARED))
        return Explanations(
            slow_parts=[self.described(part, faults) for part in faults],
            open=np.flatnonzero(open_),
            unclear=np.flatnonzero(unclear | open_),
            unjudged=np.flatnonzero(self.unjudged),
            log_odds=odds,
        )

    def described(self, part: int, faults: list[int]) -> LikelyFault:
        scores = self.scored(part)
        rest, total = self.rest(part), scores.total
        others = total.copy()
        others[self.like(faults)] = -np.inf
        order = np.argsort(-others, kind="stable")
        like = [int(i) for i in order[:16].tolist() if total[part] - others[i] < SURE]
        following = int(order[0])
        healthy = -self.prior
        is_next = others[following] > healthy
        size = int(scores.by_size[:, part].argmax())
        shows = tuple(np.flatnonzero(scores.by_size[:, part] > SURE).tolist()) or (size,)
        own, weight = self.column(part)
        lost = None
        likely = likelihoods_of(rest[size, own], weight, self.noise[size])
        if differs_by_message(likely):
            ratios = rest[size, own] / weight
            ratios = np.sort(ratios[~np.isnan(ratios)])
            slow = ratios[ratios > LOST_LEAST / 2.0]
            if likely.lost[0].argmax() < len(LOST) - 1 and len(slow):
                lost, ratios = len(slow) / len(ratios), slow
            shift, low, high = _median_of(ratios)
        else:
            shift, low, high = self.profile(rest, size, part)
        same = np.flatnonzero(self.like([part]) & ~self.unjudged)
        return LikelyFault(
            part=part,
            same=tuple(int(i) for i in same.tolist() if i != part),
            like=tuple(like),
            odds_log=float(total[part] - max(others[following], healthy)),
            next_part=following if is_next else None,
            size=size,
            shows=shows,
            ratio=math.exp(shift),
            interval=Interval(math.exp(low), math.exp(high)),
            lost=lost,
            observations=int(self.seen[part]),
        )


def _only(weights: Any, value: float) -> Any:
    """The matrix with ones where the weight is that."""
    matrix = weights.copy()
    matrix.data = (matrix.data == value).astype(np.float32)
    matrix.eliminate_zeros()
    return matrix


def _same_columns(weights: Any) -> Whole:
    """Shape (parts,): parts with the same number were passed by the same observations."""
    random = np.random.default_rng(1)
    marks = weights.T @ random.random((weights.shape[0], 2))
    return np.unique(np.round(marks, 6), axis=0, return_inverse=True)[1].ravel()


def _usual(classes: Whole, weights: Any, seen: Whole) -> Any:
    """Shape (parts,): whether most of the pairs of its levels passed a part."""
    from scipy.sparse import coo_array

    _, number, counts = np.unique(classes, return_inverse=True, return_counts=True)
    rows = np.arange(len(classes))
    member = coo_array((np.ones(len(classes)), (number.ravel(), rows))).tocsr()
    passing = weights.copy()
    passing.data = np.minimum(passing.data, 1.0)
    of_part = (member @ passing).toarray()
    most = of_part.argmax(axis=0)
    fraction = of_part.max(axis=0) / counts[most]
    return (fraction > LARGEST_PART) & (seen > 0)


def _is_open(odds: Array) -> Any:
    """Shape (parts,): all but the least likely ones, among which is a slow one with a
    probability of DOUBT at most."""
    order = np.argsort(odds, kind="stable")
    is_open = np.zeros(len(odds), bool)
    is_open[order] = np.cumsum(np.exp(np.minimum(odds[order], 50.0))) > DOUBT
    return is_open


def _median_of(ordered: Array) -> tuple[float, float, float]:
    """The median of ordered values, with a 95 % interval by their ranks."""
    count = len(ordered)
    away = round(0.98 * math.sqrt(count))
    low, high = max(count // 2 - away, 0), min(count // 2 + away, count - 1)
    return float(np.median(ordered)), float(ordered[low]), float(ordered[high])
