"""Axes of figures for papers: limits around the values, and ticks with names that people use."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from hockney.base.extras import extra
from hockney.base.units import FACTORS, format_percent, format_rate, format_ratio, format_size
from hockney.show.drawing import time_text
from hockney.show.drawing.description import PlotAxis, Side

with extra("plot"):
    from matplotlib import dates
    from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator
if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NAMES = 9
"""Most labels of an axis of names; of more names, every n-th has one."""
NEAREST_LABELS = 0.3
"""Least distance of two labels on an axis of counts, in factors of two."""
DECADES = (
    (1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 4, 5, 6, 7, 8, 9),
    (1, 1.5, 2, 3, 5, 7),
    (1, 2, 5),
    (1, 3),
    (1,),
)
"""Named ticks of a decade, from many to one: the first choice that fits is drawn."""
LEAST_COLOUR = 1e-3
"""The lowest colour that is distinguished where values begin at 0, as a fraction of the largest."""
LABEL_INCHES = {"x": 0.55, "y": 0.28}
"""Length of an axis per label."""
SECONDS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
DATES = ((3.0, "%m-%d %H:%M"), (math.inf, "%Y-%m-%d"))
"""The names of ticks on an axis of dates, by the days that it spans. Each is complete: matplotlib
would put what several share beside the axis label."""
SIDES: tuple[Side, Side] = ("x", "y")
untyped: Any = dates


def scale_axis(
    axes: Axes,
    side: Side,
    axis: PlotAxis,
    values: Sequence[float],
    inches: float,
    most_names: int = MOST_NAMES,
    measured: Sequence[float] | None = None,
) -> None:
    """Sets scale, limits, ticks and label. Values for which a logarithmic axis has no place are
    left out; what reaches below its lower end leaves the figure there. inches: the length of the
    axis; measured: those of the values that ticks are at where an axis names values, or all."""
    named = values if measured is None else measured
    _side(axes, side)[0].set_label_text(axis.label)
    if axis.quantity == "name":
        _names(axes, side, axis, most_names)
    elif axis.quantity == "size":
        _sizes(axes, side, values, named)
    elif axis.logarithmic:
        positive = [value for value in values if value > 0.0] or [1.0]
        counts = [count for count in named if count > 0.0]
        _logarithmic(axes, side, axis, positive, counts, max(int(inches / LABEL_INCHES[side]), 3))
    else:
        _linear(axes, side, axis, values or [0.0])


def scale_colours(axes: Axes, axis: PlotAxis, low: float, high: float, inches: float) -> None:
    """Sets the ticks of a colour bar: both ends, and what is far enough from them."""
    most = int(inches / LABEL_INCHES["y"])
    is_size = axis.quantity == "size"
    named = _powers(max(low, 1.0), high, most) if is_size else _decades(low, high, most)[0]
    apart = (high / max(low, LEAST_COLOUR * high)) ** (1.0 / most)
    inner = [value for value in named if low * apart <= value <= high / apart]
    ends = [high] if low <= 0.0 else [low, high]
    _ticks(
        axes.yaxis,
        [*ends, *inner],
        lambda value: format_size(round(value)) if is_size else time_text(value),
    )
    axes.set_ylabel(axis.label)


def _side(axes: Any, side: Side) -> tuple[Any, Any, Any]:
    """The axis, and the functions that set its scale and its limits."""
    if side == "x":
        return axes.xaxis, axes.set_xscale, axes.set_xlim
    return axes.yaxis, axes.set_yscale, axes.set_ylim


def _ticks(
    along: Any, major: Iterable[float], text: Callable[[float], str], minor: Iterable[float] = ()
) -> None:
    along.set_major_locator(FixedLocator(list(major)))
    along.set_minor_locator(FixedLocator(list(minor)))
    along.set_major_formatter(FuncFormatter(lambda value, _: text(value)))
    along.set_minor_formatter(FuncFormatter(lambda *_: ""))


def _names(axes: Axes, side: Side, axis: PlotAxis, most: int) -> None:
    names = axis.names
    step = -(-len(names) // most)
    along, _, limits = _side(axes, side)
    _ticks(along, range(0, len(names), step), lambda at: names[round(at)])
    ends = (-0.5, len(names) - 0.5)
    limits(*(reversed(ends) if axis.downward else ends))


def _sizes(axes: Axes, side: Side, sizes: Iterable[float], measured: Iterable[float]) -> None:
    """Makes a logarithmic axis of message sizes on which 0 bytes, a real message, has its place.
    The smallest measured size has a name, and powers of two that are far enough from it."""
    every = sorted(set(sizes)) or [1.0]
    positive = [size for size in every if size > 0.0] or [1.0]
    smallest, largest = positive[0], positive[-1]
    zero = every[:1] == [0.0]
    along, scale, limits = _side(axes, side)
    if zero:
        scale("symlog", base=2, linthresh=smallest, linscale=2.0)
        limits(-0.5 * smallest, 1.7 * largest)
    else:
        scale("log", base=2)
        limits(smallest / 1.7, 1.7 * largest)
    powers = _exponents(smallest, largest)
    # Steps of 5 and 10 meet 1 KiB, 1 MiB and 1 GiB.
    step = next((step for step in (1, 2, 5, 10) if len(powers) <= 6 * step), 20)
    first = min((size for size in measured if size > 0.0), default=smallest)
    far = [power for power in powers if power % step == 0]
    named = [first, *(2.0**at for at in far if abs(at - math.log2(first)) >= 0.6 * step)]
    _ticks(
        along,
        [0.0] * zero + named,
        lambda size: format_size(round(size)),
        [2.0**power for power in powers],
    )


def _logarithmic(
    axes: Axes,
    side: Side,
    axis: PlotAxis,
    values: Sequence[float],
    counts: Sequence[float],
    most: int,
) -> None:
    """Makes a logarithmic axis; counts: where ticks are on an axis of counts; most: named ticks
    on others."""
    low, high = min(values), max(values)
    along, scale, limits = _side(axes, side)
    if axis.quantity == "count":
        scale("log", base=2)
        limits(low / 1.2, high * 1.2)
        _ticks(along, sorted(set(counts)), _spaced(counts))
        return
    scale("log")
    if axis.quantity == "ratio":
        low, high = min(0.8, 0.95 * low), max(1.25, (1.05 if high < 10.0 else 1.5) * high)
    else:
        low, high = 0.75 * low, 1.35 * high
        middle = math.sqrt(low) * math.sqrt(high)
        low, high = min(low, middle / 2.0), max(high, 2.0 * middle)
    limits(low, high)
    if axis.quantity == "rate":
        _ticks(along, _powers(low, high, most), format_rate)
        return
    named, unnamed = _decades(low, high, most)
    _ticks(along, named, time_text if axis.quantity == "time" else format_ratio, unnamed)


def _exponents(low: float, high: float) -> range:
    """The exponents of the powers of 2 from low to high."""
    return range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)


def _powers(low: float, high: float, most: int) -> list[float]:
    """Powers of 2 as ticks, at most about `most`."""
    powers = _exponents(low, high)
    step = next((step for step in (1, 2, 3, 5, 10) if len(powers) <= most * step), 20)
    return [2.0**power for power in powers if power % step == 0]


def _decades(low: float, high: float, most: int) -> tuple[list[float], list[float]]:
    """Ticks with a name, at most `most`, and ticks without one."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in DECADES:
        named = [factor * 10.0**decade for decade in decades for factor in factors]
        if sum(low <= value <= high for value in named) <= most:
            return named, [n * 10.0**decade for decade in decades for n in range(2, 10)]
    seen = [value for value in named if low <= value <= high]
    return seen[:: math.ceil(len(seen) / most)], seen


def _spaced(counts: Iterable[float]) -> Callable[[float], str]:
    """Names of whole numbers that are far enough from the one before them."""
    labelled: list[int] = []
    for count in sorted({round(count) for count in counts}):
        if not labelled or math.log2(count / labelled[-1]) >= NEAREST_LABELS:
            labelled.append(count)
    return lambda count: str(round(count)) if round(count) in labelled else ""


def _linear(axes: Axes, side: Side, axis: PlotAxis, values: Sequence[float]) -> None:
    along, _, limits = _side(axes, side)
    low, high = min(values), max(values)
    margin = 0.05 * (high - low) or 0.5 * abs(high) or 1.0
    limits(0.0 if axis.from_zero else low - margin, high + margin)
    factor, unit = _unit(axis, max(abs(low), abs(high)))
    if axis.quantity == "date":
        within = next(name for days, name in DATES if high - low <= days)
        locator = untyped.AutoDateLocator(minticks=2, maxticks=4)
        along.set_major_locator(locator)
        along.set_major_formatter(untyped.DateFormatter(within))
        return
    along.set_label_text(f"{axis.label}{unit}")
    whole = axis.quantity == "count"
    steps = [1, 2, 2.5, 5, 10]
    along.set_major_locator(_Scaled(factor, nbins=5, integer=whole, min_n_ticks=2, steps=steps))
    percent = axis.quantity == "fraction"
    along.set_major_formatter(
        FuncFormatter(
            lambda value, _: (
                format_percent(value, 4) if percent else format_ratio(value / factor, 6)
            )
        )
    )


def _unit(axis: PlotAxis, largest: float) -> tuple[float, str]:
    """The factor and the unit in which an axis is labelled."""
    if axis.quantity == "time":
        unit = next((name for name, seconds in SECONDS.items() if largest >= seconds), "ns")
        return SECONDS[unit], f", {unit}"
    if axis.quantity == "rate":
        unit = next((name for name in ("GiB", "MiB", "KiB") if largest >= FACTORS[name]), "B")
        return float(FACTORS[unit]), f", {unit}/s"
    return 1.0, ""


class _Scaled(MaxNLocator):
    """Places ticks at round numbers of a unit."""

    def __init__(self, factor: float, **options: Any) -> None:
        super().__init__(**options)
        self.factor = factor

    def tick_values(self, low: float, high: float) -> Any:
        ticks: Any = super().tick_values(low / self.factor, high / self.factor)
        return ticks * self.factor
