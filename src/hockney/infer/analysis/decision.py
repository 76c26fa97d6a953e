"""The verdict of one or many runs: accepted, not accepted or not judged, with the findings that
decide it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hockney.base.units import format_rate, format_ratio, format_seconds, format_size, how_many
from hockney.infer.analysis.comparison.comparison_gate import comparison_gate
from hockney.infer.analysis.findings import DecidingFinding, explainer, of_cut, of_gate
from hockney.infer.analysis.gate import FAILED, NOT_JUDGED, PASSED, Status
from hockney.infer.analysis.history.changes import LAST
from hockney.infer.analysis.history.histories import History, Trend
from hockney.infer.estimate.interval import interval_words

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis
    from hockney.infer.analysis.comparison.compare import RunComparison

MOST_DECIDING = 3
"""Findings that are shown with a verdict: more are not read."""
NOTABLE = 0.1
"""Fraction by which one run must be worse than any other for a hint."""
WORDS = {PASSED: "accepted", FAILED: "not accepted", NOT_JUDGED: "not judged"}


@dataclass(frozen=True)
class Decision:
    findings: tuple[DecidingFinding, ...]
    """All, those that decide first."""
    unheld: tuple[str, ...] = ()
    """Labels of the runs that were compared with nothing, where others were."""
    is_relative: bool = False
    """Whether runs are accepted by comparing only their own parts: what is slow everywhere
    passes."""
    left_out: tuple[str, ...] = ()
    """Runs of the plan that were not measured, and why."""

    @property
    def status(self) -> Status:
        """Failed if anything did; else not judged if anything was not, or nothing was."""
        statuses = {finding.status for finding in self.findings}
        return next((status for status in (FAILED, NOT_JUDGED) if status in statuses), PASSED)

    @property
    def words(self) -> str:
        return WORDS[self.status]

    @property
    def deciding(self) -> tuple[DecidingFinding, ...]:
        return self.findings[:MOST_DECIDING]


ORDER = {FAILED: 0, NOT_JUDGED: 1, PASSED: 2}
NO_NUMBER = DecidingFinding(NOT_JUDGED, "no number was measured", "", "", "")


def decided(findings: Iterable[DecidingFinding]) -> Decision | None:
    """The verdict of findings, the worst first, and what explains others before them; None without
    any."""
    known = list(findings)
    each = [_explained(finding, known) for finding in known]
    order = sorted(each, key=lambda pair: (ORDER[pair[0].status], pair[1]))
    return Decision(tuple(finding for finding, _ in order)) if order else None


def _explained(
    finding: DecidingFinding, known: Sequence[DecidingFinding]
) -> tuple[DecidingFinding, bool]:
    """A finding, and whether another one explains it, which is then what is to be done first."""
    other = explainer(finding, known)
    if other is None:
        return finding, False
    action = f"{finding.action}; first what explains it: {other.what}"
    return replace(finding, action=action), True


def decision_of(
    analyses: Sequence[Analysis],
    histories: Sequence[History] = (),
    against: Iterable[DecidingFinding] = (),
) -> Decision | None:
    """The verdict of runs; None without any. histories: of these and earlier ones. against:
    findings of comparisons with earlier ones."""
    each = [
        (run.label, [replace(finding, run=run.label) for finding in run.findings_by_itself])
        for run in analyses
    ]
    findings = [finding for _, of_run in each for finding in of_run]
    beside = [*against, *_of_histories(histories)]
    if analyses and not any(map(_is_held, [*findings, *beside])):
        numbers = [number for analysis in analyses for number in _numbers(analysis)]
        return decided([*findings, *(numbers or [NO_NUMBER])])
    unheld = [label for label, of_run in each if not any(map(_is_held, of_run))]
    decision = decided([*findings, *beside])
    if decision is None or beside:
        return decision
    return replace(decision, unheld=tuple(unheld), is_relative=decision.status == PASSED)


def _is_held(finding: DecidingFinding) -> bool:
    """Whether a finding decides anything: it failed, was not judged, or was compared with
    something."""
    return finding.status != PASSED or bool(finding.reference)


def _explain(before: object, after: object) -> str:
    """The command that explains the difference between two files."""
    return shlex.join(["hockney", "explain", str(before), str(after)])


def of_comparison(comparison: RunComparison, allowed: float) -> DecidingFinding:
    base, other = comparison.base, comparison.other
    finding = of_gate("", comparison_gate(comparison, allowed), str(base.path))
    if finding.status != FAILED:
        return finding
    return replace(finding, action=_explain(base.path, other.path))


def decision_of_histories(
    histories: Sequence[History], newer: Sequence[Path] = ()
) -> Decision | None:
    """newer: files of later runs, of which nothing was measured."""
    lost = [
        DecidingFinding(
            NOT_JUDGED, f"the newest run, {file}", "nothing was measured", "", "measure it again"
        )
        for file in newer
    ]
    return decided([*lost, *_of_histories(histories)])


def _of_histories(histories: Sequence[History]) -> list[DecidingFinding]:
    findings = [_of_trend(history, trend) for history in histories for trend in history.trends]
    for history in histories:
        newest = history.runs[-1]
        findings += history.failed
        if newest.cut is not None:
            findings.append(of_cut(newest.file, newest.cut))
        last = newest.file
        if last in history.left_out:
            number = (
                f"{len(history.left_out)} of {len(history.runs)} runs are left out, the last too"
            )
            why = "they have other sizes than most of the runs"
            findings.append(
                DecidingFinding(NOT_JUDGED, history.name, number, why, "measure the same sizes")
            )
    return findings


def _of_trend(history: History, trend: Trend) -> DecidingFinding:
    last, text = trend.points[-1], format_rate if trend.unit == "B/s" else format_seconds
    limits = interval_words(last.interval, text)
    what = f"{history.name}: {trend.words}"
    count = len(trend.points)
    place = f"the last of {count} runs" if count > 1 else "the only run"
    number = f"{text(last.value)}{limits}, {place}"
    newest = history.runs[-1].file
    if last.file != newest and newest not in history.left_out:
        return DecidingFinding(
            NOT_JUDGED, what, number, "the newest run lacks it", "measure it again"
        )
    if trend.worse:
        action = "see what changed there"
        if trend.left_best is not None:
            before, after = (trend.points[trend.left_best - back].file for back in (1, 0))
            action = _explain(before, after)
        return DecidingFinding(FAILED, what, f"{number}; {trend.worse}", "the runs before", action)
    if not trend.enough:
        before = how_many(count - 1, "earlier run") if count > 1 else "no earlier run"
        return DecidingFinding(NOT_JUDGED, what, number, before, "more runs: 7 or more")
    level = f"{text(trend.level)}, the median since the last change"
    return DecidingFinding(PASSED, what, number, level, _to_confirm(trend))


def _to_confirm(trend: Trend) -> str:
    """What to do where the last run alone is worse than all before at its level: a single run is no
    change, but none is what is usual, either. Empty elsewhere."""
    start = trend.changes[-1].index if trend.changes else 0
    *before, last = (point.value for point in trend.points[start:])
    times = min(before) / last if trend.unit == "B/s" else last / max(before)
    if times <= 1.0 + NOTABLE:
        return ""
    return (
        f"measure again: it is {format_ratio(times)} times worse than any run at that level, and a "
        f"change takes {LAST} such runs"
    )


def _numbers(analysis: Analysis) -> list[DecidingFinding]:
    """Numbers of a run that was compared with nothing."""
    points = analysis.estimates.own()
    if not points:
        return []
    smallest = min(points, key=lambda point: (point.bytes, point.typical_s))
    limits = interval_words(smallest.interval, format_seconds)
    number = f"{format_seconds(smallest.typical_s)}{limits} at {format_size(smallest.bytes)}"
    action = "give a reference: hockney compare GOOD THIS, or --history of earlier runs"
    return [DecidingFinding(NOT_JUDGED, smallest.operation, number, "", action, analysis.label)]
