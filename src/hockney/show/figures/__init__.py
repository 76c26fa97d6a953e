"""What each figure shows: one file a figure, found by its name.

A module has `TAKES`, the fields of Options that it reads; `SHARED`, whether several systems share
one figure; `CHOICE`, the option of which a reader of the report chooses a value, or None; and
`describe(analyses, options)`, which gives a description of the figure from what is known of one or
more runs. It analyses nothing and draws nothing: `hockney.show.drawing` does that, for files and
for the report's page alike.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from hockney.base.registry import Registry

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis
    from hockney.show.curves import Options
    from hockney.show.drawing.description import Figure


class FigureModule(Protocol):
    TAKES: Collection[str]
    SHARED: bool
    CHOICE: str | None

    def describe(self, analyses: Sequence[Analysis], options: Options) -> Figure: ...


FIGURES = Registry(__name__, "figure", FigureModule, group="hockney.figures")
"""The values of `hockney plot --what`."""
USUAL = "time"
MAIN = {"rma": "one-sided", "startup": "startup"}
"""The main figure of experiments whose operations are not in the figure of time by size."""


def describe(name: str, analyses: Sequence[Analysis], options: Options) -> Figure:
    """The figure of that name; raises UsageError where the runs do not hold its data."""
    return FIGURES.find(name).describe(analyses, options)


def noted(figure: Figure, analyses: Sequence[Analysis]) -> Figure:
    """The figure with footnotes on the logs that its numbers are from: figures are used without the
    command that prints these notes."""
    from hockney.infer.analysis.warnings import SourceNote

    several = len(analyses) > 1
    notes = (
        f"{analysis.label}: {note.text}." if several else f"{note.text}."
        for analysis in analyses
        for note in analysis.warnings
        if isinstance(note, SourceNote)
    )
    return replace(figure, caption=(*figure.caption, *dict.fromkeys(notes)))
