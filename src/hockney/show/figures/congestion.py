"""The congestion factor over the intensity of the load: above 1 victims take longer than alone."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.base.errors import UsageError
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.congestion_factor import QUANTILES, Congested
from hockney.plan.axes import Key, key_without, text_of
from hockney.show.curves import MOST_CURVES, Options, only, samples_text
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
    found = [one for one in analysis.congestion if options.operation in (None, one.point.operation)]
    if not found:
        raise UsageError(
            f"{analysis.run.path or analysis.label}: no victim was measured under load",
            "measure one with hockney congestion",
        )
    name, axis = next(
        (one for one in INTENSITIES if len({getattr(c.point, one[0]) for c in found}) > 1),
        INTENSITIES[0],
    )
    curves: dict[Key, list[Congested]] = {}
    for one in found:
        curves.setdefault(key_without(one.point, name), []).append(one)
    if len(curves) > MOST_CURVES:
        raise UsageError(
            f"{len(curves)} curves: one figure shows no more than {MOST_CURVES}",
            "choose one victim with --operation, or measure fewer loads",
        )
    labels = _labels([curve[0] for curve in curves.values()], name)
    panels = []
    for quantile in QUANTILES:
        each = zip(curves.values(), labels, strict=True)
        series = [
            _series(curve, label, name, quantile, number)
            for number, (curve, label) in enumerate(each)
        ]
        if any(one.x for one in series):
            label = f"factor of the {NAMES[quantile]}"
            panels.append(
                Panel(
                    axis,
                    PlotAxis("ratio", label, logarithmic=True),
                    tuple(one for one in series if one.x),
                    (StraightLine(1.0, across="y"),),
                )
            )
    if not panels:
        raise UsageError(
            f"{analysis.run.path or analysis.label}: no load of known size has enough samples",
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
        if name != x and len({getattr(one.point, name) for one in firsts}) > 1
    ]
    victims = {one.point.operation for one in firsts}
    return [
        ", ".join(
            filter(
                None,
                (
                    victim_text(one.point) if len(victims) > 1 or not differ else None,
                    *(text_of(one.point, name) for name in differ),
                ),
            )
        )
        for one in firsts
    ]


def _series(curve: Sequence[Congested], label: str, x: str, quantile: float, number: int) -> Series:
    points = [(getattr(one.point, x), one.factor(quantile)) for one in curve]
    known = sorted(
        ((at, one) for at, one in points if at is not None and one is not None),
        key=lambda pair: pair[0],
    )
    return Series(
        label,
        [float(at) for at, _ in known],
        [one.judged.ratio for _, one in known],
        *ends(one.judged.interval for _, one in known),
        colour=number,
    )
