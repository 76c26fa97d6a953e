"""The map of the best algorithm: rows of cells over size, with the best one, its gain, and where it
is unknown."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hockney.base.errors import UsageError
from hockney.base.units import format_size, from_to, how_many, plural
from hockney.infer.analysis.algorithms.best import EQUAL, FASTER, CollectiveCell, name_of
from hockney.infer.analysis.algorithms.collectives import CollectivePoints
from hockney.plan.workloads.collective import DEFAULT
from hockney.show.curves.curves import samples_text
from hockney.show.drawing import time_text
from hockney.show.drawing.description import (
    CellKind,
    Figure,
    MapCell,
    Panel,
    PlotAxis,
    StraightLine,
)
from hockney.show.figures._collectives import title

RULE = "A best algorithm is one that a test over launches shows to be faster."
"""The rule in a sentence; `hockney show --explain` has all of it."""
TIES = "Where others may be as fast, the one with the least median is shown."


def best_map(
    name: str,
    what: CollectivePoints,
    cells: Sequence[CollectiveCell],
    row_label: str,
    row_of: Callable[[CollectiveCell], str],
    rules: Sequence[StraightLine] = (),
) -> Figure:
    """The figure called `name`; its rows in the order of the cells."""
    if not any(cell.is_choice for cell in cells):
        raise UsageError(
            f"{what.name}: one algorithm alone was measured", "measure with --algorithm all"
        )
    sizes, rows = sorted({cell.bytes for cell in cells}), list(dict.fromkeys(map(row_of, cells)))
    won = {_winner(cell) for cell in cells}
    colours = {name: number for number, name in enumerate(what.algorithms) if name in won}
    names: list[str | None] = [*sorted(colours, key=lambda name: colours[name])]
    names += [name for name in (DEFAULT, None) if name in won and name not in names]
    kinds = tuple(_kind(name, colours.get(name or ""), cells) for name in names)
    drawn = tuple(
        MapCell(
            sizes.index(cell.bytes),
            rows.index(row_of(cell)),
            None,
            _words(cell),
            names.index(_winner(cell)),
            _gain(cell),
        )
        for cell in cells
    )
    panel = Panel(
        PlotAxis("name", "message size", names=tuple(map(format_size, sizes))),
        PlotAxis("name", row_label, names=tuple(rows)),
        rules=tuple(rules),
        cells=drawn,
        kinds=kinds,
    )
    caption = (*_caption(cells), samples_text(what.analyses))
    return Figure(name, f"{title(what)}, best algorithm", (panel,), caption)


def _winner(cell: CollectiveCell) -> str | None:
    """The name of the best algorithm, DEFAULT where no algorithm can be better than the library's
    own decision; None where that is unknown."""
    return None if cell.winner is None else name_of(cell.winner)


def _kind(name: str | None, colour: int | None, cells: Sequence[CollectiveCell]) -> CellKind:
    if name is None:
        unknown = [cell.launches for cell in cells if _winner(cell) is None]
        launches = f"{from_to(unknown)} {plural(max(unknown), 'launch')}"
        return CellKind(f"unknown: {launches}", None, unknown=True)
    if name == DEFAULT:
        return CellKind("the library's own decision", None)
    return CellKind(name, colour)


def _gain(cell: CollectiveCell) -> str:
    """The library's own time over the best algorithm's."""
    if cell.gain is None or cell.verdict != FASTER:
        return ""
    return f"{cell.gain:.{2 if cell.gain < 10.0 else 0}f}"


def _words(cell: CollectiveCell) -> str:
    points = sorted(cell.points, key=lambda point: point.typical_s)
    times = "; ".join(f"{name_of(point)} {time_text(point.typical_s)}" for point in points[:6])
    more = f"; {len(points) - 6} more" * (len(points) > 6)
    doubt = f" ({cell.unknown_text})" if cell.winner is None else _as_fast(cell)
    return f"{format_size(cell.bytes)}, {how_many(cell.ranks, 'process')}: {times}{more}{doubt}"


def _as_fast(cell: CollectiveCell) -> str:
    surely = "as fast" if cell.verdict == EQUAL else "may be as fast"
    return f" ({surely}: {', '.join(cell.ties)})" if cell.ties else ""


def _caption(cells: Sequence[CollectiveCell]) -> tuple[str, ...]:
    if all(cell.default is None for cell in cells):
        first = "The library's own decision was not measured."
    else:
        first = "Numbers: the library's own time over the best algorithm's."
    return first, RULE, *[TIES] * any(cell.winner is not None and cell.ties for cell in cells)
