"""Bandwidth of all pairs together over size, a curve for each number of them, with the multi-mode
and the max-rate model through it."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.base.units import format_percent, format_rate, how_many
from hockney.infer.analysis import Analysis
from hockney.infer.arrays import Array
from hockney.infer.fitting.fit import Curve, Fit, Parameter
from hockney.infer.models.multi_mode import EAGER_BYTES
from hockney.show.curves.curves import Options, lacking, only, samples_text
from hockney.show.drawing import time_text
from hockney.show.drawing.description import (
    SIZES,
    Figure,
    Panel,
    PlotAxis,
    Series,
    StraightLine,
    Style,
)
from hockney.show.figures.time import rounded
from hockney.show.one_run.fits import estimated_size

TAKES = ("operation",)
SHARED = False
CHOICE = None
STYLES: dict[str, Style] = {"multi-mode": "line", "max-rate": "dashed"}


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:
    analysis = only(analyses, "multi-mode")
    of_pairs = analysis.fits_of_pairs(options.operation)
    if of_pairs is None:
        advice = "measure them: hockney pairs --pairs-active 1,2,3,4"
        raise lacking(analysis, "no times of several numbers of pairs at once", advice)
    return describe_curve(of_pairs.curve, of_pairs.fits, analysis.label, samples_text(analyses))


def describe_curve(curve: Curve, fits: Sequence[Fit], label: str, sample: str) -> Figure:
    """The figure of plain numbers: a curve of several numbers of pairs and models through it."""
    assert curve.pairs is not None
    series = []
    for number, pairs in enumerate(sorted({int(pairs) for pairs in curve.pairs})):
        of_them = curve.at((curve.pairs == pairs) & (curve.bytes > 0.0))
        name = f"{how_many(pairs, 'pair')} at once"
        rates = pairs * of_them.bytes / of_them.median_s
        series.append(
            Series(name, of_them.bytes.tolist(), rates.tolist(), style="points", colour=number)
        )
        series += [_line(fit, of_them, number, name) for fit in fits]
    known = [line for line in series if len(line.x)]
    rules = tuple(
        StraightLine(size, estimated_size(chunk))
        for chunk in _chunks(fits)
        if (size := chunk.value)
    )
    y = PlotAxis("rate", "bandwidth of all pairs", from_zero=True)
    panel = Panel(SIZES, y, tuple(known), rules)
    return Figure("multi-mode", label, (panel,), (*_words(fits), sample))


def _line(fit: Fit, curve: Curve, number: int, name: str) -> Series:
    """A model's line through the measured sizes; repetitions are known only there."""
    known = curve.at(curve.bytes > EAGER_BYTES) if fit.model == "multi-mode" else curve
    assert known.pairs is not None
    more = [] if known.repetitions is None else [known.repetitions]
    seconds: Array = fit.predict(known.bytes, known.pairs, *more)
    rates = rounded((known.pairs * known.bytes / seconds).tolist())
    error = "" if fit.error_median is None else f": median error {format_percent(fit.error_median)}"
    return Series(
        f"{fit.model}{error}",
        known.bytes.tolist(),
        rates,
        style=STYLES[fit.model],
        colour=number,
        name=f"{name}: {fit.model}",
    )


def _chunks(fits: Sequence[Fit]) -> list[Parameter]:
    return [
        value
        for fit in fits
        for name, value in fit.parameters.items()
        if name.startswith("C_") and name.endswith("_bytes") and value.value
    ]


def _words(fits: Sequence[Fit]) -> list[str]:
    words = ["Marks: medians over launches."]
    for fit in fits:
        if fit.model == "multi-mode":
            values = {name: parameter.value for name, parameter in fit.parameters.items()}
            chunks = list(map(estimated_size, _chunks([fit])))
            words.append(
                f"Multi-mode: B_r = {format_rate(values['B_r_Bps'])}, "
                f"T_l = {time_text(values['T_l_s'])}, "
                + (f"chunks of {', '.join(chunks)} (dotted)." if chunks else "no chunk size found.")
            )
    return words
