"""The output of `hockney tune`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from hockney.base.grouping import by_key
from hockney.base.units import (
    exact_percent,
    format_seconds,
    format_size,
    how_many,
    plural,
    tenth_percent,
    whole_percent,
)
from hockney.infer.analysis.algorithms.best import FASTER, CollectiveCell
from hockney.infer.analysis.comparison.variant_verdicts import VariantStudy
from hockney.infer.estimate.interval import interval_words
from hockney.plan.workloads.collective import NO_BYTES
from hockney.records import MpiFacts
from hockney.run.mpis import Rule, RulesFormat
from hockney.show.comparison.comparison_lines import verdict_words
from hockney.show.comparison.variant_table import doubt_lines, rule_of
from hockney.show.tables.judged import ratio_columns
from hockney.show.tables.table import (
    TableColumn,
    estimate_json,
    json_field,
    microseconds,
    row_json,
    table_text,
    through,
)
from hockney.tuning.check import TOLERANCE, Check, Checked
from hockney.tuning.groups import CellGroup
from hockney.tuning.reasons import CriticalPath, Explained
from hockney.tuning.rules import MOST_GAP, Reduction, Tuned, UnmeasuredGap

BETWEEN = "+"
"""Mark of a size that the result files do not have."""


def _times(faster: float | None) -> str:
    return "-" if faster is None else f"{faster:.2f}"


class _Reduced(NamedTuple):
    """A rule, and what it was chosen from."""

    rule: Rule
    of: Reduction


RULES: list[TableColumn[_Reduced]] = [
    TableColumn(
        "layout",
        lambda row: ",".join(str(each) for each in row.of.layouts if each.ranks == row.rule.ranks),
        shown=lambda rules: any(row.of.layouts for row in rules),
    ),
    TableColumn("collective", lambda row: row.rule.collective, field="collective"),
    TableColumn("ranks", lambda row: row.rule.ranks, field="ranks"),
    json_field("nodes", lambda row: row.rule.nodes),
    json_field("per_node", lambda row: row.rule.per_node),
    TableColumn("from", lambda row: row.rule.from_bytes, format_size, "from_bytes"),
    TableColumn("to", lambda row: row.rule.to_bytes, format_size, "to_bytes", unknown="any"),
    TableColumn("algorithm", lambda row: row.rule.name),
    json_field("algorithm", lambda row: row.rule.algorithm),
    json_field("segment_bytes", lambda row: row.rule.segment_bytes),
    json_field("radix", lambda row: row.rule.radix),
    json_field("requests", lambda row: row.rule.requests),
    TableColumn("cells", lambda row: _cells_text(row.of.covered(row.rule))),
    TableColumn("times faster", lambda row: row.of.times_faster(row.rule), _times, "times_faster"),
    json_field("conditions", lambda row: row.of.conditions_of(row.rule)),
    json_field("predicted", lambda row: row.rule.predicted),
]
CHECKED: list[TableColumn[Checked]] = [
    TableColumn("collective", lambda row: row.collective, field="collective"),
    TableColumn("ranks", lambda row: row.ranks, field="ranks"),
    TableColumn("bytes", lambda row: f"{row.bytes}{'' if row.was_measured else BETWEEN}"),
    json_field("bytes", lambda row: row.bytes),
    json_field("was_measured", lambda row: row.was_measured),
    TableColumn("default", lambda row: row.ratio.base_s, microseconds, "default_median_s"),
    TableColumn("tuned", lambda row: row.ratio.time_s, microseconds, "tuned_median_s"),
    *through(lambda row: row.ratio.judged, *ratio_columns()),
    TableColumn("blocks", lambda row: row.ratio.blocks, field="blocks"),
    *through(
        lambda row: row.rule,
        TableColumn("rule", lambda rule: f"{rule.choice} ({rule.place})"),
        json_field("rule", lambda rule: rule.algorithm),
        json_field("rule_radix", lambda rule: rule.radix),
        json_field("rule_requests", lambda rule: rule.requests),
        json_field("rule_line", lambda rule: rule.line),
        json_field("rule_suffix", lambda rule: rule.suffix),
    ),
    TableColumn("", lambda row: _checked_words(row)),
    json_field("slower", lambda row: row.is_slower),
]


def rule_lines(tuned: Tuned) -> list[str]:
    table = table_text(RULES, _reduced(tuned))
    count = len(tuned.rules)
    measured = [cell for cell in tuned.cells if cell.launches > 0]
    better = sum(cell.verdict == FASTER for cell in measured)
    gain = f" with {tenth_percent(tuned.share)} of the gain" if count else ""
    undecided = tuned.undecided
    unknown = f"; in {undecided} these launches cannot show it" if undecided else ""
    return [
        *([table] if table else []),
        f"{count or 'no'} {plural(count, 'rule')}{gain}; in {better} of "
        f"{how_many(len(measured), 'cell')} (collective, ranks, size) an algorithm is "
        f"significantly faster than the library's own decision{unknown}",
        *_confirmed_lines(tuned),
        *[_gap_line(gap) for of in tuned.reductions for gap in of.gaps],
        *[_all_sizes_line(row) for row in _reduced(tuned) if _is_for_all(row.rule)],
    ]


def _reduced(tuned: Tuned) -> list[_Reduced]:
    return [_Reduced(rule, of) for of in tuned.reductions for rule in of.rules]


def _confirmed_lines(tuned: Tuned) -> list[str]:
    """Lines on the launches from which the gains are known."""
    if not tuned.rules:
        return []
    if tuned.confirmed is None:
        return [
            '"times faster" is unknown: with too few launches to choose the rules from some and '
            "measure the gain in others; give more --launches"
        ]
    return [
        '"times faster" is from launches that did not choose the rules: '
        f"{whole_percent(tuned.confirmed)} of the gain in those that did"
    ]


def _gap_line(gap: UnmeasuredGap) -> str:
    return (
        f"{gap.collective}, {how_many(gap.ranks, 'rank')}: nothing between "
        f"{format_size(gap.from_bytes)} and {format_size(gap.to_bytes)} was measured, so no rule "
        f"holds there; measure sizes at most {MOST_GAP:g} times apart"
    )


def _is_for_all(rule: Rule) -> bool:
    return rule.to_bytes is None and rule.collective not in NO_BYTES


def _all_sizes_line(row: _Reduced) -> str:
    rule = row.rule
    return (
        f"{rule.collective}, {how_many(rule.ranks, 'rank')}: the rule holds for all sizes, because "
        f"it must not depend on them; it was {row.of.measured_text(rule)}, so its effect on other "
        "sizes is unknown"
    )


def _cells_text(cells: Sequence[CollectiveCell]) -> str:
    """ "4", or "3 + 1 predicted"."""
    predicted = sum(cell.launches == 0 for cell in cells)
    return f"{len(cells) - predicted} + {predicted} predicted" if predicted else str(len(cells))


def notes_of(
    groups: Sequence[CellGroup], others: Sequence[str], form: RulesFormat, library: MpiFacts
) -> list[str]:
    """Notes on what the format cannot express, and on the conditions in which rules had to hold."""
    notes = []
    if not form.is_read_by(library.version):
        notes.append(f"{library.library} {library.version} does not read this format")
    if others:
        notes.append(f"no rules can be written for {', '.join(others)}")
    for group in groups:
        alike = by_key(group.layouts, lambda layout: layout.ranks)
        notes += [
            f"the format cannot tell {' from '.join(map(str, layouts))}: rules for "
            f"{how_many(ranks, 'rank')} hold in all"
            for ranks, layouts in alike.items()
            if len(layouts) > 1
        ]
    if any(group.layouts for group in groups) and form.layout_key(1, 2) == form.layout_key(2, 1):
        notes.append("the format knows no layouts: its rules apply to any with that many ranks")
    most = max((count for group in groups for count in group.conditions.values()), default=1)
    if most > 1:
        notes.append(
            f"each rule holds in up to {most} conditions (patterns, files, layouts); sizes that "
            "some of these lack begin and end none"
        )
    return notes


def explained_lines(explained: Explained) -> list[str]:
    """Lines on the gain, evidence and the model's reason of a rule."""
    rule, sure = explained.rule, explained.least_sure.difference
    to = "any size" if rule.to_bytes is None else format_size(rule.to_bytes)
    interval = interval_words(sure.interval if sure else None, "{:.3f}".format)
    p = f", p = {sure.p:.2g}" if sure and sure.p is not None else ""
    ratio = f"{sure.ratio:.3f}" if sure else "-"
    return [
        f"{rule.collective}, {how_many(rule.ranks, 'rank')}, {format_size(rule.from_bytes)} to "
        f"{to}: {rule.name}",
        f"  gain: {_times(explained.times_faster)} times as fast over "
        f"{how_many(explained.cells, 'cell')} "
        f"({_times(explained.at_least)} to {_times(explained.at_most)})",
        f"  evidence: {_launches_text(explained)}; in the least sure cell its time is "
        f"{ratio}{interval} of the library's{p}",
        f"  reason: {_reason_text(explained)}",
    ]


def _launches_text(explained: Explained) -> str:
    if not explained.launches:
        return "predicted alone"
    launches = how_many(explained.launches, "launch")
    return f"{launches} or more of it and of the library's own decision"


def _reason_text(explained: Explained) -> str:
    if explained.costs is None:
        return f"unknown: the model has no schedule of {explained.rule.name}"
    ours = _costs_text(explained.costs)
    if explained.own is None:
        return (
            f"{ours}; nothing measured is as fast as the library's own decision, so what that "
            "does is unknown"
        )
    own = f"the library's own decision is as fast as {_costs_text(explained.own)}"
    saves = (
        f"it saves {explained.saves}"
        if explained.saves
        else "the model sees no saving: overheads decide"
    )
    return f"{ours}; {own}; {saves}"


def _costs_text(costs: CriticalPath) -> str:
    return (
        f"{costs.algorithm} with {costs.messages:g} {plural(costs.messages, 'message')} and "
        f"{format_size(round(costs.bytes))} one after the other"
    )


def checked_lines(check: Check, study: VariantStudy) -> list[str]:
    """A table with a row a cell, then what the rules did as a whole."""
    ratio = check.mean_ratio
    lines = [
        f"medians in us; tuned / default: {rule_of(study)}",
        f"{BETWEEN} a size between the measured ones, or at the limit of a rule\n",
        table_text(CHECKED, check.cells),
        "",
        f"where a rule holds ({how_many(len(check.ruled), 'cell')}): "
        + ("-" if ratio is None else f"{1.0 / ratio:.2f} times as fast, geometric mean"),
        f"significantly slower than the library's own decision: {len(check.slower)} of "
        f"{how_many(len(check.cells), 'cell')}",
    ]
    cost_s = check.cost_without_rule_s
    if cost_s is not None:
        bare = sum(cell.rule is None for cell in check.slower)
        lines.append(
            f"{bare} of these without a rule: the presence of the rules alone costs "
            f"{format_seconds(cost_s)} a call there (median)"
        )
    return lines + [f"note: {line}" for line in doubt_lines(study)]


def _checked_words(checked: Checked) -> str:
    judged = checked.ratio.judged
    if judged.verdict != "unknown" or judged.interval is None:
        return verdict_words(judged, TOLERANCE)
    if judged.interval.high < 1.0 + TOLERANCE:
        return f"not slower by {exact_percent(TOLERANCE)}"
    return "unknown"


def checked_json(check: Check) -> dict[str, Any]:
    return {
        "cells": [
            {**row_json(CHECKED, cell), **estimate_json(cell.ratio.judged)} for cell in check.cells
        ],
        "mean_ratio_where_a_rule_holds": check.mean_ratio,
        "blocks": check.blocks,
        "blocks_needed": check.needed,
        "slower": len(check.slower),
        "cost_without_rule_s": check.cost_without_rule_s,
    }


def environment_lines(environment: Mapping[str, str]) -> list[str]:
    """Commands to copy into a shell."""
    return [f"export {name}={shlex.quote(value)}" for name, value in environment.items()]


def rules_json(
    tuned: Tuned,
    environment: Mapping[str, str],
    proved: bool | None,
    reasons: Sequence[Explained] = (),
) -> dict[str, Any]:
    fields = {
        "rules": [row_json(RULES, row) for row in _reduced(tuned)],
        "share_of_gain": tuned.share,
        "gain_confirmed": tuned.confirmed,
        "environment": dict(environment),
        "read_by_the_library": proved,
    }
    if reasons:
        fields["explained"] = [_explained_json(reason) for reason in reasons]
    return fields


def _explained_json(explained: Explained) -> dict[str, Any]:
    sure = explained.least_sure.difference
    return {
        "times_faster": explained.times_faster,
        "at_least": explained.at_least,
        "at_most": explained.at_most,
        "cells": explained.cells,
        "launches": explained.launches,
        "least_sure": estimate_json(sure) if sure else None,
        "costs": asdict(explained.costs) if explained.costs else None,
        "own_costs": asdict(explained.own) if explained.own else None,
        "saves": explained.saves,
        "text": explained_lines(explained),
    }
