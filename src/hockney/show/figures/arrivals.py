"""The best algorithm of a collective by the pattern in which ranks arrive and size."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.base.errors import UsageError
from hockney.base.units import how_many
from hockney.infer.analysis import Analysis
from hockney.plan.arrivals import PATTERNS
from hockney.show.curves.curves import Options
from hockney.show.drawing.description import Figure
from hockney.show.figures._best import best_map
from hockney.show.figures._collectives import chosen_collective

TAKES = ("operation",)
SHARED = False
CHOICE = None


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:
    """The map for the largest number of ranks."""
    what = chosen_collective(analyses, options)
    cells = [cell for cell in what.of_all_arrivals if cell.arrived.pattern in PATTERNS]
    if not cells:
        raise UsageError(
            f"{what.name}: all ranks started together",
            "measure with `hockney collective --arrival none,ascending,last-late`",
        )
    most = max(cell.ranks for cell in cells)
    cells = sorted(
        (cell for cell in cells if cell.ranks == most),
        key=lambda cell: PATTERNS.index(cell.arrived.pattern or PATTERNS[0]),
    )
    label = f"arrival of {how_many(most, 'rank')}"
    return best_map("arrivals", what, cells, label, lambda cell: cell.arrived.text)
