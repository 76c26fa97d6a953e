"""Models through the curves of a run: each fit and ranking is computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hockney.infer.estimate.points import PointEstimate
from hockney.infer.fitting.fit import Curve, Fit, curve_of
from hockney.infer.models import fit_model, max_rate, multi_mode
from hockney.infer.predict.ranking import Ranking, rank


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


class Fits:
    """Fits by the points that they go through, and by the statistic over launches
    (fitting.fit.OVER_LAUNCHES)."""

    def __init__(self) -> None:
        self._fits: dict[tuple[str, str, tuple[PointEstimate, ...]], Fit] = {}
        self._rankings: dict[tuple[str, tuple[PointEstimate, ...]], Ranking] = {}

    def fit(
        self, model: str, points: Sequence[PointEstimate], over_launches: str = "median"
    ) -> Fit:
        """The model fitted to points of one curve."""
        key = model, over_launches, tuple(points)
        if key not in self._fits:
            self._fits[key] = fit_model(model, _curve(points, over_launches))
        return self._fits[key]

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
        models = {"multi-mode": multi_mode, "max-rate": max_rate}
        names = [name for name, model in models.items() if model.lacks(curve) is None]
        return PairsFits(curve, tuple(self.fit(name, points) for name in names)) if names else None


def _curve(points: Sequence[PointEstimate], over_launches: str) -> Curve:
    return replace(curve_of(points), over_launches=over_launches)
