"""Heat map of the time between every two switches, or blocks of nodes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hockney.base.units import format_percent, format_size, how_many
from hockney.infer.analysis import Analysis
from hockney.show.curves.curves import Options, chosen_value, lacking, only, samples_text, sentence
from hockney.show.drawing.description import Figure, map_of, time_cells
from hockney.show.drawing.heatmap import SLOWER_WAY

TAKES = ("bytes",)
SHARED = False
CHOICE = "bytes"
LEAST_HOSTS = 2
"""Least hosts of a matrix that is drawn by host."""


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:
    analysis = only(analyses, "a network")
    pairwise = analysis.pairwise
    if pairwise is None:
        return _of_hosts(analysis, options)
    sizes = dict.fromkeys(pairwise.bytes)
    size = chosen_value(options.bytes, sizes, "--bytes", min(sizes))
    binned = pairwise.binned(pairwise.bytes.index(size))
    times = {
        (row, column): float(binned.seconds[row, column])
        for row, column in np.argwhere(~np.isnan(binned.seconds)).tolist()
    }
    cells = time_cells(times, binned.names)
    what = "switch" if binned.names == pairwise.switches else "node"
    each = f"Blocks of {binned.nodes} nodes, named by the first. " if binned.nodes > 1 else ""
    caption = "Medians of the pairs between two switches, on the diagonal of those inside one."
    if what == "node":
        caption = (
            f"{each}Medians of the pairs between two blocks." if each else "Medians of passes."
        )
    pairs = how_many(len(pairwise.ends), "direction" if pairwise.is_one_way else "pair")
    if pairwise.is_one_way:
        caption = f"{caption} A row has what it sends."
    return Figure(
        "fabric",
        f"{analysis.label}, {format_size(size)}",
        (map_of(binned.names, what, what, cells),),
        (caption, f"{pairs}, {format_percent(pairwise.fraction, 3)} of all."),
    )


def _of_hosts(analysis: Analysis, options: Options) -> Figure:
    """The hosts of an imported matrix of ranks."""
    matrix = analysis.matrix
    hosts = {rank: place.host for rank, place in analysis.places.items() if place.host}
    ranks = matrix.ranks if matrix else ()
    names = tuple(dict.fromkeys(hosts[rank] for rank in ranks if rank in hosts))
    if matrix is None or analysis.run.header.source is None or len(names) < LEAST_HOSTS:
        raise lacking(analysis, "no pass over all pairs to draw", "measure with hockney fabric")
    size = chosen_value(options.bytes, matrix.times, "--bytes", min(matrix.times))
    times = matrix.between(
        size, {rank: names.index(hosts[rank]) for rank in ranks if rank in hosts}
    )
    cells = time_cells(times, names, both_ways=True)
    caption = ["Medians of the pairs of ranks between two hosts; empty: not measured."]
    if matrix.has_directions:
        caption.append(f"{sentence(SLOWER_WAY)}.")
    return Figure(
        "fabric",
        f"{analysis.label}, {format_size(size)}",
        (map_of(names, "host", "host", cells),),
        (*caption, samples_text([analysis])),
    )
