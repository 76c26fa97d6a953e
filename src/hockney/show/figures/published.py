"""The times of a ping-pong among those of published systems, each with its transport."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.base.errors import UsageError
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.claims.published_base import PublishedFigure
from hockney.show.curves.curves import Options, curves_of, medians_text
from hockney.show.drawing.description import ONE_WAY_TIMES, SIZES, Figure, Panel, Series

TAKES = ()
SHARED = True
CHOICE = None


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:
    curves = curves_of(analyses, options)
    systems: dict[str, dict[int, PublishedFigure]] = {}
    for analysis in analyses:
        for place in analysis.positions().places:
            if place.is_alike and place.bytes is not None:
                for published in place.like:
                    systems.setdefault(published.system, {})[place.bytes] = published
    if not systems:
        raise UsageError(
            f"{analyses[0].label}: no published system is like it",
            "measure a ping-pong of 0, 8, 1024, 65536, 1 MiB or 4 MiB on a real machine",
        )
    transports = list(dict.fromkeys(next(iter(of.values())).transport for of in systems.values()))
    own = [curve.series("points", n, curve.label) for n, curve in enumerate(curves)]
    others = [
        _series(name, of, len(curves) + transports.index(next(iter(of.values())).transport))
        for name, of in systems.items()
    ]
    panel = Panel(SIZES, ONE_WAY_TIMES, (*others, *own))
    caption = (
        medians_text(curves[0].points),
        f"Lines are {len(systems)} published systems of like transport and definition; "
        "`show --json` has their sources.",
    )
    return Figure("published", "Among published systems", (panel,), caption)


def _series(name: str, of: dict[int, PublishedFigure], colour: int) -> Series:
    points = [(size, of[size].value) for size in sorted(of)]
    transport = of[min(of)].transport
    return Series.through(points, transport, "line", colour, f"{name} ({transport})")
