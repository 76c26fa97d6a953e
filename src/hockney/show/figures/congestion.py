"""The congestion factor over the intensity of the load: above 1 victims take longer than alone."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.base.errors import UsageError
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.congestion_factor import QUANTILES, Congested
from hockney.plan.axes import grouped_by, text_of
from hockney.show.curves.curves import Options, check_count, only, samples_text
from hockney.show.drawing.description import Figure, Panel, PlotAxis, Series, StraightLine, ends
from hockney.show.experiments.congestion import NAMES, victim_text

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
        raise UsageError(
            f"{analysis.source}: no victim was measured under load",
            "measure one with hockney congestion",
        )
    name, axis = next(
        (
            intensity
            for intensity in INTENSITIES
            if len({getattr(row.point, intensity[0]) for row in rows}) > 1
        ),
        INTENSITIES[0],
    )
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
            panels.append(
                Panel(
                    axis,
                    PlotAxis("ratio", label, logarithmic=True),
                    tuple(line for line in series if line.x),
                    (StraightLine(1.0, across="y"),),
                )
            )
    if not panels:
        raise UsageError(
            f"{analysis.source}: no load of known size has enough samples",
            "measure longer: hockney congestion --budget 60s",
        )
    words = (
        "Time under load over time alone in the same launches (Hodges-Lehmann estimate, "
        "signed-rank interval).",
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
    victims = {first.point.operation for first in firsts}
    return [
        ", ".join(
            filter(
                None,
                (
                    victim_text(first.point) if len(victims) > 1 or not differ else None,
                    *(text_of(first.point, name) for name in differ),
                ),
            )
        )
        for first in firsts
    ]


def _series(curve: Sequence[Congested], label: str, x: str, quantile: float, number: int) -> Series:
    points = [(getattr(row.point, x), row.factor(quantile)) for row in curve]
    known = sorted(
        ((at, factor) for at, factor in points if at is not None and factor is not None),
        key=lambda pair: pair[0],
    )
    return Series(
        label,
        [float(at) for at, _ in known],
        [factor.judged.ratio for _, factor in known],
        *ends(factor.judged.interval for _, factor in known),
        colour=number,
    )
