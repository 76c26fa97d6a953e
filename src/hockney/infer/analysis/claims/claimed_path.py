"""Takes a number by its path from what `hockney show --json` prints."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from hockney.base.units import listed
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.claims.claimed_number import CannotTellError, Number, number_of
from hockney.infer.estimate.interval import Interval
from hockney.infer.fitting.fit import Parameter

_STEP = re.compile(r"(\w+)(?:\[([^\]]*)\])?(?:\.(?=.)|$)")
"""A step of a path: a field, and in brackets a number or field=value, ... of a list's entry."""

INTERVALS = {
    **dict.fromkeys(("median_s", "time_s"), ("low_s", "high_s")),
    **dict.fromkeys(("ratio", "factor", "times_faster"), ("low", "high")),
}
"""Fields that have an interval beside them, with the names of its ends."""
MOST_NAMED = 12
"""Most fields that a message names."""


def at_path(analysis: Analysis, document: Mapping[str, Any], path: str) -> Number:
    """The number at a path such as contention[bytes=8,pairs=2].slowdown, with the interval that
    stands beside it or in it."""
    here: Any = document
    above: Mapping[str, Any] = document
    name, at = "", 0
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None or not isinstance(here, Mapping) or step[1] not in here:
            raise CannotTellError(f"path: there is no {path[at:]!r} of {path!r}", _near(here))
        at, name = step.end(), step[1]
        above, here = here, here[name]
        if step[2] is not None:
            here, name = _entry(here, step[2], path), ""
            above = here if isinstance(here, Mapping) else above
    if isinstance(here, Mapping) and "value" in here:
        parameter = Parameter(here["value"], _interval(here, "low", "high"))
    else:
        ends = INTERVALS.get(name)
        parameter = Parameter(here, _interval(above, *ends) if ends else None)
    if parameter.value is not None and (
        isinstance(parameter.value, bool) or not isinstance(parameter.value, int | float)
    ):
        raise CannotTellError(f"path: {path!r} is no number", "name a field that has one")
    launches = above.get("launches")
    known = launches if isinstance(launches, int) else len(analysis.run.launches)
    return number_of(analysis, parameter, path, known)


def _entry(entries: Any, chosen: str, path: str) -> Any:
    """The entry of a list: by its number, or the only one with these values of fields."""
    if not isinstance(entries, list):
        raise CannotTellError(f"path: {path!r} chooses from what is no list", "leave out [...]")
    if chosen.isdecimal():
        if int(chosen) < len(entries):
            return entries[int(chosen)]
        last = f"count from 0 to {len(entries) - 1}" if entries else "the list is empty"
        raise CannotTellError(f"path: {path!r}: the list has no entry {chosen}", last)
    wanted = dict(pair.strip().partition("=")[::2] for pair in chosen.split(","))
    matching = [
        entry
        for entry in entries
        if isinstance(entry, Mapping)
        and all(_printed(entry.get(key)) == text for key, text in wanted.items())
    ]
    if len(matching) != 1:
        raise CannotTellError(
            f"path: {path!r}: {len(matching)} of {len(entries)} entries have [{chosen}]",
            "choose one by its fields, as hockney show --json prints them",
        )
    return matching[0]


def _printed(value: Any) -> str:
    """A value as JSON has it, a text without its quotes."""
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _near(here: Any) -> str:
    """What a path may go on with."""
    if not isinstance(here, Mapping):
        return "a number has no parts, and an entry of a list is chosen by [...]"
    return f"there is {listed(list(here), MOST_NAMED)}, as hockney show --json prints them"


def _interval(entry: Mapping[str, Any], low: str, high: str) -> Interval | None:
    ends = entry.get(low), entry.get(high)
    return None if ends[0] is None or ends[1] is None else Interval(ends[0], ends[1])
