"""Shows variants against the first of them: the answer, the table, and caveats."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from hockney.base.grouping import by_key
from hockney.base.units import exact_percent, format_size, how_many
from hockney.infer.analysis.comparison.variant_verdicts import (
    Continued,
    Gains,
    Ignored,
    VariantDrift,
    VariantStudy,
)
from hockney.infer.estimate.blocks import MOST_TIMES, VariantRatio
from hockney.infer.estimate.conditions import OTHER_STATE
from hockney.plan.axes import grouped_by, texts_apart
from hockney.records import Run
from hockney.show.tables.as_json import axes_json
from hockney.show.tables.judged import (
    ESTIMATED,
    SHOWS_FROM,
    VERDICT,
    is_exact,
    least_shown,
    ratio_columns,
    ratio_text,
)
from hockney.show.tables.table import TableColumn, estimate_json, microseconds, table_text, through

DECIMALS = "{:.4f}".format
NO_BLOCK = "no block is complete: nothing was compared"
EXACT = "ratio of simulated times, which is exact"
RULE = (
    f"ratio of times in the same block of launches ({ESTIMATED}); "
    "intervals and verdicts hold for all rows together with"
)


def variant_answer(study: VariantStudy) -> list[str]:
    """A sentence for each variant, and what it gains point by point."""
    name = study.name
    base = name(study.comparison.names[0])
    lines = [
        f"{name(answer.variant)}: {verdict_text(answer, study)} {base}" for answer in study.answers
    ]
    lines += [f"{name(gain.variant)}: {gains_text(gain)}" for gain in study.gains]
    lines += [f"{name(variant)}: not measured" for variant in study.left_out]
    for variant, points in study.unmatched.items():
        sizes = ", ".join(format_size(size) for size in sorted({point.bytes for point in points}))
        lines.append(f"{name(variant)}: not compared at {sizes}, where a variant has no time")
    return lines if study.ratios else [NO_BLOCK, *lines]


def verdict_text(variant_ratio: VariantRatio, study: VariantStudy) -> str:
    """A variant against the first: "slower, 1.0210 [1.0180 to 1.0240] times the time of"."""
    judged = variant_ratio.judged
    if judged.verdict == "same":
        return f"the same, within {exact_percent(study.comparison.tolerance)}, as"
    ratio = ratio_text(judged, DECIMALS) + range_text(variant_ratio, study)
    if judged.verdict == "unknown":
        words = f"{ratio}; {least_shown(judged)}{more_text(variant_ratio)}"
        return f"unknown after {how_many(variant_ratio.blocks, 'block')} ({words}), against"
    return f"{judged.verdict}, {ratio} times the time of"


def more_text(ratio: VariantRatio) -> str:
    """How many blocks an unknown verdict lacks, as far as that can be told."""
    if ratio.least_blocks is not None:
        return f"; an interval takes at least {how_many(ratio.least_blocks, 'block')}"
    if ratio.deciding_blocks is not None:
        return f"; about {how_many(ratio.deciding_blocks, 'block')} would decide"
    return f"; more than {MOST_TIMES * ratio.blocks:.0f} blocks would have to decide"


def range_text(ratio: VariantRatio, study: VariantStudy) -> str:
    """The range over the points, where these disagree: "(geometric mean; at single points 0.1100
    to 0.8900)"; empty where one ratio describes all of them."""
    if ratio.point is not None or not study.points_disagree(ratio.variant):
        return ""
    ratios = [at.judged.ratio for at in study.at_points(ratio.variant)]
    return f" (geometric mean; at single points {min(ratios):.4f} to {max(ratios):.4f})"


def gains_text(gains: Gains) -> str:
    """ "surely faster at 4 of 9 points (most: bcast, 4 ranks, 64 KiB, 0.4761
    [0.4500 to 0.5000] times the time), surely slower at 0"."""
    faster, slower = _most(gains.faster), _most(gains.slower)
    if not gains.faster and not gains.slower:
        return f"surely faster or slower at none of {how_many(gains.points, 'point')}"
    return (
        f"surely faster at {len(gains.faster)} of {how_many(gains.points, 'point')}{faster}, "
        f"surely slower at {len(gains.slower)}{slower}"
    )


def _most(sure: Sequence[VariantRatio]) -> str:
    """The point with the largest gain or loss, with its ratio."""
    if not sure or sure[0].point is None:
        return ""
    point = sure[0].point
    ranks = "" if point.ranks is None else f", {how_many(point.ranks, 'rank')}"
    where = f"{point.operation}{ranks}, {format_size(point.bytes)}"
    return f" (most: {where}, {ratio_text(sure[0].judged, DECIMALS)} times the time)"


def heading_lines(run: Run, study: VariantStudy) -> list[str]:
    """Lines on what was compared, and how often."""
    names = "; ".join(map(study.name, study.comparison.names))
    return [
        f"{run.header.experiment}: {how_many(study.blocks, 'block')} of one launch of each "
        "variant; times in us",
        f"variants: {names}; the others are compared with the first",
    ]


class _VariantRow(NamedTuple):
    curve: str
    bytes: int
    variant: str
    time_s: float
    ratio: VariantRatio | None = None
    """None in the row of the first variant."""


def _columns(confidence: float) -> list[TableColumn[_VariantRow]]:
    """confidence: that of all intervals together."""
    ratios = ratio_columns(DECIMALS, interval=f"{_confidence(confidence)} interval")
    of_ratio: list[TableColumn[VariantRatio]] = [
        *through(lambda row: row.judged, *ratios),
        TableColumn("blocks", lambda row: row.blocks, unknown=""),
        *through(lambda row: row.judged, SHOWS_FROM, VERDICT),
        TableColumn("adjusted", lambda row: None if row.slope is None else "yes", unknown=""),
    ]
    return [
        TableColumn("", lambda row: row.curve, shown=lambda rows: any(row.curve for row in rows)),
        TableColumn("bytes", lambda row: row.bytes),
        TableColumn("variant", lambda row: row.variant),
        TableColumn("median", lambda row: row.time_s, microseconds),
        *through(lambda row: row.ratio, *of_ratio),
    ]


def variant_table(study: VariantStudy) -> str:
    """A row for each point and variant, below that of the first variant."""
    if not study.ratios:
        return ""
    base = study.name(study.comparison.names[0])
    rows = []
    for name, curve in variant_curves(study):
        for size, here in by_key(
            curve, lambda ratio: ratio.point.bytes if ratio.point else 0
        ).items():
            rows.append(_VariantRow(name, size, base, here[0].base_s))
            rows += [
                _VariantRow(name, size, study.name(ratio.variant), ratio.time_s, ratio)
                for ratio in here
            ]
    notes = [EXACT] if _is_exact(study) else _excluded(study)
    return "\n".join([*notes, table_text(_columns(study.confidence), rows)])


def rule_of(study: VariantStudy) -> str:
    """How ratios and intervals were found, and which blocks were excluded."""
    if _is_exact(study):
        return EXACT
    smallest = "shows from: smaller differences could not have been shown"
    return "; ".join([f"{RULE} {_confidence(study.confidence)}", smallest, *_excluded(study)])


def _confidence(least: float) -> str:
    """At least so much."""
    return f"{math.floor(100.0 * least + 1e-9)} %"


def _is_exact(study: VariantStudy) -> bool:
    return any(is_exact(ratio.judged) for ratio in study.ratios)


def _excluded(study: VariantStudy) -> list[str]:
    """Which blocks were excluded, and which ratios adjusted."""
    rules = []
    if changed := max((ratio.changed for ratio in study.ratios), default=0):
        several = "block was" if changed == 1 else "blocks were"
        rules.append(
            f"{changed} {several} left out, between whose launches the machine's state changed "
            f"(core-to-core latencies more than {OTHER_STATE:g} times apart)"
        )
    if any(ratio.slope is not None for ratio in study.ratios):
        rules.append(
            f"{_adjusted_words(study)} adjusted for the speed of computing, which the probe shows "
            "to differ between launches"
        )
    least = [ratio.least_blocks for ratio in study.ratios if ratio.least_blocks is not None]
    if least:
        rules.append(f"too few blocks for an interval (-): {max(least)} are the least")
    return rules


def _adjusted_words(study: VariantStudy) -> str:
    """Which ratios are adjusted: "2 of 5 ratios at points and the mean of b are"."""
    at_points = [ratio.slope is not None for ratio in study.ratios if ratio.point is not None]
    means = [
        ratio.variant for ratio in study.ratios if ratio.point is None and ratio.slope is not None
    ]
    ratios = f"{sum(at_points)} of {how_many(len(at_points), 'ratio')} at points"
    words = [ratios] if any(at_points) else []
    words += [f"the mean of {study.name(variant)}" for variant in means]
    return f"{' and '.join(words)} {'is' if sum(at_points) + len(means) == 1 else 'are'}"


def variant_curves(study: VariantStudy) -> list[tuple[str, list[VariantRatio]]]:
    """The ratios at points, by all axes but the size; named where there are several curves."""
    known = ((point, ratio) for ratio in study.ratios if (point := ratio.point) is not None)
    curves = grouped_by(known, lambda pair: pair[0], "bytes").values()
    names = texts_apart([[point for point, _ in curve] for curve in curves])
    return list(zip(names, ([ratio for _, ratio in curve] for curve in curves), strict=True))


def doubt_lines(study: VariantStudy, name: Callable[[str], str] = str) -> list[str]:
    """Reasons to doubt the ratios, a sentence each. name: what a variant is called."""
    return [_doubt_text(doubt, name) for doubt in study.doubts]


def _doubt_text(doubt: VariantDrift | Ignored | Continued, name: Callable[[str], str]) -> str:
    match doubt:
        case Continued():
            return (
                f"continued {how_many(doubt.times, 'time')} after its last look, which was another "
                f"chance to err: all verdicts hold together with {_confidence(doubt.confidence)}; "
                "those of a new run with this budget would with 95 %"
            )
        case VariantDrift():
            return (
                f"{name(doubt.variant)}: its ratio drifted during the run (p = {doubt.p:.2g}), "
                "which blocks should prevent; measure again, or longer"
            )
        case Ignored(value=None):
            return f"{doubt.variable}: the library lists no such variable by MPI_T"
        case Ignored():
            return (
                f"{doubt.variable}: the library held {doubt.value or 'an empty value'} under every "
                "variant that reads it (MPI_T), so that the variants may be the same"
            )


def variants_json(study: VariantStudy) -> dict[str, Any]:
    return {
        "names": study.comparison.names,
        "values": [variant.values for variant in study.comparison.variants],
        "tolerance": study.comparison.tolerance,
        "gate": study.comparison.gate,
        "blocks": study.blocks,
        "confidence": study.confidence,
        "left_out": list(study.left_out),
        "unmatched": {
            variant: [axes_json(point, "variant", "peers") for point in points]
            for variant, points in study.unmatched.items()
        },
        "doubts": doubt_lines(study),
        "ratios": [_ratio_json(ratio) for ratio in study.ratios],
    }


def _ratio_json(ratio: VariantRatio) -> dict[str, Any]:
    axes = None if ratio.point is None else axes_json(ratio.point, "variant", "peers")
    return {
        "variant": ratio.variant,
        "point": axes,
        "base_s": ratio.base_s,
        "time_s": ratio.time_s,
        "blocks": ratio.blocks,
        "blocks_left_out": ratio.changed,
        "compute_slope": ratio.slope,
        **estimate_json(ratio.judged),
        "log_ratios": list(ratio.log_ratios),
    }
