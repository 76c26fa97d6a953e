"""The output of `hockney compare`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click

from hockney.base.terminal import styled
from hockney.base.units import exact_percent, format_size, from_to, how_many, plural
from hockney.infer.analysis.comparison.compare import PointDifference, RunComparison
from hockney.infer.analysis.comparison.comparison_plan import ComparisonPlan
from hockney.infer.analysis.gate import Gate
from hockney.infer.estimate.differences import VERDICT_RULE, Judged
from hockney.infer.estimate.points import by_curve, statistic_of
from hockney.infer.memory.components import BetweenRuns
from hockney.plan.axes import texts_apart
from hockney.show.decision_lines import failures_json, failures_text
from hockney.show.tables.as_json import axes_json
from hockney.show.tables.judged import is_exact, least_shown, percent, ratio_columns, ratio_limits
from hockney.show.tables.table import (
    TableColumn,
    between,
    estimate_json,
    json_field,
    row_json,
    table_text,
    through,
    time_column,
)

EXACT = "simulated runs repeat exactly: ratios are judged by the tolerance alone"
NOTHING_TO_PLAN = "simulated runs repeat exactly: any difference is shown"

UNJUDGED = (
    "nothing was judged: every verdict is unknown, which is no failure (exit status 0); with "
    "--gate it is NOT JUDGED (3)"
)

COLUMNS: list[TableColumn[PointDifference]] = [
    TableColumn("bytes", lambda row: row.base.bytes),
    json_field("statistics", lambda row: [row.base.statistic, row.other.statistic]),
    time_column("A", lambda row: row.base, "base_typical_s"),
    time_column("B", lambda row: row.other, "other_typical_s"),
    json_field("base_median_s", lambda row: row.base.median_s),
    json_field("other_median_s", lambda row: row.other.median_s),
    *through(lambda row: row.difference, *ratio_columns(ratio="B/A")),
    TableColumn("p", lambda row: row.difference.p, "{:.2g}".format),
    TableColumn("finds 80 %", lambda row: row.difference.found_in_80, percent),
]


def show_comparison(comparison: RunComparison, tolerance: float) -> None:
    """Shows the verdict over all, then a row for each point."""
    base, other = comparison.base, comparison.other
    first = [overall_words(comparison, tolerance), *failures_text(comparison.failures)]
    click.echo("\n".join(styled(line, "bold") for line in first) + "\n")
    click.echo(f"A: {base.label} ({base.path})\nB: {other.label} ({other.path})")
    for note in comparison.notes:
        click.echo(f"note: {note}", err=True)
    if comparison.points:
        what = statistic_of(each for p in comparison.points for each in (p.base, p.other))
        what = "medians" if what == "median" else f"{what} of launches"
        how = ", exact" if comparison.is_exact else " (Hodges-Lehmann) with its 95 % interval"
        click.echo(f"{what} in us; ratio B/A{how}\n")
        names = _curves(comparison)
        columns: list[TableColumn[PointDifference]] = [
            TableColumn(
                "curve", lambda row: names[id(row.base)], shown=lambda _: any(names.values())
            ),
            *COLUMNS,
            TableColumn("verdict", lambda point: verdict_words(point.difference, tolerance)),
        ]
        click.echo(table_text(columns, comparison.points))
        if comparison.is_exact:
            click.echo(EXACT)
        elif any(point.difference.interval is not None for point in comparison.points):
            click.echo(between_words(comparison.between))
        if words := deciding_words(comparison):
            click.echo(words)


def against_lines(comparisons: Sequence[RunComparison], tolerance: float) -> list[str]:
    """A line for each run of a suite against an earlier one, and how much equal runs differ."""
    columns: list[TableColumn[RunComparison]] = [
        TableColumn("run", lambda row: row.other.label),
        TableColumn("against", lambda row: str(row.base.path)),
        TableColumn(
            "as a whole",
            lambda row: verdict_words(row.overall, tolerance) if row.overall else "unknown",
        ),
        TableColumn("ratio", lambda row: (row.overall and _ratio_words(row.overall)) or "-"),
        TableColumn("between equal runs", lambda row: _between_source(row.between)),
    ]
    notes = dict.fromkeys(
        f"{comparison.other.label}: {note}"
        for comparison in comparisons
        for note in comparison.notes
    )
    return [table_text(columns, comparisons), *notes, ""]


def _ratio_words(judged: Judged) -> str | None:
    """The interval of a ratio, or an exact ratio itself."""
    return f"{judged.ratio:.3f}, exact" if is_exact(judged) else ratio_limits(judged)


def _between_source(between: BetweenRuns | None) -> str:
    if between is None:
        return "simulated"
    size = percent(between.deviation)
    return f"{size}, from {how_many(between.runs, 'run')}" if between.runs else f"{size}, assumed"


def rule_of_comparisons() -> str:
    """What the columns hold, and the rule of verdicts."""
    return (
        "p: rank-sum test over all launches, corrected for the number of sizes "
        f"(Benjamini-Hochberg); {VERDICT_RULE}; finds 80 %: the smallest difference that is shown "
        "in 80 of 100 such comparisons"
    )


def _curves(comparison: RunComparison) -> dict[int, str]:
    """The text that distinguishes each point's curve from the others, by id; empty where there is
    one curve."""
    groups = list(by_curve(point.base for point in comparison.points).values())
    named = zip(texts_apart(groups, comparison.variant_names), groups, strict=True)
    return {id(point): name for name, of_it in named for point in of_it}


def between_words(between: BetweenRuns | None) -> str:
    """How much equal runs differ, which is part of intervals and p."""
    if between is None:
        return "simulated runs do not drift: launches alone are judged"
    size = f"{percent(between.deviation)} as a whole"
    limits = " to ".join(percent(limit).removesuffix(" %") for limit in between.limits)
    if between.runs:
        return (
            f"between equal runs: standard deviation {size} beyond what launches show (90 %: "
            f"{limits}), from {how_many(between.runs, 'run')}; it is part of intervals and p"
        )
    return (
        f"how much runs of this host differ is not known: assumed {size} (prior, 90 %: {limits}); "
        "one earlier run of the same question, beside the files, in --history or --memory, shows "
        "more"
    )


def verdict_words(difference: Judged, tolerance: float) -> str:
    if difference.verdict == "same":
        return f"same within {exact_percent(tolerance)}"
    if difference.verdict != "unknown" and difference.within_tolerance:
        return f"{difference.verdict} by less than {exact_percent(tolerance)}"
    return difference.verdict


def overall_words(comparison: RunComparison, tolerance: float) -> str:
    overall = comparison.overall
    if overall is None:
        return "as a whole: unknown"
    words = f"as a whole, B against A: {verdict_words(overall, tolerance)}"
    if overall.interval is None:
        return f"{words}; {least_shown(overall)}"
    if comparison.is_exact:
        return f"{words} (ratio {overall.ratio:.3f}, exact){_slower_points(comparison, tolerance)}"
    limits = between(overall.interval, "{:.3f}".format)
    words += f" (ratio {overall.ratio:.3f}, 95 % interval {limits})"
    return f"{words}; {detectable_words(overall)}{_slower_points(comparison, tolerance)}"


def _slower_points(comparison: RunComparison, tolerance: float) -> str:
    """The points at which B is surely slower, if it is not slower as a whole: they decide the exit
    status."""
    slower = comparison.slower_points(tolerance)
    if not slower or comparison.verdict == "slower":
        return ""
    worst = max(slower, key=lambda point: point.difference.ratio)
    return (
        f"\nslower at {len(slower)} of {how_many(len(comparison.points), 'point')}, most at "
        f"{format_size(worst.base.bytes)}: ratio {worst.difference.ratio:.3f} "
        f"({ratio_limits(worst.difference)})"
    )


def detectable_words(judged: Judged) -> str:
    """The smallest difference that such a comparison finds, beside a verdict."""
    if judged.found_in_80 is None:
        return "no difference could have been shown"
    return f"a difference of {percent(judged.found_in_80)} would be found in 80 of 100 comparisons"


def deciding_words(comparison: RunComparison) -> str:
    """Launches that would decide the points whose verdict is unknown, or that an interval takes,
    once for all."""
    unknown = [point for point in comparison.points if point.difference.verdict == "unknown"]
    if not unknown:
        return ""
    is_unknown = "is unknown" if len(comparison.points) == 1 else "are unknown"
    words = f"{len(unknown)} of {how_many(len(comparison.points), 'point')} {is_unknown}"
    without = [point for point in unknown if point.difference.interval is None]
    judged = [point for point in unknown if point.difference.interval is not None]
    by_launches = [point for point in judged if point.difference.needed is not None]
    parts = []
    if without:
        parts.append(
            "an interval takes at least {} of {} ({})".format(*_of_sides(without, comparison))
        )
    if by_launches:
        parts.append("about {} of {} would decide ({})".format(*_of_sides(by_launches, comparison)))
    if parts:
        words += f": {'; '.join(parts)}"
    left = len(judged) - len(by_launches)
    if left and comparison.between is not None:
        which = f"{left} of them" if parts else "them"
        words += f"; {comparison.no_launches_words(which)}"
    return words


def _of_sides(points: Sequence[PointDifference], comparison: RunComparison) -> tuple[str, str, str]:
    """How many launches these points need, of which side, and how many there are: "5 launches",
    "A", "A has 3; B has enough, 12"; of a side that repeats exactly none are needed."""
    needed = [point.difference.needed or 0 for point in points]
    most = max(needed)
    launches = f"{from_to(needed)} {plural(most, 'launch')}"
    have = [
        min(point.base.launches for point in points),
        min(point.other.launches for point in points),
    ]
    if comparison.constant is not None:
        side = 1 - comparison.constant
        return launches, "AB"[side], f"{'AB'[side]} has {have[side]}"
    has_enough = [count >= most for count in have]
    if has_enough[0] == has_enough[1]:
        return launches, "each", f"A has {have[0]}, B {have[1]}"
    lacks, other = ("B", "A") if has_enough[0] else ("A", "B")
    count, enough = (have[1], have[0]) if has_enough[0] else (have[0], have[1])
    return launches, lacks, f"{lacks} has {count}; {other} has enough, {enough}"


def _difference_json(difference: Judged | None) -> dict[str, Any]:
    if difference is None:
        return {"verdict": "unknown"}
    fields = estimate_json(difference)
    return {**fields, "launches_needed": fields.pop("needed")}


def _between_json(between: BetweenRuns | None) -> dict[str, Any] | None:
    if between is None:
        return None
    low, high = between.limits
    return {
        "deviation": between.deviation,
        "low": low,
        "high": high,
        "freedom": between.freedom,
        "runs": between.runs,
    }


def plan_lines(comparison: RunComparison, plan: ComparisonPlan | None) -> list[str]:
    """The ways to show the difference that is looked for, and which of them do not help."""
    if comparison.is_exact:
        return [NOTHING_TO_PLAN]
    if plan is None:
        return ["how to show it is unknown: fewer than 2 launches of a run have every point"]
    counts = [len(values) for values in comparison.means]
    side, have = "each run", f"they have {counts[0]} and {counts[1]}"
    if comparison.constant is not None:
        measured = 1 - comparison.constant
        side, have = "AB"[measured], f"it has {counts[measured]}"
    lines = [f"to show {exact_percent(plan.difference)} as a whole in 80 of 100 comparisons:"]
    if plan.launches is not None:
        lines.append(f"  {how_many(plan.launches, 'launch')} of {side} ({have})")
    else:
        least = percent(plan.least_by_launches)
        lines.append(f"  more launches do not help: equal runs differ, which hides up to {least}")
    runs, launches = plan.earlier_runs, plan.their_launches
    if plan.launches is None and runs is not None and launches is not None:
        lines.append(
            f"  {how_many(runs, 'earlier run')} of the same question, if runs differ "
            f"as assumed, and {how_many(launches, 'launch')} of {side}"
        )
    elif plan.launches is None:
        least = percent(plan.least_by_runs)
        lines.append(f"  nor do earlier runs: with any number, {least} would be shown")
    if plan.blocks is not None:
        lines.append(
            "  both in one run with --vary: about "
            f"{how_many(plan.blocks, 'block')} of a launch each"
        )
    return lines


def comparison_json(
    comparisons: Sequence[RunComparison],
    plans: Sequence[ComparisonPlan | None],
    gate: Gate | None = None,
) -> dict[str, Any]:
    """The first comparison's points and verdict, as two files are the usual case; all of them
    under "comparisons"; and the gate, where there is one."""
    each = [
        {
            "base": comparison.base.label,
            "other": comparison.other.label,
            "files": [str(comparison.base.path), str(comparison.other.path)],
            "points": [
                {
                    **axes_json(point.base),
                    **row_json(COLUMNS, point),
                    **_difference_json(point.difference),
                }
                for point in comparison.points
            ],
            "overall": _difference_json(comparison.overall),
            "verdict": comparison.verdict,
            "failures": failures_json(comparison.failures),
            "between_runs": _between_json(comparison.between),
            "notes": list(comparison.notes),
            "plan": asdict(plan) if plan else None,
        }
        for comparison, plan in zip(comparisons, plans, strict=True)
    ]
    verdict = {"gate": asdict(gate)} if gate is not None else {}
    first = each[0]
    return {**verdict, "points": first["points"], "verdict": first["verdict"], "comparisons": each}
