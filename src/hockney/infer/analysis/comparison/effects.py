"""Forms that a difference between two runs may have over the sizes of messages, and how much of a
measured difference each can account for.

All differences are logarithms of ratios of times (B over A). A form is fitted by least absolute
deviations: a parameter is tried that makes it exact at each point, and the best is taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from hockney.infer.arrays import Array, Flags, Whole

SMALL_BYTES = 1024
"""Sizes up to this are small: their bytes are carried along with what describes the message under
every MPI that was seen, whatever carries large ones."""
HEADER_BYTES = 256
"""Bytes that a library may add to those of a message before it compares it with a threshold."""
SHORTEST = 0.01
"""Least time, as a fraction of A's, that a form predicts."""
MOST_TRIED = 40
"""Most points of a curve whose parameters are tried: a line takes the square of them."""


@dataclass(frozen=True)
class Gap:
    """The difference along one curve; each array has an entry for each point."""

    bytes: Array
    base_s: Array
    """Times of A."""
    log_ratio: Array
    half: Array
    """Half of the width of the interval of the log ratio: what is within it may be chance."""
    shown: Flags
    """Whether a difference is shown that is more than the tolerance."""

    @property
    def size(self) -> float:
        """The sum of the log ratios that are shown."""
        return float(np.abs(self.log_ratio[self.shown]).sum())

    def left(self, predicted: Array) -> float:
        """What a prediction leaves of the size: what it misses of the differences that are shown,
        and what it predicts where none is, both beyond chance."""
        missed, beyond = np.abs(self.log_ratio - predicted), np.abs(self.log_ratio) - self.half
        of_shown = np.where(missed > self.half, missed, 0.0)
        invented = np.maximum(missed - self.half - np.maximum(beyond, 0.0), 0.0)
        return float(np.where(self.shown, of_shown, invented).sum())

    def without(self, predicted: Array) -> Gap:
        """The difference that remains. Points that are explained within chance show none."""
        left = self.log_ratio - predicted
        return replace(self, log_ratio=left, shown=self.shown & (np.abs(left) > self.half))


Form = Callable[[Gap], Iterator[Array]]
"""All predictions of a form for a gap, one for each parameter that is tried."""


def _tried(gap: Gap) -> Whole:
    places = np.flatnonzero(gap.shown)
    return places[:: -(-len(places) // MOST_TRIED) or 1]


def _slower_by(gap: Gap) -> Array:
    return gap.base_s * np.expm1(gap.log_ratio)


def _of_added(gap: Gap, added_s: Array) -> Array:
    predicted: Array = np.log(np.maximum(1.0 + added_s / gap.base_s, SHORTEST))
    return predicted


def _latency(gap: Gap) -> Iterator[Array]:
    """The same extra time for every message."""
    added = _slower_by(gap)
    return (_of_added(gap, np.full_like(added, added[i])) for i in _tried(gap))


def _bandwidth(gap: Gap) -> Iterator[Array]:
    """The same extra time for every byte."""
    added = _slower_by(gap)
    return (
        _of_added(gap, added[i] / gap.bytes[i] * gap.bytes) for i in _tried(gap) if gap.bytes[i]
    )


def _line(gap: Gap) -> Iterator[Array]:
    """An extra time for every message, and one for every byte."""
    added, places = _slower_by(gap), _tried(gap)
    for i in places:
        for j in places:
            if gap.bytes[i] < gap.bytes[j]:
                slope = (added[j] - added[i]) / (gap.bytes[j] - gap.bytes[i])
                yield _of_added(gap, added[i] + slope * (gap.bytes - gap.bytes[i]))


def _factor(gap: Gap) -> Iterator[Array]:
    """The same ratio at every size."""
    return (np.full_like(gap.base_s, gap.log_ratio[i]) for i in _tried(gap))


def _large(gap: Gap) -> Iterator[Array]:
    """Any difference at large sizes, none at small ones."""
    yield np.where(gap.bytes > SMALL_BYTES, gap.log_ratio, 0.0)


def _any(gap: Gap) -> Iterator[Array]:
    yield gap.log_ratio


FORMS: dict[str, Form] = {
    "latency": _latency,
    "bandwidth": _bandwidth,
    "factor": _factor,
    "line": _line,
    "large": _large,
    "any": _any,
}
"""Forms by name, the simplest first."""
PARAMETRIC = frozenset({_latency, _bandwidth, _factor, _line})
"""Forms of one or two parameters."""
FORM_WORDS = {
    "latency": "the same time for each message, at every size",
    "bandwidth": "a time that grows with the size",
    "factor": "the same ratio at every size",
    "line": "a time for each message, and one for each byte",
    "large": f"only messages of more than {SMALL_BYTES} B",
    "any": "no simple form",
}


NEAR = 16.0
"""A threshold of unknown former value must have an effect at a size within this factor of it."""


def between(low: float, high: float | None) -> Form:
    """Any difference at sizes above `low` and up to `high`, none elsewhere. With one end known, the
    other is any size on either side of it, if there is a difference close to the known one."""

    def inside(gap: Gap) -> Iterator[Array]:
        ends = [high] if high is not None else [*gap.bytes.tolist(), np.inf]
        for end in ends:
            least, most = sorted((low, end))
            is_in = (gap.bytes > least - HEADER_BYTES) & (gap.bytes <= most)
            is_near = (gap.bytes > low / NEAR) & (gap.bytes < low * NEAR)
            if high is not None or (is_in & is_near & gap.shown).any():
                yield np.where(is_in, gap.log_ratio, 0.0)

    return inside


def without_border(form: Form) -> tuple[str, ...]:
    """For a form that has a difference on one side of a size and none on the other: the names of
    those without such a border which it is not, where they describe the difference as well. Large
    messages alone may take longer for every byte."""
    if form in PARAMETRIC or form is _any:
        return ()
    return ("latency", "factor") if form is _large else ("latency", "bandwidth", "factor", "line")


@dataclass(frozen=True)
class Limits:
    """Least and largest log ratio that an effect may have according to the records."""

    least: float = -np.inf
    most: float = np.inf

    def applied(self, predicted: Array, keeps_form: bool) -> Array:
        """The prediction within the limits: made smaller as a whole to keep its form, or cut."""
        limited = np.clip(predicted, self.least, self.most)
        if not keeps_form:
            return limited
        ratios = limited[predicted != 0.0] / predicted[predicted != 0.0]
        return predicted * (float(ratios.min()) if len(ratios) else 1.0)


def best_prediction(gap: Gap, form: Form, limits: Limits) -> Array:
    """The prediction of a form that leaves the least of a gap."""
    best, left = np.zeros_like(gap.log_ratio), gap.left(np.zeros_like(gap.log_ratio))
    for predicted in form(gap):
        limited = limits.applied(predicted, form in PARAMETRIC)
        if (now := gap.left(limited)) < left:
            best, left = limited, now
    return best


ALMOST = 0.8
"""Part of a difference that a simple form must account for to describe it."""


MUCH_CLOSER, EXACT = 2.0, 0.05
"""How many times as close to the points a less simple form must come to describe them instead, and
the part of a difference that is always close."""


def form_of(gaps: list[Gap]) -> str:
    """The form that describes a difference: a name of FORMS. The simplest of those that fit within
    chance, unless another of few parameters comes much closer to the points."""
    size = sum(gap.size for gap in gaps)
    misses: dict[str, float] = {}
    for name, form in FORMS.items():
        each = [(gap, best_prediction(gap, form, Limits())) for gap in gaps]
        if sum(gap.left(predicted) for gap, predicted in each) <= (1.0 - ALMOST) * size:
            missed = [np.abs(gap.log_ratio - predicted).sum() for gap, predicted in each]
            misses[name] = float(sum(missed))
    few = [missed for name, missed in misses.items() if FORMS[name] in PARAMETRIC]
    most = MUCH_CLOSER * min(few) + EXACT * size if few else math.inf
    return next(name for name, missed in misses.items() if missed <= most)


def span_of(gaps: list[Gap]) -> tuple[int, int] | None:
    """The sizes between which alone differences are shown: those of the first and the last point,
    if all points between show one, and on both sides there are points that show none. None
    otherwise."""
    spans = set()
    for gap in gaps:
        order = np.argsort(gap.bytes)
        places = np.flatnonzero(gap.shown[order])
        if not len(places):
            continue
        first, last = int(places[0]), int(places[-1])
        if first == 0 or last == len(order) - 1 or last - first + 1 != len(places):
            return None
        sizes = gap.bytes[order]
        spans.add((int(sizes[first]), int(sizes[last])))
    return spans.pop() if len(spans) == 1 else None
