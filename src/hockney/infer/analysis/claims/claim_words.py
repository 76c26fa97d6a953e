"""A claim's quantity and its number, in words."""

from __future__ import annotations

from typing import Any

from hockney.base.units import format_rate, format_ratio, format_seconds
from hockney.infer.analysis.claims.claimed_number import Number
from hockney.plan.axes import AXES
from hockney.plan.claims import BEST, EXPONENT, PARAMETER, PATH, RATIO, Quantity, unit_of


def quantity_text(quantity: Quantity) -> str:
    """The quantity in words: "time at 8 B, 4 ranks", "exponent of time against rounds"."""
    if quantity.what == RATIO:
        assert quantity.of is not None
        assert quantity.over is not None
        return f"{quantity_text(quantity.of)} over {quantity_text(quantity.over)}"
    if quantity.what == PATH:
        return quantity.path or ""
    names = [_axis_text(name, value) for name, value in quantity.axes.items()]
    at = f" at {', '.join(names)}" if names else ""
    if quantity.what == PARAMETER:
        return f"{quantity.model}'s {quantity.name}{at}"
    if quantity.what == EXPONENT:
        return f"exponent of {quantity.take} against {quantity.against}{at}"
    if quantity.what == BEST:
        return f"time of {quantity.name} over the fastest other{at}"
    return f"{quantity.what}{at}"


def _axis_text(name: str, value: Any) -> str:
    """An axis with its value; as points show it, where they would."""
    try:
        return AXES[name].text(value) or f"{name} {value}"
    except (TypeError, ValueError, KeyError, AttributeError):
        return f"{name} {value}"


def number_text(quantity: Quantity, number: Number) -> str:
    """A number with its interval: "2.01 (exact: simulated)", "1.9 us (95 %: 1.8 us .. 2 us)"."""
    write = {"s": format_seconds, "B/s": format_rate}.get(unit_of(quantity), _plain)
    if number.interval.is_exact:
        return f"{write(number.value)} (exact: simulated)"
    ends = f"{write(number.interval.low)} .. {write(number.interval.high)}"
    return f"{write(number.value)} (95 %: {ends}, {number.launches} launches)"


def _plain(value: float) -> str:
    if value.is_integer() and abs(value) < 1e9:
        return str(int(value))
    return format_ratio(value, 4) if abs(value) >= 1.0 else f"{value:.4g}"
