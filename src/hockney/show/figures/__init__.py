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

from hockney.base.errors import UsageError
from hockney.base.registry import Registry

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis
    from hockney.show.curves.curves import Options
    from hockney.show.drawing.description import Figure


class FigureModule(Protocol):
    TAKES: Collection[str]
    SHARED: bool
    CHOICE: str | None

    def describe(self, analyses: Sequence[Analysis], options: Options) -> Figure: ...


FIGURES = Registry(__name__, "figure", FigureModule, group="hockney.figures")
"""The values of `hockney plot --what`."""
NEEDS = ("extremes", "bytes", "operation", "ranks")
"""Options that only some figures have."""
USUAL = "time"
MAIN = {
    "collective": "collective-sizes",
    "congestion": "congestion",
    "core-to-core": "matrix",
    "cores": "matrix",
    "fabric": "fabric",
    "overheads": "overheads",
    "pairs": "contention",
    "rma": "one-sided",
    "startup": "startup",
}
"""The figure that answers an experiment's question, where that is not the time by size. For a
network that is the map: the medians of all pairs by size hide a slow node."""


def describe(name: str, analyses: Sequence[Analysis], options: Options) -> Figure:
    """The figure of that name; raises UsageError where the runs do not hold its data."""
    return FIGURES.find(name).describe(analyses, options)


def main_figure(analyses: Sequence[Analysis], options: Options) -> Figure:
    """The figure that answers the first run's question, or the usual one where several runs, the
    options or missing data do not allow it."""
    first = analyses[0]
    name = MAIN.get(first.run.header.experiment, USUAL)
    name = "variants" if first.variants is not None else name
    taken = {option for option in NEEDS if getattr(options, option) not in (None, False)}
    if not taken <= set(FIGURES.find(name).TAKES):
        name = USUAL
    try:
        return described(name, analyses, options)
    except UsageError:
        if name == USUAL or taken - set(FIGURES.find(USUAL).TAKES):
            raise
        try:
            return describe(USUAL, analyses, options)
        except UsageError:
            pass
        raise


def described(name: str, analyses: Sequence[Analysis], options: Options) -> Figure:
    """The figure of that name; raises UsageError for an option that it does not take."""
    takes = FIGURES.find(name).TAKES
    for option in NEEDS:
        if getattr(options, option) not in (None, False) and option not in takes:
            takers = ", ".join(n for n, figure in FIGURES.all().items() if option in figure.TAKES)
            raise UsageError(f"--what {name} does not take --{option}; these do: {takers}")
    return describe(name, analyses, options)


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
