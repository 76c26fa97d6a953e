"""Shows a history to people and programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hockney.base.units import exact_percent, first_few, format_rate, format_seconds, how_many
from hockney.infer.analysis.decision import Decision
from hockney.infer.analysis.history.changes import CHANGE_RULE, DRIFT_RULE
from hockney.infer.analysis.history.histories import MANY_RULE, WORSE_RULE, History, RunPoint, Trend
from hockney.infer.estimate.interval import high_of, low_of
from hockney.show.decision_lines import decision_json
from hockney.show.tables.table import TableColumn, json_field, row_json, table_text

MOST_CHANGES = 12
"""Most listed differences of one change point; the rest is counted."""
MOST_SHOWN = 1e12
"""Largest run length that is shown: larger ones are too uncertain."""


def history_lines(history: History) -> list[str]:
    """Trends, change points and the verdict. With several curves, only those that changed show
    their runs."""
    lines = [f"{history.name}: {how_many(len(history.runs), 'run')}"]
    if history.runs:
        first, last = history.runs[0].started, history.runs[-1].started
        lines[0] += f", {first:%Y-%m-%d %H:%M}"
        lines[0] += f" to {last:%Y-%m-%d %H:%M}" if last > first else ""
    lines += [
        f"left out, without the curves or sizes of the others: {file}" for file in history.left_out
    ]
    lines += [
        f"the newest run by itself: {finding.what}, {finding.number}" for finding in history.failed
    ]
    for trend in history.trends:
        if trend.curve and not trend.changes and not trend.drift:
            lines.append(f"{trend.words}: {_number(trend)(trend.level)}, {_verdict(trend)}")
    if history.between:
        lines.append(_between_line(history))
    for trend in history.trends:
        if not trend.curve or trend.changes or trend.drift:
            table = table_text(_columns(trend), trend.points)
            lines += ["", trend.words, table, *_change_lines(trend), _verdict(trend)]
    return lines


def _between_line(history: History) -> str:
    """What became of the sizes that have no table of their own."""
    sizes = how_many(history.between, "size")
    if any(trend.is_between for trend in history.trends):
        return f"judged as well: {sizes} between, the worst shown below"
    is_ends = any(trend.worse for trend in history.trends)
    if not is_ends and not any(trend.enough for trend in history.trends):
        return f"not judged either: {sizes} between, as there are too few runs"
    known = "not shown, as an end is worse" if is_ends else "none worse"
    return f"judged as well: {sizes} between, {known}"


def _number(trend: Trend) -> Callable[[float], str]:
    return format_rate if trend.unit == "B/s" else format_seconds


def rule_line(tolerance: float) -> str:
    return (
        f"rule: {CHANGE_RULE}; {DRIFT_RULE}; {MANY_RULE}; {WORSE_RULE}; "
        f"tolerance {exact_percent(tolerance)}"
    )


def _columns(trend: Trend) -> list[TableColumn[RunPoint]]:
    text = _number(trend)
    changed = {id(trend.points[change.index]) for change in trend.changes}
    return [
        json_field("id", lambda point: point.id),
        TableColumn("started", lambda point: f"{point.started:%Y-%m-%d %H:%M:%S}"),
        json_field("started", lambda point: point.started.isoformat()),
        json_field("file", lambda point: point.file),
        TableColumn("value", lambda point: point.value, text, "value"),
        TableColumn("low", lambda point: low_of(point.interval), text, "low"),
        TableColumn("high", lambda point: high_of(point.interval), text, "high"),
        TableColumn("", lambda point: "changed" if id(point) in changed else ""),
        TableColumn("file", lambda point: point.file),
    ]


def _change_lines(trend: Trend) -> list[str]:
    lines = []
    if trend.drift:
        lines.append(
            f"trend: a slow drift to {trend.drift.ratio:.3f} times the first run's value, without "
            f"a step ({rarity_text(trend.drift.run_length, 'runs')})"
        )
    for change in trend.changes:
        begun = ""
        if change.first != change.last:
            begun = (
                f", begun between {change.first:%Y-%m-%d %H:%M} and {change.last:%Y-%m-%d %H:%M}"
            )
        lines.append(
            f"change point at {change.started:%Y-%m-%d %H:%M:%S}: {change.ratio:.3f} times what it "
            f"was before{begun} ({rarity_text(change.run_length, 'runs')})"
        )
        changed = [f"{name}: {old or '-'} -> {new or '-'}" for name, old, new in change.changed]
        changed = changed or ["the records of the runs before and after show no difference"]
        lines += [f"    {line}" for line in first_few(changed, MOST_CHANGES)]
    return lines


def rarity_text(run_length: float, of_what: str) -> str:
    """How rarely such a change is seen where nothing changes."""
    return f"by chance once in {min(run_length, MOST_SHOWN):,.0f} {of_what}"


def _verdict(trend: Trend) -> str:
    if trend.worse:
        return f"worse: {trend.worse}"
    return "not worse" if trend.enough else "not worse, but there are too few runs to be sure"


def history_json(
    histories: Sequence[History], tolerance: float, decision: Decision | None = None
) -> dict[str, Any]:
    return {
        "systems": [
            {
                "system": history.system,
                "runs": len(history.runs),
                "left_out": list(history.left_out),
                "sizes_between": history.between,
                "worse": bool(history.worse),
                "newest_failed": bool(history.failed),
                "trends": [_trend_json(trend) for trend in history.trends],
            }
            for history in histories
        ],
        "verdict": decision_json(decision),
        "tolerance": tolerance,
        "worse": any(history.worse for history in histories),
    }


def _trend_json(trend: Trend) -> dict[str, Any]:
    return {
        "what": trend.what,
        "unit": trend.unit,
        "curve": trend.curve or None,
        "bytes": trend.bytes,
        "level": trend.level,
        "worse": trend.worse,
        "enough": trend.enough,
        "drift": trend.drift._asdict() if trend.drift else None,
        "points": [row_json(_columns(trend), point) for point in trend.points],
        "changes": [
            {
                "index": change.index,
                "started": change.started.isoformat(),
                "ratio": change.ratio,
                "first": change.first.isoformat(),
                "last": change.last.isoformat(),
                "run_length": change.run_length,
                "changed": [
                    {"name": name, "before": before, "after": after}
                    for name, before, after in change.changed
                ],
            }
            for change in trend.changes
        ],
    }
