"""The gate of a run against an earlier one."""

from __future__ import annotations

from collections.abc import Mapping

from hockney.base.units import exact_percent, format_ratio, format_size
from hockney.infer.analysis.comparison.compare import (
    PointDifference,
    RunComparison,
    unlike_question,
)
from hockney.infer.analysis.comparison.judged_pairs import unseen_part
from hockney.infer.analysis.gate import Gate, failed, not_judged, passed
from hockney.infer.analysis.launches_needed import launches_needed
from hockney.infer.estimate.differences import Judged
from hockney.infer.estimate.interval import interval_words
from hockney.plan.axes import curve_text
from hockney.records import Run


def whole_gate(run: Run) -> Gate | None:
    """Not judged where the file of a run is not whole: what is missing may be what would fail."""
    if run.cut is None:
        return None
    return not_judged(f"{run.path} is not whole: {run.cut}", "measure it again")


def comparison_gate(comparison: RunComparison, allowed: float) -> Gate:
    """The gate of a run against an earlier one, by the rule of `hockney compare`."""
    label, overall = comparison.other.label, comparison.overall
    named = f'"{label}"'
    if comparison.is_with_itself:
        return not_judged(
            f"{named} is the very run of before", "compare it with an earlier measurement"
        )
    if words := unlike_question(comparison.base, comparison.other):
        return not_judged(
            f"{named} was measured otherwise than before: {words}", "measure it as before"
        )
    if comparison.is_slower(allowed):
        return failed([f"{named} takes {_worst(comparison)}"], [label])
    if comparison.failures[1]:
        new = comparison.failures[1]
        each = [
            f"{named}: {finding.what or finding.number}, which was not found before"
            for finding in new
        ]
        return failed(each, [name for finding in new for name in finding.names] or [label])
    gates = map(whole_gate, (comparison.base, comparison.other))
    if (not_whole := next(filter(None, gates), None)) is not None:
        return not_whole
    if overall is None:
        return not_judged(f"{named} cannot be compared with before: {comparison.notes[-1]}", "")
    if overall.interval is None:
        return not_judged(
            f"{named} cannot be compared with before: too few launches for an interval",
            f"measure both with {_launches_for_both(comparison)} or more (--launches, --budget)",
        )
    if overall.interval.high > 1.0 + allowed:
        return not_judged(
            f"{named} may take up to {format_ratio(overall.interval.high)} times as long as before",
            f"{_deciding_whole(comparison, overall, 1.0 + allowed)}: hockney compare --plan",
        )
    if comparison.only_base:
        return not_judged(
            f"{named} lacks what was measured before: {comparison.only_base}",
            "measure the same points",
        )
    open_ = [
        point
        for point in comparison.points
        if point.difference.verdict in ("unknown", "slower")
        and point.difference.ratio > 1.0 + allowed
    ]
    if open_:
        open_point = max(open_, key=lambda point: point.difference.ratio)
        size, known = format_size(open_point.base.bytes), _known(open_point.difference)
        return not_judged(
            f"{named} may be slower by more than {exact_percent(allowed)} at {size}: {known} times "
            "as long as before",
            _deciding_point(comparison, open_point, 1.0 + allowed),
        )
    return passed(f"no run is slower than before by more than {exact_percent(allowed)}")


def _worst(comparison: RunComparison) -> str:
    """The largest slowdown in words: at one point, or as a whole."""
    points = [point for point in comparison.points if point.difference.verdict == "slower"]
    curves = {curve_text(point.base) for point in comparison.points}
    names = comparison.variant_names if len(curves) > 1 else None
    each = [(point.difference.ratio, _where(point, names)) for point in points]
    overall = comparison.overall
    if overall is not None and overall.verdict == "slower":
        each.append((overall.ratio, "as a whole"))
    ratio, where = max(each)
    return f"{format_ratio(ratio)} times as long as before {where}"


def _where(point: PointDifference, variants: Mapping[str, str] | None) -> str:
    """The size, and the curve with these names of its variants; None: there is one curve."""
    size = f"at {format_size(point.base.bytes)}"
    return size if variants is None else f"{size} ({curve_text(point.base, variants)})"


def _deciding_point(comparison: RunComparison, point: PointDifference, bound: float) -> str:
    counts = point.base.launches, point.other.launches
    count = _values(counts, comparison.constant)
    needed = point.difference.needed_against(bound, count, point.unseen)
    if needed is None:
        return comparison.no_launches_words("it")
    return f"about {needed} launches of {_side(comparison)} would decide"


def _deciding_whole(comparison: RunComparison, overall: Judged, bound: float) -> str:
    first, second = comparison.means
    count = _values((len(first), len(second)), comparison.constant)
    unseen = unseen_part(comparison.between, comparison.constant)
    launches = "" if overall.needed_against(bound, count, unseen) is None else " or more launches"
    return f"earlier runs of this host (--memory){launches} would decide"


def _values(counts: tuple[int, int], constant: int | None) -> float:
    """The launches of each side that are worth as much as these (harmonic mean), or those of the
    side that was measured."""
    first, second = counts
    if constant is not None:
        return counts[1 - constant]
    return 2.0 * first * second / (first + second)


def _side(comparison: RunComparison) -> str:
    return "each" if comparison.constant is None else "AB"[1 - comparison.constant]


def _known(judged: Judged) -> str:
    return f"{format_ratio(judged.ratio)}{interval_words(judged.interval, format_ratio)}"


def _launches_for_both(comparison: RunComparison) -> int:
    """Launches of either run that give each common point an interval."""
    fewest = (
        min((point.base.launches for point in comparison.points), default=0),
        min((point.other.launches for point in comparison.points), default=0),
    )
    runs = (comparison.base, comparison.other)
    return max(launches_needed(run, counted) for run, counted in zip(runs, fewest, strict=True))
