"""Why a rule gains: the critical paths of its algorithm and of the library's own."""

from __future__ import annotations

from dataclasses import dataclass

from hockney.base.errors import UsageError
from hockney.infer.analysis.algorithms.best import CollectiveCell, Contender
from hockney.infer.estimate.interval import high_of
from hockney.infer.predict.collectives import scheduled, time
from hockney.infer.predict.parameters import Level, Parameters
from hockney.run.mpis import Rule
from hockney.tuning.beyond import as_fast_as_own
from hockney.tuning.rules import Reduction

LATENCY, BANDWIDTH = Parameters(network=Level(1.0, 0.0)), Parameters(network=Level(0.0, 1.0))
"""Parameters that make a time count messages, or bytes."""
SAME = 0.02
"""Relative difference below which two numbers of bytes explain nothing."""


@dataclass(frozen=True)
class CriticalPath:
    """Messages and bytes on the longest path of a schedule, by a model with one rank a node."""

    algorithm: str
    messages: float
    bytes: float


@dataclass(frozen=True)
class Explained:
    rule: Rule
    times_faster: float | None
    at_least: float | None
    """Times faster in the cell of the least gain; below 1 where that is not significant."""
    at_most: float | None
    launches: int
    """The fewest launches of the algorithm or of the library's own decision in any of its cells."""
    least_sure: Contender
    """The contender of the cell whose interval comes nearest to 1."""
    cells: int
    costs: CriticalPath | None
    """Costs of the algorithm; None for one without a schedule."""
    own: CriticalPath | None
    """Costs of the algorithm as fast as the library's own decision; None where none is known."""

    @property
    def saves(self) -> str | None:
        """ "latency", "bandwidth" or both; None where the schedules explain nothing."""
        if self.costs is None or self.own is None:
            return None
        saved = ["latency"] * (self.costs.messages < self.own.messages)
        saved += ["bandwidth"] * (self.costs.bytes < (1.0 - SAME) * self.own.bytes)
        return " and ".join(saved) or None


def explained(reduction: Reduction) -> list[Explained]:
    return [_explained(rule, reduction) for rule in reduction.rules]


def _explained(rule: Rule, reduction: Reduction) -> Explained:
    cells = reduction.evidence(rule)
    ours = [
        (contender.difference, contender, cell)
        for cell in cells
        for contender in cell.contenders
        if contender.name == rule.name and contender.difference is not None
    ]
    ratios = [difference.ratio for difference, _, _ in ours]
    _, least_sure, _ = max(ours, key=lambda judged: high_of(judged[0].interval) or judged[0].ratio)
    _, contender, cell = min(ours, key=lambda judged: judged[0].ratio)
    return Explained(
        rule=rule,
        times_faster=reduction.times_faster(rule),
        at_least=reduction.gain_of(max(ratios)),
        at_most=reduction.gain_of(min(ratios)),
        launches=min(
            min(contender.point.launches, cell.default.launches if cell.default else 0)
            for _, contender, cell in ours
        ),
        least_sure=least_sure,
        cells=len(cells),
        costs=_costs(contender, cell),
        own=_own(cell),
    )


def _own(cell: CollectiveCell) -> CriticalPath | None:
    """The costs of the algorithm whose time comes nearest to the library's own decision."""
    near = as_fast_as_own(cell)
    return next((costs for contender in near if (costs := _costs(contender, cell))), None)


def _costs(contender: Contender, cell: CollectiveCell) -> CriticalPath | None:
    name, segment = scheduled(contender.point), contender.point.segment_bytes or None
    how = (cell.collective, name, cell.ranks, cell.bytes, segment)
    try:
        return CriticalPath(contender.name, time(LATENCY, *how), time(BANDWIDTH, *how))
    except UsageError:  # no such schedule, or not for so many ranks
        return None
