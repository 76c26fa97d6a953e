"""Where a result lies among others, in sentences: what is alike, by how much, and by whose word."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.analysis.history import History
from hockney.analysis.published import SHARED_MEMORY, UNKNOWN_NETWORK, Beside, Past, Place, beside
from hockney.errors import HockneyError
from hockney.estimate.points import Estimates
from hockney.models import fit_model
from hockney.records import Run
from hockney.units import format_rate, format_seconds, format_size

NAMES = {"time_s": "one-way time", "alpha_s": "alpha", "r_inf_Bps": "r_inf"}


def beside_of(run: Run, estimates: Estimates, histories: Sequence[History] = ()) -> Beside:
    """The run and Hockney's line through it beside others."""
    try:
        line = fit_model("hockney", estimates.own())
    except HockneyError:
        return beside(run, estimates, {}, histories)
    fitted = {
        "alpha_s": line.parameters["alpha_s"].value, "r_inf_Bps": line.derived["r_inf_Bps"].value,
    }  # fmt: skip
    return beside(run, estimates, fitted, histories)


def beside_lines(found: Beside) -> list[str]:
    """Where each number lies; nothing where there is nothing to set it beside."""
    return [*map(_place, found.places), *frame_lines(found)]


def frame_lines(found: Beside) -> list[str]:
    """What the published figures are, and where the run lies among its own past."""
    lines = [_transport(found), (
        f"yours is: {found.definition or 'not told'}; figures of unlike definitions differ by "
        "themselves"
    )] if found.places else []  # fmt: skip
    return lines + [_past(past) for past in found.past]


def source_lines(found: Beside) -> list[str]:
    """Each published figure's system, definition and source, once."""
    return list(dict.fromkeys(
        f"{one.system}: {one.definition} ({one.source})"
        for place in found.places for one in place.like
    ))  # fmt: skip


def _transport(found: Beside) -> str:
    if found.transport == SHARED_MEMORY:
        return "messages went through one host: set beside published figures of shared memory"
    if found.transport == UNKNOWN_NETWORK:
        return (
            "what network carried the messages cannot be told from the record: set beside "
            "published figures of any network"
        )
    return (
        f"messages went over {found.transport}, by the variables set for it: set beside published "
        "figures of the same, and of networks that their source does not name"
    )


def _value(quantity: str, value: float) -> str:
    return format_rate(value) if quantity.endswith("_Bps") else format_seconds(value, 3)


def number_name(place: Place) -> str:
    """As one-way time of 8 B."""
    size = "" if place.bytes is None else f" of {format_size(place.bytes)}"
    return NAMES[place.quantity] + size


def _place(place: Place) -> str:
    low, high = place.like[0], place.like[-1]
    ends = f"{_value(place.quantity, low.value)} ({low.system})"
    if len(place.like) > 1:
        ends += f" to {_value(place.quantity, high.value)} ({high.system})"
    return (
        f"{number_name(place)} {_value(place.quantity, place.value)}: "
        f"{lies(place.value, [one.value for one in place.like])}; "
        f"{len(place.like)} published: {ends}"
    )


def lies(value: float, others: Sequence[float]) -> str:
    """Where a value lies among others, ascending."""
    if value < others[0]:
        return f"{others[0] / value:.3g} times below the lowest" if value else "below the lowest"
    if value > others[-1]:
        return f"{value / others[-1]:.3g} times above the highest"
    return "inside their range"


def _past(past: Past) -> str:
    value = format_rate if past.what.startswith("bandwidth") else format_seconds
    change = 100.0 * (past.value / past.median - 1.0)
    return (
        f"{past.what} {value(past.value)}: {past.lower} of {past.earlier} earlier runs of this "
        f"system were lower; their median is {value(past.median)}, this is {change:+.1f} % from it"
    )
