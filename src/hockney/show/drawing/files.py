"""Figures as files for papers, drawn by matplotlib: PNG, SVG or PDF by the suffix."""

from __future__ import annotations

import io
import math
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from hockney.base.extras import extra
from hockney.show.colours import COLOURS, QUIET
from hockney.show.drawing.axes import SIDES, scale_axis, scale_colours
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

with extra("plot"):
    import matplotlib
    from matplotlib.colors import LogNorm, Normalize
    from matplotlib.figure import Figure as Canvas
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch, Rectangle
    from matplotlib.transforms import blended_transform_factory
if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.text import Text
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

Looks = dict[str, Any]
"""Properties of a line, as matplotlib names them."""
MARKS = ("o", "s", "^", "D", "v")
STYLES: dict[str, Looks] = {
    "points": {"linestyle": "none"},
    "curve": {"linestyle": "-"},
    "pale": {"linestyle": "-", "linewidth": 0.6, "alpha": 0.45, "fillstyle": "none"},
    "hollow": {"linestyle": "none", "fillstyle": "none"},
    "line": {"marker": "", "linestyle": "-", "alpha": 0.7},
    "dashed": {"marker": "", "linestyle": (0, (5, 2)), "linewidth": 0.9},
    "dotted": {"marker": "", "linestyle": ":", "linewidth": 0.9},
    "crosses": {"marker": "x", "markersize": 2.6, "markeredgewidth": 0.6, "linestyle": "none"},
    "dots": {"linestyle": "none", "markersize": 1.6, "markeredgewidth": 0.0, "rasterized": True},
    "steps": {"marker": "", "linestyle": "-"},
}
"""The look of each style of a series; colour and mark follow from its number."""
MAP = "cividis"
"""A colour map that colour-blind readers and grey prints preserve (Nunez, Anderton & Renslow
2018)."""
HATCHES = ("", "////", "....")
"""Hatches of cells: the next one each time the colours are used up."""
WIDTH_INCHES = 3.5
"""Width of a figure: one column of a two-column journal, so that type is printed in its own
size."""
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
HANDLE_INCHES = 0.42
"""Width of a legend entry without its text."""
MARGIN_INCHES = 0.1
LEGEND_LINE_INCHES, SMALL_LINE_INCHES = 0.145, 0.1
DPI = 400
LONGEST_LABEL = 56
"""Characters that usually fit into a column."""
MOST_COLUMNS = 100
"""Most characters of a line of small print."""
MOST_TEXTS = 160
"""Most cells that have room for their text."""
SETTINGS: Looks = {
    "font.size": 7.5,
    "legend.fontsize": 7,
    "legend.title_fontsize": 8,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.5,
    "hatch.linewidth": 0.4,
    "xtick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.major.width": 0.6,
    "ytick.minor.width": 0.4,
    "lines.linewidth": 1.0,
    "lines.markersize": 3.2,
    "lines.markeredgewidth": 0.7,
    "errorbar.capsize": 1.6,
    # Labels are foreign text: a $ in them is a dollar, and they never reach a TeX.
    "text.parse_math": False,
    "text.usetex": False,
    # Journals refuse fonts of type 3.
    "pdf.fonttype": 42,
    # The same file gives the same figure, byte for byte.
    "svg.hashsalt": "hockney",
}


@contextmanager
def paper() -> Iterator[None]:
    """Type and lines for a column's width, independent of the reader's matplotlibrc."""
    with matplotlib.rc_context(), warnings.catch_warnings():
        # A script that the font lacks is drawn as boxes.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        matplotlib.rcdefaults()
        settings: Any = matplotlib.rcParams
        settings.update(SETTINGS)
        yield


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
            _wrap(axes.yaxis.label, (height - below) * canvas.dpi)
        _finish(grid[0], figure, sum(heights))
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


def looks_of(series: Series) -> Looks:
    """Colour, mark and line of a series."""
    number = series.colour or 0
    mark = MARKS[(number + number // len(COLOURS)) % len(MARKS)]
    quiet = {"linewidth": 0.5, "markersize": 1.8} if series.colour is None else {}
    if series.style == "hollow":  # so that marks at one place are one inside another
        quiet = {"markersize": 3.2 + 0.9 * min(number, 5)}
    return {"color": _colour(series.colour), "marker": mark, **quiet, **STYLES[series.style]}


def _colour(number: int | None) -> str:
    return QUIET if number is None else COLOURS[number % len(COLOURS)]


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
        _draw_rule(axes, rule.at, label, rule.across, _colour(rule.colour), right, low)


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
        high = max(high, 1.05 * low)
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


def kind_looks(kind: CellKind) -> Looks:
    if kind.unknown:
        return {"facecolor": "white", "edgecolor": "#c4c4c4", "hatch": "xxxx", "linewidth": 0.5}
    if kind.colour is None:
        return {"facecolor": "#e9e9e9", "edgecolor": "white", "linewidth": 0.5}
    hatch = HATCHES[kind.colour // len(COLOURS) % len(HATCHES)]
    return {
        "facecolor": _colour(kind.colour),
        "edgecolor": "white",
        "hatch": hatch,
        "linewidth": 0.5,
    }


def plain(text: str, longest: int = LONGEST_LABEL) -> str:
    """The text of a file as it may be drawn: what cannot be printed becomes a visible mark, and
    what is too long loses its middle."""
    shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    if len(shown) <= longest:
        return shown
    half = (longest - 1) // 2
    return f"{shown[:half]}…{shown[-half:]}"


def _entries(figure: Figure) -> list[Artist]:
    """A legend entry for each label, with the mark and the line of whichever series has one."""

    by_label: dict[str, Looks] = {}
    for series in figure.series():
        if series.label:
            looks = {key: value for key, value in looks_of(series).items() if key != "rasterized"}
            known = by_label.setdefault(series.label, looks)
            if known["linestyle"] == "none" and looks["color"] == known["color"]:
                known["linestyle"] = looks["linestyle"]
            known["markersize"] = max(known.get("markersize", 3.2), 2.6)
    entries: list[Artist] = [
        Line2D([], [], label=label, **looks) for label, looks in by_label.items()
    ]
    bands = {band.label for panel in figure.panels for band in panel.bands if band.label}
    entries += [Patch(facecolor="#ededed", label=label) for label in sorted(bands)]
    kinds = (kind for panel in figure.panels for kind in panel.kinds)
    return [*entries, *(Patch(**kind_looks(kind), label=kind.label) for kind in kinds)]


def _finish(axes: Axes, figure: Figure, height: float) -> None:
    """Adds the title with the legend, above the (first) axes where they hide no point, and the
    caption in small print, because figures are copied alone. The figure grows by their height."""
    canvas: Any = axes.figure
    entries: Any = _entries(figure)
    for entry in entries:
        entry.set_label("\n".join(plain(line) for line in str(entry.get_label()).split("\n")))
    for columns in (3, 2, 1):
        legend = axes.legend(
            handles=entries,
            title=plain(figure.title),
            ncols=columns,
            columnspacing=1.2,
            alignment="left",
            loc="lower left",
            bbox_to_anchor=(0.01, 1.0),
            bbox_transform=blended_transform_factory(canvas.transFigure, axes.transAxes),
            borderaxespad=0.7,
            borderpad=0.0,
            frameon=False,
        )
        texts = legend.get_texts()
        room = ((WIDTH_INCHES - MARGIN_INCHES) / columns - HANDLE_INCHES) * canvas.dpi
        widest = max((text.get_window_extent().width for text in texts), default=0.0)
        if len(texts) >= columns and widest <= room:
            break
    for text in texts:
        _narrow(text, room, _shortened)
    _narrow(legend.get_title(), (WIDTH_INCHES - MARGIN_INCHES) * canvas.dpi, _shortened)
    small_print = canvas.supxlabel(
        plain(" ".join(figure.caption), longest=1000),
        x=0.01,
        ha="left",
        fontsize=5.5,
        color="#555555",
        linespacing=1.3,
    )
    _narrow(small_print, (WIDTH_INCHES - MARGIN_INCHES) * canvas.dpi, textwrap.fill)
    lines = sum(1 + text.get_text().count("\n") for text in texts)
    canvas.set_figheight(
        height
        + LEGEND_LINE_INCHES * (1 + -(-lines // columns))
        + SMALL_LINE_INCHES * (1 + small_print.get_text().count("\n"))
    )


def _narrow(text: Text, pixels: float, reshape: Callable[[str, int], str]) -> None:
    """Reduces the characters of a line until it fits: a label of wide letters would leave no room
    for the axes."""
    whole = text.get_text()
    columns = max(map(len, whole.split("\n")))
    while columns > 3 and text.get_window_extent().width > pixels:
        columns = min(columns - 1, MOST_COLUMNS)
        text.set_text(reshape(whole, columns))


def _wrap(label: Text, pixels: float) -> None:
    """Breaks a label that stands upright into lines that are no longer than its axis: they would
    reach into the legend."""
    whole = label.get_text()
    columns = len(whole)
    while columns > 3 and label.get_window_extent().height > pixels:
        columns -= 1
        lines = textwrap.wrap(whole, columns, break_long_words=False)
        label.set_text("\n".join(plain(line, columns) for line in lines))


def _shortened(text: str, columns: int) -> str:
    return "\n".join(plain(line, columns) for line in text.split("\n"))


def image(figure: Figure, kind: str) -> bytes:
    """The content of a file. kind: png, svg or pdf."""
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    drawn = io.BytesIO()
    canvas = draw(figure)
    with paper():
        canvas.savefig(drawn, format=kind, dpi=DPI, metadata=dates.get(kind))
    return drawn.getvalue()
