"""The congestion factor over the intensity of the load: above 1 victims take longer than alone."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.congestion_factor import QUANTILES, Congested
from hockney.plan.axes import grouped_by, text_of
from hockney.show.curves.curves import Options, check_count, lacking, only, samples_text
from hockney.show.drawing.description import Figure, Panel, PlotAxis, Series, StraightLine
from hockney.show.experiments.congestion import NAMES, victim_text
from hockney.show.tables.judged import ESTIMATED

TAKES = ("operation",)
SHARED = False
CHOICE = None
INTENSITIES = (
    ("load_bytes", PlotAxis("size", "size of the aggressors' messages")),
    ("load_window", PlotAxis("count", "messages in flight to each receiver", logarithmic=True)),
    ("bytes", PlotAxis("size", "size of the victims' messages")),
)
"""Candidates for the figure's x axis: the first along which the points differ is taken."""
SHOWN = ("aggressor", "load_bytes", "load_window", "burst_s", "gap_s", "ranks", "bytes")
"""Axes that may stand in the legend."""


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:
    """A panel for each quantile that has enough samples."""
    analysis = only(analyses, "--what congestion")
    rows = [row for row in analysis.congestion if options.operation in (None, row.point.operation)]
    if not rows:
        advice = "measure one with hockney congestion"
        raise lacking(analysis, "no victim was measured under load", advice)
    differing = (
        (name, axis)
        for name, axis in INTENSITIES
        if len({getattr(row.point, name) for row in rows}) > 1
    )
    name, axis = next(differing, INTENSITIES[0])
    curves = grouped_by(rows, lambda row: row.point, name)
    check_count(curves, "choose one victim with --operation, or measure fewer loads")
    labels = _labels([curve[0] for curve in curves.values()], name)
    panels = []
    for quantile in QUANTILES:
        each = zip(curves.values(), labels, strict=True)
        series = [
            _series(curve, label, name, quantile, number)
            for number, (curve, label) in enumerate(each)
        ]
        if any(line.x for line in series):
            label = f"factor of the {NAMES[quantile]}"
            y = PlotAxis("ratio", label, logarithmic=True)
            lines = tuple(line for line in series if line.x)
            panels.append(Panel(axis, y, lines, (StraightLine(1.0, across="y"),)))
    if not panels:
        advice = "measure longer: hockney congestion --budget 60s"
        raise lacking(analysis, "no load of known size has enough samples", advice)
    words = (
        f"Time under load over time alone in the same launches ({ESTIMATED}).",
        samples_text(analyses),
    )
    return Figure("congestion", f"{analysis.label}: congestion", tuple(panels), words)


def _labels(firsts: Sequence[Congested], x: str) -> list[str]:
    """The victim, and the axes in which curves differ."""
    differ = [
        name
        for name in SHOWN
        if name != x and len({getattr(first.point, name) for first in firsts}) > 1
    ]
    is_named = not differ or len({first.point.operation for first in firsts}) > 1
    labels = []
    for first in firsts:
        victim = [victim_text(first.point)] if is_named else []
        others = (text_of(first.point, name) for name in differ)
        labels.append(", ".join(filter(None, (*victim, *others))))
    return labels


def _series(curve: Sequence[Congested], label: str, x: str, quantile: float, number: int) -> Series:
    points = [(getattr(row.point, x), row.factor(quantile)) for row in curve]
    known = sorted(
        ((at, factor) for at, factor in points if at is not None and factor is not None),
        key=lambda pair: pair[0],
    )
    ratios = ((at, factor.judged.ratio) for at, factor in known)
    intervals = (factor.judged.interval for _, factor in known)
    return Series.through(ratios, label, colour=number, intervals=intervals)
