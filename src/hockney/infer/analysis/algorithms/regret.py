"""The algorithm with the least regret over arrival patterns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hockney.base.grouping import by_key
from hockney.infer.analysis.algorithms.best import CollectiveCell, name_of
from hockney.plan.arrivals import PATTERNS
from hockney.plan.workloads.collective import DEFAULT


@dataclass(frozen=True)
class Regret:
    """The algorithm whose largest loss over patterns is the least (Savage's minimax regret)."""

    collective: str
    ranks: int
    bytes: int
    patterns: tuple[str, ...]
    algorithm: str
    worst: float
    """Largest ratio of the algorithm's time to the fastest one's in the same pattern."""
    worst_pattern: str
    own_worst: float | None
    """The largest such ratio of the library's own decision; None if it was not measured."""


def regrets(cells: Sequence[CollectiveCell]) -> list[Regret]:
    """Regrets by collective, ranks and size, where several algorithms met several patterns. Medians
    alone are compared: what is surely the best in one pattern is in the cells."""
    known = [cell for cell in cells if cell.arrived.pattern is not None]
    groups = by_key(known, lambda cell: (cell.collective, cell.ranks, cell.bytes))
    least_regrets = []
    for key, group in groups.items():
        group.sort(key=_place)
        losses = _losses(group)
        if len(group) > 1 and len(losses) > 1:
            name = min(losses, key=lambda name: max(losses[name].values()))
            pattern = max(losses[name], key=lambda pattern: losses[name][pattern])
            own = losses.get(DEFAULT)
            least_regrets.append(
                Regret(
                    *key,
                    patterns=tuple(losses[name]),
                    algorithm=name,
                    worst=losses[name][pattern],
                    worst_pattern=pattern,
                    own_worst=max(own.values()) if own else None,
                )
            )
    return least_regrets


def _place(cell: CollectiveCell) -> int:
    """The sort key of a cell's pattern: known patterns in their order, then those of files."""
    pattern = cell.arrived.pattern
    return PATTERNS.index(pattern) if pattern in PATTERNS else len(PATTERNS)


def _losses(cells: Sequence[CollectiveCell]) -> dict[str, dict[str, float]]:
    """Time over the fastest algorithm's, by algorithm and pattern; only algorithms with every
    pattern."""
    by_algorithm: dict[str, dict[str, float]] = {}
    for cell in cells:
        for point in cell.points:
            assert cell.arrived.pattern is not None
            loss = point.typical_s / cell.best.point.typical_s
            by_algorithm.setdefault(name_of(point), {})[cell.arrived.pattern] = loss
    return {name: losses for name, losses in by_algorithm.items() if len(losses) == len(cells)}
