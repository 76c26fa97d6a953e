"""What each figure shows: one file a figure, found by its name.

A module has `TAKES`, the fields of Options that it reads; `SHARED`, whether several systems share
one figure; `CHOICE`, the option of which a reader of the report chooses a value, or None; and
`describe(analyses, options)`, which gives a description of the figure from what is known of one or
more runs. It analyses nothing and draws nothing: `hockney.views.drawing` does that, for files and
for the report's page alike.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from hockney.registry import Registry

if TYPE_CHECKING:
    from hockney.analysis import Analysis
    from hockney.views.drawing.description import Figure


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


FIGURES = Registry(__name__, "figure", Described)
"""As `hockney plot --what` takes them."""


def describe(name: str, analyses: Sequence[Analysis], options: Options) -> Figure:
    """The figure of that name; raises AskedWronglyError where the runs do not hold its data."""
    return FIGURES.find(name).describe(analyses, options)
