"""What figures of collectives share: which points, the model beside them, an axis of ranks, and
where ranks begin to fill another socket or node."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from hockney.analysis.best import Cell, cells_of, is_collective, name_of
from hockney.errors import AskedWronglyError
from hockney.estimate.points import PointEstimate
from hockney.predict.collectives import predicted_s
from hockney.predict.parameters import Parameters, parameters_of_run
from hockney.records import Place
from hockney.views.figures import Options, System
from hockney.views.figures._style import QUIET, colour, mark, plain
from hockney.views.figures._systems import samples_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NEAREST_LABELS = 0.3
"""Of an axis of ranks in factors of two: closer ticks have no label."""


@dataclass(frozen=True)
class Shown:
    """The points of one collective in all files, and what is known of the ranks' places."""

    collective: str
    points: tuple[PointEstimate, ...]
    systems: tuple[System, ...]
    """Those that have the points."""
    places: dict[int, list[Place]]
    """By the number of ranks."""
    parameters: Parameters | None
    """Of point-to-point messages, where one of the files has them."""

    @property
    def names(self) -> list[str]:
        """Of all algorithms, so that each keeps its colour from figure to figure."""
        return sorted({name_of(point) for point in self.points})

    @property
    def cells(self) -> list[Cell]:
        return cells_of(self.points)

    def predicted_s(self, point: PointEstimate) -> float | None:
        if self.parameters is None:
            return None
        return predicted_s(self.parameters, point, self.places.get(point.known_ranks))

    def sample(self) -> str:
        return samples_text([(system.label, system.run) for system in self.systems])


def shown(systems: Sequence[System], options: Options) -> Shown:
    """What the options choose; told where that is not there."""
    with_points = [s for s in systems if any(map(is_collective, s.estimates.headline))]
    points = [p for s in with_points for p in s.estimates.headline if is_collective(p)]
    names = sorted({point.operation for point in points})
    if not names:
        raise AskedWronglyError(
            "there are no collectives in these files", "measure them with `hockney collective`"
        )
    collective = options.collective or names[0]
    if collective not in names or (options.collective is None and len(names) > 1):
        raise AskedWronglyError(
            f"--collective {options.collective or 'is not given'}: measured are {', '.join(names)}",
            "choose one of them",
        )
    chosen = tuple(p for p in points if p.operation == collective and p.typical_s > 0.0)
    if not chosen:
        raise AskedWronglyError(f"{collective}: no time above 0 was measured, so there is no curve")
    return Shown(collective, chosen, tuple(with_points), _places(with_points), _parameters(systems))


def unknown_ranks(what: Shown) -> AskedWronglyError:
    """Of figures over processes."""
    return AskedWronglyError(
        f"{what.collective}: the log does not tell how many processes took part",
        "draw --what collective-sizes",
    )


def _places(systems: Iterable[System]) -> dict[int, list[Place]]:
    return {len(launch.places): launch.places for s in systems for launch in s.run.launches}


def _parameters(systems: Sequence[System]) -> Parameters | None:
    """Of the first file with ping-pong times of several sizes."""
    for system in systems:
        try:
            return parameters_of_run(system.run, system.estimates.headline)
        except AskedWronglyError:
            continue
    return None


def chosen_value(asked: int | None, measured: Iterable[int], option: str, usual: int) -> int:
    """The asked one, or the usual; told where it was not measured."""
    if asked is None:
        return usual
    every = sorted(set(measured))
    if asked not in every:
        raise AskedWronglyError(
            f"{option} {asked}: measured are {', '.join(map(str, every))}", "choose one of them"
        )
    return asked


def draw_curves(axes: Axes, what: Shown, points: Sequence[PointEstimate], by: str) -> list[Line2D]:
    """Medians with intervals by `bytes` or `ranks`, a colour an algorithm, the model as a dashed
    line beside it; gives back entries for the legend."""
    entries = []
    modelled = False
    for number, name in enumerate(what.names):
        curve = sorted((p for p in points if name_of(p) == name), key=lambda p: getattr(p, by))
        if not curve:
            continue
        x = [float(getattr(point, by)) for point in curve]
        y = [point.typical_s for point in curve]
        low = [t - (p.low_s if p.low_s is not None else t) for p, t in zip(curve, y, strict=True)]
        high = [
            (p.high_s if p.high_s is not None else t) - t for p, t in zip(curve, y, strict=True)
        ]
        axes.errorbar(x, y, [low, high], color=colour(number), marker=mark(number), elinewidth=0.8)
        model = [(at, t) for at, p in zip(x, curve, strict=True) if (t := what.predicted_s(p))]
        if model:
            axes.plot(*zip(*model, strict=True), color=colour(number), linestyle="--",
                      linewidth=0.7)  # fmt: skip
            modelled = True
        entries.append(Line2D([], [], color=colour(number), marker=mark(number), label=plain(name)))
    if modelled:
        entries.append(
            Line2D(
                [],
                [],
                color=QUIET,
                linestyle="--",
                linewidth=0.7,
                label="model, message by message",
            )
        )
    return entries


def rank_axis(axes: Axes, ranks: Iterable[int]) -> None:
    """A logarithmic axis with a tick at each measured number of ranks."""
    every = sorted(set(ranks))
    axes.set_xscale("log", base=2)
    axes.set_xlim(every[0] / 1.15, every[-1] * 1.15)
    labelled: list[int] = []
    for count in every:
        if not labelled or math.log2(count / labelled[-1]) >= NEAREST_LABELS:
            labelled.append(count)
    axes.xaxis.set_major_locator(FixedLocator([float(count) for count in every]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda count, _: str(round(count)) if round(count) in labelled else "")
    )
    axes.set_xlabel("processes")


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


def draw_borders(axes: Axes, what: Shown, ranks: Iterable[int]) -> None:
    for at, words in borders(what.places, ranks):
        axes.axvline(at, color=QUIET, linewidth=0.7, linestyle=":")
        axes.text(
            at, 0.98, words, transform=axes.get_xaxis_transform(),
            fontsize=5.5, color=QUIET, va="top", ha="right", rotation=90,
        )  # fmt: skip
