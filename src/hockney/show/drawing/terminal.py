"""Figures as text, for terminals and pipes: plotext draws curves, digits are cells."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise
from shutil import get_terminal_size

import plotext

from hockney.base.units import format_percent, format_rate, format_ratio, format_size
from hockney.show.drawing import time_text
from hockney.show.drawing.description import (
    Figure,
    MapCell,
    Panel,
    PlotAxis,
    Series,
    Side,
    colour_range,
    measured_along,
    values_along,
)
from hockney.show.drawing.heatmap import shade

COLUMNS, ROWS = 96, 24
"""Most characters of one panel, with its axes."""
MARKS = "ox+*#@%&$=~^"
QUIET = "·"
"""The mark of curves in the background and of many small marks."""
BACKGROUND = frozenset({"pale", "dots", "dotted", "dashed", "line"})
JOINED = frozenset({"curve", "line", "dashed", "dotted", "steps"})
MOST_TICKS = 7
BELOW_SIZES = 1.5
"""Distance of 0 B below the smallest other size, in powers of two."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST_CELLS = 64
"""Most columns of a map: more do not fit."""

Place = Callable[[float], float | None]


def drawn(figure: Figure) -> str:
    """The panels below each other, the meaning of their marks, and what only files show."""
    parts = [figure.title]
    for panel in figure.panels:
        draw = _map if panel.cells else _bars if panel.bars else _curves
        parts.append(draw(panel))
    missing = _missing(figure)
    if missing:
        parts.append(f"not drawn here: {', '.join(missing)}; -o FILE.png has them")
    return "\n\n".join([*parts, *figure.caption])


def _missing(figure: Figure) -> list[str]:
    kinds = {
        "intervals": any(series.low is not None for series in figure.series()),
        "bands": any(panel.bands for panel in figure.panels),
        "cells beyond the 64th column": any(panel.columns > MOST_CELLS for panel in figure.panels),
    }
    return [name for name, is_missing in kinds.items() if is_missing]


def _curves(panel: Panel) -> str:
    x, y = (_place(axis, values_along(panel, side)) for axis, side in _axes(panel))
    plotext.clear_figure()
    plotext.theme("clear")
    plotext.limitsize(False, False)
    plotext.plotsize(min(COLUMNS, get_terminal_size().columns), ROWS)
    legend: dict[str, str] = {}
    in_front = sorted(panel.series, key=lambda series: series.style not in BACKGROUND)
    for series in in_front:
        if series.hidden:
            continue
        mark = legend.get(series.label) or _mark(series, len(set(legend.values()) - {QUIET}))
        legend[series.label] = mark
        points = list(_points(series, x, y))
        if points:
            draw = plotext.plot if series.style in JOINED else plotext.scatter
            draw(*(list(of) for of in zip(*points, strict=True)), marker=mark)
    for rule in panel.rules:
        at, line = (x, plotext.vline) if rule.across == "x" else (y, plotext.hline)
        where = at(rule.at)
        if where is not None:
            line(where)
    for (axis, side), place, ticks in zip(
        _axes(panel), (x, y), (plotext.xticks, plotext.yticks), strict=True
    ):
        named = _ticks(axis, _marked(panel, side), place)
        ticks([at for at, _ in named], [words for _, words in named])
    plotext.xlabel(panel.x.label)
    text = plotext.uncolorize(plotext.build())
    lines = [panel.y.label, *(line.rstrip() for line in text.splitlines())]
    return "\n".join([*lines, *(f"  {mark} {label}" for label, mark in legend.items() if label)])


def _axes(panel: Panel) -> tuple[tuple[PlotAxis, Side], tuple[PlotAxis, Side]]:
    return (panel.x, "x"), (panel.y, "y")


def _marked(panel: Panel, side: Side) -> list[float]:
    """The values that set an axis: those of marks, or of lines where there are no marks; without
    rules, which may be between them, where each has a tick."""
    marks = tuple(series for series in panel.series if series.style not in BACKGROUND)
    chosen = panel if side == "y" or not marks else replace(panel, series=marks)
    axis = panel.x if side == "x" else panel.y
    return (measured_along if axis.names_values else values_along)(chosen, side)


def _mark(series: Series, used: int) -> str:
    return QUIET if series.style in BACKGROUND else MARKS[used % len(MARKS)]


def _points(series: Series, x: Place, y: Place) -> Iterable[tuple[float, float]]:
    values = list(zip(series.x, series.y, strict=True))
    if series.style == "steps":  # each value holds up to the next edge
        values = [
            point
            for (left, height), (right, _) in pairwise(values)
            for point in ((left, height), (right, height))
        ]
    for at, height in values:
        across, up = x(at), None if height is None else y(height)
        if across is not None and up is not None:
            yield across, up


def _place(axis: PlotAxis, values: Sequence[float]) -> Place:
    """A function from a value to its place on the axis, or to None where the axis has no place for
    it."""
    if axis.quantity == "size":
        zero = min((math.log2(v) for v in values if v > 0.0), default=0.0) - BELOW_SIZES
        return lambda value: math.log2(value) if value > 0.0 else zero
    if axis.logarithmic:
        return lambda value: math.log10(value) if value > 0.0 else None
    return lambda value: value


def _ticks(axis: PlotAxis, values: Sequence[float], place: Place) -> list[tuple[float, str]]:
    if axis.names:
        every = [float(number) for number in range(len(axis.names))]
    elif axis.names_values:
        every = sorted(set(values))
    elif axis.logarithmic:
        every = _decades([value for value in values if value > 0.0])
    else:
        low, high = min(values, default=0.0), max(values, default=1.0)
        if axis.quantity == "count":
            low, high = math.ceil(low), max(math.floor(high), math.ceil(low) + 1)
        every = [low + (high - low) * step / (MOST_TICKS - 2) for step in range(MOST_TICKS - 1)]
    step = -(-len(every) // MOST_TICKS) or 1
    places = ((place(value), _text(axis, value)) for value in every[::step])
    return [(at, words) for at, words in places if at is not None]


def _decades(values: Sequence[float]) -> list[float]:
    """Powers of ten around the values, with steps between them where there are few."""
    if not values:
        return []
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    steps = (1, 2, 5) if high - low <= 2 else (1, 3) if high - low <= 3 else (1,)
    every = [step * 10.0**decade for decade in range(low, high + 1) for step in steps]
    inside = [value for value in every if min(values) <= value <= max(values)]
    return inside if len(inside) > 1 else [min(values), max(values)]


def _text(axis: PlotAxis, value: float) -> str:
    if axis.quantity == "size":
        return format_size(round(value))
    if axis.quantity == "time":
        return time_text(value)
    if axis.quantity == "rate":
        return format_rate(value)
    if axis.quantity == "fraction":
        return format_percent(value, 3)
    if axis.quantity == "date":
        return (date(1970, 1, 1) + timedelta(days=value)).isoformat()
    if axis.names:
        return axis.names[round(value)]
    return f"{value:.0f}" if axis.quantity == "count" else format_ratio(value)


def _map(panel: Panel) -> str:
    """A map of letters, one for each kind of cell, or of digits, for the logarithm of the value; a
    dot where there is none."""
    low, high = colour_range(panel)
    known = {(cell.row, cell.column): _sign(cell, low, high) for cell in panel.cells}
    columns = range(min(panel.columns, MOST_CELLS))
    rows = range(panel.rows) if panel.y.downward else range(panel.rows - 1, -1, -1)
    width = max(len(name) for name in panel.y.names)
    lines = [f"{panel.y.label}, by {panel.x.label} {panel.x.names[0]} .. {panel.x.names[-1]}"]
    for row in rows:
        signs = " ".join(known.get((row, column), ".") for column in columns)
        lines.append(f"{panel.y.names[row]:>{width}}  {signs}")
    if panel.kinds:
        return "\n".join([*lines, *_kinds(panel)])
    assert panel.scale is not None
    first, last = (_text(panel.scale, value) for value in (low, high))
    scale = f"0 is {first}, 9 is {last}, log scale" if high > low else f"all {first}"
    slowest = max((cell.value for cell in panel.cells if cell.value is not None), default=high)
    if panel.scale.quantity == "time" and high > slowest:
        scale += f"; the slowest is {_text(panel.scale, slowest)}"
    return "\n".join([*lines, scale])


def _bars(panel: Panel) -> str:
    """Rows of letters: one letter for each part, repeated by its length; o for a value."""
    most = max((bar.high for bar in panel.bars), default=0.0) or 1.0
    least = min((bar.low for bar in panel.bars), default=0.0) if panel.x.logarithmic else 0.0
    width = max(len(name) for name in panel.y.names)
    words = {bar.row: _text(panel.x, bar.at) for bar in panel.bars if bar.at is not None}
    taken = width + 2 + max((2 + len(text) for text in words.values()), default=0)
    room = max(min(COLUMNS, get_terminal_size().columns) - taken, 10)
    lines = [f"{panel.y.label}, by {panel.x.label}"]

    def place_of(value: float) -> int:
        if least <= 0.0:
            return round(room * value / most)
        return round((room - 1) * math.log(value / least) / (math.log(most / least) or 1.0))

    for row, name in enumerate(panel.y.names):
        signs = [" "] * room
        for bar in panel.bars:
            if bar.row == row:
                for place in range(place_of(bar.low), place_of(bar.high)):
                    signs[place] = _letter(bar.kind)
                if bar.at is not None:
                    signs[min(place_of(bar.at), room - 1)] = "o"
        line = "".join(signs) + (f"  {words[row]}" if row in words else "")
        lines.append(f"{name:>{width}}  {line.rstrip()}")
    ends = f"from {_text(panel.x, least)} to {_text(panel.x, most)}, log scale"
    lines.append(ends if least > 0.0 else f"full width: {_text(panel.x, most)}")
    return "\n".join([*lines, *_kinds(panel)])


def _letter(kind: int) -> str:
    return LETTERS[kind % len(LETTERS)]


def _kinds(panel: Panel) -> list[str]:
    return [f"  {_letter(number)} {kind.label}" for number, kind in enumerate(panel.kinds)]


def _sign(cell: MapCell, low: float, high: float) -> str:
    if cell.kind is not None:
        return _letter(cell.kind)
    if cell.value is None or cell.value <= 0.0:
        return "."
    return shade(cell.value, low, high)
