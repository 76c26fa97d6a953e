"""Draws the best algorithm of a collective over processes and size, its gain, and where it is
unknown."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.infer.analysis import Analysis
from hockney.show.curves.curves import Options
from hockney.show.drawing.description import Figure, StraightLine
from hockney.show.figures._best import best_map
from hockney.show.figures._collectives import borders, chosen_collective, unknown_ranks

TAKES = ("operation",)
SHARED = False
CHOICE = None


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:
    what = chosen_collective(analyses, options)
    cells = sorted(what.cells, key=lambda cell: cell.ranks)
    if not cells:
        raise unknown_ranks(what)
    ranks = sorted({cell.ranks for cell in cells})
    rules = [
        StraightLine(sum(count < at for count in ranks) - 0.5, words, "y")
        for at, words in borders(what.places, ranks)
    ]
    return best_map("collective-best", what, cells, "processes", lambda c: str(c.ranks), rules)
