"""What explains the numbers: one file a model. `fitting` has what they share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hockney.lazy import lazy_imports
from hockney.registry import Registry

with lazy_imports():  # names are asked for at every start, numbers only to fit
    from hockney.estimate.points import PointEstimate
    from hockney.fitting.fit import Curve, Fit, curve_of

CHANNELS = ("hockney", "segmented", "loggp", "max-rate")
"""Models that tell what one message costs, and so what patterns of them will take."""
TERMS = ("latency", "bandwidth", "overhead", "gap")
"""What such costs are made of."""


class Model(Protocol):
    DATA: str
    """What it is fitted to, in words."""

    def lacks(self, curve: Curve) -> str | None:
        """What a curve lacks for it; None where it can be fitted."""

    def fit(self, curve: Curve, *, resamples: int = ...) -> Fit:
        """Its parameters, with intervals by so many resamplings of launches."""


MODELS = Registry(__name__, "model", Model)


def fit_model(name: str, data: Curve | Sequence[PointEstimate]) -> Fit:
    """That model through a curve, or through points of one operation and state."""
    curve = curve_of(data) if isinstance(data, Sequence) else data
    return MODELS.find(name).fit(curve)
