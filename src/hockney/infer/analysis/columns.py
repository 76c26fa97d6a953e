"""Points and samples as named columns: what CSV, Parquet and data frames hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hockney.infer.analysis.warnings import source_notes
from hockney.infer.arrays import Whole
from hockney.infer.estimate.interval import high_of, low_of
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.estimate.states import States
from hockney.plan.axes import AXES, Axes
from hockney.plan.trains import Train
from hockney.records.tables import plain
from hockney.records.visits import Visits

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis

Columns = dict[str, list[Any]]
"""Columns of equal length; None where a value is unknown."""
TRAIN_COLUMNS = tuple(f"train_{name}" for name in Train.__struct_fields__)
ROWS_AT_ONCE = 100_000
"""Samples converted to Python objects at once, 1 KiB each."""
NOTES_APART = " | "
"""Separator of the notes of one log, whose sentences have commas and semicolons."""
OF_LAUNCHES = frozenset({"medians_s", "launch_numbers"})
"""Fields of a point with one value per launch, which become no columns."""


def is_float(name: str) -> bool:
    """True if a column holds floating-point numbers, even where all of them are unknown."""
    return (
        name.endswith(("_s", "_Bps"))
        or name in ("confidence", "effective_samples", "seconds")
        or name in TRAIN_COLUMNS
    )


def point_columns(points: Sequence[PointEstimate]) -> Columns:
    """One row per point; participating ranks and grids are text, such as "0 1"."""
    columns = _axis_columns(points)
    for name in PointEstimate.__struct_fields__:
        if name == "interval":
            intervals = [point.interval for point in points]
            columns["low_s"] = [low_of(each) for each in intervals]
            columns["high_s"] = [high_of(each) for each in intervals]
            columns["confidence"] = [each and each.confidence for each in intervals]
        elif name not in OF_LAUNCHES and name not in AXES:
            columns[name] = [getattr(point, name) for point in points]
    columns["median_s"] = [point.median_s for point in points]
    return columns


def noted_columns(analysis: Analysis) -> Columns:
    """The headline's points, each row with the notes on its log, so that none is lost where rows
    are filtered or files joined."""
    columns = point_columns(analysis.estimates.headline)
    notes = NOTES_APART.join(note.text for note in source_notes(analysis.run)) or None
    columns["notes"] = [notes] * len(columns["bytes"])
    return columns


def sample_columns(analysis: Analysis) -> Columns:
    """One row per sample of all states, in the order of the file, with its launch, round and
    state."""
    columns, *others = sample_parts(analysis)
    for more in others:
        for name, values in more.items():
            columns[name] += values
    return columns


def sample_parts(analysis: Analysis) -> Iterator[Columns]:
    """The columns in parts of about ROWS_AT_ONCE samples; one part without rows where there are
    none."""
    visits = analysis.run.samples
    ends = np.cumsum(visits.counts())
    edges = np.flatnonzero(np.diff(ends // ROWS_AT_ONCE)) + 1
    for rows in np.split(np.arange(len(ends)), edges):
        yield _part(visits, rows, analysis.states)


def _part(visits: Visits, rows: Whole, states: States) -> Columns:
    counts = visits.counts()[rows]
    columns: Columns = {
        name: plain(np.repeat(visits.column(name)[rows], counts))
        for name in ("launch", "round", "repetitions", "at_s")
    }
    rounds = (visits.column(name)[rows].tolist() for name in ("launch", "round"))
    of_visits = [states.of(launch, round_) for launch, round_ in zip(*rounds, strict=True)]
    visit = np.repeat(np.arange(len(rows)), counts)
    columns["state"] = [of_visits[number] for number in visit.tolist()]
    known, codes = np.unique(visits.codes[rows], return_inverse=True)
    of_points = _axis_columns([visits.visited[code] for code in known])
    each = codes[visit].tolist()
    columns |= {name: [values[code] for code in each] for name, values in of_points.items()}
    columns["seconds"] = (visits.values(rows) * 1e-9).tolist()
    return columns


def _axis_columns(points: Sequence[Axes]) -> Columns:
    """One column per axis, for a train one per part."""
    columns: Columns = {}
    for name in AXES:
        values = [getattr(point, name) for point in points]
        if name == "train":
            columns |= {
                f"train_{part}": [t and getattr(t, part) for t in values]
                for part in Train.__struct_fields__
            }
        elif name in ("peers", "grid"):
            columns[name] = [" ".join(map(str, each)) or None for each in values]
        else:
            columns[name] = values
    return columns
