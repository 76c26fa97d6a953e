"""The time of each variant over that of the first, by size, with intervals."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.analysis import Analysis
from hockney.errors import AskedWronglyError
from hockney.estimate.blocks import VariantRatio
from hockney.views.curves import MOST_CURVES, Options, joined, only
from hockney.views.drawing.description import Axis, Band, Figure, Panel, Rule, Series, Style
from hockney.views.variants import rule_of, variant_curves

TAKES = ()
SHARED = False
CHOICE = None


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:  # noqa: ARG001
    analysis = only(analyses, "--what variants")
    study = analysis.variants
    if study is None or not study.ratios:
        raise AskedWronglyError(
            f"{analysis.run.path or analysis.label} compares no variants",
            "measure them with --vary",
        )
    base, *others = study.comparison.names
    curves = [
        (joined(variant, name), [one for one in curve if one.variant == variant])
        for name, curve in variant_curves(study)
        for variant in others
    ]
    if len(curves) > MOST_CURVES:
        raise AskedWronglyError(
            f"{len(curves)} curves: one figure shows no more than {MOST_CURVES}"
        )
    series = [one for number, curve in enumerate(curves) for one in _series(*curve, number)]
    tolerance = study.comparison.tolerance
    panel = Panel(
        Axis("size", "message size"),
        Axis("ratio", f"time over that of {base}", logarithmic=True),
        tuple(series),
        (Rule(1.0, across="y"),),
        (Band(1.0 - tolerance, 1.0 + tolerance, f"tolerance ±{100.0 * tolerance:g} %", "y"),),
    )
    words = f"{rule_of(study).capitalize()}. Filled where a variant is surely faster or slower."
    return Figure("variants", f"{analysis.run.header.experiment}: variants", (panel,), (words,))


def _series(label: str, curve: Sequence[VariantRatio], number: int) -> list[Series]:
    """One series of ratios that surely differ from 1, one of the others."""
    styles: tuple[tuple[Style, bool], ...] = (("points", True), ("hollow", False))
    found = []
    for style, differs in styles:
        here = [one for one in curve if (one.judged.verdict in ("faster", "slower")) == differs]
        if here:
            found.append(
                Series(
                    label,
                    [float(one.point.bytes) for one in here if one.point is not None],
                    [one.judged.ratio for one in here],
                    [one.judged.low for one in here],
                    [one.judged.high for one in here],
                    style,
                    number,
                )
            )
    return found
