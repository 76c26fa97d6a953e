"""Bandwidth of all pairs together over size, a curve for each number of them, with the multi-mode
and the max-rate model through it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D

from hockney.analysis.contention import at_once
from hockney.errors import AskedWronglyError
from hockney.fitting.fit import Array, Curve, Fit, curve_of
from hockney.models import max_rate, multi_mode
from hockney.units import FACTORS, format_rate, format_seconds, format_size
from hockney.views.figures import Options, System
from hockney.views.figures._style import (
    QUIET,
    Looks,
    colour,
    finish,
    mark,
    new_figure,
    paper,
    plain,
    size_axis,
)
from hockney.views.figures._systems import samples_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

UNIT = "GiB"
STYLES: dict[str, Looks] = {"multi-mode": {"linestyle": "-"}, "max-rate": {"linestyle": "--"}}


def draw(systems: Sequence[System], options: Options) -> Figure:  # noqa: ARG001
    if len(systems) != 1:
        raise AskedWronglyError("multi-mode is drawn from one file at a time")
    system = systems[0]
    points = at_once(system.run, system.estimates)
    curve = curve_of(points)
    fits = [model.fit(curve) for model in (multi_mode, max_rate) if model.lacks(curve) is None]
    if curve.pairs is None or not fits:
        raise AskedWronglyError(
            f"{system.run.path or system.label}: no times of several numbers of pairs at once",
            "measure them: hockney pairs --pairs-active 1,2,3,4",
        )
    return draw_curve(curve, fits, system.label, samples_text([(system.label, system.run)]))


def draw_curve(curve: Curve, fits: Sequence[Fit], label: str, sample: str) -> Figure:
    """The figure of plain numbers: a curve of several numbers of pairs and models through it."""
    assert curve.pairs is not None
    numbers = sorted({int(pairs) for pairs in curve.pairs})
    with paper():
        figure, axes = new_figure()
        for number, pairs in enumerate(numbers):
            of_them = curve.at((curve.pairs == pairs) & (curve.bytes > 0.0))
            axes.plot(of_them.bytes, _rate(of_them.bytes, pairs, of_them.median_s),
                      **_marks(number), zorder=3)  # fmt: skip
            for fit in fits:
                _draw_fit(axes, fit, of_them, number)
        for name, value in _chunks(fits).items():
            axes.axvline(value, color=QUIET, linestyle=":", linewidth=0.8, zorder=0, label=name)
        size_axis(axes, curve.bytes[curve.bytes > 0.0])
        axes.set_ylim(bottom=0.0)
        axes.set_ylabel(f"all pairs together, {UNIT}/s")
        words = (f"{pairs} pair{'s' * (pairs > 1)} at once" for pairs in numbers)
        entries = [Line2D([], [], **_marks(i), label=word) for i, word in enumerate(words)]
        finish(axes, plain(label, 40), [*entries, *map(_entry, fits)], _small_print(fits, sample))
    return figure


def _rate(bytes_: Array, pairs: int, seconds: Array) -> Array:
    return np.asarray(pairs * bytes_ / seconds / FACTORS[UNIT])


def _marks(number: int) -> Looks:
    return {"color": colour(number), "marker": mark(number), "linestyle": "none"}


def _draw_fit(axes: Axes, fit: Fit, curve: Curve, number: int) -> None:
    """Between the measured sizes; repetitions are known only at these."""
    assert curve.pairs is not None
    known = curve
    if fit.model == "multi-mode":
        known = curve.at(curve.bytes > multi_mode.EAGER_BYTES)
    if not len(known.bytes):
        return
    assert known.pairs is not None
    more = [] if known.repetitions is None else [known.repetitions]
    seconds = fit.predict(known.bytes, known.pairs, *more)
    rate = _rate(known.bytes, int(known.pairs[0]), seconds)
    axes.plot(known.bytes, rate, color=colour(number), **STYLES[fit.model])


def _chunks(fits: Sequence[Fit]) -> dict[str, float]:
    return {
        name: value.value
        for fit in fits
        for name, value in fit.parameters.items()
        if name.startswith("C_") and name.endswith("_bytes") and value.value
    }


def _entry(fit: Fit) -> Line2D:
    words = f"{fit.model}: error {100.0 * fit.error_median:.2g} %"
    return Line2D([], [], color=QUIET, label=words, **STYLES[fit.model])


def _small_print(fits: Sequence[Fit], sample: str) -> list[str]:
    words = []
    for fit in fits:
        if fit.model != "multi-mode":
            continue
        values = {name: one.value for name, one in fit.parameters.items()}
        chunks = [format_size(round(place)) for place in _chunks([fit]).values()]
        words.append(
            f"Multi-mode: B_r = {format_rate(values['B_r_Bps'])}, "
            f"T_l = {format_seconds(values['T_l_s'], 3)}, "
            + (f"chunks of {', '.join(chunks)} (dotted)." if chunks else "no chunk shows.")
        )
    return [*words, "Marks are medians over launches.", sample]
