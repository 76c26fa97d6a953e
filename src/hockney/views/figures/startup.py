"""The steps of a start-up over numbers of ranks."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.analysis import Analysis
from hockney.errors import AskedWronglyError
from hockney.estimate.points import PointEstimate
from hockney.spec.axes import key_without
from hockney.views.curves import Options, medians_text, only, samples_text
from hockney.views.drawing.description import Axis, Figure, Panel, Series
from hockney.views.experiments.startup import order, step_text

TAKES = ()
SHARED = False
CHOICE = None


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:  # noqa: ARG001
    analysis = only(analyses, "--what startup")
    points = [point for point in analysis.estimates.own() if point.typical_s > 0.0]
    if analysis.run.header.experiment != "startup" or not points:
        raise AskedWronglyError(
            f"{analysis.run.path or analysis.label}: no start-up was measured",
            "measure it with hockney startup",
        )
    curves: dict[object, list[PointEstimate]] = {}
    for point in sorted(points, key=order):
        curves.setdefault(key_without(point, "ranks"), []).append(point)
    series = tuple(
        _series(sorted(curve, key=lambda point: point.known_ranks), number)
        for number, curve in enumerate(curves.values())
    )
    x = Axis("count", "processes", logarithmic=True)
    panel = Panel(x, Axis("time", "time", logarithmic=True), series)
    caption = (medians_text(points), samples_text(analyses))
    return Figure("startup", f"{analysis.label}: start-up", (panel,), caption)


def _series(curve: Sequence[PointEstimate], colour: int) -> Series:
    which = f"{curve[0].occurrence} " if curve[0].occurrence else ""
    return Series(
        which + step_text(curve[0]),
        [float(point.known_ranks) for point in curve],
        [point.typical_s for point in curve],
        [point.low_s for point in curve],
        [point.high_s for point in curve],
        colour=colour,
    )
