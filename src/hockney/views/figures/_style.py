"""What all figures share: colours, marks, axes, small print, and text that strangers wrote."""

from __future__ import annotations

import io
import math
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter
from matplotlib.transforms import blended_transform_factory

from hockney.errors import AskedWronglyError, HockneyError
from hockney.units import format_seconds, format_size
from hockney.views.colours import COLOURS as COLOURS
from hockney.views.colours import QUIET as QUIET

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.text import Text

Looks = dict[str, Any]
"""Properties of a line, as matplotlib names them."""
MARKS = ("o", "s", "^", "D", "v", "P", "X")
FILLS = ("full", "none", "left", "right", "top", "bottom")
"""Of the marks of each state of the machine."""
WIDTH_INCHES = 3.5
"""One column of a two-column journal: type has the size in print that it has here."""
AXES_INCHES = 2.3
"""Of height, with what is written below them."""
HANDLE_INCHES = 0.4
"""Of an entry of the legend, before its text."""
MARGIN_INCHES = 0.1
LEGEND_LINE_INCHES, SMALL_LINE_INCHES = 0.145, 0.1
DPI = 400
SUFFIXES = (".png", ".svg", ".pdf")
LONGEST_LABEL = 56
"""Characters that a column usually has room for."""
MOST_COLUMNS = 100
"""Of small print: no more characters than that fit beside each other."""
SETTINGS: Looks = {
    "font.size": 7.5,
    "legend.fontsize": 7,
    "legend.title_fontsize": 8,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "xtick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.major.width": 0.6,
    "ytick.minor.width": 0.4,
    "lines.linewidth": 1.0,
    "lines.markersize": 3.2,
    "errorbar.capsize": 1.6,
    # Strangers wrote the labels: a $ in them is a dollar, and they never reach a TeX.
    "text.parse_math": False,
    "text.usetex": False,
    # Journals refuse fonts of type 3.
    "pdf.fonttype": 42,
    # The same file gives the same figure, byte for byte.
    "svg.hashsalt": "hockney",
}


@contextmanager
def paper() -> Iterator[None]:
    """Type and lines that survive a column's width, whatever the reader's own matplotlibrc."""
    with matplotlib.rc_context(), warnings.catch_warnings():
        # A script that the font lacks is drawn as boxes, which tell enough.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        matplotlib.rcdefaults()
        settings: Any = matplotlib.rcParams
        settings.update(SETTINGS)
        yield


def colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def mark(number: int) -> str:
    """Shifted by one each time the colours begin again, so that no two systems look alike."""
    return MARKS[(number + number // len(COLOURS)) % len(MARKS)]


def plain(text: str, longest: int = LONGEST_LABEL) -> str:
    """Text from a file as it may be drawn: what cannot be printed becomes a visible mark, and what
    is too long loses its middle."""
    shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    if len(shown) <= longest:
        return shown
    half = (longest - 1) // 2
    return f"{shown[:half]}…{shown[-half:]}"


def time_text(seconds: float | None) -> str:
    return format_seconds(seconds, 3).replace("us", "µs")


def size_axis(axes: Axes, sizes: Iterable[float]) -> None:
    """A logarithmic axis of message sizes on which 0 bytes, a real message, has its place."""
    every = sorted({float(size) for size in sizes})
    positive = [size for size in every if size > 0.0] or [1.0]
    smallest, largest = positive[0], positive[-1]
    zero = every[:1] == [0.0]
    if zero:
        axes.set_xscale("symlog", base=2, linthresh=smallest, linscale=2.0)
        axes.set_xlim(-0.5 * smallest, 1.7 * largest)
    else:
        axes.set_xscale("log", base=2)
        axes.set_xlim(smallest / 1.7, 1.7 * largest)
    powers = range(math.ceil(math.log2(smallest)), math.floor(math.log2(largest)) + 1)
    # Steps of 5 and 10 meet 1 KiB, 1 MiB and 1 GiB.
    step = next((step for step in (1, 2, 5, 10) if len(powers) <= 6 * step), 20)
    far = [2.0**power for power in powers if power % step == 0]
    named = [smallest, *(size for size in far if size >= smallest * 2.0 ** (0.6 * step))]
    axes.xaxis.set_major_locator(FixedLocator([0.0] * zero + named))
    axes.xaxis.set_minor_locator(FixedLocator([2.0**power for power in powers]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda size, _: format_size(round(size))))
    axes.xaxis.set_minor_formatter(FuncFormatter(lambda *_: ""))
    axes.set_xlabel("message size")


def time_axis(axes: Axes, seconds: Iterable[float]) -> None:
    """A logarithmic axis around these times, with units at its ticks; times of 0 have no place on
    it. Whatever reaches below its lower end leaves the figure there."""
    positive = [value for value in seconds if value > 0.0]
    low, high = 0.75 * min(positive), 1.35 * max(positive)
    middle = math.sqrt(low) * math.sqrt(high)
    low, high = min(low, middle / 2.0), max(high, 2.0 * middle)
    axes.set_yscale("log")
    axes.set_ylim(low, high)
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    within_decade, few_decades = high < 10.0 * low, high < 300.0 * low
    factors = (1, 1.5, 2, 3, 5, 7) if within_decade else (1, 2, 5) if few_decades else (1,)
    step = math.ceil(len(decades) / 8)
    ticks = [factor * 10.0**decade for decade in decades[::step] for factor in factors]
    axes.yaxis.set_major_locator(FixedLocator(ticks))
    axes.yaxis.set_minor_locator(
        FixedLocator([n * 10.0**decade for decade in decades[: 99 if step == 1 else 0]
                      for n in range(2, 10)])
    )  # fmt: skip
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: time_text(value)))
    axes.yaxis.set_minor_formatter(FuncFormatter(lambda *_: ""))


def new_figure(columns: int = 1, rows: int = 1, **options: Any) -> tuple[Figure, Any]:
    """A figure and its axes beside each other, or below."""
    figure = Figure(figsize=(WIDTH_INCHES, rows * AXES_INCHES), layout="constrained")
    return figure, figure.subplots(rows, columns, **options)


def finish(axes: Axes, title: str, entries: Sequence[Artist], sentences: Sequence[str]) -> None:
    """Adds the title with the legend, above the (first) axes where they hide no point, and in small
    print what is drawn: figures leave their text behind. The figure grows by what they need."""
    figure: Any = axes.figure
    legend = axes.legend(
        handles=list(entries),
        title=plain(title),
        alignment="left",
        loc="lower left",
        bbox_to_anchor=(0.01, 1.0),
        bbox_transform=blended_transform_factory(figure.transFigure, axes.transAxes),
        borderaxespad=0.7,
        borderpad=0.0,
        frameon=False,
    )
    for text in legend.get_texts():
        _narrow(text, (WIDTH_INCHES - HANDLE_INCHES) * figure.dpi, _shortened)
    _narrow(legend.get_title(), (WIDTH_INCHES - MARGIN_INCHES) * figure.dpi, _shortened)
    small_print = figure.supxlabel(
        plain(" ".join(sentences), longest=1000),
        x=0.01,
        ha="left",
        fontsize=5.5,
        color="#555555",
        linespacing=1.3,
    )
    _narrow(small_print, (WIDTH_INCHES - MARGIN_INCHES) * figure.dpi, textwrap.fill)
    entry_lines = sum(1 + text.get_text().count("\n") for text in legend.get_texts())
    spec: Any = axes.get_subplotspec()
    figure.set_figheight(
        spec.get_gridspec().nrows * AXES_INCHES
        + LEGEND_LINE_INCHES * (1 + entry_lines)
        + SMALL_LINE_INCHES * small_print.get_text().count("\n")
    )


def _narrow(text: Text, pixels: float, reshape: Callable[[str, int], str]) -> None:
    """Fewer characters a line until it fits: a label of wide letters would leave no room for the
    axes."""
    whole = text.get_text()
    columns = max(map(len, whole.split("\n")))
    while columns > 3 and text.get_window_extent().width > pixels:
        columns = min(columns - 1, MOST_COLUMNS)
        text.set_text(reshape(whole, columns))


def _shortened(text: str, columns: int) -> str:
    return "\n".join(plain(line, columns) for line in text.split("\n"))


def check_output(path: Path, force: bool) -> None:
    """Told before anything is drawn."""
    if path.suffix.lower() not in SUFFIXES:
        raise AskedWronglyError(
            f"{path}: figures are written as {', '.join(SUFFIXES)}", "choose one by the suffix"
        )
    if path.exists() and not force:
        raise AskedWronglyError(f"{path} exists", "name another file, or overwrite with --force")


def save(figure: Figure, path: Path, force: bool) -> None:
    """Writes PNG, SVG or PDF by the suffix. What fails while it is drawn leaves no file."""
    check_output(path, force)
    kind = path.suffix.lower().removeprefix(".")
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    drawn = io.BytesIO()
    with paper():
        figure.savefig(drawn, format=kind, dpi=DPI, metadata=dates.get(kind))
    try:
        file = path.open("wb" if force else "xb")
    except OSError as error:
        raise AskedWronglyError(f"{path} cannot be written: {error.strerror}") from error
    try:
        with file:
            file.write(drawn.getvalue())
    except OSError as error:
        raise HockneyError(f"{path}: {error.strerror}", "make room or name another file") from error
