"""The output of `hockney compare`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from hockney.base.terminal import styled
from hockney.infer.analysis.between import UNKNOWN_RULE, Between
from hockney.infer.analysis.compare import PointDifference, RunComparison
from hockney.infer.estimate.differences import VERDICT_RULE, Judged
from hockney.infer.estimate.points import PointEstimate, by_curve, statistic_of
from hockney.plan.axes import texts_apart
from hockney.show.judged import least_shown, smallest_words
from hockney.show.table import aligned, microseconds


def show_comparison(comparison: RunComparison, tolerance: float) -> None:
    """Shows the verdict over all, then a row for each point."""
    base, other = comparison.base, comparison.other
    click.echo(styled(overall_words(comparison, tolerance), "bold") + "\n")
    click.echo(f"A: {base.label} ({base.path})\nB: {other.label} ({other.path})")
    for note in comparison.notes:
        click.echo(f"note: {note}", err=True)
    if comparison.points:
        what = statistic_of(each for p in comparison.points for each in (p.base, p.other))
        what = "medians" if what == "median" else f"{what} of launches"
        click.echo(f"{what} in us; ratio B/A (Hodges-Lehmann) with its 95 % interval\n")
        rows = [["bytes", "A", "B", "B/A", "95 % interval", "p", "shows from", "verdict"]]
        rows += [_row(point, tolerance) for point in comparison.points]
        names = ["curve", *_curves([point.base for point in comparison.points])]
        if any(names[1:]):
            rows = [[name, *row] for name, row in zip(names, rows, strict=True)]
        click.echo(aligned(rows))
        click.echo(
            "p: rank-sum test over all launches, corrected for the number of sizes "
            f"(Benjamini-Hochberg); {VERDICT_RULE}; shows from: smaller differences could not have "
            "been shown"
        )
        click.echo(between_words(comparison.between))
        if words := deciding_words(comparison):
            click.echo(words)


def _curves(points: Sequence[PointEstimate]) -> list[str]:
    """The text that distinguishes each point's curve from the others; empty where there is one
    curve."""
    groups = list(by_curve(points).values())
    named = zip(texts_apart(groups), groups, strict=True)
    found = {id(point): name for name, of_it in named for point in of_it}
    return [found[id(point)] for point in points]


def between_words(between: Between | None) -> str:
    """How much equal runs differ, which is part of intervals and p."""
    if between is None:
        return "simulated runs do not drift: launches alone are judged"
    size = f"{100.0 * between.deviation:.1f} %"
    if between.runs:
        return (
            f"between equal runs: standard deviation {size} as a whole, beyond what launches show, "
            f"from {between.runs} other runs; it is part of intervals and p"
        )
    return f"between equal runs: {UNKNOWN_RULE}: {size} as a whole; it is part of intervals and p"


def _row(point: PointDifference, tolerance: float) -> list[str]:
    difference = point.difference
    return [
        str(point.base.bytes),
        microseconds(point.base.typical_s),
        microseconds(point.other.typical_s),
        f"{difference.ratio:.3f}",
        _interval(difference),
        "-" if difference.p is None else f"{difference.p:.2g}",
        smallest_words(difference),
        verdict_words(difference, tolerance),
    ]


def _interval(difference: Judged) -> str:
    if difference.low is None or difference.high is None:
        return "-"
    return f"{difference.low:.3f} .. {difference.high:.3f}"


def verdict_words(difference: Judged, tolerance: float) -> str:
    if difference.verdict == "same":
        return f"same within {100.0 * tolerance:g} %"
    if difference.verdict != "unknown" and difference.within_tolerance:
        return f"{difference.verdict} by less than {100.0 * tolerance:g} %"
    return difference.verdict


def overall_words(comparison: RunComparison, tolerance: float) -> str:
    overall = comparison.overall
    if overall is None:
        return "as a whole: unknown"
    words = f"as a whole, B against A: {verdict_words(overall, tolerance)}"
    if overall.low is None:
        return f"{words}; {least_shown(overall)}"
    words += f" (ratio {overall.ratio:.3f}, 95 % interval {_interval(overall)})"
    if overall.verdict == "unknown":
        words += f"; {least_shown(overall)}"
    return words


def deciding_words(comparison: RunComparison) -> str:
    """Launches that would decide the points whose verdict is unknown (or else the whole), once for
    all."""
    unknown = [one for one in comparison.points if one.difference.verdict == "unknown"]
    if not unknown:
        return ""
    several = "point is" if len(comparison.points) == 1 else "points are"
    words = f"{len(unknown)} of {len(comparison.points)} {several} unknown"
    by_launches = [one for one in unknown if one.difference.needed is not None]
    if by_launches:
        words += f": {_launches_words(by_launches)}"
    left = len(unknown) - len(by_launches)
    if left and comparison.between is not None:
        which = f"{left} of them" if by_launches else "them"
        words += f"; no number of launches decides {which}: measure both in one run with --vary"
    return words


def _launches_words(points: Sequence[PointDifference]) -> str:
    """About how many launches of which side would decide: "about 5 launches of A would decide (A
    has 3; B has enough, 12)"."""
    needed = [one.difference.needed or 0 for one in points]
    least, most = min(needed), max(needed)
    number = f"{most}" if least == most else f"{least} to {most}"
    have = [min(one.base.launches for one in points), min(one.other.launches for one in points)]
    has_enough = [count >= most for count in have]
    if has_enough[0] == has_enough[1]:
        return f"about {number} launches of each would decide (A has {have[0]}, B {have[1]})"
    lacks, other = ("B", "A") if has_enough[0] else ("A", "B")
    count, enough = (have[1], have[0]) if has_enough[0] else (have[0], have[1])
    return (
        f"about {number} launches of {lacks} would decide ({lacks} has {count}; {other} has "
        f"enough, {enough})"
    )
