"""The sections of a report, one per experiment: a sentence, the main figure, then others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hockney.base.errors import HockneyError
from hockney.base.units import format_size, how_many
from hockney.infer.analysis import Analysis
from hockney.show.comparison.variant_table import variant_answer
from hockney.show.curves.curves import Options
from hockney.show.drawing.description import Figure
from hockney.show.experiments import marks_of, view_of
from hockney.show.figures import FIGURES, FigureModule
from hockney.show.one_run.answer import latency_and_bandwidth, own_points

TITLES = {
    "pingpong": "Ping-pong",
    "core-to-core": "Core-to-core latency",
    "cores": "All pairs of ranks",
    "fabric": "All pairs of the network",
    "pairs": "Pairs at once",
    "overheads": "Overheads",
    "rma": "One-sided operations",
    "startup": "Start-up",
}
"""Titles of experiments with one operation."""
WHOLE = frozenset({"startup"})
"""Experiments whose operations share one section."""
USUAL = ("time", "bandwidth", "models", "samples", "published")
FIGURES_OF = {
    "core-to-core": ("matrix", "samples"),
    "cores": ("matrix", "time", "samples"),
    "fabric": ("fabric", "time"),
    "pairs": ("contention", "multi-mode", "time", "bandwidth", "variability", "samples"),
    "overheads": ("overheads",),
    "rma": ("one-sided", "time", "contention", "models", "samples"),
    "startup": ("startup",),
    "congestion": ("congestion", "samples"),
    "collective": (
        "collective-best",
        "arrivals",
        "phases",
        "collective-sizes",
        "collective-ranks",
        "samples",
    ),
}
"""Figures by experiment, the most important first; figures without data are left out."""
HEADINGS = {
    "variants": "Time of each variant over that of the first",
    "time": "Time",
    "bandwidth": "Bandwidth",
    "models": "Models and their residuals",
    "samples": "Samples",
    "published": "Among published systems",
    "phases": "Phases of algorithms that are made by messages",
    "matrix": "Time between every two ranks",
    "fabric": "Time between every two switches or nodes",
    "contention": "Contention",
    "multi-mode": "Models of pairs at once",
    "variability": "Variability",
    "overheads": "Overheads",
    "startup": "Steps by number of processes",
    "congestion": "Time under load over time alone",
    "one-sided": "Time over that of the two-sided exchange",
    "arrivals": "Best algorithm by arrival",
    "collective-best": "Best algorithm",
    "collective-sizes": "Time by size",
    "collective-ranks": "Time by number of processes",
}
CHOICES = {"bytes": "message size", "ranks": "processes"}
MOST_ANSWERS = 8
"""Most systems whose answers open a section."""
NOTHING = "No point was measured."
MOST_CHOICES = 48
"""Most sizes whose samples are in the page."""
MOST_DOTS = 40_000
"""Most marks of samples in the page: they take less than 2 MB."""
LEAST_DOTS, MOST_DOTS_EACH = 30, 1500
"""Least and most marks of one system at one size."""


@dataclass(frozen=True)
class Alternative:
    """A figure that the reader can choose, for instance that of a message size."""

    name: str
    figure: Figure


@dataclass(frozen=True)
class ShownFigure:
    """A figure in a section."""

    id: str
    heading: str
    choose: str
    """The property that alternatives differ in."""
    alternatives: tuple[Alternative, ...]


def lone_figure(id_: str, heading: str, figure: Figure) -> ShownFigure:
    """A figure without alternatives."""
    return ShownFigure(id_, heading, "", (Alternative("", figure),))


@dataclass(frozen=True)
class Section:
    """An experiment in one operation, of all systems that measured it."""

    id: str
    title: str
    answer: tuple[str, ...]
    """Lines of the answer: those of one system, or the first line of each."""
    operation: str | None
    """None if the section is of all operations."""
    analyses: tuple[Analysis, ...]
    figures: tuple[ShownFigure, ...]

    @property
    def whole(self) -> tuple[Analysis, ...]:
        """The systems that are described and drawn."""
        return _whole(self.analyses)

    @property
    def reduced(self) -> str | None:
        """A note on the systems that are only rows of the table; None where there are none."""
        if len(self.whole) == len(self.analyses):
            return None
        return (
            f"{len(self.whole)} of these {len(self.analyses)} systems are described and drawn, "
            "the first as given; the others are in this table alone. To see others, name fewer "
            "files."
        )


def figures_of(experiment: str) -> Sequence[str]:
    """The names of an experiment's figures, the most important first."""
    return FIGURES_OF.get(experiment, USUAL)


def _whole(analyses: Sequence[Analysis]) -> tuple[Analysis, ...]:
    return tuple(analysis for analysis in analyses if not analysis.is_reduced)


def sections(analyses: Sequence[Analysis]) -> list[Section]:
    """Makes a section for each experiment and operation, in the order of the files."""
    groups: dict[tuple[str, str | None], list[Analysis]] = {}
    varied = [analysis for analysis in analyses if analysis.variants is not None]
    for analysis in analyses:
        if analysis.variants is not None:
            continue
        for operation in _operations(analysis):
            groups.setdefault((analysis.run.header.experiment, operation), []).append(analysis)
    drawn = sum(len(_whole(of)) for of in groups.values()) + len(varied)
    dots = MOST_DOTS // max(drawn, 1)
    return [
        *(_of_variants(analysis, number, dots) for number, analysis in enumerate(varied, 1)),
        *(_section(*key, of, dots) for key, of in groups.items()),
    ]


def _operations(analysis: Analysis) -> Sequence[str | None]:
    """Operations with a section of their own: not those with which one-sided operations are
    compared. None for one section of all: the steps of a start-up, and a run without points."""
    if analysis.run.header.experiment in WHOLE:
        return [None]
    exchanges = {compared.two_sided.operation for compared in analysis.one_sided}
    return sorted({point.operation for point in analysis.estimates.own()} - exchanges) or [None]


def _of_variants(analysis: Analysis, number: int, dots: int) -> Section:
    """The section of a run that compares variants: their ratio, then its usual figures."""
    assert analysis.variants is not None
    experiment = analysis.run.header.experiment
    id_ = f"variants-{number}"
    names = ("variants", *figures_of(experiment))
    figures = (_shown(name, f"{id_}-{name}", None, [analysis], dots) for name in names)
    return Section(
        id_,
        f"Variants: {TITLES.get(experiment, experiment)}",
        tuple(variant_answer(analysis.variants)),
        None,
        (analysis,),
        tuple(figure for figure in figures if figure is not None),
    )


def _section(
    experiment: str, operation: str | None, analyses: Sequence[Analysis], dots: int
) -> Section:
    own = operation if operation != experiment else None
    words = [experiment, *([own] if own else [])]
    id_ = "-".join(words).replace(" ", "-")
    names = figures_of(experiment)
    if len(analyses) > 1 and experiment == "collective":
        names = ("time", *names)
    whole = _whole(analyses)
    figures = (_shown(name, f"{id_}-{name}", operation, whole, dots) for name in names if whole)
    title = TITLES.get(experiment, ": ".join(words).capitalize())
    return Section(
        id_,
        title,
        tuple(_answer(operation, analyses)),
        operation,
        tuple(analyses),
        tuple(figure for figure in figures if figure is not None),
    )


def _answer(operation: str | None, analyses: Sequence[Analysis]) -> list[str]:
    measured = [analysis for analysis in analyses if own_points(analysis, operation)]
    if len(measured) == 1 and _whole(measured):
        return _lines(operation, measured[0]) or [NOTHING]
    shown = _whole(measured)[:MOST_ANSWERS]
    more = len(measured) - len(shown)
    lines = [
        f"{system.label}: {line}" for system in shown for line in _lines(operation, system)[:1]
    ]
    return [*lines, *[f"and {how_many(more, 'more system')}"] * (more > 0)] or [NOTHING]


def _lines(operation: str | None, analysis: Analysis) -> list[str]:
    lines = view_of(analysis).answer(analysis, operation)
    return [*marks_of(analysis), *(lines or latency_and_bandwidth(analysis, operation))]


def _shown(
    name: str, id_: str, operation: str | None, analyses: Sequence[Analysis], dots: int
) -> ShownFigure | None:
    """The figure in a section; None where no run has its data."""
    module = FIGURES.find(name)
    alternatives = tuple(_alternatives(module, operation, analyses, dots))
    if not alternatives:
        return None
    words = [*["system"] * (not module.SHARED and len(analyses) > 1)]
    words += [CHOICES[module.CHOICE]] if module.CHOICE else []
    return ShownFigure(id_, HEADINGS.get(name, name), ", ".join(words), alternatives)


def _alternatives(
    module: FigureModule, operation: str | None, analyses: Sequence[Analysis], dots: int
) -> Iterator[Alternative]:
    groups = [analyses] if module.SHARED else [[analysis] for analysis in analyses]
    for group in groups:
        values = _values(module, operation, group)
        each = int(np.clip(dots / len(values), LEAST_DOTS, MOST_DOTS_EACH))
        options = Options(operation=operation, most_samples=each)
        for value in values:
            chosen: Any = {module.CHOICE: value} if module.CHOICE else {}
            try:
                figure = module.describe(group, replace(options, **chosen))
            except HockneyError:  # these runs do not hold its data
                continue
            names = [group[0].label] if len(groups) > 1 else []
            names += [_value_text(module.CHOICE, value)] if value is not None else []
            if _shows_something(figure):
                yield Alternative(", ".join(names), figure)


def _values(
    module: FigureModule, operation: str | None, analyses: Sequence[Analysis]
) -> Sequence[int | None]:
    if module.CHOICE is None:
        return [None]
    points = (point for analysis in analyses for point in own_points(analysis, operation))
    values = {getattr(point, module.CHOICE) for point in points} - {None}
    every = sorted(values, reverse=module.CHOICE == "ranks")
    if len(every) > MOST_CHOICES:
        places = np.unique(np.linspace(0, len(every) - 1, MOST_CHOICES).astype(int))
        every = [every[place] for place in places]
    return every or [None]


def _value_text(choice: str | None, value: int) -> str:
    return format_size(value) if choice == "bytes" else how_many(value, "process")


def _shows_something(figure: Figure) -> bool:
    """True if any curve has several points; single points are left to the table."""
    panel = figure.panels[0]
    return bool(panel.cells or panel.bars) or any(len(set(series.x)) > 1 for series in panel.series)
