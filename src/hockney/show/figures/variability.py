"""Mean with standard deviation as bars, minimum and maximum as crosses, by size and by rank."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.base.units import format_size
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.network.contention import OF_PAIRS
from hockney.infer.analysis.variability import Spread
from hockney.plan.axes import key_without
from hockney.show.curves.curves import (
    Options,
    chosen_value,
    extremes_of,
    lacking,
    only,
    samples_text,
)
from hockney.show.drawing.description import ONE_WAY_TIMES, SIZES, Figure, Panel, PlotAxis, Series

TAKES = ("bytes",)
SHARED = False
CHOICE = "bytes"
CAPTION = "Over all repetitions of all launches; a bar without a lower end reaches below 0 s."


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:
    analysis = only(analyses, "variability")
    spreads = _with_most_ranks(analysis.variability)
    by_size = [spread for spread in spreads if spread.rank is None]
    if not by_size:
        advice = "measure with hockney pairs --every-iteration"
        raise lacking(analysis, "no samples of ranks to draw", advice)
    sizes = [spread.point.bytes for spread in by_size]
    size = chosen_value(options.bytes, sizes, "--bytes", sizes[0])
    by_rank = [
        spread for spread in spreads if spread.rank is not None and spread.point.bytes == size
    ]
    panels = [
        Panel(SIZES, ONE_WAY_TIMES, _spread(list(map(float, sizes)), by_size, 0, "all ranks"))
    ]
    if len(by_rank) > 1:
        at = [float(spread.rank or 0) for spread in by_rank]
        x = PlotAxis("count", f"rank, at {format_size(size)}")
        panels.append(Panel(x, ONE_WAY_TIMES, _spread(at, by_rank, 1, "each rank")))
    return Figure("variability", analysis.label, tuple(panels), (CAPTION, samples_text(analyses)))


def _with_most_ranks(spreads: Sequence[Spread]) -> list[Spread]:
    """The spreads of the first operation with the most ranks at once."""
    if not spreads:
        return []
    most = max(spread.point.known_ranks for spread in spreads)
    how = key_without(spreads[0].point, "bytes", *OF_PAIRS)
    return [
        spread
        for spread in spreads
        if spread.point.known_ranks == most and key_without(spread.point, "bytes", *OF_PAIRS) == how
    ]


def _spread(
    at: Sequence[float], spreads: Sequence[Spread], colour: int, of: str
) -> tuple[Series, ...]:
    means = [spread.mean_s for spread in spreads]
    ends = [
        (spread.mean_s - (spread.std_s or 0.0), spread.mean_s + (spread.std_s or 0.0))
        for spread in spreads
    ]
    low = [low if low > 0.0 else None for low, _ in ends]
    least, most = [spread.min_s for spread in spreads], [spread.max_s for spread in spreads]
    return (
        Series(
            f"mean and standard deviation of {of}",
            at,
            means,
            low,
            [high for _, high in ends],
            "points",
            colour,
        ),
        *extremes_of(at, least, most, colour, f"{{}} of {of}"),
    )
