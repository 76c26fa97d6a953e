"""Time of a message, and bandwidth of all pairs together, against how many pairs exchange messages
at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hockney.base.units import format_size
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.network.contention import OF_PAIRS, Contention
from hockney.plan.axes import Key, key_without
from hockney.show.curves.curves import Options, chosen_value, lacking, samples_text, title_of
from hockney.show.drawing.description import Figure, Panel, PlotAxis, Series, StraightLine

TAKES = ("bytes", "operation")
SHARED = True
CHOICE = None
MOST_SIZES = 6
Counts = list[Contention]
"""One size with several numbers of pairs."""


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:
    curves = _curves(analyses, options)
    times, rates, rules = [], [], []
    for number, (label, analysis, curve) in enumerate(curves):
        times.append(_times(curve, number, label))
        if all(contention.aggregate_Bps for contention in curve):
            together = [(contention.pairs, contention.aggregate_Bps) for contention in curve]
            rates.append(Series.through(together, label, colour=number))
        key = key_without(curve[0].together, *OF_PAIRS)
        rules += [
            StraightLine(knee.pairs, colour=number)
            for knee in analysis.knees
            if knee.pairs and key_without(knee.point, *OF_PAIRS) == key
        ]
    x = PlotAxis("count", "pairs at once", logarithmic=True)
    y = PlotAxis("time", "time of a message", logarithmic=True)
    panels = [Panel(x, y, tuple(times), tuple(rules))]
    if rates:
        y = PlotAxis("rate", "all pairs together", logarithmic=True)
        panels.append(Panel(x, y, tuple(rates), tuple(rules)))
    sizes = {contention.together.bytes for _, _, curve in curves for contention in curve}
    title = title_of(analyses) + (f", {format_size(min(sizes))}" if len(sizes) == 1 else "")
    caption = "Marks: the median pair; bars reach from the fastest to the slowest pair." + (
        " Dotted: from there on the median pair waits for others." * bool(rules)
    )
    return Figure("contention", title, tuple(panels), (caption, samples_text(analyses)))


def _curves(analyses: Sequence[Analysis], options: Options) -> list[tuple[str, Analysis, Counts]]:
    """A curve for each size of one file, or for each of several files at one size."""
    systems = [
        (analysis, by_size) for analysis in analyses for by_size in _by_variant(analysis, options)
    ]
    sizes = sorted({size for _, by_size in systems for size in by_size})
    if not sizes:
        advice = "measure with hockney pairs --pairs-active 1,2,4,...,all"
        raise lacking(analyses[0], "no size has times of several numbers of pairs", advice)
    if len(systems) > 1 or options.bytes is not None:
        common = set.intersection(*(set(by_size) for _, by_size in systems)) or set(sizes)
        size = chosen_value(options.bytes, sizes, "--bytes", max(common))
        several = len(systems) > 1
        return [
            (analysis.label if several else format_size(size), analysis, by_size[size])
            for analysis, by_size in systems
            if size in by_size
        ]
    places = np.unique(np.linspace(0, len(sizes) - 1, MOST_SIZES).round()).astype(int).tolist()
    [(analysis, by_size)] = systems
    return [(format_size(sizes[at]), analysis, by_size[sizes[at]]) for at in places]


def _by_variant(analysis: Analysis, options: Options) -> list[dict[int, Counts]]:
    """The sizes of the first way to exchange messages that has several numbers of pairs."""
    variants: dict[Key, dict[int, Counts]] = {}
    for contention in analysis.contention:
        if options.operation in (None, contention.together.operation):
            key = key_without(contention.together, "bytes", *OF_PAIRS)
            variants.setdefault(key, {}).setdefault(contention.together.bytes, []).append(
                contention
            )
    several = [
        {size: counts for size, counts in sorted(by_size.items()) if len(counts) > 1}
        for by_size in variants.values()
    ]
    return [by_size for by_size in several if by_size][:1]


def _times(curve: Counts, number: int, label: str) -> Series:
    return Series(
        label,
        [float(contention.pairs) for contention in curve],
        [contention.typical_s for contention in curve],
        [contention.best.typical_s for contention in curve],
        [contention.worst.typical_s for contention in curve],
        colour=number,
    )
