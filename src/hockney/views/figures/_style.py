"""What all figures share: colours, marks, axes of sizes, and text that strangers wrote."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from hockney.errors import AskedWronglyError
from hockney.units import format_size

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hockney.records import Run

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Told apart by colour-blind readers and in grey (Okabe & Ito 2008)."""
MARKS = ("o", "s", "^", "D", "v", "P", "X")
WIDTH_INCHES = 6.4
DPI = 200
SUFFIXES = (".png", ".svg", ".pdf")


@contextmanager
def paper() -> Iterator[None]:
    """Type and lines that survive a column's width."""
    settings: Any = {
        "font.size": 9,
        "axes.titlesize": 10,
        "axes.grid": True,
        "grid.color": "#dddddd",
        "grid.linewidth": 0.6,
        "axes.axisbelow": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
        "legend.fontsize": 8,
        "lines.linewidth": 1.2,
        "lines.markersize": 4,
        "svg.hashsalt": "hockney",
        "text.parse_math": False,
    }
    with plt.rc_context(settings):
        yield


def colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def mark(number: int) -> str:
    return MARKS[number % len(MARKS)]


def plain(text: str) -> str:
    """A label from a file as it may be drawn: what cannot be printed becomes a visible mark."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def size_axis(axes: Axes, sizes: Sequence[float]) -> None:
    """A logarithmic axis of message sizes on which 0 bytes, a real message, has its place."""
    positive = sorted({size for size in sizes if size > 0})
    smallest = positive[0] if positive else 1.0
    has_zero = any(size == 0 for size in sizes)
    largest = positive[-1] if positive else 1.0
    if has_zero:
        axes.set_xscale("symlog", base=2, linthresh=smallest, linscale=1.0)
        axes.set_xlim(-0.5 * smallest, 1.7 * largest)
    else:
        axes.set_xscale("log", base=2)
        axes.set_xlim(smallest / 1.7, 1.7 * largest)
    octaves = max(positive[-1] / smallest, 1.0).__ceil__().bit_length() if positive else 1
    step = max(octaves // 9, 1)
    powers = [2**power for power in range(0, 63) if smallest <= 2**power <= (positive or [1])[-1]]
    ticks = ([0.0] if has_zero else []) + [float(power) for power in powers[::step]]
    axes.xaxis.set_major_locator(FixedLocator(ticks or list(positive)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda size, _: format_size(round(size))))
    axes.tick_params(axis="x", labelrotation=30)
    axes.set_xlabel("message size")


def time_ticks(axes: Axes) -> None:
    """Microseconds as numbers, not as powers."""
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def footnote(figure: Figure, runs: Sequence[Run]) -> None:
    """What one sample is: figures leave their text behind."""
    definitions = {run.launches[0].definition for run in runs if run.launches}
    words = "; ".join(sorted(definition for definition in definitions if definition))
    if words:
        figure.text(0.01, 0.005, f"sample: {plain(words)}", fontsize=6.5, color="#555555")


def save(figure: Figure, path: Path, force: bool) -> None:
    """Writes PNG, SVG or PDF by the suffix."""
    if path.suffix.lower() not in SUFFIXES:
        raise AskedWronglyError(
            f"{path}: figures are written as {', '.join(SUFFIXES)}", "choose one by the suffix"
        )
    if path.exists() and not force:
        raise AskedWronglyError(f"{path} exists", "name another file, or overwrite with --force")
    try:
        figure.savefig(path, dpi=DPI)
    except OSError as error:
        raise AskedWronglyError(f"{path} cannot be written: {error.strerror}") from error
    finally:
        plt.close(figure)


def new_figure(
    rows: int = 1, columns: int = 1, height: float = 4.0, **options: Any
) -> tuple[Figure, Any]:
    """A figure and its axes, laid out with room for the footnote."""
    figure, axes = plt.subplots(rows, columns, figsize=(WIDTH_INCHES, height), **options)
    figure.set_layout_engine("constrained", rect=(0.0, 0.025, 1.0, 0.975))
    return figure, axes
