"""Describes a ratio of two times: its interval, and the smallest difference that could have been
shown."""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import attrgetter
from typing import TypeGuard

from hockney.base.units import format_percent, whole_percent
from hockney.infer.estimate.differences import Judged
from hockney.infer.estimate.interval import interval_words
from hockney.show.tables.table import TableColumn, between, end_fields, json_field

Text = Callable[[float], str]
"""How a ratio is written."""
DECIMALS: Text = "{:.3f}".format
ESTIMATED = "Hodges-Lehmann estimate, signed-rank interval"
"""How ratios of times in the same launches, or blocks of them, are estimated."""
TWICE = 1.0
"""The largest difference, as a fraction, that is written as a number."""


def smallest_words(difference: Judged) -> str:
    """The smallest difference that could have been shown, as "1.2 %", or "> 100 %"."""
    if has_number(difference.smallest_difference):
        return percent(difference.smallest_difference)
    return f"> {percent(TWICE)}" if _is_too_large(difference.smallest_difference) else "-"


def has_number(smallest: float | None) -> TypeGuard[float]:
    """Whether a smallest difference is known, and small enough to be written as a number."""
    return smallest is not None and smallest <= TWICE


def _is_too_large(smallest: float | None) -> bool:
    return smallest is not None and math.isfinite(smallest) and smallest > TWICE


def percent(value: float) -> str:
    return format_percent(value) if value < 0.1 else whole_percent(value)


def least_shown(judged: Judged) -> str:
    """The smallest difference that could have been shown, beside a verdict."""
    smallest = judged.smallest_difference
    if has_number(smallest):
        return f"a difference of less than {percent(smallest)} could not have been shown"
    if _is_too_large(smallest):
        return "not even a time twice as long could have been shown"
    return "no difference could have been shown"


def ratio_text(judged: Judged, text: Text = DECIMALS) -> str:
    """The ratio with its interval, where it has one that is not exact: "0.042 [0.041 to 0.043]"."""
    return f"{text(judged.ratio)}{interval_words(judged.interval, text)}"


def ratio_limits(judged: Judged, text: Text = DECIMALS) -> str | None:
    """The interval of the ratio; "exact" of simulated times, None where it is unknown."""
    return "exact" if is_exact(judged) else between(judged.interval, text)


def is_exact(judged: Judged) -> bool:
    """Whether the ratio is one of simulated times."""
    return judged.interval is not None and judged.interval.is_exact


def ratio_columns(
    text: Text = DECIMALS, ratio: str = "ratio", interval: str = "95 % interval"
) -> list[TableColumn[Judged]]:
    """A row without a judged ratio is what others are compared with."""
    return [
        TableColumn(ratio, lambda judged: judged.ratio, text, unknown="1"),
        TableColumn(interval, lambda judged: ratio_limits(judged, text) or "-", unknown=""),
    ]


SHOWS_FROM: TableColumn[Judged] = TableColumn("shows from", smallest_words, unknown="")
VERDICT: TableColumn[Judged] = TableColumn("verdict", lambda judged: judged.verdict, unknown="")
JUDGED_FIELDS: list[TableColumn[Judged]] = [
    json_field("ratio", attrgetter("ratio")),
    *end_fields(attrgetter("interval")),
    json_field("p", attrgetter("p")),
    json_field("verdict", attrgetter("verdict")),
    json_field("launches_needed", lambda judged: judged.needed),
    json_field("smallest_difference", lambda judged: judged.smallest_difference),
]
