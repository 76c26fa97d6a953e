"""The time of each variant over that of the first, by size, with intervals."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.base.errors import UsageError
from hockney.infer.analysis import Analysis
from hockney.show.comparison.variant_table import rule_of, variant_curves
from hockney.show.curves.curves import Options, check_count, joined, lacking, only, sentence
from hockney.show.curves.ratios import ratio_panel, ratio_series
from hockney.show.drawing.description import Figure

TAKES = ()
SHARED = False
CHOICE = None
LONGEST_NAME = 20
"""Most characters of the first variant in the label of the axis; a longer name is in the title."""


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:  # noqa: ARG001
    analysis = only(analyses, "--what variants")
    study = analysis.variants
    if study is not None and not study.ratios:
        advice = "continue it with --resume and a larger --budget"
        raise lacking(analysis, "no block is complete, nothing was compared", advice)
    if study is None:
        raise UsageError(f"{analysis.source} compares no variants", "measure them with --vary")
    base, *others = study.comparison.names
    curves = [
        (joined(study.name(variant), name), [ratio for ratio in curve if ratio.variant == variant])
        for name, curve in variant_curves(study)
        for variant in others
    ]
    check_count(curves)
    series = [
        line
        for number, (label, curve) in enumerate(curves)
        for line in ratio_series(
            label, [(ratio.point.bytes, ratio.judged) for ratio in curve if ratio.point], number
        )
    ]
    first = study.name(base)
    short = len(first) <= LONGEST_NAME
    label = f"time over that of {first if short else 'the first'}"
    panel = ratio_panel(label, series, study.comparison.tolerance)
    words = f"{sentence(rule_of(study))}. Filled where a variant is surely faster or slower."
    title = f"{analysis.run.header.experiment}: variants"
    return Figure("variants", title if short else f"{title} over {first}", (panel,), (words,))
