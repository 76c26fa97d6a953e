"""Compares a result with published figures and earlier runs, in sentences."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Any

from hockney.base.units import format_rate, format_ratio, format_seconds, format_size, how_many
from hockney.infer.analysis.claims.published import PastPosition, Position, Positions
from hockney.infer.analysis.claims.published_base import (
    SHARED_MEMORY,
    UNKNOWN_NETWORK,
    PublishedFigure,
)
from hockney.show.one_run.sample_words import sample_words
from hockney.show.tables.table import TableColumn, json_field, row_json, table_text

NAMES = {"time_s": "one-way time", "alpha_s": "alpha", "r_inf_Bps": "r_inf"}


FEW = 5
"""Fewest systems for a meaningful percentage; a line about fewer reports their number."""
STRIP = 24
"""Characters of a strip from the fastest published system to the slowest."""
SOME, MORE, OWN = "\N{MIDDLE DOT}", ":", "X"
"""Marks in a strip: one system, several, and this run."""


def position_lines(positions: Positions) -> list[str]:
    """Compares each number with others; empty where there are no others."""
    table = table_text(COLUMNS, [place for place in positions.places if place.is_alike])
    return [
        *table.splitlines(),
        *_by_transport(positions),
        *_unlike(positions),
        *frame_lines(positions),
    ]


def position_summary(positions: Positions) -> list[str]:
    """The same in a line: the smallest message and the largest one; then earlier runs."""
    alike = [place for place in positions.places if place.is_alike]
    times = [place for place in alike if place.quantity == "time_s"] or alike
    chosen = [*times[:1], *times[1:][-1:]]
    words = [f"{number_name(place)} {place_among(place)}" for place in chosen]
    lines = [f"published systems: {'; '.join(words)} (more: --explain)"] if words else []
    if words and not positions.hosts_known:
        lines.append(_transport(positions))
    return lines + [_past(past) for past in positions.past]


def _ends(place: Position) -> tuple[float, float]:
    """The best and the worst published number."""
    low, high = place.like[0].value, place.like[-1].value
    return (high, low) if place.quantity.endswith("_Bps") else (low, high)


def _strip(place: Position) -> str:
    """Published systems and this run (X) from the best to the worst, by their logarithms; an X at
    an end is at or past it."""
    best, worst = _ends(place)
    marks = [" "] * STRIP

    def column(value: float) -> int:
        if value <= 0.0:  # logs may lack a time or a rate
            return STRIP - 1 if best > worst else 0
        fraction = math.log(value / best) / math.log(worst / best) if worst != best else 0.0
        return round(min(max(fraction, 0.0), 1.0) * (STRIP - 1))

    for value in place.systems.values():
        at = column(value)
        marks[at] = SOME if marks[at] == " " else MORE
    marks[column(place.value)] = OWN
    return "".join(marks)


def _unlike(positions: Positions) -> list[str]:
    """The published numbers of other definitions, which are not compared."""
    lines = []
    for place in positions.places:
        if not place.is_alike:
            best, worst = (_value(place.quantity, end) for end in _ends(place))
            lines.append(
                f"{number_name(place)}: {best} .. {worst} of "
                f"{how_many(len(place.systems), 'system')} by another definition "
                f"({place.method}): not compared"
            )
    return lines


def _by_transport(positions: Positions) -> list[str]:
    """For the first number, a comparison with each transport on its own, where the run's is
    unknown."""
    first = next((place for place in positions.places if place.is_alike), None)
    if first is None or len(first.by_transport) < 2:
        return []
    each = ", ".join(
        f"{percentile:.0f} % of {count} of {transport}{_few(count)}"
        for transport, (percentile, count) in sorted(first.by_transport.items())
    )
    return [f"{number_name(first)} is better than {each}"]


def frame_lines(positions: Positions) -> list[str]:
    """Explains the published figures, and compares the run with earlier ones."""
    lines = []
    if positions.places:
        lines = [
            _transport(positions),
            f"definition of this run: {sample_words(positions.definition or 'unknown')}",
        ]
        if positions.not_ranked:
            lines.append(f"alpha and r_inf are not compared: {positions.not_ranked}")
    return lines + [_past(past) for past in positions.past]


def published_json(positions: Positions) -> dict[str, Any] | None:
    """{"quantity", ..., "percentile", "systems", "numbers"}: the first number that is published of
    like systems, and all of them; None where there is none."""
    numbers = [row_json(COLUMNS, place) for place in positions.places if place.is_alike]
    if not numbers:
        return None
    return {
        "transport": positions.transport,
        **numbers[0],
        "numbers": numbers,
        "line_not_compared": positions.not_ranked,
    }


def source_lines(positions: Positions) -> list[str]:
    """The system, definition and source of each published figure."""
    return list(
        dict.fromkeys(
            f"{_named(figure)}: {figure.definition} ({figure.source})"
            for place in positions.places
            for figure in place.like
        )
    )


def _named(figure: PublishedFigure) -> str:
    """The system with its known properties."""
    known = ", ".join(filter(None, (figure.detail, figure.library, figure.date)))
    return f"{figure.system} ({known})" if known else figure.system


def _transport(positions: Positions) -> str:
    if positions.transport == SHARED_MEMORY:
        return "messages stayed on one host: compared with published figures of shared memory"
    if not positions.hosts_known:
        return (
            "the record does not show whether the ranks were on one host: compared with published "
            "figures of networks; if they were, this comparison means nothing"
        )
    if positions.transport == UNKNOWN_NETWORK:
        return (
            "the record does not show which network carried the messages: compared with "
            "published figures of any network"
        )
    return (
        f"messages went over {positions.transport}, as environment variables show: compared with "
        "published figures of the same, and of networks that their source does not name"
    )


def _value(quantity: str, value: float) -> str:
    return format_rate(value) if quantity.endswith("_Bps") else format_seconds(value, 3)


def number_name(place: Position) -> str:
    """The name of the number, such as one-way time of 8 B."""
    size = "" if place.bytes is None else f" of {format_size(place.bytes)}"
    return NAMES[place.quantity] + size


def place_among(place: Position) -> str:
    """How the number compares with the published ones: of times the lowest is the fastest, of
    rates the highest."""
    value, low, high = place.value, place.like[0].value, place.like[-1].value
    systems = len(place.systems)
    if not place.is_alike:
        return f"not compared: another definition ({place.method})"
    lowest, highest = (
        ("slowest", "fastest") if place.quantity.endswith("_Bps") else ("fastest", "slowest")
    )
    if value < low:
        return f"{format_ratio(value / low)} times the {lowest} of {systems}{_few(systems)}"
    if value > high:
        return f"{format_ratio(value / high)} times the {highest} of {systems}{_few(systems)}"
    return f"better than {place.percentile:.0f} % of {how_many(systems, 'system')}{_few(systems)}"


def _few(systems: int) -> str:
    return " (few)" if systems < FEW else ""


def _past(past: PastPosition) -> str:
    value = format_rate if past.unit == "B/s" else format_seconds
    change = 100.0 * (past.value / past.median - 1.0)
    earlier = f"{how_many(past.earlier, 'earlier run')} of this system"
    return (
        f"{past.what} {value(past.value)}: {past.lower} of {earlier} were lower; their median is "
        f"{value(past.median)}, this is {change:+.1f} % from it"
    )


def _by_transport_json(place: Position) -> list[dict[str, Any]]:
    return [
        {"transport": transport, "percentile": percentile, "systems": count}
        for transport, (percentile, count) in place.by_transport.items()
    ]


COLUMNS: list[TableColumn[Position]] = [
    *(json_field(name, attrgetter(name)) for name in ("quantity", "bytes", "value", "percentile")),
    json_field("systems", lambda place: len(place.systems)),
    json_field("of", lambda place: place.systems),
    json_field("by_transport", _by_transport_json),
    TableColumn("number", number_name),
    TableColumn("this run", lambda place: _value(place.quantity, place.value)),
    TableColumn("compared with published systems", place_among),
    TableColumn("best", lambda place: _value(place.quantity, _ends(place)[0])),
    TableColumn("", _strip),
    TableColumn("worst", lambda place: _value(place.quantity, _ends(place)[1])),
]
