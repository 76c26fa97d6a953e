"""Launches of several kinds, of which a median over launches describes one or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hockney.infer.estimate.launches import Mode
from hockney.infer.estimate.points import Estimates, PointEstimate


@dataclass(frozen=True)
class Modes:
    """Launches are of several modes."""

    modes: tuple[Mode, ...]
    between: int
    """Points whose median lies between the modes."""
    points: int

    @classmethod
    def of(cls, estimates: Estimates) -> Modes | None:
        """The modes of launches; None if all are alike."""
        if not estimates.modes:
            return None
        points = estimates.own()
        between = sum(_is_between(point, estimates.modes) for point in points)
        return cls(estimates.modes, between, len(points))

    @property
    def text(self) -> str:
        kinds = ", ".join(f"{len(mode.launches)} at {mode.ratio:.2f}" for mode in self.modes)
        return (
            f"modes: launches have {len(self.modes)} modes ({kinds} times the fastest); the median "
            f"{self._described}. Look for what differs between them: `hockney show --json` "
            "numbers them"
        )

    @property
    def _described(self) -> str:
        if not self.between:
            return "describes one of them"
        where = "" if self.between == self.points else f" at {self.between} of {self.points} points"
        return f"lies between them{where} and describes none"


def _is_between(point: PointEstimate, modes: Sequence[Mode]) -> bool:
    """Whether no mode has launches on both sides of the point's median, or at it."""
    of_launch = point.by_launch
    known = [[of_launch[n] for n in mode.launches if n in of_launch] for mode in modes]
    return not any(each and min(each) <= point.typical_s <= max(each) for each in known)


@dataclass(frozen=True)
class KeptApart:
    """Launches that differ from the others, but are too many to be excluded as outliers."""

    groups: tuple[Mode, ...]
    launches: int

    @classmethod
    def of(cls, estimates: Estimates) -> KeptApart | None:
        """Such launches; None without any."""
        kept = {number for point in estimates.own() for number in point.launch_numbers}
        launches = len(kept.union(estimates.slow_launches))
        return cls(estimates.kept_apart, launches) if estimates.kept_apart else None

    @property
    def fact(self) -> str:
        return ", ".join(map(self._words, self.groups))

    def _words(self, group: Mode) -> str:
        count = len(group.launches)
        take = "take" if count > 1 else "takes"
        return (
            f"{count} of {self.launches} launches {take} {group.ratio:.2f} times as long as the "
            "others"
        )

    @property
    def text(self) -> str:
        return (
            f"unlike launches: {self.fact}: more than a tenth are no outliers, and none is "
            "excluded. Look for what differs between them: `hockney show --json` numbers them"
        )


def unlike_launches(estimates: Estimates) -> list[Modes | KeptApart]:
    """Warnings where launches are not alike."""
    warnings = (Modes.of(estimates), KeptApart.of(estimates))
    return [warning for warning in warnings if warning is not None]
