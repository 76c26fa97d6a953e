"""Models, one file each; `fitting` has their common parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from hockney.base.registry import Registry

if TYPE_CHECKING:
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


def fit_model(name: str, curve: Curve) -> Fit:
    return MODELS.find(name).fit(curve)
