"""Figures as files for papers, drawn by matplotlib: PNG, SVG or PDF by the suffix."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hockney.base.extras import extra
from hockney.show.drawing.axes import SIDES, scale_axis, scale_colours
from hockney.show.drawing.colours import QUIET
from hockney.show.drawing.description import (
    CellKind,
    Figure,
    MapCell,
    Panel,
    Series,
    StraightLine,
    colour_range,
    measured_along,
    values_along,
)
from hockney.show.drawing.heatmap import LEAST_SCALE
from hockney.show.drawing.lettering import WIDTH_INCHES, finish, wrap
from hockney.show.drawing.looks import MAP, Looks, colour_of, kind_looks, looks_of, paper

with extra("plot"):
    from matplotlib.colors import LogNorm, Normalize
    from matplotlib.figure import Figure as Canvas
    from matplotlib.patches import Rectangle
if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

FIRST_INCHES, NEXT_INCHES, MATRIX_INCHES = 2.2, 1.35, 2.9
"""Heights (inches): the first panel, each other panel, a map without kinds."""
ROW_INCHES, MAP_INCHES = (0.22, 0.4), 1.6
"""Least and most height (inches) of a row of a map with kinds, and the height of its rows together
where there is room: few rows would be a sliver between the legend and the caption."""
BELOW_INCHES = 0.5
"""Height (inches) of what is below the axes: the names of ticks, and the label."""
BAR_INCHES, BAR_HEIGHT, MOST_BAR_NAMES = 0.155, 0.72, 40
"""Rows of bars: their height (inches), the fraction of it that a bar fills, and the most rows with
names."""
RULE_POINTS = 7.0
"""Width (points) that the label of an upright line takes."""
DPI = 400
MOST_TEXTS = 160
"""Most cells that have room for their text."""


def draw(figure: Figure) -> Canvas:
    """The description as a figure of matplotlib. Each series is a line whose label is its words."""
    with paper():
        heights = [_height(panel, i == 0) for i, panel in enumerate(figure.panels)]
        canvas = Canvas(figsize=(WIDTH_INCHES, sum(heights)), layout="constrained")
        grid: Any = canvas.subplots(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
        for axes, panel, height in zip(grid, figure.panels, heights, strict=True):
            if panel.cells:
                _draw_map(axes, panel, height)
            elif panel.bars:
                _draw_bars(axes, panel, height)
            else:
                _draw_panel(axes, panel, height)
        for axes, panel, following in zip(grid, figure.panels, figure.panels[1:], strict=False):
            if panel.x == following.x:
                axes.set_xlabel("")
                axes.tick_params(labelbottom=False)
        for axes, height in zip(grid, heights, strict=True):
            below = BELOW_INCHES if axes.get_xlabel() else 0.0
            wrap(axes.yaxis.label, (height - below) * canvas.dpi)
        finish(grid[0], figure, sum(heights))
    return canvas


def _height(panel: Panel, is_first: bool) -> float:
    if panel.kinds:
        least, most = ROW_INCHES
        row = BAR_INCHES if panel.bars else min(max(MAP_INCHES / panel.rows, least), most)
        return min(max(BELOW_INCHES + row * panel.rows, 1.2), 6.0)
    if panel.cells:
        return MATRIX_INCHES
    return FIRST_INCHES if is_first else NEXT_INCHES


def _draw_panel(axes: Axes, panel: Panel, inches: float) -> None:
    for band in panel.bands:
        span = axes.axvspan if band.across == "x" else axes.axhspan
        span(band.low, band.high, color="#ededed", linewidth=0.0, zorder=0)
    for side, axis in zip(SIDES, (panel.x, panel.y), strict=True):
        length = WIDTH_INCHES if side == "x" else inches
        measured = measured_along(panel, side)
        scale_axis(axes, side, axis, values_along(panel, side), length, measured=measured)
    for series in panel.series:
        _draw_series(axes, series)
    _draw_rules(axes, panel.rules)


def _draw_series(axes: Axes, series: Series) -> None:
    looks = looks_of(series) | {"label": series.words}
    x = np.array(series.x, dtype=np.float64)
    y = np.array(series.y, dtype=np.float64)
    if series.style == "steps":
        [line] = axes.plot(x, y, drawstyle="steps-post", **looks)
        axes.fill_between(x, y, step="post", color=line.get_color(), alpha=0.15, linewidth=0.0)
        return
    # A mark on the border of the axes is whole; what lies beyond it has no place.
    is_within = _is_within(axes, x, y)
    axes.plot(x, y, zorder=2.5, clip_on=not is_within, **looks)
    if series.low is None or series.high is None:
        return
    low, high = (np.array(ends, dtype=np.float64) for ends in (series.low, series.high))
    with np.errstate(invalid="ignore"):
        bars = np.array([np.fmax(y - low, 0.0), np.fmax(high - y, 0.0)])
    known = ~np.isnan(bars).all(axis=0)  # a bar of no length would still have caps
    _, caps, _ = axes.errorbar(
        x[known],
        y[known],
        np.nan_to_num(bars[:, known]),
        fmt="none",
        ecolor=looks["color"],
        elinewidth=0.8,
        alpha=looks.get("alpha"),
        zorder=2.4,
    )
    for cap in caps:
        cap.set_clip_on(not is_within)


def _is_within(axes: Axes, x: Values, y: Values) -> bool:
    """Whether all known points are within the limits of the axes."""
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    known = ~np.isnan(y)
    return bool(
        np.all((left <= x[known]) & (x[known] <= right) & (low <= y[known]) & (y[known] <= high))
    )


def _draw_rules(axes: Axes, rules: Sequence[StraightLine]) -> None:
    """Draws lines with their labels. The label of an upright line is left of it, right of it where
    the previous label is in the way, and left out where that has no room either; it is at the foot
    where labels of level lines begin."""
    has_level = any(rule.across == "y" and rule.label for rule in rules)
    end = -math.inf  # of the last label (points)
    for rule in sorted(rules, key=lambda rule: rule.at):
        label, right, low = rule.label, False, False
        if rule.across == "x" and label:
            at = 72.0 / axes.figure.dpi * float(axes.transData.transform((rule.at, 1.0))[0])
            right = at - RULE_POINTS < end
            label = "" if at < end else label
            end = at + RULE_POINTS * right if label else end
            shown = axes.transAxes.inverted().transform(axes.transData.transform((rule.at, 1.0)))
            low = has_level and float(shown[0]) < 0.5
        _draw_rule(axes, rule.at, label, rule.across, colour_of(rule.colour), right, low)


def _draw_rule(
    axes: Axes,
    at: float,
    label: str,
    across: str,
    colour: str,
    to_the_right: bool,
    low: bool,
) -> None:
    looks: Looks = {"color": colour, "linewidth": 0.7, "linestyle": ":", "zorder": 1}
    words: Looks = {"fontsize": RULE_POINTS - 1.5, "color": colour, "va": "bottom"}
    if across == "x":
        axes.axvline(at, **looks)
        axes.annotate(
            label,
            (at, 0.0 if low else 1.0),
            (1.0 if to_the_right else -1.0, 2.0 if low else -2.0),
            xycoords=axes.get_xaxis_transform(),
            textcoords="offset points",
            rotation=90,
            ha="left" if to_the_right else "right",
            **words | {"va": "bottom" if low else "top"},
        )
    else:
        axes.axhline(at, **looks)
        axes.annotate(
            label,
            (0.01, at),
            (0.0, 1.0),
            xycoords=axes.get_yaxis_transform(),
            textcoords="offset points",
            ha="left",
            **words,
        )


def _draw_map(axes: Axes, panel: Panel, inches: float) -> None:
    axes.grid(visible=False)
    for side, axis in zip(SIDES, (panel.x, panel.y), strict=True):
        scale_axis(axes, side, axis, [], inches)
    if panel.kinds:
        for cell in panel.cells:
            _draw_kind(axes, cell, panel.kinds[cell.kind or 0], len(panel.cells) <= MOST_TEXTS)
    else:
        values = np.full((panel.rows, panel.columns), np.nan)
        for cell in panel.cells:
            values[cell.row, cell.column] = np.nan if cell.value is None else cell.value
        low, high = colour_range(panel)
        high = max(high, (1.0 + LEAST_SCALE) * low)
        norm = LogNorm(low, high) if np.nanmin(values) > 0.0 else Normalize(0.0, high)
        limits = axes.get_ylim()
        image = axes.imshow(values, cmap=MAP, norm=norm, interpolation="nearest", aspect="equal")
        axes.set_ylim(*limits)
        assert panel.scale is not None
        canvas: Any = axes.figure
        bar = canvas.colorbar(image, ax=axes, shrink=0.85)
        scale_colours(bar.ax, panel.scale, low, high, inches)
    for rule in panel.rules:
        (axes.axvline if rule.across == "x" else axes.axhline)(
            rule.at,
            color=QUIET if panel.kinds else "white",
            linewidth=0.8,
            linestyle=":" if panel.kinds else "-",
        )
        if rule.label:
            axes.text(panel.columns - 0.45, rule.at, rule.label, fontsize=5.5, va="center")


def _draw_bars(axes: Axes, panel: Panel, inches: float) -> None:
    axes.grid(visible=False, axis="y")
    # Names of rows take up to half of the width.
    scale_axis(axes, "x", panel.x, values_along(panel, "x"), WIDTH_INCHES / 2.0)
    scale_axis(axes, "y", panel.y, [], inches, MOST_BAR_NAMES)
    axes.tick_params(axis="y", length=0.0)
    for bar in panel.bars:
        looks = kind_looks(panel.kinds[bar.kind])
        if bar.at is not None:
            looks["linewidth"] = 0.0  # a white edge would cover a narrow interval
        place = (bar.low, bar.row - BAR_HEIGHT / 2.0)
        axes.add_patch(
            Rectangle(place, bar.high - bar.low, BAR_HEIGHT, label=bar.words, zorder=2.0, **looks)
        )
        if bar.at is not None:
            axes.plot([bar.at], [bar.row], "o", color="black", markersize=2.2, zorder=2.5)


def _draw_kind(axes: Axes, cell: MapCell, kind: CellKind, with_text: bool) -> None:
    looks = kind_looks(kind)
    place = (cell.column - 0.5, cell.row - 0.5)
    axes.add_patch(Rectangle(place, 1.0, 1.0, label=cell.words, **looks))
    if with_text and cell.text:
        pad: Looks = {"facecolor": looks["facecolor"], "edgecolor": "none", "pad": 0.5}
        axes.text(
            cell.column,
            cell.row,
            cell.text,
            ha="center",
            va="center",
            fontsize=4.8,
            color="white" if kind.colour is not None else "#444444",
            bbox=pad,
        )


def image(figure: Figure, kind: str) -> bytes:
    """The content of a file. kind: png, svg or pdf."""
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    drawn = io.BytesIO()
    canvas = draw(figure)
    with paper():
        canvas.savefig(drawn, format=kind, dpi=DPI, metadata=dates.get(kind))
    return drawn.getvalue()
