"""Models through the curves of a run: each fit and ranking is computed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hockney.base.errors import HockneyError, UsageError
from hockney.infer.estimate.points import PointEstimate, by_curve
from hockney.infer.fitting.fit import Curve, Fit, curve_of
from hockney.infer.models import fit_model
from hockney.infer.predict.ranking import Ranking, rank
from hockney.plan.axes import AXES, texts_apart

if TYPE_CHECKING:
    from hockney.infer.models.loggp import SizeOverheads


@dataclass(frozen=True)
class NamedCurve:
    """Points of one curve (plan.axes.curve_key)."""

    name: str
    """The axes in which the curve differs from the run's others, in words; empty if it is the only
    one."""
    points: Sequence[PointEstimate]


@dataclass(frozen=True)
class PairsFits:
    """Models of several pairs at once, and their curve."""

    curve: Curve
    fits: tuple[Fit, ...]
    """Multi-mode and max-rate, as far as the times allow them."""


@dataclass(frozen=True)
class LogGP:
    overheads: Sequence[SizeOverheads]
    """Overheads of each size."""
    fit: Fit


class Fits:
    """Fits by the points that they go through, and by the statistic over launches
    (fitting.fit.OVER_LAUNCHES)."""

    def __init__(self) -> None:
        self._fits: dict[tuple[str, str, tuple[PointEstimate, ...]], Fit] = {}
        self._rankings: dict[tuple[str, tuple[PointEstimate, ...]], Ranking] = {}
        self._loggp: dict[tuple[PointEstimate, ...], LogGP | None] = {}

    def fit(
        self, model: str, points: Sequence[PointEstimate], over_launches: str = "median"
    ) -> Fit:
        """The model fitted to points of one curve."""
        key = model, over_launches, tuple(points)
        if key not in self._fits:
            self._fits[key] = fit_model(model, _curve(points, over_launches))
        return self._fits[key]

    def of_axes(self, model: str, points: Sequence[PointEstimate], axes: Mapping[str, Any]) -> Fit:
        """The model through those of the points that have these values of axes, which must be of
        one curve; None chooses nothing."""
        unknown = [name for name in axes if name not in AXES]
        if unknown:
            raise UsageError(f"{unknown[0]} is not an axis", f"axes are {', '.join(AXES)}")
        chosen = [
            point
            for point in points
            if all(value in (None, getattr(point, name)) for name, value in axes.items())
        ]
        curves = list(by_curve(chosen).values())
        if len(curves) > 1:
            raise UsageError(
                f"{len(curves)} curves: {'; '.join(texts_apart(curves)[:5])}",
                "choose one by its axes, such as algorithm=..., ranks=...",
            )
        return self.fit(model, chosen)

    def line(self, points: Sequence[PointEstimate]) -> Fit | None:
        """Hockney's line; None if it cannot be fitted or the points are of several curves."""
        try:
            return self.fit("hockney", points) if len(by_curve(points)) < 2 else None
        except HockneyError:
            return None

    def loggp(self, points: Sequence[PointEstimate]) -> LogGP | None:
        """LogGP of the trains among the points; None where they are too few."""
        from hockney.infer.models import loggp

        trains = tuple(point for point in points if point.operation == "train")
        if trains not in self._loggp:
            curve = curve_of(trains)
            known = not loggp.lacks(curve)
            self._loggp[trains] = LogGP(loggp.overheads(curve), loggp.fit(curve)) if known else None
        return self._loggp[trains]

    def ranking(self, points: Sequence[PointEstimate], over_launches: str = "median") -> Ranking:
        """All models that the points of one curve allow, the best first."""
        key = over_launches, tuple(points)
        if key not in self._rankings:
            self._rankings[key] = rank(_curve(points, over_launches))
        return self._rankings[key]

    def of_pairs(self, points: Sequence[PointEstimate]) -> PairsFits | None:
        """Models of several pairs at once; None if the points are not of several numbers of
        pairs."""
        curve = curve_of(points) if points else None
        if curve is None or curve.pairs is None:
            return None
        from hockney.infer.models import max_rate, multi_mode

        models = {"multi-mode": multi_mode, "max-rate": max_rate}
        names = [name for name, model in models.items() if model.lacks(curve) is None]
        return PairsFits(curve, tuple(self.fit(name, points) for name in names)) if names else None


def _curve(points: Sequence[PointEstimate], over_launches: str) -> Curve:
    return replace(curve_of(points), over_launches=over_launches)
