"""What each figure shows: one file a figure, found by its name.

A module has `TAKES`, the fields of Options that it reads; `SHARED`, whether several systems share
one figure; `CHOICE`, the option of which a reader of the report chooses a value, or None; and
`describe(analyses, options)`, which gives a description of the figure from what is known of one or
more runs. It analyses nothing and
draws nothing: `hockney.views.drawing` does that, for files and for the report's page alike. Modules
whose name begins with an underscore are shared; history.py and ratio.py belong to `hockney history`
and `hockney compare`.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from hockney.errors import AskedWronglyError
from hockney.registry import module_named

if TYPE_CHECKING:
    from hockney.analysis import Analysis
    from hockney.views.drawing.description import Figure

OF_OTHER_VERBS = ("history", "ratio")
FIGURES = tuple(
    sorted(
        module.name.replace("_", "-")
        for module in pkgutil.iter_modules(__path__)
        if module.name[0] != "_" and module.name not in OF_OTHER_VERBS
    )
)
"""As `hockney plot --what` takes them."""


@dataclass(frozen=True)
class Options:
    extremes: bool = False
    """Standard deviations as bars, minima and maxima as crosses."""
    fit: bool = True
    bytes: int | None = None
    """The one size that is shown."""
    operation: str | None = None
    """The one operation that is shown, where the runs hold several."""
    ranks: int | None = None
    """The one number of processes that is shown."""
    most_samples: int | None = None
    """Marks of one series of samples: of more, successive ones are merged."""


class Described(Protocol):
    TAKES: Collection[str]
    SHARED: bool
    CHOICE: str | None

    def describe(self, analyses: Sequence[Analysis], options: Options) -> Figure: ...


def figure_named(name: str) -> Described:
    if name not in FIGURES:
        raise AskedWronglyError(
            f"there is no figure called {name!r}", f"there are {', '.join(FIGURES)}"
        )
    return module_named(__name__, name.replace("-", "_"), Described)


def describe(name: str, analyses: Sequence[Analysis], options: Options) -> Figure:
    """The figure of that name; raises AskedWronglyError where the runs do not hold its data."""
    return figure_named(name).describe(analyses, options)
