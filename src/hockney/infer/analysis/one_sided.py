"""One-sided operations against the two-sided exchange that was measured in the same rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hockney.infer.analysis.side_by_side import MethodRatio, judged_ratios, log_ratios
from hockney.infer.estimate.differences import Judged
from hockney.infer.estimate.points import PointEstimate
from hockney.plan.axes import Axes, Key, key_without
from hockney.plan.workloads.rma import TWO_SIDED

WAYS = ("synchronization", "window_kind", "direction", "element", "reduction")
"""Axes that only one-sided operations have."""
AT_ORIGIN = frozenset({"flush-local"})
"""Synchronisations after which the origin may reuse its buffer, though the target may not be
reached. All others complete the operation at the target."""


@dataclass(frozen=True)
class OneSided:
    """One point of a one-sided operation, and the exchange of as many bytes."""

    point: PointEstimate
    two_sided: PointEstimate
    judged: Judged
    """Ratio of the operation's time to the exchange's, over launches."""

    @property
    def done_at(self) -> str:
        """Rank at which the operation is complete when its time ends: target or origin."""
        return "origin" if self.point.synchronization in AT_ORIGIN else "target"


@dataclass(frozen=True)
class Helped:
    """A one-sided operation with a computing target, over one whose target waits in MPI: far above
    1 if the operation needs the target's help."""

    point: PointEstimate
    """The point with a waiting target."""
    judged: Judged

    @property
    def needs_target(self) -> bool | None:
        """Whether it needs the target's help; None if that is unknown."""
        interval = self.judged.interval
        if interval is None:
            return None
        if interval.low > NEEDS_TARGET:
            return True
        return False if interval.high < NEEDS_TARGET else None


NEEDS_TARGET = 1.5
"""Ratio from which on the target is needed: it computes for three times as long as the operations
take."""


def one_sided_ratios(points: Sequence[PointEstimate], is_simulated: bool) -> list[OneSided]:
    """Every one-sided point with an exchange, judged together (Holm). Simulated times are exact."""
    exchanges = {_key(point): point for point in points if point.synchronization is None}
    pairs = [
        (point, exchanges[key])
        for point in points
        if point.synchronization is not None
        and not point.overlap
        and (key := _key(point, TWO_SIDED[point.direction])) in exchanges
    ]
    return [OneSided(of.point, of.base, of.judged) for of in _judged(pairs, is_simulated)]


def helped_ratios(points: Sequence[PointEstimate], is_simulated: bool) -> list[Helped]:
    """Every one-sided point that was also measured with a computing target."""
    waiting = {key_without(point, "overlap"): point for point in points if not point.overlap}
    pairs = [
        (point, waiting[key])
        for point in points
        if point.synchronization is not None
        and point.overlap
        and (key := key_without(point, "overlap")) in waiting
    ]
    return [Helped(of.base, of.judged) for of in _judged(pairs, is_simulated)]


def _judged(
    pairs: Sequence[tuple[PointEstimate, PointEstimate]], is_simulated: bool
) -> list[MethodRatio]:
    """Ratios of the first of each pair to the second, where launches have both."""
    return judged_ratios([pair for pair in pairs if len(log_ratios(*pair))], is_simulated)


def _key(axes: Axes, operation: str | None = None) -> Key:
    """The axes that a one-sided point and its exchange share, with the exchange's operation."""
    same = key_without(axes, "operation", "mode", *WAYS)
    return (operation or axes.operation, *same)
