"""Common parts of collectives' figures: the points, the model beside them, and where ranks begin to
fill another socket or node."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence

from hockney.base.errors import UsageError
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.algorithms.best import name_of
from hockney.infer.analysis.algorithms.collectives import CollectivePoints, collectives_of
from hockney.infer.estimate.points import PointEstimate
from hockney.plan.workloads.collective import DEFAULT
from hockney.records import Place
from hockney.show.curves.curves import Options, series_of, title_of
from hockney.show.drawing.description import Series

MOST_COLOURED = 7
"""Most coloured algorithms, as many as there are colours; others are grey."""


def chosen_collective(analyses: Sequence[Analysis], options: Options) -> CollectivePoints:
    """The collective that the options choose; raises UsageError where there is none."""
    names = collectives_of(analyses)
    if not names:
        raise UsageError(
            "there are no collectives in these files", "measure them with `hockney collective`"
        )
    name = options.operation or names[0]
    if name not in names or (options.operation is None and len(names) > 1):
        missing = f"there is no {options.operation} in these files" if options.operation else ""
        raise UsageError(
            missing or "there are several collectives in these files",
            f"choose one with --collective: {', '.join(names)}",
        )
    collective = CollectivePoints(name, analyses)
    if not collective.points:
        raise UsageError(f"{name}: no time above 0 was measured, so there is no curve")
    return collective


def title(what: CollectivePoints) -> str:
    return f"{title_of(what.analyses)}: {what.name}"


def colours_of(what: CollectivePoints) -> dict[str, int | None]:
    """The colour of each algorithm, the same in all figures."""
    return {name: i if i < MOST_COLOURED else None for i, name in enumerate(what.algorithms)}


def unknown_ranks(what: CollectivePoints) -> UsageError:
    """The error of figures over numbers of processes."""
    return UsageError(
        f"{what.name}: the log does not record how many processes took part",
        "draw --what collective-sizes",
    )


def curves(
    what: CollectivePoints, points: Sequence[PointEstimate], along: Callable[[PointEstimate], float]
) -> tuple[Series, ...]:
    """Medians with intervals, with a colour for each algorithm, and the model as a dashed line
    beside each; grey ones are in the background."""
    drawn, colours = [], colours_of(what)
    grey = [name for name, colour in colours.items() if colour is None]
    others = _label(grey[0]) if len(grey) == 1 else f"{len(grey)} others"
    for name, colour in sorted(colours.items(), key=lambda item: item[1] is not None):
        curve = sorted((p for p in points if name_of(p) == name), key=along)
        if not curve:
            continue
        label = others if colour is None else _label(name)
        drawn.append(series_of(label, curve, along, colour, _label(name)))
        model = [(along(p), seconds) for p in curve if (seconds := what.predicted_s(p))]
        if model:
            words = f"{_label(name)}: model"
            drawn.append(
                Series.through(model, "model, message by message", "dashed", colour, words)
            )
    return tuple(sorted(drawn, key=lambda series: series.colour is None))


def _label(name: str) -> str:
    return "the library's own decision" if name == DEFAULT else name


def borders(places: dict[int, list[Place]], ranks: Iterable[int]) -> list[tuple[float, str]]:
    """Places on the axis of ranks, with a label, where a second socket or node comes into use."""
    every = [count for count in sorted(set(ranks)) if count in places]
    labelled = []
    for kind, key in (("node", _node), ("socket", _socket)):
        for less, more in itertools.pairwise(every):
            if len(set(map(key, places[less]))) == 1 < len(set(map(key, places[more]))):
                labelled.append((math.sqrt(less * more), f"second {kind}"))
    at_node = [at for at, words in labelled if words == "second node"]
    return [(at, words) for at, words in labelled if words == "second node" or at not in at_node]


def _node(place: Place) -> object:
    return place.host


def _socket(place: Place) -> object:
    return place.host, place.package
