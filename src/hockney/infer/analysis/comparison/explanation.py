"""Why two runs differ: how much of the difference each factor explains, and what is left."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from hockney.base.errors import UsageError
from hockney.base.grouping import by_key
from hockney.base.units import whole_percent
from hockney.infer.analysis.comparison.common_points import (
    above_0,
    common_points,
    not_compared,
    zero_notes,
)
from hockney.infer.analysis.comparison.compare import PointDifference
from hockney.infer.analysis.comparison.effects import (
    FORM_WORDS,
    FORMS,
    Form,
    Gap,
    Limits,
    best_prediction,
    form_of,
    span_of,
    without_border,
)
from hockney.infer.analysis.comparison.factor import DifferingFactor, Kind
from hockney.infer.analysis.comparison.factors import factors_of, own_axes
from hockney.infer.analysis.comparison.judged_pairs import judged_pairs
from hockney.infer.analysis.comparison.run_drift import RunDrift
from hockney.infer.analysis.conditions.traces import hosts_of
from hockney.infer.analysis.findings import Failures, failures_apart
from hockney.infer.analysis.gate import Gate, not_judged
from hockney.infer.arrays import Array
from hockney.infer.estimate.differences import Judged
from hockney.infer.estimate.interval import log_half_width
from hockney.infer.memory.host import EarlierRun
from hockney.plan.axes import curve_key

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis
    from hockney.infer.fitting.fit import Fit

ENOUGH = 0.9
"""Part of a difference from which it counts as explained."""
LEAST_PART = 0.1
"""Smallest part of a difference for which a factor is named: of less, chance would name some."""
AS_MUCH = 0.8
"""A more specific factor is named before another if it explains this part of what that one does."""


@dataclass(frozen=True)
class Cause:
    factor: DifferingFactor
    part: float
    """Fraction of the whole difference (the sum over points of the logarithms of ratios)."""
    instead: tuple[str, ...] = ()
    """Factors that would explain as much: these runs cannot tell which it is."""


@dataclass(frozen=True)
class Cleared:
    """A factor that differs and is not named."""

    factor: DifferingFactor
    why: str


@dataclass(frozen=True)
class Explanation:
    first: Analysis
    second: Analysis
    points: tuple[PointDifference, ...]
    causes: tuple[Cause, ...]
    """In the order of what they explain."""
    cleared: tuple[Cleared, ...]
    form: str | None
    """A name of effects.FORMS; None where no difference is shown, and where one size shows none."""
    span: tuple[int, int] | None
    """Sizes between which alone a difference is shown; None if it is not so."""
    gate: Gate | None = None
    """Why nothing could be judged; None if something could."""
    question: tuple[str, ...] = ()
    """The words of a command that would let it be judged."""
    whole: Judged | None = None
    """The runs as a whole; None where launches do not show it."""
    notes: tuple[str, ...] = ()
    """What was left out, and why."""
    failures: Failures = ((), ())
    """Failed findings that one run alone has, A's first."""

    @property
    def ends_by(self) -> Gate | None:
        """What decides the exit status: the gate, unless a failure answers the question."""
        return None if self.points and any(self.failures) else self.gate

    @property
    def shown(self) -> list[PointDifference]:
        """Points with a difference that is shown, and more than the tolerance; all of them where
        only the whole shows one."""
        at_points = [point for point in self.points if point.difference.matters]
        return at_points or (list(self.points) if self.is_of_whole else [])

    @property
    def is_of_whole(self) -> bool:
        """Whether the runs differ as a whole, and surely at no point."""
        if any(point.difference.matters for point in self.points):
            return False
        return self.whole is not None and self.whole.matters

    @property
    def shown_from(self) -> Judged | None:
        """The comparison of the point with the median smallest difference that could have been
        shown; None if none could at any point."""
        known = [
            (point.difference.smallest_difference, place)
            for place, point in enumerate(self.points)
            if point.difference.smallest_difference
        ]
        if not known:
            return None
        _, place = sorted(known)[len(known) // 2]
        return self.points[place].difference

    @property
    def unexplained(self) -> float:
        """The part of the difference that no cause explains."""
        return max(1.0 - sum(cause.part for cause in self.causes), 0.0) if self.shown else 0.0

    @property
    def is_explained(self) -> bool:
        return self.unexplained <= 1.0 - ENOUGH + 1e-9

    @property
    def of_unknown_effect(self) -> list[str]:
        """Settings that differ and may act, though nothing recorded shows what they do."""
        factors = (cleared.factor for cleared in self.cleared)
        return [f.name for f in factors if f.kind == Kind.UNKNOWN and not f.why_not and f.change]

    @property
    def fits(self) -> tuple[Fit, Fit] | None:
        """Hockney's lines through both runs; None where one has none."""
        lines = self.first.line(), self.second.line()
        return None if lines[0] is None or lines[1] is None else (lines[0], lines[1])

    @property
    def typical_ratio(self) -> float | None:
        """The median ratio over the points with a difference, or the whole's; None without one."""
        if self.is_of_whole and self.whole is not None:
            return self.whole.ratio
        ratios = [point.difference.ratio for point in self.shown]
        return float(np.median(ratios)) if ratios else None


def explanation(
    first: Analysis, second: Analysis, tolerance: float, earlier: Sequence[EarlierRun] = ()
) -> Explanation:
    """Explains how B differs from A. earlier: more runs, which show how much equal ones differ."""
    return replace(
        _explanation(first, second, tolerance, earlier), failures=failures_apart(first, second)
    )


def _explanation(
    first: Analysis, second: Analysis, tolerance: float, earlier: Sequence[EarlierRun]
) -> Explanation:
    paths = [analysis.run.path for analysis in (first, second)]
    if first.run.header.id == second.run.header.id:
        raise UsageError(f"{paths[0]} and {paths[1]} are the same run", "name two runs")
    experiments = [analysis.run.header.experiment for analysis in (first, second)]
    if experiments[0] != experiments[1]:
        why = f"A measured {experiments[0]} and B {experiments[1]}, which no point has in common"
        return _nothing(first, second, why)
    besides = tuple(own_axes(first, second))
    both = first.of_every_launch, second.of_every_launch
    common = common_points(*both, (0, 0), besides)
    pairs = above_0(common)
    if not pairs:
        return _nothing(
            first, second, "; ".join(zero_notes(common)) or "the runs have no point in common"
        )
    drift = RunDrift.of((first, second), 0, earlier)
    both_judged = judged_pairs((first.run, second.run), pairs, tolerance, drift)
    points = tuple(
        PointDifference(*pair, difference, unseen)
        for pair, difference, unseen in zip(
            pairs, both_judged.points, both_judged.unseen, strict=True
        )
    )
    whole = None if both_judged.is_exact else both_judged.whole
    names = {**second.variant_names, **first.variant_names}
    lacks = not_compared(common, *both, (0, 0), names)
    judged = Explanation(first, second, points, (), (), None, None, whole=whole)
    return replace(
        _explained(judged, tolerance, both_judged.constant),
        notes=(*lacks, *drift.notes, *_moved(first), *_moved(second)),
    )


def _explained(judged: Explanation, tolerance: float, constant: int | None) -> Explanation:
    """constant: the side that is exact, so that the launches of the other alone count."""
    factors = factors_of(judged.first, judged.second)
    unknown = sum(point.difference.interval is None for point in judged.points)
    if not judged.shown:
        gate = None
        if unknown:
            many = f"at {unknown} of {len(judged.points)} points " if len(judged.points) > 1 else ""
            fewest = (
                "5 launches on a side" if constant is None else f"6 launches of {'BA'[constant]}"
            )
            why = f"{many}there are fewer than {fewest}"
            gate = not_judged(why, "measure more: --launches 18")
        return replace(judged, cleared=_all_cleared(factors), gate=gate)
    whole = judged.whole if judged.is_of_whole else None
    gaps = _gaps(judged.points, tolerance, whole)
    causes, cleared = _attributed(gaps, factors)
    form = form_of(gaps) if len({point.base.bytes for point in judged.points}) > 1 else None
    return replace(judged, causes=causes, cleared=cleared, form=form, span=span_of(gaps))


def _moved(analysis: Analysis) -> list[str]:
    """A note where launches ran on different hosts: the most frequent hosts are taken."""
    run = analysis.run
    places = {hosts_of(launch, run.taking_part) for launch in run.launches}
    if len(places) < 2:
        return []
    return [
        f"{analysis.label}: launches ran on {len(places)} sets of hosts; the most frequent is taken"
    ]


def _gaps(points: Sequence[PointDifference], tolerance: float, whole: Judged | None) -> list[Gap]:
    """whole: where it alone shows a difference, which is then at all points."""
    curves = by_key(points, lambda point: curve_key(point.base))
    return [_gap(of_it, tolerance, whole) for of_it in curves.values()]


def _gap(points: Sequence[PointDifference], tolerance: float, whole: Judged | None) -> Gap:
    judged = [whole or point.difference for point in points]
    halves = [log_half_width(each.interval, math.inf) for each in judged]
    return Gap(
        bytes=np.array([point.base.bytes for point in points], dtype=np.float64),
        base_s=np.array([point.base.typical_s for point in points]),
        log_ratio=np.array([math.log(point.difference.ratio) for point in points]),
        half=np.maximum(np.array(halves), math.log1p(tolerance)),
        shown=np.array([each.matters for each in judged]),
    )


def _attributed(
    gaps: Sequence[Gap], factors: Sequence[DifferingFactor]
) -> tuple[tuple[Cause, ...], tuple[Cleared, ...]]:
    """Factors one after another, each the one that explains the most of what is left."""
    size = sum(gap.size for gap in gaps)
    left, rest = list(gaps), [factor for factor in factors if _may_act(factor)]
    of_all = _weighed(gaps, rest)
    causes: list[Cause] = []
    while rest and sum(gap.size for gap in left) > (1.0 - ENOUGH) * size:
        of_left = _weighed(left, rest) if causes else of_all
        best_forms = [_best(of_left[factor.name]) for factor in rest]
        parts = [form.part / size for form in best_forms]
        most = max(parts)
        if most < LEAST_PART:
            break
        enough = [i for i, part in enumerate(parts) if part >= AS_MUCH * most]
        best = min(enough, key=lambda i: (rest[i].kind, -parts[i]))
        chosen = rest[best]
        instead = [rest[i].name for i in enough if i != best and rest[i].kind == chosen.kind]
        causes.append(Cause(chosen, min(parts[best], 1.0), tuple(instead)))
        predicted = best_forms[best].predicted
        left = [gap.without(prediction) for gap, prediction in zip(left, predicted, strict=True)]
        rest.remove(chosen)
    named = {cause.factor.name for cause in causes}
    settings = [cause for cause in causes if cause.factor.kind == Kind.SETTING]
    is_explained = sum(cause.part for cause in settings) >= ENOUGH - 1e-9
    because = [cause.factor.name for cause in settings] if is_explained else []
    cleared = [
        Cleared(factor, _why_cleared(factor, of_all.get(factor.name), size, because))
        for factor in factors
        if factor.name not in named
    ]
    return tuple(sorted(causes, key=lambda cause: -cause.part)), tuple(cleared)


def _may_act(factor: DifferingFactor) -> bool:
    """Whether a factor may be named: nothing recorded shows what one of unknown effect did."""
    return not factor.why_not and factor.kind != Kind.UNKNOWN


@dataclass(frozen=True)
class _Described:
    """What a form describes of the differences."""

    predicted: Sequence[Array]
    part: float
    """The logarithms of ratios that it accounts for."""
    instead: str | None = None
    """The name of the form without a border that describes the most of the differences, if it is as
    much as this form with one does: then nothing shows the border."""


def _weighed(
    gaps: Sequence[Gap], factors: Sequence[DifferingFactor]
) -> dict[str, list[_Described]]:
    """What each form of the factors describes, by the factors' names, and at last nothing."""

    def described(predicted: Sequence[Array]) -> _Described:
        left = (gap.size - gap.left(own) for gap, own in zip(gaps, predicted, strict=True))
        return _Described(predicted, sum(left))

    def best_of(form: Form, limits: Limits) -> _Described:
        return described([best_prediction(gap, form, limits) for gap in gaps])

    @cache
    def without_limits(name: str) -> float:
        return best_of(FORMS[name], Limits()).part

    def weighed(form: Form, limits: Limits) -> _Described:
        own = best_of(form, limits)
        other = max(without_border(form), key=without_limits, default=None)
        is_as_much = other is not None and without_limits(other) >= own.part > 0.0
        return replace(own, instead=other if is_as_much else None)

    nothing = described([np.zeros_like(gap.log_ratio) for gap in gaps])
    return {
        factor.name: [*(weighed(form, factor.limits) for form in factor.forms), nothing]
        for factor in factors
    }


def _best(weighed: Sequence[_Described]) -> _Described:
    """The first form that leaves the least, of those whose border the difference has, if any."""
    return max((form for form in weighed if form.instead is None), key=lambda form: form.part)


def _why_cleared(
    factor: DifferingFactor,
    weighed: Sequence[_Described] | None,
    size: float,
    because: Sequence[str],
) -> str:
    """weighed: against all differences, of this size together; None if it cannot act. because: the
    settings that explain all of it, if they do: what was seen to change then follows from them."""
    if factor.why_not:
        return factor.why_not
    if weighed is None:
        return "its effect is unknown: --try measures it"
    part = _best(weighed).part / size
    if part >= LEAST_PART and because and factor.kind == Kind.TRACE:
        explain = "explains" if len(because) == 1 else "together explain"
        return f"changed as well, with {' and '.join(because)}, which {explain} the difference"
    if part >= LEAST_PART:
        return f"could explain up to {whole_percent(min(part, 1.0))} of it instead"
    most = max(form.part for form in weighed)
    instead = (form.instead for form in weighed if form.part == most)
    if name := next(filter(None, instead), None):
        return f"the difference does not begin or end there: it is {FORM_WORDS[name]}"
    return "differs, but cannot explain this form"


def _all_cleared(factors: Sequence[DifferingFactor]) -> tuple[Cleared, ...]:
    return tuple(
        Cleared(factor, factor.why_not or "differs, but there is nothing to explain")
        for factor in factors
    )


def _nothing(first: Analysis, second: Analysis, why: str) -> Explanation:
    """An explanation without causes, as no point is common; its question is the command of A."""
    command = first.run.header.environment.get("command")
    words = tuple(map(str, command)) if isinstance(command, list) else ()
    gate = not_judged(why, f"measure {first.run.header.experiment} with B as with A")
    return Explanation(first, second, (), (), (), None, None, gate, words)
