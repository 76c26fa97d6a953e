"""Costs of a message, from which patterns are predicted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from hockney.base.errors import UsageError
from hockney.infer.arrays import Array
from hockney.infer.fitting.fit import Fit, Parameter, Segment
from hockney.infer.predict.costs import CostsOf, Measured, scaled

MOST_RESAMPLES = 40
"""Most resamples by which a program is predicted, which takes longer."""

OF_LOGGP = ("overhead", "gap")
"""Terms that loggp alone has."""


FAR_APART, SMALL_BYTES = 4, 256
"""Factor between neighbouring sizes from which on a protocol may switch unseen between them, and
the size up to which messages take almost the same time."""


@dataclass(frozen=True)
class Unchanged:
    """A time without --what-if."""

    seconds: float
    ratio: float | None
    """The time with it over that; None where that is 0."""

    @classmethod
    def of(cls, after: Parameter, before: Parameter | None) -> Unchanged | None:
        """From the times with it and without; None where nothing was changed."""
        if before is None or before.value is None or after.value is None:
            return None
        return cls(before.value, after.value / before.value if before.value else None)


@dataclass(frozen=True)
class Channel:
    """Costs of messages by the best fit, and by the fit of each resample."""

    model: str
    best: CostsOf
    resampled: tuple[CostsOf, ...]
    largest_bytes: int
    """Largest measured size."""
    most_pairs: int
    """Largest measured number of concurrent pairs."""
    fit: Fit
    measured: dict[Measured, Array]
    """Each launch's one-way seconds; empty for a machine changed by --what-if."""
    shown: dict[Measured, Parameter]
    """The measured points with the intervals that `show` reports; empty as `measured`."""
    misfit: dict[Measured, float]
    """|ln(measured / model)| of the medians over launches."""
    before: Channel | None = None
    """The channel that --what-if changed into this one; None if it is as measured."""
    factors: Mapping[str, float] = field(default_factory=dict)
    """Those of --what-if, by term."""

    def changed(self, before: Parameter, after: Parameter) -> Parameter:
        """What takes `before` on the unchanged machine and `after` on this one, whose time cannot
        change by more than the term that changes most: so neither can the ends of the interval,
        which are further from a smaller value than from a larger one as each is widened by a
        ratio."""
        bounds, interval = before.interval, after.interval
        if bounds is None or interval is None or after.value is None:
            return after
        of_time = [1.0, *(1.0 / f if t == "bandwidth" else f for t, f in self.factors.items())]
        low = max(interval.low, min(of_time) * bounds.low)
        high = min(interval.high, max(of_time) * bounds.high)
        value = after.value
        return replace(
            after, interval=replace(interval, low=min(low, value), high=max(high, value))
        )

    def misfit_at(self, bytes_: int, senders: int) -> float:
        """Possible error of the model as |ln|: at a measured size its own; between sizes the larger
        of both neighbours', or the ratio of both segments where it is not known which of them holds
        there; beyond all the nearest one's."""
        pairs = self.nearest_pairs(senders)
        below, above = self.neighbours(bytes_, pairs)
        misfits = [self.misfit[size, pairs] for size in below + above]
        if switch := self.switch_at(bytes_):
            size = np.array([float(bytes_)])
            lower_s, upper_s = (float(segment.seconds(size)[0]) for segment in switch)
            misfits.append(
                abs(math.log(lower_s / upper_s)) if min(lower_s, upper_s) > 0.0 else math.inf
            )
        return max(misfits)

    def gap_factors(self, bytes_: int, senders: int) -> tuple[float, float]:
        """The factors of the model's time between which a time surely lies where its measured
        neighbours are far apart, as a protocol may switch anywhere between: those of the
        neighbours' times. 1 and 1 elsewhere."""
        if self.before is not None:
            return self.before.gap_factors(bytes_, senders)
        pairs = self.nearest_pairs(senders)
        below, above = self.neighbours(bytes_, pairs)
        own = self.best(bytes_, pairs).message_s(bytes_)
        if own <= 0.0 or not self.is_far_apart(below, above):
            return 1.0, 1.0
        ends = [float(np.median(self.measured[size, pairs])) / own for size in (*below, *above)]
        return min(1.0, *ends), max(1.0, *ends)

    def nearest_pairs(self, senders: int) -> int:
        """The measured number of pairs that is nearest to this one."""
        return min({pairs for _, pairs in self.misfit}, key=lambda pairs: abs(pairs - senders))

    def neighbours(self, bytes_: int, senders: int) -> tuple[list[int], list[int]]:
        """The nearest measured sizes, from below and from above; empty where there is none."""
        pairs = self.nearest_pairs(senders)
        sizes = sorted(size for size, at_once in self.misfit if at_once == pairs)
        below = [size for size in sizes if size <= bytes_][-1:]
        return below, [size for size in sizes if size >= bytes_][:1]

    @staticmethod
    def is_far_apart(below: Sequence[int], above: Sequence[int]) -> bool:
        return bool(below and above) and above[0] > FAR_APART * max(below[0], SMALL_BYTES)

    def switch_at(self, bytes_: int) -> tuple[Segment, Segment] | None:
        """The segments on either side of a size between them: the switch lies somewhere there."""
        for below, above in pairwise(self.fit.segments):
            if below.to_bytes < bytes_ < above.from_bytes:
                return below, above
        return None

    def scaled(self, factors: Mapping[str, float]) -> Channel:
        """The channel with changed costs (--what-if). Raises UsageError for a term that the model
        does not have, whose factor would change nothing."""
        lacking = [term for term in factors if term in OF_LOGGP and self.fit.model != "loggp"]
        if lacking:
            raise UsageError(
                f"--what-if {lacking[0]}: the model {self.fit.model} has no {lacking[0]}",
                "predict from a run of hockney overheads, with --model loggp",
            )
        if not factors:
            return self
        return replace(
            self,
            before=self,
            factors=dict(factors),
            measured={},
            shown={},
            best=scaled(self.best, factors),
            resampled=tuple(scaled(costs, factors) for costs in self.resampled),
        )
