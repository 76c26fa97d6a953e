"""Shows what memory of accelerators costs: lines of the answer, tables, and JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hockney.base.grouping import by_key
from hockney.base.units import format_ratio, format_size
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.side_by_side import MethodRatio
from hockney.infer.estimate.points import PointEstimate
from hockney.plan.memories import staging_text
from hockney.show.one_run.side_by_side import side_by_side_json, side_by_side_text
from hockney.show.tables.judged import ratio_text


def memory_answer(analysis: Analysis) -> list[str]:
    """For each memory, how many times as long the smallest and the largest message take as from
    the host's; and whether the library's own way is worth it."""
    own = [ratio for ratio in analysis.over_host if ratio.point.staging is None]
    lines = [
        f"from {memory_words(group[0].point)} memory {_at_ends(group)} as long as from the host's"
        for group in _groups(own, lambda ratio: (ratio.point.memory, ratio.point.peer_memory))
    ]
    staged = _groups(analysis.over_staged, lambda ratio: (ratio.point.memory, ratio.base.staging))
    for group in staged:
        way = staging_text(group[0].base.staging or 0)
        lines.append(f"sent by the library from there, {_at_ends(group)} as long as {way}")
    return lines


def memory_parts(analysis: Analysis) -> list[str]:
    """Two tables: each memory over the host's, and the library's way over staging."""
    return [side_by_side_text(analysis.over_host), side_by_side_text(analysis.over_staged)]


def memory_json(analysis: Analysis) -> dict[str, Any]:
    """{"memories": ...}; empty where messages lie in one memory, unstaged."""
    ratios = [*analysis.over_host, *analysis.over_staged]
    return {"memories": side_by_side_json(ratios)["side_by_side"]} if ratios else {}


def memory_words(point: PointEstimate) -> str:
    """A memory, or the two of the sides: "device to host"."""
    return " to ".join(filter(None, (point.memory, point.peer_memory)))


def _groups(
    ratios: Sequence[MethodRatio], key: Callable[[MethodRatio], Any]
) -> list[list[MethodRatio]]:
    return list(by_key(ratios, lambda ratio: (key(ratio), ratio.point.operation)).values())


def _at_ends(group: Sequence[MethodRatio]) -> str:
    """The ratios at the smallest and the largest message."""
    smallest = min(group, key=lambda ratio: ratio.point.bytes)
    largest = max(group, key=lambda ratio: ratio.point.bytes)
    ends = [smallest] if smallest.point.bytes == largest.point.bytes else [smallest, largest]
    words = [
        f"{format_size(ratio.point.bytes)}{takes} {ratio_text(ratio.judged, format_ratio)} times"
        for ratio, takes in zip(ends, (" takes", ""), strict=False)
    ]
    return ", ".join(words)
