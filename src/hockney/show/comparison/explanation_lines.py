"""The output of `hockney explain`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from hockney.base.units import (
    first_few,
    format_ratio,
    format_seconds,
    format_size,
    how_many,
    whole_percent,
)
from hockney.infer.analysis.comparison.compare import PointDifference
from hockney.infer.analysis.comparison.effects import FORM_WORDS
from hockney.infer.analysis.comparison.explanation import Cause, Explanation
from hockney.infer.analysis.comparison.factor import DifferingFactor
from hockney.infer.analysis.comparison.one_factor import TriedFactors
from hockney.show.decision_lines import failures_json, failures_text
from hockney.show.one_run.fits import line_text
from hockney.show.tables.as_json import axes_json
from hockney.show.tables.judged import has_number, least_shown, percent, ratio_text
from hockney.show.tables.table import TableColumn, estimate_json, table_text

OUTPUTS = re.compile(r"((?P<flags>-q*)o|--(output|label|resume)(?==|$))(?P<value>.*)", re.DOTALL)
"""An option of a recorded command that names its own file, with a value that is attached."""
MOST_CLEARED = 6
"""Most factors that are listed as no cause."""
LEFT = "not explained"


def answer_words(explanation: Explanation) -> str:
    """The first line: why B differs, in a sentence; what fails in one run by itself comes first."""
    return "; ".join([*failures_text(explanation.failures), _points_words(explanation)])


def _points_words(explanation: Explanation) -> str:
    if explanation.gate is not None:
        return explanation.gate.line
    if not explanation.shown:
        count = len(explanation.points)
        where = f"at the {count} points" if count > 1 else "at the only point"
        words = f"no difference is shown {where} in common"
        words += "" if any(explanation.failures) else ": nothing to explain"
        if explanation.shown_from is not None:
            smallest = explanation.shown_from.smallest_difference
            least = least_shown(explanation.shown_from)
            words += (
                f" (shown from {percent(smallest)} on)" if has_number(smallest) else f" ({least})"
            )
        return words
    ratios = [point.difference.ratio for point in explanation.shown]
    how = f"B takes {format_ratio(explanation.typical_ratio or 1.0)} times as long as A"
    if explanation.is_of_whole:
        how += " as a whole"
    else:
        how += _where(explanation)
    if not explanation.is_of_whole and min(ratios) < 1.0 < max(ratios):
        least, most = format_ratio(min(ratios)), format_ratio(max(ratios))
        how = f"B takes {least} to {most} times as long as A, by size"
    if not explanation.causes:
        untried = " and ".join(explanation.of_unknown_effect)
        perhaps = f"; perhaps {untried}, of unknown effect: --try measures it" if untried else ""
        return f"{how}, and nothing that is recorded explains it{perhaps}"
    causes = [f"{cause.factor.name} ({whole_percent(cause.part)})" for cause in explanation.causes]
    words = f"{how}: {', '.join(causes)}"
    if not explanation.is_explained:
        words += f"; {LEFT}: {whole_percent(explanation.unexplained)}"
    return words


def _where(explanation: Explanation) -> str:
    """The size of the ratio, or the sizes over which it is the median."""
    sizes = [point.base.bytes for point in explanation.shown]
    low, high = format_size(min(sizes)), format_size(max(sizes))
    if len(sizes) == 1:
        return f" at {low}"
    between = f" at {low}" if low == high else f" from {low} to {high}"
    return f"{between} (the median of {len(sizes)} of {len(explanation.points)} points)"


CAUSES: list[TableColumn[Cause | None]] = [
    TableColumn("explains", lambda row: row.part if row else None, whole_percent),
    TableColumn("what", lambda row: row.factor.name if row else LEFT),
    TableColumn("in A", lambda row: row.factor.values[0] if row else None, unknown=""),
    TableColumn("in B", lambda row: row.factor.values[1] if row else None, unknown=""),
]


def explanation_lines(explanation: Explanation, tried: Sequence[TriedFactors] = ()) -> list[str]:
    """The lines below the first one."""
    first, second = explanation.first, explanation.second
    lines = [f"A: {first.label} ({first.run.path})", f"B: {second.label} ({second.run.path})"]
    if explanation.question:
        lines.append(f"to be measured with B: {command_text(explanation.question)}")
    if explanation.shown:
        lines += ["", *_difference_lines(explanation)]
    if explanation.causes:
        lines += ["", table_text(CAUSES, list(explanation.causes))]
        if not explanation.is_explained:
            lines.append(f"{LEFT}: {whole_percent(explanation.unexplained)}")
        lines += [
            "",
            *(f"{cause.factor.name}: {cause.factor.evidence}" for cause in explanation.causes),
        ]
        lines += [
            f"{cause.factor.name}: so would {', '.join(cause.instead)}; these runs cannot tell "
            "which"
            for cause in explanation.causes
            if cause.instead
        ]
    if tried:
        lines += ["", *tried_lines(tried)]
    if explanation.cleared:
        lines += ["", "differs as well, and is not named:" if explanation.shown else "differs:"]
        each = [
            ": ".join(
                filter(None, (_change(cleared.factor), cleared.why * bool(explanation.shown)))
            )
            for cleared in explanation.cleared
        ]
        few = first_few(each, MOST_CLEARED)
        lines += [f"  {line}" for line in few[:MOST_CLEARED]]
        lines += [f"  {more} (--json)" for more in few[MOST_CLEARED:]]
    return lines


def _change(factor: DifferingFactor) -> str:
    return f"{factor.name} ({_short(factor.values[0])} -> {_short(factor.values[1])})"


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."


def _difference_lines(explanation: Explanation) -> list[str]:
    shown = explanation.shown
    words = f"; {FORM_WORDS[explanation.form]}" if explanation.form is not None else ""
    if explanation.span is not None:
        low, high = map(format_size, explanation.span)
        words = f"; from {low} to {high} only" if low != high else f"; at {low} only"
    where = f"at {len(shown)} of {how_many(len(explanation.points), 'point')}"
    if explanation.is_of_whole:
        where = "as a whole, and surely at no single point"
    lines = [f"the difference: {where}{words}"]
    by_size = sorted(shown, key=lambda point: point.base.bytes)
    for point in dict.fromkeys((by_size[0], by_size[-1])):
        lines.append(f"  {_point(point)}")
    if explanation.fits is not None:
        lines.append(
            f"  fits: {line_text(explanation.fits[0])} in A, {line_text(explanation.fits[1])} in B"
        )
    return lines


def _point(difference: PointDifference) -> str:
    before, after = (
        format_seconds(difference.base.typical_s),
        format_seconds(difference.other.typical_s),
    )
    size = format_size(difference.base.bytes)
    return f"{size}: {before} in A, {after} in B, ratio {ratio_text(difference.difference)}"


def command_text(words: Sequence[str]) -> str:
    """A recorded command, without what names its own file."""
    kept, each = ["hockney"], iter(words[1:])
    for word in each:
        option = OUTPUTS.fullmatch(word)
        if option is None:
            kept.append(word)
            continue
        if option["flags"] not in (None, "-"):
            kept.append(option["flags"])
        if not option["value"]:
            next(each, None)
    return shlex.join(kept)


def tried_lines(tried: Sequence[TriedFactors]) -> list[str]:
    """What was measured with B's settings, each with some of A's."""
    lines = ["measured here, B's settings with those of A in:"]
    for trial in tried:
        words = (
            f"{whole_percent(trial.part)} of the difference is gone"
            if trial.part
            else "nothing changes"
        )
        why = trial.why_not or f"{words}, from {how_many(trial.blocks, 'block')}"
        lines.append(f"  {', '.join(trial.names)}: {why}")
    left = min((1.0 - trial.part for trial in tried if not trial.why_not), default=1.0)
    lines.append(f"  {LEFT} by these: {whole_percent(max(left, 0.0))}")
    return lines


def _factor_json(factor: DifferingFactor) -> dict[str, Any]:
    return {
        "name": factor.name,
        "kind": factor.kind.name.lower(),
        "base": factor.values[0],
        "other": factor.values[1],
        "evidence": factor.evidence or None,
    }


def explanation_json(
    explanation: Explanation, tried: Sequence[TriedFactors] = ()
) -> dict[str, Any]:
    return {
        "base": explanation.first.label,
        "other": explanation.second.label,
        "files": [str(analysis.run.path) for analysis in (explanation.first, explanation.second)],
        "answer": answer_words(explanation),
        "gate": asdict(explanation.gate) if explanation.gate else None,
        "question": command_text(explanation.question) if explanation.question else None,
        "failures": failures_json(explanation.failures),
        "ratio": explanation.typical_ratio,
        "whole": estimate_json(explanation.whole) if explanation.whole else None,
        "form": explanation.form,
        "between_bytes": explanation.span,
        "causes": [
            {**_factor_json(cause.factor), "part": cause.part, "instead": list(cause.instead)}
            for cause in explanation.causes
        ],
        "unexplained": explanation.unexplained if explanation.gate is None else None,
        "cleared": [
            {**_factor_json(cleared.factor), "why": cleared.why} for cleared in explanation.cleared
        ],
        "points": [
            {
                **axes_json(point.base),
                "base_typical_s": point.base.typical_s,
                "other_typical_s": point.other.typical_s,
                **estimate_json(point.difference),
            }
            for point in explanation.points
        ],
        "tried": [asdict(trial) for trial in tried],
    }
