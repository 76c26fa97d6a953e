"""Figures for papers: one file a figure, found by its name.

A figure that `hockney plot` draws has one function, `draw(systems, options) -> Figure`. Modules
whose name begins with an underscore are shared; ratio.py belongs to `hockney compare`.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hockney.estimate.points import Estimates
    from hockney.records import Run

FIGURES = ("time", "bandwidth", "samples")


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
    """The size whose samples are shown."""


def draw(what: str, systems: Sequence[System], options: Options) -> Figure:
    module: Any = importlib.import_module(f"hockney.views.figures.{what}")
    figure: Figure = module.draw(systems, options)
    return figure
