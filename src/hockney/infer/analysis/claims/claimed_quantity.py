"""Takes the quantity of a claim from the analyses of its measurements."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hockney.base.errors import HockneyError
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.claims.claimed_number import (
    CannotTellError,
    Number,
    check_launches,
    common_kind,
    number_of,
)
from hockney.infer.analysis.claims.claimed_path import at_path
from hockney.infer.analysis.comparison.run_drift import NONE_KNOWN
from hockney.infer.estimate.differences import Unseen
from hockney.infer.estimate.interval import CONFIDENCE, Interval, log_half_width
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.estimate.shifts import normal_quantile
from hockney.plan.axes import AXES
from hockney.plan.claims import BANDWIDTH, BEST, EXPONENT, PARAMETER, PATH, RATIO, TIME, Quantity
from hockney.plan.words import PARAMETERS

CHANGES_WITH = {"pairs": ("ranks",), "ranks": ("grid",)}
"""Axes that may change along a curve as well, by the axis that it is over."""
PLACES = ("peers", "level")
"""Axes in which points of a curve may differ anyhow."""

Document = Callable[[Analysis], Mapping[str, Any]]
"""What `hockney show --json` prints of an analysis."""


def taken(quantity: Quantity, analyses: Mapping[str, Analysis], document: Document) -> Number:
    """The quantity, from the analyses of measurements by their names."""
    if quantity.what == RATIO:
        assert quantity.of is not None
        assert quantity.over is not None
        of, over = (taken(part, analyses, document) for part in (quantity.of, quantity.over))
        return _ratio(
            of, over, _between(analyses[quantity.of.measure], analyses[quantity.over.measure])
        )
    analysis = analyses[quantity.measure]
    if quantity.what == PATH:
        return at_path(analysis, document(analysis), quantity.path or "")
    if quantity.what == PARAMETER:
        return _parameter(analysis, quantity)
    chosen = _chosen(analysis, quantity)
    if quantity.what == EXPONENT:
        return _exponent(analysis, quantity, chosen)
    if quantity.what == BEST:
        return _over_fastest(analysis, quantity, chosen)
    return _of_point(analysis, _only(chosen), quantity.what)


def _chosen(analysis: Analysis, quantity: Quantity) -> list[PointEstimate]:
    """The points whose axes have the values that the quantity names."""
    points = analysis.points_to_fit
    chosen = [
        point
        for point in points
        if all(getattr(point, name) == value for name, value in quantity.axes.items())
    ]
    if not chosen:
        named = ", ".join(f"{name} = {value!r}" for name, value in quantity.axes.items())
        has = [
            f"{name}: {', '.join(map(str, sorted({getattr(p, name) for p in points}, key=str)))}"
            for name in quantity.axes
        ]
        raise CannotTellError(
            f"{analysis.source} has no point with {named or 'a time'}",
            f"it has {'; '.join(has)}" if has else "measure one",
        )
    return chosen


def _only(chosen: Sequence[PointEstimate]) -> PointEstimate:
    _check_alike(chosen)
    if len(chosen) > 1:
        raise CannotTellError(f"{len(chosen)} points are alike", "measure one")
    return chosen[0]


def _check_alike(points: Sequence[PointEstimate], *left_out: str) -> None:
    """Raises CannotTellError if points differ in another axis than these."""
    names = [name for name in AXES if name not in left_out]
    differ = [name for name in names if len({getattr(point, name) for point in points}) > 1]
    if differ:
        raise CannotTellError(
            f"{len(points)} points differ in {', '.join(differ)}", f"name {differ[0]} in [quantity]"
        )


def _of_point(analysis: Analysis, point: PointEstimate, what: str) -> Number:
    """The time of a point, or its bandwidth."""
    if analysis.run.is_simulated:
        time = Number(point.typical_s, Interval.exact(point.typical_s), point.launches)
    else:
        check_launches(analysis, point.launches)
        if point.interval is None:
            raise CannotTellError("the time has no interval", "measure it here, without --from")
        time = Number(point.typical_s, point.interval, point.launches)
    if what != BANDWIDTH:
        return time
    if point.bandwidth_Bps is None:
        raise CannotTellError("a message of 0 B has no bandwidth", "choose another size")
    volume = point.bandwidth_Bps * time.value
    interval = time.interval.through(lambda end: volume / end)
    return Number(point.bandwidth_Bps, interval, time.launches)


def _parameter(analysis: Analysis, quantity: Quantity) -> Number:
    try:
        fit = analysis.fit(quantity.model, **quantity.axes)
    except HockneyError as error:
        raise CannotTellError(error.message, error.advice or "measure what it needs") from error
    known = {**fit.parameters, **fit.derived}
    if quantity.name not in known:
        raise CannotTellError(
            f"{quantity.model} has no parameter {quantity.name!r}", f"it has {', '.join(known)}"
        )
    what = f"{quantity.model}'s {quantity.name}"
    return number_of(analysis, known[quantity.name], what, fit.launches)


def _between(first: Analysis, second: Analysis) -> Unseen | None:
    """How much equal runs differ, before any other run is known; None for one run and for
    simulated runs."""
    if first is second or first.run.is_simulated or second.run.is_simulated:
        return None
    smallest = [min(analysis.points_to_fit, key=lambda p: p.bytes) for analysis in (first, second)]
    (between,), _ = NONE_KNOWN.between([smallest])
    return between.of_two if between else None


def _ratio(of: Number, over: Number, between: Unseen | None = None) -> Number:
    """The ratio with the ends of both intervals, or wider where equal runs differ by more."""
    if over.interval.low <= 0.0:
        raise CannotTellError("a ratio over what may be 0 is no number", "choose another size")
    ratio, kind = of.value / over.value, common_kind([of, over])
    low, high = of.interval.low / over.interval.high, of.interval.high / over.interval.low
    if between is not None and of.interval.low > 0.0:
        halves = [log_half_width(number.interval, math.inf) for number in (of, over)]
        seen = math.hypot(*halves) / normal_quantile(1.0 - CONFIDENCE)
        reach = math.exp(float(between.distance(1.0 - CONFIDENCE, np.array([seen]))[0]))
        low, high = min(low, ratio / reach), max(high, ratio * reach)
    launches = min(of.launches, over.launches)
    return Number(ratio, Interval(low, high, kind=kind), launches)


def _exponent(analysis: Analysis, quantity: Quantity, chosen: list[PointEstimate]) -> Number:
    """The slope of ln(time) over ln(x), by least squares: n of a time that grows as x^n."""
    against = quantity.against or ""
    axis = "ranks" if against in ("others", "rounds") else against
    _check_alike(chosen, axis, *CHANGES_WITH.get(axis, ()), *PLACES)
    for value in {getattr(point, axis) for point in chosen}:
        _check_alike([point for point in chosen if getattr(point, axis) == value], *PLACES)
    known = [(_against(against, point), point) for point in chosen]
    logs = [(math.log(x), _of_point(analysis, p, quantity.take)) for x, p in known if x > 0.0]
    mean = sum(x for x, _ in logs) / max(len(logs), 1)
    spread = sum((x - mean) ** 2 for x, _ in logs)
    if spread == 0.0:
        raise CannotTellError(
            f"an exponent needs at least two values of {against}", f"measure several {axis}"
        )
    if any(number.interval.low <= 0.0 for _, number in logs):
        raise CannotTellError("a time may be 0", "choose other sizes")
    weights = [((x - mean) / spread, number) for x, number in logs]
    value = sum(w * math.log(number.value) for w, number in weights)
    ends = [
        sorted((w * math.log(number.interval.low), w * math.log(number.interval.high)))
        for w, number in weights
    ]
    numbers = [number for _, number in logs]
    low, high = map(sum, zip(*ends, strict=True))
    interval = Interval(low, high, kind=common_kind(numbers))
    return Number(value, interval, min(number.launches for number in numbers))


def _against(against: str, point: PointEstimate) -> float:
    """The value of a point that an exponent is taken against; 0 where it has none."""
    ranks = point.known_ranks
    if against == "others":
        return max(ranks - 1, 0)
    if against == "rounds":
        return (ranks - 1).bit_length() if ranks else 0
    return float(getattr(point, against) or 0)


def _over_fastest(analysis: Analysis, quantity: Quantity, chosen: list[PointEstimate]) -> Number:
    """The time of the claimed algorithm over that of the fastest of the others."""
    own = [point for point in chosen if point.algorithm == quantity.name]
    others = [point for point in chosen if point.algorithm != quantity.name]
    if not own or not others:
        have = ", ".join(sorted({point.algorithm or "default" for point in chosen}))
        raise CannotTellError(
            f"{quantity.name} was not measured beside others" if own or others else "no algorithm",
            f"there is {have}: name several with --algorithm",
        )
    _check_alike(chosen, "algorithm", *PARAMETERS)
    first = _of_point(analysis, _only(own), TIME)
    rest = [_of_point(analysis, point, TIME) for point in others]
    ends = (
        min(number.interval.low for number in rest),
        min(number.interval.high for number in rest),
    )
    fastest = Number(
        min(number.value for number in rest),
        Interval(*ends, kind=common_kind(rest)),
        min(number.launches for number in rest),
    )
    return _ratio(first, fastest)
