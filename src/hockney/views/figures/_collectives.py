"""What figures of collectives share: which points, the model beside them, and where ranks begin to
fill another socket or node."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hockney.analysis import Analysis
from hockney.analysis.best import Cell, cells_of, is_collective, name_of
from hockney.errors import AskedWronglyError
from hockney.estimate.points import PointEstimate
from hockney.predict.collectives import predicted_s
from hockney.predict.parameters import Parameters
from hockney.records import Place
from hockney.spec.workloads.collective import DEFAULT
from hockney.views.curves import Options, samples_text, title_of
from hockney.views.drawing.description import Series

MOST_COLOURED = 7
"""Algorithms, as many as there are colours; others are grey."""


@dataclass(frozen=True)
class Shown:
    """The points of one collective in all files, and what is known of the ranks' places."""

    collective: str
    points: tuple[PointEstimate, ...]
    analyses: tuple[Analysis, ...]
    """Those that have the points."""
    places: dict[int, list[Place]]
    """The places of the ranks, by their number."""
    parameters: Parameters | None
    """Costs of point-to-point messages, where one of the files has them."""

    @property
    def title(self) -> str:
        return f"{title_of(self.analyses)}: {self.collective}"

    @cached_property
    def colours(self) -> dict[str, int | None]:
        """The colour of each algorithm, the same in all figures: first the library's own
        decision, then those that come nearest to the fastest."""
        fastest: dict[tuple[int, int], float] = {}
        for point in self.points:
            key = point.known_ranks, point.bytes
            fastest[key] = min(fastest.get(key, math.inf), point.typical_s)
        behind: dict[str, list[float]] = {}
        for point in self.points:
            ratio = point.typical_s / fastest[point.known_ranks, point.bytes]
            behind.setdefault(name_of(point), []).append(math.log(ratio))
        names = sorted(behind, key=lambda name: (name != DEFAULT, float(np.mean(behind[name]))))
        return {name: i if i < MOST_COLOURED else None for i, name in enumerate(names)}

    @cached_property
    def cells(self) -> list[Cell]:
        if len(self.analyses) == 1:
            return [c for c in self.analyses[0].best if c.collective == self.collective]
        return cells_of(self.points)

    def predicted_s(self, point: PointEstimate) -> float | None:
        if self.parameters is None:
            return None
        return predicted_s(self.parameters, point, self.places.get(point.known_ranks))

    def sample(self) -> str:
        return samples_text(self.analyses)


def shown(analyses: Sequence[Analysis], options: Options) -> Shown:
    """The points that the options choose; raises AskedWronglyError where there are none."""
    with_points = [a for a in analyses if any(map(is_collective, a.estimates.headline))]
    points = [p for a in with_points for p in a.estimates.headline if is_collective(p)]
    names = sorted({point.operation for point in points})
    if not names:
        raise AskedWronglyError(
            "there are no collectives in these files", "measure them with `hockney collective`"
        )
    collective = options.operation or names[0]
    if collective not in names or (options.operation is None and len(names) > 1):
        raise AskedWronglyError(
            f"--operation {options.operation or 'is not given'}: measured are {', '.join(names)}",
            "choose one of them",
        )
    chosen = tuple(p for p in points if p.operation == collective and p.typical_s > 0.0)
    if not chosen:
        raise AskedWronglyError(f"{collective}: no time above 0 was measured, so there is no curve")
    of_it = tuple(a for a in with_points if any(p in chosen for p in a.estimates.headline))
    return Shown(collective, chosen, of_it, _places(of_it), _parameters(analyses))


def unknown_ranks(what: Shown) -> AskedWronglyError:
    """The error of figures over numbers of processes."""
    return AskedWronglyError(
        f"{what.collective}: the log does not record how many processes took part",
        "draw --what collective-sizes",
    )


def _places(analyses: Iterable[Analysis]) -> dict[int, list[Place]]:
    return {len(launch.places): launch.places for a in analyses for launch in a.run.launches}


def _parameters(analyses: Sequence[Analysis]) -> Parameters | None:
    """The message costs of the first file with ping-pong times of several sizes."""
    for analysis in analyses:
        try:
            return analysis.message_costs
        except AskedWronglyError:
            continue
    return None


def curves(
    what: Shown, points: Sequence[PointEstimate], along: Callable[[PointEstimate], float]
) -> tuple[Series, ...]:
    """Medians with intervals, a colour an algorithm, the model as a dashed line beside each; grey
    ones behind."""
    found = []
    for name, colour in sorted(what.colours.items(), key=lambda item: item[1] is not None):
        curve = sorted((p for p in points if name_of(p) == name), key=along)
        if not curve:
            continue
        grey = sum(colour is None for colour in what.colours.values())
        label = f"{grey} others" if colour is None else _label(name)
        found.append(
            Series(
                label,
                [along(p) for p in curve],
                [p.typical_s for p in curve],
                [p.low_s for p in curve],
                [p.high_s for p in curve],
                colour=colour,
                name=_label(name),
            )
        )
        model = [(along(p), seconds) for p in curve if (seconds := what.predicted_s(p))]
        if model:
            x, y = zip(*model, strict=True)
            found.append(
                Series(
                    "model, message by message",
                    x,
                    y,
                    style="dashed",
                    colour=colour,
                    name=f"{_label(name)}: model",
                )
            )
    return tuple(sorted(found, key=lambda one: one.colour is None))


def _label(name: str) -> str:
    return "the library's own decision" if name == DEFAULT else name


def borders(places: dict[int, list[Place]], ranks: Iterable[int]) -> list[tuple[float, str]]:
    """Between which numbers of ranks a second socket or node comes in: where on the axis, and
    which."""
    every = [count for count in sorted(set(ranks)) if count in places]
    found = []
    for kind, key in (("node", _node), ("socket", _socket)):
        for less, more in itertools.pairwise(every):
            if len(set(map(key, places[less]))) == 1 < len(set(map(key, places[more]))):
                found.append((math.sqrt(less * more), f"second {kind}"))
    at_node = [at for at, words in found if words == "second node"]
    return [(at, words) for at, words in found if words == "second node" or at not in at_node]


def _node(place: Place) -> object:
    return place.host


def _socket(place: Place) -> object:
    return place.host, place.package
