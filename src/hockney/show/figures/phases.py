"""Draws the time of a collective until the end of each phase, against size."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from hockney.base.errors import UsageError
from hockney.base.grouping import by_key
from hockney.base.units import how_many
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.algorithms.phase_times import Phased
from hockney.infer.estimate.points import PointEstimate
from hockney.show.curves.curves import Options, lacking, only, samples_text, series_of
from hockney.show.drawing.description import SIZES, Figure, Panel, PlotAxis, Series

TAKES = ("operation", "ranks")
SHARED = False
CHOICE = "ranks"


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:
    """A panel for each algorithm and segment size: stacked phases; the highest is the whole."""
    analysis = only(analyses, "--what phases")
    of_it = [
        phased
        for phased in analysis.phases
        if options.operation in (None, phased.whole.point.operation)
    ]
    if not of_it:
        advice = "measure one with hockney collective allreduce --phases all"
        raise lacking(analysis, "no collective was made by messages", advice)
    ranks = options.ranks or max(phased.whole.point.known_ranks for phased in of_it)
    of_ranks = [phased for phased in of_it if phased.whole.point.known_ranks == ranks]
    groups = by_key(of_ranks, lambda phased: (phased.whole.point.operation, phased.method))
    if not groups:
        raise UsageError(
            f"--ranks {ranks}: no collective was made by messages of so many",
            "leave it out, or choose another number",
        )
    panels = [_panel(*key, sorted(each, key=attrgetter("bytes"))) for key, each in groups.items()]
    words = (
        "Phases upon each other: time until the last rank is done with each, of collectives made "
        "by messages as the algorithm's schedule says; dashed as message costs predict the whole.",
        samples_text(analyses),
    )
    title = f"{analysis.label}: phases, {how_many(ranks, 'process')}"
    return Figure("phases", title, tuple(panels), words)


def _panel(collective: str, method: str, each: Sequence[Phased]) -> Panel:
    """A panel of one algorithm. Where sizes have different phases, each curve has the sizes that
    have its phase."""
    series: list[Series] = []
    names = dict.fromkeys(p.point.phase or "" for phased in each for p in phased.phases)
    for number, name in enumerate(list(names)[:-1] if names else []):
        until = ((phased.bytes, phased.until_s(name)) for phased in each)
        known = [(at, seconds) for at, seconds in until if seconds is not None]
        series.append(Series.through(known, f"until the end of {name}", colour=number + 2))
    whole = [phased.whole.point for phased in each]
    series.append(series_of(f"{method} by messages", whole, _size))
    own = [(phased, phased.library) for phased in each if phased.library is not None]
    if own:
        label = f"the library's, {own[0][0].library_algorithm}"
        series.append(series_of(label, [point for _, point in own], _size, colour=1))
    model = [
        (phased.bytes, phased.whole.predicted_s) for phased in each if phased.whole.predicted_s
    ]
    if model:
        series.append(Series.through(model, "predicted", "dashed"))
    label = f"time of {collective}, {method}"
    return Panel(SIZES, PlotAxis("time", label, logarithmic=True), tuple(series))


def _size(point: PointEstimate) -> float:
    return float(point.bytes)
