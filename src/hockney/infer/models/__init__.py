"""Models, one file each; `fitting` has their common parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from hockney.base.registry import Registry

if TYPE_CHECKING:
    from hockney.infer.estimate.points import PointEstimate
    from hockney.infer.fitting.fit import Curve, Fit

CHANNELS = ("hockney", "segmented", "loggp", "max-rate")
"""Models that give the cost of one message, from which patterns are predicted."""
TERMS = ("latency", "bandwidth", "overhead", "gap")
"""Terms of these costs."""


class Model(Protocol):
    DATA: str
    """Description of the data that the model needs, for messages."""

    def lacks(self, curve: Curve) -> str | None:
        """Why the model cannot be fitted to a curve; None if it can."""

    def fit(self, curve: Curve, *, resamples: int = ...) -> Fit:
        """The fit, with intervals by the bootstrap over launches."""


MODELS = Registry(__name__, "model", Model, group="hockney.models")


def fit_model(name: str, data: Curve | Sequence[PointEstimate]) -> Fit:
    """Fits the model to a curve, or to points of one operation and state."""
    from hockney.infer.fitting.fit import curve_of

    curve = curve_of(data) if isinstance(data, Sequence) else data
    return MODELS.find(name).fit(curve)
