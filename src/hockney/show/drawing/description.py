"""The description of a figure: panels with axes, series, cells, bars, rules and bands.

Whoever describes a figure decides what is shown and what it is called; renderers decide only how it
looks. All values are in SI units and bytes; a renderer writes them with the unit of the axis.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from hockney.infer.estimate.interval import Interval, high_of, low_of
from hockney.show.drawing import time_text
from hockney.show.drawing.heatmap import distinct

LONGEST_LABEL = 56
"""Characters that usually fit into one line of a figure's legend."""
Quantity = Literal["size", "time", "rate", "fraction", "ratio", "count", "number", "date", "name"]
"""bytes, seconds, bytes per second, 1, 1, few whole numbers that each have a tick, any number, days
since 1970, and places 0, 1, ... that have names."""
Style = Literal[
    "points",  # marks with intervals
    "curve",  # marks with intervals, joined by a line
    "pale",  # the same in the background, hollow
    "hollow",  # the same without filling, for what is not significant
    "line",  # a model
    "dashed",
    "dotted",
    "crosses",
    "dots",  # many small marks
    "steps",  # a histogram: x holds the edges, y a value for each bin and a last 0
]
Values = Sequence[float | None]
Side = Literal["x", "y"]


@dataclass(frozen=True)
class PlotAxis:
    quantity: Quantity
    label: str
    logarithmic: bool = False
    names: tuple[str, ...] = ()
    from_zero: bool = False
    downward: bool = False
    """True if the axis of names begins at the top."""

    @property
    def names_values(self) -> bool:
        """True if ticks are at the values that were measured."""
        return self.quantity == "size" or (self.quantity == "count" and self.logarithmic)


@dataclass(frozen=True)
class Series:
    """x, y: a number for each point, None where it is unknown; low, high: its interval."""

    label: str
    """Its legend entry, which series with the same label share; empty for no entry."""
    x: Sequence[float]
    y: Values
    low: Values | None = None
    high: Values | None = None
    style: Style = "curve"
    colour: int | None = 0
    """Its number in the palette, which also selects the mark; None for grey."""
    name: str = ""
    """A description of the series, where its label is not enough."""
    hidden: bool = False
    """True if the page hides it until the reader asks for it."""

    @property
    def words(self) -> str:
        return self.name or self.label

    @staticmethod
    def through(
        points: Iterable[tuple[float, float | None]],
        label: str,
        style: Style = "curve",
        colour: int | None = 0,
        name: str = "",
        intervals: Iterable[Interval | None] | None = None,
    ) -> Series:
        """points: x and y of each; intervals: of each y."""
        each = list(points)
        low, high = (None, None) if intervals is None else ends(intervals)
        x, y = [float(at) for at, _ in each], [value for _, value in each]
        return Series(label, x, y, low, high, style, colour, name)


def ends(intervals: Iterable[Interval | None]) -> tuple[Values, Values]:
    """The lower and the upper ends of a series' intervals."""
    each = list(intervals)
    return [low_of(interval) for interval in each], [high_of(interval) for interval in each]


@dataclass(frozen=True)
class StraightLine:
    """A straight line across the panel at a value of the x axis, or of the y axis."""

    at: float
    label: str = ""
    across: Literal["x", "y"] = "x"
    colour: int | None = None


@dataclass(frozen=True)
class Band:
    low: float
    high: float
    label: str = ""
    across: Literal["x", "y"] = "x"


@dataclass(frozen=True)
class MapCell:
    """One cell of a map; column and row are places on the panel's axes of names."""

    column: int
    row: int
    value: float | None
    """The value that its colour shows, where cells have no kinds."""
    words: str
    """Its description, shown when the reader points at it."""
    kind: int | None = None
    """Index of the cell's kind among the panel's."""
    text: str = ""
    """Text drawn inside of the cell."""


@dataclass(frozen=True)
class CellKind:
    """The label and look that cells or bars of one kind have in common."""

    label: str
    colour: int | None
    """Number of the colour in the palette; None for the background colour."""
    unknown: bool = False
    """True for hatched cells."""


@dataclass(frozen=True)
class Bar:
    """A part of a row, from low to high along the x axis; parts of one row are side by side. Or the
    interval of a value."""

    row: int
    """A place on the panel's y axis, which has names."""
    low: float
    high: float
    kind: int
    """Index of the bar's kind among the panel's."""
    words: str
    """Its description, shown when the reader points at it."""
    at: float | None = None
    """The value to mark, where the bar is its interval."""


@dataclass(frozen=True)
class Panel:
    x: PlotAxis
    y: PlotAxis
    series: tuple[Series, ...] = ()
    rules: tuple[StraightLine, ...] = ()
    bands: tuple[Band, ...] = ()
    cells: tuple[MapCell, ...] = ()
    bars: tuple[Bar, ...] = ()
    kinds: tuple[CellKind, ...] = ()
    """Kinds of the panel's cells or bars."""
    scale: PlotAxis | None = None
    """What the values of the cells are, where they have no kinds."""

    @property
    def columns(self) -> int:
        return len(self.x.names)

    @property
    def rows(self) -> int:
        return len(self.y.names)


@dataclass(frozen=True)
class Figure:
    name: str
    """Its name for `hockney plot --what`."""
    title: str
    panels: tuple[Panel, ...]
    caption: tuple[str, ...] = ()
    """Sentences on what is drawn, and by which rule."""

    def series(self) -> Iterator[Series]:
        for panel in self.panels:
            yield from panel.series


SIZES = PlotAxis("size", "message size")
TIMES = PlotAxis("time", "time", logarithmic=True)
ONE_WAY_TIMES = PlotAxis("time", "one-way time", logarithmic=True)


def time_cells(
    times: Mapping[tuple[int, int], float],
    names: Sequence[str],
    joint: str = "and",
    both_ways: bool = False,
) -> tuple[MapCell, ...]:
    """The cells of a map of times (s) by row and column. names: of the rows and columns; both_ways:
    each time is that of the column and the row, too."""
    return tuple(
        MapCell(column, row, seconds, f"{names[row]} {joint} {names[column]}: {time_text(seconds)}")
        for place, seconds in times.items()
        for row, column in dict.fromkeys((place, place[::-1]) if both_ways else (place,))
    )


def map_of(
    names: tuple[str, ...],
    row: str,
    column: str,
    cells: tuple[MapCell, ...],
    scale: PlotAxis = ONE_WAY_TIMES,
    rules: tuple[StraightLine, ...] = (),
) -> Panel:
    """A map of every two of these names, whose rows begin at the top. row, column: what the names
    are there."""
    x = PlotAxis("name", column, names=names)
    y = PlotAxis("name", row, names=names, downward=True)
    return Panel(x, y, rules=rules, cells=cells, scale=scale)


def colour_range(panel: Panel) -> tuple[float, float]:
    """The ends of the panel's colours: the least value, and the largest or what would be large
    beside it. Those of sizes are powers of two: ranks that send nearly the same look alike, and the
    ends have short names."""
    values = [cell.value for cell in panel.cells if cell.value is not None and cell.value > 0.0]
    low, high = min(values, default=1.0), max(values, default=1.0)
    if panel.scale is None or panel.scale.quantity != "size":
        return distinct(low, high)
    first = 2.0 ** math.floor(math.log2(low))
    return first, max(2.0 ** math.ceil(math.log2(high)), 2.0 * first)


def measured_along(panel: Panel, side: Side) -> list[float]:
    """The values of a panel's series, without intervals, bands and rules."""
    values = (value for series in panel.series for value in getattr(series, side))
    return [value for value in values if value is not None and math.isfinite(value)]


def values_along(panel: Panel, side: Side) -> list[float]:
    """All values that a panel's axis must include."""
    values: list[float | None] = [*measured_along(panel, side)]
    for series in panel.series if side == "y" else ():
        values += [*(series.low or ()), *(series.high or ())]
    if side == "x":
        values += [end for bar in panel.bars for end in (bar.low, bar.high)]
    values += [end for band in panel.bands if band.across == side for end in (band.low, band.high)]
    values += [rule.at for rule in panel.rules if rule.across == side]
    return [value for value in values if value is not None and math.isfinite(value)]
