"""What stands apart, in words and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from hockney.analysis.outliers import LEAST_MEMBERS, RULE, Outlier
from hockney.analysis.places import places_of
from hockney.records import Place, Run
from hockney.units import format_size
from hockney.views.table import place_words

MOST_LISTED = 20


def apart_text(run: Run, found: Sequence[Outlier] | None) -> str:
    """One line each, the rule below."""
    if found is None:
        return f"too few pairs to tell who stands apart: it takes {LEAST_MEMBERS}"
    if not found:
        return f"nobody stands apart\n{_rule()}"
    places = places_of(run)
    lines = [_line(one, places) for one in found[:MOST_LISTED]]
    if len(found) > MOST_LISTED:
        lines.append(f"and {len(found) - MOST_LISTED} more")
    return "\n".join([*lines, _rule()])


def _rule() -> str:
    return textwrap.fill(f"({RULE})", 100, initial_indent="  ", subsequent_indent="  ")


def _line(one: Outlier, places: dict[int, Place]) -> str:
    at_once = f" with {one.pairs} pairs at once" if one.pairs > 1 else ""
    return (
        f"slow {one.what}: {who(one, places)}: {one.ratio:.3g} times its group ({one.group}) at "
        f"{format_size(one.bytes)}{at_once}; p = {one.p:.1g}, in {one.launches_agreeing} of "
        f"{one.launches} launch{'es' * (one.launches > 1)}"
    )


def who(one: Outlier, places: dict[int, Place]) -> str:
    """A node by its name, ranks by their places."""
    if one.what == "node":
        return places[one.ranks[0]].host or "unknown host"
    return " with ".join(rank_words(rank, places) for rank in one.ranks)


def rank_words(rank: int, places: dict[int, Place]) -> str:
    return f"rank {rank} ({place_words(places[rank])})" if rank in places else f"rank {rank}"


def apart_json(run: Run, found: Sequence[Outlier] | None) -> dict[str, Any]:
    """{"apart", "apart_rule"}; null where there are too few to tell."""
    places = places_of(run)
    if found is None:
        return {"apart": None, "apart_rule": RULE}
    named = [{**asdict(one), "name": who(one, places)} for one in found]
    return {"apart": named, "apart_rule": RULE}
