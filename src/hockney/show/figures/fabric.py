"""Heat map of the time between every two switches, or blocks of nodes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hockney.base.errors import UsageError
from hockney.base.units import format_size
from hockney.infer.analysis import Analysis
from hockney.show.curves import Options, chosen_value, only
from hockney.show.drawing import time_text
from hockney.show.drawing.description import Figure, MapCell, Panel, PlotAxis

TAKES = ("bytes",)
SHARED = False
CHOICE = "bytes"


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:
    analysis = only(analyses, "a network")
    pairwise = analysis.pairwise
    if pairwise is None:
        raise UsageError(
            f"{analysis.run.path or analysis.label}: no pass over all pairs to draw",
            "measure with hockney fabric",
        )
    sizes = dict.fromkeys(pairwise.bytes)
    size = chosen_value(options.bytes, sizes, "--bytes", min(sizes))
    binned = pairwise.binned(pairwise.bytes.index(size))
    cells = tuple(
        MapCell(
            int(column),
            int(row),
            float(binned.seconds[row, column]),
            f"{binned.names[row]} and {binned.names[column]}: "
            f"{time_text(float(binned.seconds[row, column]))}",
        )
        for row, column in np.argwhere(~np.isnan(binned.seconds))
    )
    what = "switch" if binned.names == pairwise.switches else "node"
    axes = (
        PlotAxis("name", what, names=binned.names),
        PlotAxis("name", what, names=binned.names, downward=True),
    )
    each = f"Blocks of {binned.nodes} nodes, named by the first. " if binned.nodes > 1 else ""
    caption = "Medians of the pairs between two switches, on the diagonal of those inside one."
    if what == "node":
        caption = (
            f"{each}Medians of the pairs between two blocks." if each else "Medians of passes."
        )
    return Figure(
        "fabric",
        f"{analysis.label}, {format_size(size)}",
        (Panel(*axes, cells=cells, scale=PlotAxis("time", "one-way time", logarithmic=True)),),
        (caption, f"{len(pairwise.ends)} pairs, {100.0 * pairwise.fraction:.3g} % of all."),
    )
