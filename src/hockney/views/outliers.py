"""Outliers in words and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from hockney.analysis import Analysis
from hockney.analysis.outliers import LEAST_MEMBERS, RULE, Outlier
from hockney.records import Place
from hockney.units import format_size
from hockney.views.table import place_words

MOST_LISTED = 20


def outlier_count(analysis: Analysis) -> list[str]:
    """One line, where there were enough pairs to judge."""
    found = analysis.outliers
    if found is None:
        return []
    return [f"{len(found)} outlier{'s' * (len(found) > 1)}" if found else "no outlier"]


def outliers_text(analysis: Analysis) -> str:
    """One line each, the rule below."""
    found = analysis.outliers
    if found is None:
        return f"too few pairs to look for outliers: {LEAST_MEMBERS} are needed"
    if not found:
        return f"no outlier\n{_rule()}"
    lines = [_line(one, analysis.places) for one in found[:MOST_LISTED]]
    if len(found) > MOST_LISTED:
        lines.append(f"and {len(found) - MOST_LISTED} more")
    return "\n".join([*lines, _rule()])


def _rule() -> str:
    return textwrap.fill(f"({RULE})", 100, initial_indent="  ", subsequent_indent="  ")


def _line(one: Outlier, places: Mapping[int, Place]) -> str:
    at_once = f" with {one.pairs} pairs at once" if one.pairs > 1 else ""
    return (
        f"outlier: {one.what} {who(one, places)}: {one.ratio:.3g} times its group ({one.group}) at "
        f"{format_size(one.bytes)}{at_once}; p = {one.p:.1g}, in {one.launches_agreeing} of "
        f"{one.launches} launch{'es' * (one.launches > 1)}"
    )


def who(one: Outlier, places: Mapping[int, Place]) -> str:
    """A node by its name, ranks by their places."""
    if one.what == "node":
        return places[one.ranks[0]].host or "unknown host"
    return " with ".join(rank_words(rank, places) for rank in one.ranks)


def rank_words(rank: int, places: Mapping[int, Place]) -> str:
    return f"rank {rank} ({place_words(places[rank])})" if rank in places else f"rank {rank}"


def outliers_json(analysis: Analysis) -> dict[str, Any]:
    """{"outliers", "outlier_rule"}, and by their former names "apart", "apart_rule"; null where
    there are too few pairs to look for them."""
    found = analysis.outliers
    named = (
        None
        if found is None
        else [{**asdict(one), "name": who(one, analysis.places)} for one in found]
    )
    return {"outliers": named, "outlier_rule": RULE, "apart": named, "apart_rule": RULE}
