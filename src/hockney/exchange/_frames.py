"""Points and samples as named columns: what CSV, Parquet and data frames hold."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from hockney.records import Run

Columns = dict[str, list[Any]]
"""Of one length each; None where something is not known."""
OF_LAUNCHES = frozenset({"medians_s", "launch_numbers"})
"""Fields of a point that have a value for each launch: they are no columns."""


def is_float(name: str) -> bool:
    """Of a column, which is one of numbers even where none of them is known."""
    return name.endswith(("_s", "_Bps")) or name in ("confidence", "effective_samples", "seconds")


def point_columns(run: Run) -> Columns:
    """A row a point of the headline state; ranks that took part as text, such as "0 1"."""
    from hockney.estimate.points import PointEstimate, estimate

    points = estimate(run).headline
    names = [field.name for field in fields(PointEstimate) if field.name not in OF_LAUNCHES]
    columns: Columns = {name: [getattr(point, name) for point in points] for name in names}
    columns["peers"] = [_ranks(peers) for peers in columns["peers"]]
    columns["median_s"] = [point.median_s for point in points]
    return columns


def sample_columns(run: Run) -> Columns:
    """A row a sample, in the order of the file: of all states, with the launch and round."""
    names = ("launch", "round", "operation", "algorithm", "bytes", "ranks", "repetitions", "at_s")
    columns: Columns = {name: [] for name in (*names, "peers", "seconds")}
    for visit in run.samples:
        count = len(visit.ns)
        for name in names:
            columns[name] += [getattr(visit, name)] * count
        columns["peers"] += [_ranks(visit.peers)] * count
        columns["seconds"] += [ns * 1e-9 for ns in visit.ns]
    return columns


def _ranks(peers: list[int] | tuple[int, ...]) -> str | None:
    return None if not peers else " ".join(map(str, peers))
