"""How a result compares with published figures and earlier runs, in sentences."""

from __future__ import annotations

from hockney.analysis.published import (
    SHARED_MEMORY,
    UNKNOWN_NETWORK,
    PastPosition,
    Position,
    Positions,
)
from hockney.units import format_rate, format_seconds, format_size

NAMES = {"time_s": "one-way time", "alpha_s": "alpha", "r_inf_Bps": "r_inf"}


def position_lines(found: Positions) -> list[str]:
    """Compares each number with others; empty where there are no others."""
    return [*map(_position, found.places), *frame_lines(found)]


def frame_lines(found: Positions) -> list[str]:
    """Explains the published figures, and compares the run with earlier ones."""
    lines = []
    if found.places:
        lines = [
            _transport(found),
            f"definition of this run: {found.definition or 'unknown'}; "
            "figures of other definitions differ for that reason alone",
        ]
    return lines + [_past(past) for past in found.past]


def source_lines(found: Positions) -> list[str]:
    """The system, definition and source of each published figure."""
    return list(
        dict.fromkeys(
            f"{one.system}: {one.definition} ({one.source})"
            for place in found.places
            for one in place.like
        )
    )


def _transport(found: Positions) -> str:
    if found.transport == SHARED_MEMORY:
        return "messages stayed on one host: compared with published figures of shared memory"
    if found.transport == UNKNOWN_NETWORK:
        return (
            "the record does not show which network carried the messages: compared with "
            "published figures of any network"
        )
    return (
        f"messages went over {found.transport}, as environment variables show: compared with "
        "published figures of the same, and of networks that their source does not name"
    )


def _value(quantity: str, value: float) -> str:
    return format_rate(value) if quantity.endswith("_Bps") else format_seconds(value, 3)


def number_name(place: Position) -> str:
    """The name of the number, such as one-way time of 8 B."""
    size = "" if place.bytes is None else f" of {format_size(place.bytes)}"
    return NAMES[place.quantity] + size


def _position(place: Position) -> str:
    low, high = place.like[0], place.like[-1]
    ends = f"{_value(place.quantity, low.value)} ({low.system})"
    if len(place.like) > 1:
        ends += f" to {_value(place.quantity, high.value)} ({high.system})"
    return (
        f"{number_name(place)} {_value(place.quantity, place.value)}: {place_among(place)}: {ends}"
    )


def place_among(place: Position) -> str:
    """How the number compares with the published ones: of times the lowest is the fastest, of
    rates the highest."""
    value, low, high = place.value, place.like[0].value, place.like[-1].value
    count = f"{len(place.like)} published"
    lowest, highest = (
        ("slowest", "fastest") if place.quantity.endswith("_Bps") else ("fastest", "slowest")
    )
    if value < low:
        return f"{value / low:.3g} times the {lowest} of {count}"
    if value > high:
        return f"{value / high:.3g} times the {highest} of {count}"
    return f"in the range of {count}"


def _past(past: PastPosition) -> str:
    value = format_rate if past.what.startswith("bandwidth") else format_seconds
    change = 100.0 * (past.value / past.median - 1.0)
    return (
        f"{past.what} {value(past.value)}: {past.lower} of {past.earlier} earlier runs of this "
        f"system were lower; their median is {value(past.median)}, this is {change:+.1f} % from it"
    )
