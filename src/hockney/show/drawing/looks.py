"""How figures for papers look: type, lines, marks, colours and hatches."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hockney.base.extras import extra
from hockney.show.drawing.colours import COLOURS, QUIET
from hockney.show.drawing.description import CellKind, Series

with extra("plot"):
    import matplotlib

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


def looks_of(series: Series) -> Looks:
    """Colour, mark and line of a series."""
    number = series.colour or 0
    mark = MARKS[(number + number // len(COLOURS)) % len(MARKS)]
    quiet = {"linewidth": 0.5, "markersize": 1.8} if series.colour is None else {}
    if series.style == "hollow":  # so that marks at one place are one inside another
        quiet = {"markersize": 3.2 + 0.9 * min(number, 5)}
    return {"color": colour_of(series.colour), "marker": mark, **quiet, **STYLES[series.style]}


def colour_of(number: int | None) -> str:
    """That of a numbered series or rule; a quiet one for None."""
    return QUIET if number is None else COLOURS[number % len(COLOURS)]


def kind_looks(kind: CellKind) -> Looks:
    if kind.unknown:
        return {"facecolor": "white", "edgecolor": "#c4c4c4", "hatch": "xxxx", "linewidth": 0.5}
    if kind.colour is None:
        return {"facecolor": "#e9e9e9", "edgecolor": "white", "linewidth": 0.5}
    hatch = HATCHES[kind.colour // len(COLOURS) % len(HATCHES)]
    return {
        "facecolor": colour_of(kind.colour),
        "edgecolor": "white",
        "hatch": hatch,
        "linewidth": 0.5,
    }
