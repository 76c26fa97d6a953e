"""Heat map of the time between every two ranks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from hockney.base.units import format_size
from hockney.infer.analysis import Analysis
from hockney.show.curves.curves import Options, chosen_value, lacking, only, samples_text, sentence
from hockney.show.drawing.description import Figure, StraightLine, map_of, time_cells
from hockney.show.drawing.heatmap import SLOWER_WAY

TAKES = ("bytes",)
SHARED = False
CHOICE = "bytes"


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:
    analysis = only(analyses, "a matrix")
    matrix = analysis.matrix
    if matrix is None:
        raise lacking(analysis, "no pairs of ranks to draw", "measure with hockney cores")
    size = chosen_value(options.bytes, matrix.times, "--bytes", min(matrix.times))
    names = tuple(map(str, matrix.ranks))
    index = {rank: place for place, rank in enumerate(matrix.ranks)}
    times = {(index[a], index[b]): point.typical_s for (a, b), point in matrix.times[size].items()}
    cells = time_cells(times, [_name(analysis, rank) for rank in matrix.ranks], both_ways=True)
    rules = tuple(_borders(analysis, matrix.ranks))
    caption = ["Medians over launches; empty: not measured."]
    if matrix.has_directions:
        caption.append(f"{sentence(SLOWER_WAY)}.")
    if rules:
        caption.append("Lines: borders of nodes.")
    return Figure(
        "matrix",
        f"{analysis.label}, {format_size(size)}",
        (map_of(names, "rank", "rank", cells, rules=rules),),
        (*caption, samples_text(analyses)),
    )


def _name(analysis: Analysis, rank: int) -> str:
    place = analysis.places.get(rank)
    if place is None or place.pu is None:
        return f"rank {rank}"
    return f"rank {rank} ({place.host or 'unknown host'}, CPU {place.pu})"


def _borders(analysis: Analysis, ranks: Sequence[int]) -> list[StraightLine]:
    """Lines between the ranks of different nodes, where a node has several ranks."""
    places = analysis.places
    hosts = [places[rank].host if rank in places else None for rank in ranks]
    if len(set(hosts)) in (1, len(hosts)):
        return []
    rules, border = [], -0.5
    for size in [len(list(group)) for _, group in groupby(hosts)][:-1]:
        border += size
        rules += [StraightLine(border, across="x"), StraightLine(border, across="y")]
    return rules
