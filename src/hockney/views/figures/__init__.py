"""Figures for papers: one file a figure, found by its name.

A figure that `hockney plot` draws has one function, `draw(systems, options) -> Figure`. Modules
whose name begins with an underscore are shared; ratio.py belongs to `hockney compare`.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hockney.errors import AskedWronglyError
from hockney.spec.axes import Key, key_without, texts_apart

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hockney.estimate.points import Estimates, PointEstimate
    from hockney.records import Run

FIGURES = (
    "time",
    "bandwidth",
    "samples",
    "models",
    "contention",
    "matrix",
    "variability",
    "multi-mode",
    "collective-sizes",
    "collective-ranks",
    "collective-best",
    "collective-model",
)
OVERLAID = ("time", "bandwidth")
"""Those that show several curves."""
MOST_CURVES = 21
"""Of one figure: then colours and marks begin again."""


@dataclass(frozen=True)
class System:
    """One file of a figure, with the name that tells it from the others."""

    run: Run
    estimates: Estimates
    label: str


@dataclass(frozen=True)
class Options:
    extremes: bool = False
    """Standard deviations as bars, minima and maxima as outliers."""
    fit: bool = True
    bytes: int | None = None
    """The one size that is shown."""
    collective: str | None = None
    ranks: int | None = None
    """The one number of processes that is shown."""


def labels_of(runs: Sequence[Run]) -> list[str]:
    """What each run is called; the name of its file is added where another run is called the same,
    and its directory where their files are, too."""
    labels = [run.label for run in runs]
    for file in ("name", "parent"):
        calls = Counter(labels)
        labels = [
            f"{label} ({getattr(run.path, file)})" if calls[label] > 1 and run.path else label
            for run, label in zip(runs, labels, strict=True)
        ]
    return labels


def curves_of(system: System) -> list[System]:
    """One for each curve over sizes that the run holds, and for each number of pairs at once."""
    curves: dict[Key, list[PointEstimate]] = {}
    for point in system.estimates.points:
        if not point.is_beside:
            curves.setdefault(key_without(point, "bytes"), []).append(point)
    if len(curves) < 2:
        return [system]
    names = texts_apart(curves.values())
    return [
        replace(
            system,
            estimates=replace(system.estimates, points=tuple(points)),
            label=f"{system.label}, {name}",
        )
        for name, points in zip(names, curves.values(), strict=True)
    ]


def draw(what: str, systems: Sequence[System], options: Options) -> Figure:
    if len(systems) > MOST_CURVES:
        raise AskedWronglyError(
            f"{len(systems)} curves: one figure tells no more than {MOST_CURVES} apart",
            "draw fewer files, or take the points from `hockney export --to csv`",
        )
    module: Any = importlib.import_module(f"hockney.views.figures.{what.replace('-', '_')}")
    figure: Figure = module.draw(systems, options)
    return figure
