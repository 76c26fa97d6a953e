"""What explains the numbers: one file a model, found by its name.

A model module has `DATA`, what it is fitted to, in words; `lacks(curve)`, what a curve lacks for
it, None where it can be fitted; and `fit(curve, resamples=...) -> Fit`. `fit.py` has what they
share.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, cast

from hockney.errors import AskedWronglyError

if TYPE_CHECKING:  # names are asked for at every start, numbers only to fit
    from hockney.estimate.points import PointEstimate
    from hockney.models.fit import Curve, Fit

CHANNELS = ("hockney", "segmented", "loggp", "max-rate")
"""Models that tell what one message costs, and so what patterns of them will take."""
TERMS = ("latency", "bandwidth", "overhead", "gap")
"""What such costs are made of."""


class Model(Protocol):
    DATA: str

    def lacks(self, curve: Curve) -> str | None: ...

    def fit(self, curve: Curve, *, resamples: int = ...) -> Fit: ...


def model_names() -> list[str]:
    """As the command line says them."""
    names = [module.name for module in pkgutil.iter_modules(__path__) if not module.ispkg]
    return sorted(name.replace("_", "-") for name in names if name != "fit" and name[0] != "_")


def model(name: str) -> Model:
    """The model of that name."""
    if name not in model_names():
        raise AskedWronglyError(
            f"there is no model called {name!r}", f"there are {', '.join(model_names())}"
        )
    return cast(Model, importlib.import_module(f"hockney.models.{name.replace('-', '_')}"))


def fit_model(name: str, data: Curve | Sequence[PointEstimate]) -> Fit:
    """That model through a curve, or through points of one operation and state."""
    from hockney.models.fit import Curve, curve_of

    return model(name).fit(data if isinstance(data, Curve) else curve_of(data))
