"""A collective's measured time over the predicted one against size, each algorithm."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.base.errors import UsageError
from hockney.base.units import exact_percent, how_many
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.algorithms.best import name_of
from hockney.infer.predict.parameters import Parameters
from hockney.show.algorithms.collective_model import known_levels
from hockney.show.curves.curves import Options, chosen_value, samples_text
from hockney.show.drawing import time_text
from hockney.show.drawing.description import (
    SIZES,
    Band,
    Figure,
    Panel,
    PlotAxis,
    Series,
    StraightLine,
)
from hockney.show.figures._collectives import MOST_COLOURED, chosen_collective, title

TAKES = ("operation", "ranks")
SHARED = False
CHOICE = "ranks"
CLOSE = 0.05


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:
    what = chosen_collective(analyses, options)
    if what.message_costs is None:
        raise UsageError(
            "no point-to-point times to predict from in these files",
            "name a result of `hockney pingpong` or `hockney cores`, too",
        )
    measured = [point.known_ranks for point in what.points]
    ranks = chosen_value(options.ranks, measured, "--ranks", max(measured))
    series: list[Series] = []
    for name in what.algorithms:
        points = [p for p in what.points if p.known_ranks == ranks and name_of(p) == name]
        ratios = sorted((p.bytes, p.typical_s / t) for p in points if (t := what.predicted_s(p)))
        if ratios:
            few = len(series) < MOST_COLOURED
            label, colour = (name, len(series)) if few else ("others", None)
            series.append(Series.through(ratios, label, colour=colour, name=name))
    if not series:
        raise UsageError(
            f"none of {', '.join(what.algorithms)} has a schedule to predict by",
            "measure by algorithm: --algorithm all",
        )
    panel = Panel(
        SIZES,
        PlotAxis("ratio", "measured / predicted", logarithmic=True),
        tuple(series),
        (StraightLine(1.0, across="y"),),
        (Band(1.0 - CLOSE, 1.0 + CLOSE, f"within {exact_percent(CLOSE)}", "y"),),
    )
    heading = f"{title(what)}, {how_many(ranks, 'process')}"
    caption = (_words(what.message_costs), samples_text(what.analyses))
    return Figure("collective-model", heading, (panel,), caption)


def _words(parameters: Parameters) -> str:
    levels = [
        f"{name}: α = {time_text(alpha_s)}, 1/β = {rate}"
        for name, alpha_s, rate in known_levels(parameters)
    ]
    sharing = ", flows that share as in SimGrid" if parameters.sharing == "fair" else ""
    return f"Predicted message by message from {'; '.join(levels)}{sharing}."
