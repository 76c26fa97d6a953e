"""The words of a figure: its title, legend and caption, and labels that fit beside axes."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hockney.base.extras import extra
from hockney.show.drawing.description import LONGEST_LABEL, Figure
from hockney.show.drawing.looks import Looks, kind_looks, looks_of

with extra("plot"):
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.transforms import blended_transform_factory
if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.text import Text

WIDTH_INCHES = 3.5
"""Width of a figure: one column of a two-column journal, so that type is printed in its own
size."""
HANDLE_INCHES = 0.42
"""Width of a legend entry without its text."""
MARGIN_INCHES = 0.1
LEGEND_LINE_INCHES, SMALL_LINE_INCHES = 0.145, 0.1
MOST_COLUMNS = 100
"""Most characters of a line of small print."""


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


def finish(axes: Axes, figure: Figure, height: float) -> None:
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


def wrap(label: Text, pixels: float) -> None:
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
