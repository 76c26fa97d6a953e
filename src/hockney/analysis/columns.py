"""Points and samples as named columns: what CSV, Parquet and data frames hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hockney.estimate.points import PointEstimate
from hockney.records import Run
from hockney.spec.axes import AXES, Axes, Train

Columns = dict[str, list[Any]]
"""Columns of equal length; None where a value is unknown."""
TRAIN_COLUMNS = tuple(f"train_{name}" for name in Train.__struct_fields__)
OF_LAUNCHES = frozenset({"medians_s", "launch_numbers"})
"""Fields of a point with a value for each launch, which are not made columns."""


def is_float(name: str) -> bool:
    """True if a column holds floating-point numbers, even where all of them are unknown."""
    return (
        name.endswith(("_s", "_Bps"))
        or name in ("confidence", "effective_samples", "seconds")
        or name in TRAIN_COLUMNS
    )


def point_columns(points: Sequence[PointEstimate]) -> Columns:
    """One row per point; participating ranks are text, such as "0 1"."""
    names = [n for n in PointEstimate.__struct_fields__ if n not in OF_LAUNCHES and n not in AXES]
    columns = _axis_columns(points, [1] * len(points))
    columns |= {name: [getattr(point, name) for point in points] for name in names}
    columns["median_s"] = [point.median_s for point in points]
    return columns


def sample_columns(run: Run) -> Columns:
    """One row per sample of all states, in the order of the file, with its launch and round."""
    counts = [len(visit.ns) for visit in run.samples]
    columns: Columns = {
        name: _repeated((getattr(visit, name) for visit in run.samples), counts)
        for name in ("launch", "round", "repetitions", "at_s")
    }
    columns |= _axis_columns(run.samples, counts)
    columns["seconds"] = [ns * 1e-9 for visit in run.samples for ns in visit.ns]
    return columns


def _axis_columns(points: Sequence[Axes], counts: Sequence[int]) -> Columns:
    """One column per axis, for a train one per part; each value is repeated by its count."""
    columns: Columns = {}
    for name in AXES:
        values = [getattr(point, name) for point in points]
        if name == "train":
            columns |= {
                f"train_{part}": _repeated((t and getattr(t, part) for t in values), counts)
                for part in Train.__struct_fields__
            }
        elif name == "peers":
            columns[name] = _repeated((" ".join(map(str, each)) or None for each in values), counts)
        else:
            columns[name] = _repeated(values, counts)
    return columns


def _repeated(values: Iterable[Any], counts: Sequence[int]) -> list[Any]:
    return [value for value, count in zip(values, counts, strict=True) for _ in range(count)]
