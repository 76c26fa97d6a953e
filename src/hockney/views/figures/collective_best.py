"""The best algorithm of a collective over processes and size: which, by how much, and where the
difference is within the noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.patches import Patch, Rectangle

from hockney.analysis.best import BEST_RULE, FASTER, OWN, Cell
from hockney.spec.workloads.collective import DEFAULT
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
UNKNOWN_LOOK: Looks = {"facecolor": "white", "edgecolor": "#bbbbbb", "hatch": "xxxx"}
"""Of cells in which the launches do not tell."""
HATCHES = ("", "////", "....")
MOST_TEXTS = 160
"""Cells; more would not have room for their numbers."""


def draw(systems: Sequence[System], options: Options) -> Figure:
    what = shown(systems, options)
    cells = what.cells
    if not cells:
        raise unknown_ranks(what)
    ranks, sizes = (sorted({getattr(cell, by) for cell in cells}) for by in ("ranks", "bytes"))
    winners = [_winner(cell) for cell in cells]
    won = sorted({name for name in winners if name not in (None, DEFAULT)})
    looks: dict[str | None, Looks] = {name: _look(number) for number, name in enumerate(won)}
    with paper():
        figure, axes = new_figure()
        looks |= {DEFAULT: OWN_LOOK, None: UNKNOWN_LOOK}
        for cell in cells:
            _draw_cell(axes, cell, sizes.index(cell.bytes), ranks.index(cell.ranks), looks,
                       with_text=len(cells) <= MOST_TEXTS)  # fmt: skip
        _draw_axes(axes, ranks, sizes)
        for at, words in borders(what.places, ranks):
            row = sum(count < at for count in ranks) - 0.5
            axes.axhline(row, color=QUIET, linewidth=0.9, linestyle=":")
            axes.text(len(sizes) - 0.45, row, words, fontsize=5.5, color=QUIET, va="center")
        entries = [Patch(**looks[name], label=plain(name)) for name in won]
        if DEFAULT in winners:
            entries.append(Patch(**OWN_LOOK, label="the library's own decision"))
        if None in winners:
            entries.append(Patch(**UNKNOWN_LOOK, label=_unknown_text(cells)))
        title = f"{what.collective}: best algorithm"
        finish(axes, title, entries, [_words(cells), what.sample()])
    return figure


def _unknown_text(cells: Sequence[Cell]) -> str:
    """With the fewest and the most launches of any cell that is unknown."""
    counts = [cell.launches for cell in cells if _winner(cell) is None]
    span = " to ".join(map(str, sorted({min(counts), max(counts)})))
    return f"unknown: {span} launch{'es' * (max(counts) != 1)}"


def _look(number: int) -> Looks:
    """A colour, hatched where the colours begin again."""
    hatch = HATCHES[number // len(COLOURS) % len(HATCHES)]
    return {"facecolor": colour(number), "edgecolor": "white", "hatch": hatch}


def _winner(cell: Cell) -> str | None:
    """DEFAULT where nothing can be better; None where that is unknown."""
    if cell.verdict == FASTER:
        return cell.best.name
    return DEFAULT if cell.verdict == OWN else None


def _draw_cell(
    axes: Axes, cell: Cell, column: int, row: int, looks: dict[str | None, Looks], with_text: bool
) -> None:
    winner = _winner(cell)
    look = looks[winner]
    axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1.0, 1.0, **look))
    if with_text and cell.gain is not None and winner not in (None, DEFAULT):
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
        return f"The library's own decision was not measured. By a test: {BEST_RULE}."
    return f"Numbers: the library's own time over the best. By a test: {BEST_RULE}."
