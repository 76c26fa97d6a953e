"""The sections of a report, one per experiment: a sentence, the main figure, then others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hockney.analysis import Analysis
from hockney.errors import HockneyError
from hockney.units import format_size
from hockney.views.answer import latency_and_bandwidth, own_points
from hockney.views.curves import Options
from hockney.views.drawing.description import Figure
from hockney.views.experiments import view_of
from hockney.views.figures import FIGURES, Described
from hockney.views.variants import variant_answer

TITLES = {
    "pingpong": "Ping-pong",
    "core-to-core": "Core-to-core latency",
    "cores": "Every two ranks",
    "pairs": "Pairs at once",
    "overheads": "Overheads",
}
"""Titles of experiments with one operation."""
USUAL = ("time", "bandwidth", "models", "samples")
FIGURES_OF = {
    "core-to-core": ("matrix", "samples"),
    "cores": ("matrix", "time", "samples"),
    "pairs": ("contention", "multi-mode", "time", "bandwidth", "variability", "samples"),
    "overheads": ("overheads",),
    "collective": ("collective-best", "collective-sizes", "collective-ranks", "samples"),
}
"""Figures by experiment, the most important first; figures without data are left out."""
HEADINGS = {
    "variants": "Time of each variant over that of the first",
    "time": "Time",
    "bandwidth": "Bandwidth",
    "models": "Models and their residuals",
    "samples": "Samples",
    "matrix": "Time between every two ranks",
    "contention": "Contention",
    "multi-mode": "Models of pairs at once",
    "variability": "Variability",
    "overheads": "Overheads",
    "collective-best": "Best algorithm",
    "collective-sizes": "Time by size",
    "collective-ranks": "Time by number of processes",
}
CHOICES = {"bytes": "message size", "ranks": "processes"}
MOST_ANSWERS = 8
"""Systems whose answers open a section."""
NOTHING = "No point was measured."
MOST_CHOICES = 48
"""Sizes whose samples are in the page."""
MOST_DOTS = 40_000
"""Marks of samples in the page: they take less than 2 MB."""
LEAST_DOTS, MOST_DOTS_EACH = 30, 1500
"""Marks of one system at one size."""


@dataclass(frozen=True)
class Alternative:
    """One of those that the reader chooses from, such as a message size."""

    name: str
    figure: Figure


@dataclass(frozen=True)
class Shown:
    """A figure in a section."""

    id: str
    heading: str
    choose: str
    """What the alternatives are."""
    alternatives: tuple[Alternative, ...]


@dataclass(frozen=True)
class Section:
    """An experiment in one operation, of all systems that measured it."""

    id: str
    title: str
    answer: tuple[str, ...]
    """Lines: those of one system, or the first of each."""
    operation: str
    analyses: tuple[Analysis, ...]
    figures: tuple[Shown, ...]


def sections(analyses: Sequence[Analysis]) -> list[Section]:
    """Makes a section for each experiment and operation, in the order of the files."""
    found: dict[tuple[str, str], list[Analysis]] = {}
    varied = [analysis for analysis in analyses if analysis.variants is not None]
    for analysis in analyses:
        if analysis.variants is not None:
            continue
        operations = sorted({point.operation for point in analysis.estimates.own()})
        for operation in operations or [""]:
            found.setdefault((analysis.run.header.experiment, operation), []).append(analysis)
    dots = MOST_DOTS // max(sum(len(of) for of in found.values()) + len(varied), 1)
    return [
        *(_of_variants(analysis, number, dots) for number, analysis in enumerate(varied, 1)),
        *(_section(*key, of, dots) for key, of in found.items()),
    ]


def _of_variants(analysis: Analysis, number: int, dots: int) -> Section:
    """The section of a run that compares variants: their ratio, then its usual figures."""
    assert analysis.variants is not None
    experiment = analysis.run.header.experiment
    id_ = f"variants-{number}"
    names = ("variants", *FIGURES_OF.get(experiment, USUAL))
    found = (_shown(name, f"{id_}-{name}", "", [analysis], dots) for name in names)
    return Section(
        id_,
        f"Variants: {TITLES.get(experiment, experiment)}",
        tuple(variant_answer(analysis.variants)),
        "",
        (analysis,),
        tuple(figure for figure in found if figure is not None),
    )


def _section(experiment: str, operation: str, analyses: Sequence[Analysis], dots: int) -> Section:
    words = [experiment] if operation in ("", experiment) else [experiment, operation]
    id_ = "-".join(words).replace(" ", "-")
    names = FIGURES_OF.get(experiment, USUAL)
    if len(analyses) > 1 and experiment == "collective":
        names = ("time", *names)
    found = (_shown(name, f"{id_}-{name}", operation, analyses, dots) for name in names)
    title = TITLES.get(experiment, ": ".join(words).capitalize())
    return Section(
        id_,
        title,
        tuple(_answer(operation, analyses)),
        operation,
        tuple(analyses),
        tuple(figure for figure in found if figure is not None),
    )


def _answer(operation: str, analyses: Sequence[Analysis]) -> list[str]:
    of = {a.label: _lines(operation, a) for a in analyses if own_points(a, operation)}
    if len(of) == 1:
        return next(iter(of.values()))
    lines = [f"{label}: {lines[0]}" for label, lines in of.items()]
    more = len(lines) - MOST_ANSWERS
    return [*lines[:MOST_ANSWERS], *[f"and {more} more systems"] * (more > 0)] or [NOTHING]


def _lines(operation: str, analysis: Analysis) -> list[str]:
    found = view_of(analysis).answer(analysis, operation)
    return found or latency_and_bandwidth(analysis, operation)


def _shown(
    name: str, id_: str, operation: str, analyses: Sequence[Analysis], dots: int
) -> Shown | None:
    """None where no run holds the figure's data."""
    module = FIGURES.find(name)
    alternatives = tuple(_alternatives(module, operation, analyses, dots))
    if not alternatives:
        return None
    words = [*["system"] * (not module.SHARED and len(analyses) > 1)]
    words += [CHOICES[module.CHOICE]] if module.CHOICE else []
    return Shown(id_, HEADINGS.get(name, name), ", ".join(words), alternatives)


def _alternatives(
    module: Described, operation: str, analyses: Sequence[Analysis], dots: int
) -> Iterator[Alternative]:
    groups = [analyses] if module.SHARED else [[analysis] for analysis in analyses]
    for group in groups:
        values = _values(module, operation, group)
        each = int(np.clip(dots / len(values), LEAST_DOTS, MOST_DOTS_EACH))
        options = Options(operation=operation or None, most_samples=each)
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
    module: Described, operation: str, analyses: Sequence[Analysis]
) -> Sequence[int | None]:
    if module.CHOICE is None:
        return [None]
    points = (point for analysis in analyses for point in analysis.estimates.own())
    values = {getattr(p, module.CHOICE) for p in points if p.operation == operation} - {None}
    every = sorted(values, reverse=module.CHOICE == "ranks")
    if len(every) > MOST_CHOICES:
        places = np.unique(np.linspace(0, len(every) - 1, MOST_CHOICES).astype(int))
        every = [every[place] for place in places]
    return every or [None]


def _value_text(choice: str | None, value: int) -> str:
    return format_size(value) if choice == "bytes" else f"{value} processes"


def _shows_something(figure: Figure) -> bool:
    """True if any curve has several points; single points are left to the table."""
    panel = figure.panels[0]
    return bool(panel.cells) or any(len(set(series.x)) > 1 for series in panel.series)
