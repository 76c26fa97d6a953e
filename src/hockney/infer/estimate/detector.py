"""A change of level in a series that is looked at again and again, without end.

Each look gives the logarithm of a time. An e-detector of Shiryaev and Roberts (Shin, Ramdas and
Rinaldo, arXiv 2203.03532) sums, over every look at which a change may have begun, the evidence of
a bet that it did. A bet gains nothing on average while nothing changes, so the sum grows by one a
look at most, and the expected number of looks to a false alarm is at least the limit of the sum.
The evidence of several series is averaged, which keeps that bound for all of them together (e-BH
names the series: Wang and Ramdas, JRSS B 84, 2022).

The bets are on innovations: what an ARMA(1,1) model, whose noise wanders and scatters, does not
predict. The likelihood of a change under any model is held against that of no change under the
best one (universal inference: Wasserman, Ramdas and Balakrishnan, PNAS 117, 2020), so that unknown
correlation raises no alarm. Innovations are clipped to CLIP standard deviations (Huber), so that a
few wild looks are no change. Looks of a machine with two states that come and go are compared
within their state, and a weekly cycle is removed. Changes below the tolerance are ignored: the
interval of the size, valid at every look (Robbins 1970; see Howard et al., Ann. Stat. 49, 2021),
must lie beyond it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hockney.infer.arrays import Array, Whole
from hockney.infer.estimate.alarm import Alarm
from hockney.infer.estimate.bets import no_evidence, place_bets, starts_of
from hockney.infer.estimate.interval import Interval
from hockney.infer.estimate.launches import MAD_TO_SIGMA
from hockney.infer.estimate.looking_back import LOOK_BACK_S, HiddenSteps, hidden_steps
from hockney.infer.estimate.noise_models import CLIP, MODELS, PHI, THETA, noise_at, step_of
from hockney.infer.estimate.recurring import (
    DAY_S,
    HARMONICS,
    WEEK_S,
    came_once,
    two_states,
    waves_at,
    week_of,
)

FOLLOW = 5.0
"""Standard deviations by which one look may move what is expected of the next: a wild look is no
new level, and a shock to noise that wanders fades as it should."""
LEARN_S, CYCLE_S, SURE_S = 3 * DAY_S, 14 * DAY_S, 28 * DAY_S
"""Age of a level at which looks are first judged, at which its week is known, and at which its
tolerance is the one asked for."""
FIRST_TOLERANCE = math.log(1.05)
"""The least tolerance until the week is known."""
LEAST_LOOKS = 4
"""Looks needed before one is judged."""
EARLY_LOOKS = 20
"""Looks after which a change by EARLY_TOLERANCE is seen while a level is learnt."""
EARLY_TOLERANCE = math.log(1.5)
"""The least tolerance while a level is learnt, and in its first week for a change that has not
lasted: one that is smaller may be a state of the machine not seen before."""
SUBDAILY_S = 0.3 * DAY_S
"""Longest time between looks that can show a daily cycle."""
KEPT = 2688
"""Looks that are kept for the cycle, the states and the start of a change."""
RECENT = 512
STATES_OF = 1024
"""Newest looks in which states are looked for."""
FIRST_LASTING_S = 2 * DAY_S
"""Time after which a change in a level's first week has lasted."""
LEAST_NOISE = 1e-4
"""Standard deviation, relative, below which no look is believed to repeat."""
EVERY = slice(None)
"""All series."""


@dataclass
class _Kept:
    """The newest columns, in an array that has room for a quarter more: what has become too old is
    overwritten then."""

    room: Array
    most: int
    count: int = 0
    start: int = 0

    @classmethod
    def empty(cls, rows: int, most: int) -> _Kept:
        return cls(np.zeros((rows, most + most // 4)), most)

    @property
    def values(self) -> Array:
        return self.room[:, self.start : self.start + self.count]

    def add(self, column: Array) -> None:
        if self.count == self.most:
            self.start, self.count = self.start + 1, self.count - 1
        if self.start + self.count == self.room.shape[1]:
            self.room[:, : self.count] = self.values.copy()
            self.start = 0
        self.room[:, self.start + self.count] = column
        self.count += 1


class Detector:
    """Series that are looked at together, each at a level that lasts."""

    def __init__(
        self,
        series: int,
        looks_to_false_alarm: float,
        tolerance: float,
        interval_s: float,
        learn_s: float = LEARN_S,
    ) -> None:
        """tolerance: a logarithm; interval_s: the usual time between looks."""
        self.limit, self.tolerance, self.interval_s = looks_to_false_alarm, tolerance, interval_s
        self.is_subdaily = interval_s < SUBDAILY_S
        self.learn = max(LEAST_LOOKS, round(learn_s / interval_s) if self.is_subdaily else 0)
        shape = (series, len(MODELS))
        self.seen = 0
        """Looks so far."""
        self.n = np.zeros(series, dtype=np.int64)
        self.began_s = self.last_s = 0.0
        self.kept = _Kept.empty(series + 1, KEPT)
        self.scores = _Kept.empty(series, RECENT)
        self.centre = np.zeros(shape)
        self.squares = np.zeros(shape)
        self.last, self.noise = np.zeros(shape), np.zeros(shape)
        self.model = np.zeros(series, dtype=np.int64)
        """The best model of each series while nothing seemed to change: a change looks like noise
        that wanders further."""
        self.sums = no_evidence(series)
        self.evidence = np.zeros(series)
        """The e-detector of each series: a change under any model against none under the best."""
        self.offset, self.boundary = np.zeros(series), np.full(series, np.inf)
        self.cycle = np.zeros((2 * len(HARMONICS), series))
        self.cycle_day = self.state_day = 0.0

    @property
    def times(self) -> Array:
        return np.asarray(self.kept.values[-1])

    @property
    def raw(self) -> Array:
        return np.asarray(self.kept.values[:-1])

    # -- what is usual ------------------------------------------------------------------------

    def residuals(self, times: Array, raw: Array, which: Whole | slice = EVERY) -> Array:
        """The looks of these series without state and cycle; shape (series, looks)."""
        cycle = waves_at(times) @ self.cycle[:, which]
        return np.asarray(self._without_states(raw, which) - cycle.T)

    def _without_states(self, raw: Array, which: Whole | slice = EVERY) -> Array:
        offset, boundary = self.offset[which, None], self.boundary[which, None]
        if not offset.any():
            return raw
        return np.asarray(raw - offset * (raw > boundary))

    @property
    def sigma(self) -> Array:
        """Standard deviation of the innovations, wider with few looks."""
        n = np.maximum(self.n, 1)[:, None]
        return np.asarray(np.sqrt(self.squares / n * (1.0 + 4.0 / n)) + LEAST_NOISE)

    @property
    def weights(self) -> Array:
        """Weight of each model: its prior times its likelihood over that of the best."""
        n = np.maximum(self.n, 1)[:, None]
        likelihoods = -0.5 * n * np.log(self.squares / n + LEAST_NOISE**2)
        best = likelihoods.max(axis=1)[:, None]
        return np.asarray(np.exp(likelihoods - best) / len(MODELS))

    @property
    def best(self) -> Whole:
        return np.asarray(self.squares.argmin(axis=1))

    @property
    def is_learning(self) -> bool:
        """Whether only what exceeds EARLY_TOLERANCE is seen, if anything."""
        return self.seen < self.learn

    @property
    def age_s(self) -> float:
        return self.last_s - self.began_s

    @property
    def week_known_s(self) -> float | None:
        """When the week will be known; None where it is, or where nothing waits for it."""
        is_waiting = self.is_subdaily and self.age_s < CYCLE_S and self.tolerance < FIRST_TOLERANCE
        return self.began_s + CYCLE_S if is_waiting else None

    def _tolerance(self, lasting_s: float) -> float:
        if not self.is_subdaily:
            return self.tolerance
        if self.is_learning or (self.age_s < WEEK_S and lasting_s < FIRST_LASTING_S):
            return EARLY_TOLERANCE
        left = min(max((SURE_S - self.age_s) / (SURE_S - CYCLE_S), 0.0), 1.0)
        return max(self.tolerance, left * FIRST_TOLERANCE)

    # -- a look -------------------------------------------------------------------------------

    def look(self, time_s: float, values: Array) -> None:
        """Takes a look of all series. values: logarithms, shape (series,)."""
        self.seen += 1
        if self.seen == 1:
            self.began_s = time_s
        steps = max(round((time_s - self.last_s) / self.interval_s), 1) if self.seen > 1 else 1
        self.last_s = time_s
        self.kept.add(np.append(values, time_s))
        early = min(self.learn, EARLY_LOOKS)
        if self.seen in (early, self.learn):
            self._begin(np.arange(len(values)))
            # What was learnt early leaves nothing behind.
            self.scores, self.state_day = _Kept.empty(len(values), RECENT), 0.0
        if self.seen <= early or self.seen == self.learn:
            return
        if self.is_subdaily and time_s - self.state_day >= DAY_S:
            self.state_day = time_s
            self._learn_states()
        is_known = self.is_subdaily and time_s - self.began_s >= CYCLE_S
        if is_known and time_s - self.cycle_day >= DAY_S:
            self._learn_cycle(time_s)
        left = self.residuals(np.array([time_s]), values[:, None])[:, 0]
        self._step(left, steps, True)

    def _begin(self, which: Whole) -> None:
        """Judges the kept looks of these series as what is usual."""
        self.offset[which], self.boundary[which] = two_states(self.raw[which, -STATES_OF:])
        left = self.residuals(self.times, self.raw[which], which)
        spread = MAD_TO_SIGMA * np.median(np.abs(np.diff(left, axis=1)), axis=1) / math.sqrt(2.0)
        detector = Detector(len(which), self.limit, self.tolerance, self.interval_s)
        detector.centre[:] = detector.last[:] = np.median(left, axis=1)[:, None]
        detector.squares[:] = np.maximum(spread, LEAST_NOISE)[:, None] ** 2
        detector.n[:] = 1
        for column in left.T:
            detector._step(column, 1, False)
        for name in ("n", "centre", "squares", "last", "noise", "model"):
            getattr(self, name)[which] = getattr(detector, name)
        self.sums[..., which, :] = self.evidence[which] = 0.0

    def _step(self, left: Array, steps: int, bets: bool) -> None:
        phi, sigma = PHI, self.sigma
        if steps > 1:  # a gap: what is known of the noise fades
            phi = PHI**steps
            wide = (1.0 - phi**2) / (1.0 - PHI**2)
            sigma, self.noise = sigma * np.sqrt(wide), np.zeros_like(self.noise)
        expected = self.centre + phi * (self.last - self.centre) - THETA * self.noise
        z = np.clip((left[:, None] - expected) / sigma, -CLIP, CLIP)
        self.noise = z * sigma
        drawn_in = expected + self.noise
        self.last = np.clip(left[:, None], expected - FOLLOW * sigma, expected + FOLLOW * sigma)
        if bets:
            place_bets(self.sums, z, self.n)
            self.evidence = (self.weights * self.sums.mean(axis=(0, 1))).sum(axis=1)
        self.n += 1
        self.squares += (z * self.sigma) ** 2 if steps > 1 else self.noise**2
        calm = (self.evidence < math.sqrt(self.limit))[:, None]  # else the change becomes usual
        self.centre += calm * (drawn_in - self.centre) / (self.n[:, None] + 1.0)
        self.model = np.where(calm[:, 0], self.best, self.model)
        self.scores.add(z[np.arange(len(z)), self.model])

    # -- alarms -------------------------------------------------------------------------------

    def alarm(self, series: int, evidence: float) -> Alarm | None:
        """The change of a series; None where it may lie within the tolerance, or where its looks
        turn out to be of two states that come and go."""
        which = np.array([series])
        if self.offset[series] == 0.0 and two_states(self.raw[which, -STATES_OF:])[0][0]:
            self._begin(which)
            return None
        model = int(self.model[series])
        z, n = self.scores.values[series], int(self.n[series])
        at, near = starts_of(z, n, model)
        m = len(z) - at
        left = self.residuals(self.times[-m - 3 :], self.raw[which, -m - 3 :], which)[0]
        left = left - self.centre[series, model]
        size, width = step_of(left, m, model, float(self.sigma[series, model]), n)
        if abs(size) - width < self._tolerance(m * self.interval_s):
            return None
        low, high = size - width, size + width
        offset, above = self.offset[series], self.raw[series, -m:] > self.boundary[series]
        if offset and above.all():
            high += offset
        elif offset and not above.any():
            low -= offset
        ago = (m - 1, len(z) - 1 - int(near[0]), len(z) - 1 - int(near[-1]))
        return Alarm(series, *ago, size, Interval(low, high), evidence)

    def hidden(self) -> HiddenSteps | None:
        """The steps that a look back at the whole level shows; None where none is due now."""
        if not self.is_subdaily or self.seen < 2 or self.is_learning:
            return None
        before_s = float(self.times[-2]) - self.began_s
        if not any(before_s < due_s <= self.age_s for due_s in LOOK_BACK_S):
            return None
        # A young level knows its states from few looks: by their error, one that comes more often
        # would be a step.
        offset, boundary = two_states(self.raw[:, -STATES_OF:])
        boundary = np.where(offset > 0.0, boundary, self.boundary)
        offset = np.where(offset > 0.0, offset, self.offset)
        is_high = self.raw > boundary[:, None]
        offset[came_once(is_high)] = 0.0
        left = self.raw - offset[:, None] * is_high
        return hidden_steps(self.times, left, self.interval_s, self.tolerance)

    # -- states and cycles --------------------------------------------------------------------

    def _learn_states(self) -> None:
        """Begins anew with states where looks of one have turned out to be of two."""
        which = np.flatnonzero(self.offset == 0.0)
        if len(which):
            which = which[two_states(self.raw[which, -STATES_OF:])[0] > 0.0]
        if len(which):
            self._begin(which)

    def _learn_cycle(self, time_s: float) -> None:
        """Fits the waves to the kept looks; each shrinks by what noise alone would give it."""
        is_first = self.cycle_day == 0.0
        self.cycle_day = time_s
        best = self.best
        sigma = self.sigma[np.arange(len(best)), best]
        turns = np.exp(-2j * math.pi * np.array(HARMONICS) * self.interval_s / WEEK_S)
        noise = np.array([sigma * noise_at(turn, best) for turn in turns])
        self.cycle = week_of(self.times, self._without_states(self.raw), noise)
        if is_first:  # the noise so far held the cycle
            n = np.minimum(self.n, 100)
            self.squares *= (n / self.n)[:, None]
            self.n = n


def changed_of(evidence: Array, limit: float) -> list[int]:
    """The series that changed, by e-BH, if any did. evidence: shape (series,)."""
    if evidence.mean() < limit:
        return []
    count, order = len(evidence), np.argsort(-evidence).tolist()
    return [i for j, i in enumerate(order, 1) if evidence[i] >= limit * count / j]


def numbers_of(detector: Detector) -> dict[str, Array]:
    """The state of a detector as arrays, without the looks that it keeps: detector_of() restores it
    from both."""
    plain = {k: v for k, v in vars(detector).items() if not isinstance(v, _Kept)}
    numbers = {name: np.asarray(value) for name, value in plain.items()}
    return numbers | {"scores.kept": detector.scores.values}


def detector_of(numbers: Mapping[str, Array], times: Sequence[float], looks: Array) -> Detector:
    """Raises KeyError or ValueError for numbers of another kind. looks: at least those that it
    keeps, up to the newest one, shape (looks, series); times: of at least as many."""
    series = len(numbers["offset"])
    scalars = (float(numbers[name]) for name in ("limit", "tolerance", "interval_s"))
    made = Detector(series, *scalars)
    for name, value in vars(made).items():
        if isinstance(value, _Kept):
            continue
        if isinstance(value, np.ndarray):
            if numbers[name].shape != value.shape and name != "cycle":
                raise ValueError(f"{name} has another shape")
            setattr(made, name, numbers[name].copy())
        else:
            setattr(made, name, type(value)(numbers[name]))
    for column in numbers["scores.kept"].T:
        made.scores.add(column)
    kept = min(made.seen, KEPT)
    for time_s, row in zip(times[-kept:], looks[-kept:], strict=True):
        made.kept.add(np.append(row, time_s))
    return made
