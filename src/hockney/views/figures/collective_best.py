"""The best algorithm of a collective over processes and size: which, by how much, and where the
difference is within the noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.patches import Patch, Rectangle

from hockney.estimate.best import DEFAULT, Cell
from hockney.units import format_size
from hockney.views.figures import Options, System
from hockney.views.figures._collectives import borders, shown, unknown_ranks
from hockney.views.figures._style import (
    COLOURS,
    QUIET,
    Looks,
    colour,
    finish,
    new_figure,
    paper,
    plain,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

OWN_LOOK: Looks = {"facecolor": "#eeeeee", "edgecolor": "white"}
"""Of cells in which the library's own decision stays."""
HATCHES = ("", "////", "....")
MOST_TEXTS = 160
"""Cells; more would not have room for their numbers."""


def draw(systems: Sequence[System], options: Options) -> Figure:
    what = shown(systems, options)
    cells = what.cells
    if not cells:
        raise unknown_ranks(what)
    ranks, sizes = (sorted({getattr(cell, by) for cell in cells}) for by in ("ranks", "bytes"))
    won = {_winner(cell) for cell in cells} - {DEFAULT}
    looks = {name: _look(number) for number, name in enumerate(sorted(won))}
    with paper():
        figure, axes = new_figure()
        for cell in cells:
            _draw_cell(axes, cell, sizes.index(cell.bytes), ranks.index(cell.ranks), looks,
                       with_text=len(cells) <= MOST_TEXTS)  # fmt: skip
        _draw_axes(axes, ranks, sizes)
        for at, words in borders(what.places, ranks):
            row = sum(count < at for count in ranks) - 0.5
            axes.axhline(row, color=QUIET, linewidth=0.9, linestyle=":")
            axes.text(len(sizes) - 0.45, row, words, fontsize=5.5, color=QUIET, va="center")
        entries = [Patch(**look, label=plain(name)) for name, look in looks.items()]
        entries.append(Patch(**OWN_LOOK, label="the library's own decision, or no sure gain"))
        title = f"{what.collective}: best algorithm"
        finish(axes, title, entries, [_words(cells), what.sample()])
    return figure


def _look(number: int) -> Looks:
    """A colour, hatched where the colours begin again."""
    hatch = HATCHES[number // len(COLOURS) % len(HATCHES)]
    return {"facecolor": colour(number), "edgecolor": "white", "hatch": hatch}


def _winner(cell: Cell) -> str:
    """DEFAULT where nothing is better than it beyond noise."""
    if cell.default is None:
        return cell.best.name
    return cell.best.name if cell.is_beyond_noise else DEFAULT


def _draw_cell(
    axes: Axes, cell: Cell, column: int, row: int, looks: dict[str, Looks], with_text: bool
) -> None:
    winner = _winner(cell)
    look = looks.get(winner, OWN_LOOK)
    axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1.0, 1.0, **look))
    if with_text and cell.gain is not None and winner != DEFAULT:
        digits = 2 if cell.gain < 10.0 else 0
        axes.text(
            column, row, f"{cell.gain:.{digits}f}",
            ha="center", va="center", fontsize=4.5, color="white",
            bbox={"facecolor": look["facecolor"], "edgecolor": "none", "pad": 0.6},
        )  # fmt: skip


def _draw_axes(axes: Axes, ranks: Sequence[int], sizes: Sequence[int]) -> None:
    axes.grid(visible=False)
    axes.set_xlim(-0.5, len(sizes) - 0.5)
    axes.set_ylim(-0.5, len(ranks) - 0.5)
    step = -(-len(sizes) // 6)
    axes.set_xticks(range(0, len(sizes), step), [format_size(size) for size in sizes[::step]])
    axes.set_yticks(range(len(ranks)), [str(count) for count in ranks])
    axes.set_xlabel("message size")
    axes.set_ylabel("processes")


def _words(cells: Sequence[Cell]) -> str:
    if all(cell.default is None for cell in cells):
        return "The library's own decision was not measured: fastest median, without a test."
    return (
        "Numbers: the library's own time over the best. Coloured where a rank-sum test over "
        "launches, corrected for the number of comparisons, says that the best is faster."
    )
