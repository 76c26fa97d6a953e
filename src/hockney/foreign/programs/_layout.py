"""What programs have in common: values of points that layouts print, hosts of a matrix."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from hockney.base.errors import UsageError
from hockney.infer.estimate.points import PointEstimate
from hockney.records import Run


def needed(point: PointEstimate, field: str) -> float:
    """A field of a point. Raises UsageError if it is unknown."""
    value = getattr(point, field)
    if isinstance(value, float):
        return value
    raise UsageError(
        f"this layout prints {field}, which is not known at {point.bytes} bytes",
        "choose another layout, or export to csv",
    )


def counts(run: Run) -> dict[int, int]:
    """Repetitions of each size, over all samples or from an imported log."""
    sampled: dict[int, int] = {}
    repeated = run.samples.column("repetitions") * run.samples.counts()
    for code, point in enumerate(run.samples.visited):
        count = int(repeated[run.samples.codes == code].sum())
        sampled[point.bytes] = sampled.get(point.bytes, 0) + count
    return _imported(run) | sampled


def loops(run: Run) -> dict[int, int]:
    """Repetitions of one loop of each size: the latest, or from an imported log."""
    sizes = [point.bytes for point in run.samples.visited]
    repeated = run.samples.column("repetitions").tolist()
    last = dict(zip(run.samples.codes.tolist(), repeated, strict=True))
    return _imported(run) | {sizes[code]: int(count) for code, count in last.items()}


def _imported(run: Run) -> dict[int, int]:
    return {s.bytes: s.repetitions for s in run.summaries if s.repetitions is not None}


def count_of(repetitions: dict[int, int], point: PointEstimate) -> int:
    """Repetitions of a point's size. Raises UsageError if unknown."""
    if point.bytes in repetitions:
        return repetitions[point.bytes]
    raise UsageError(
        f"this layout prints how often {point.bytes} bytes were exchanged, which is not known",
        "choose another layout, or export to csv",
    )


def hosts_text(hosts: Iterable[str]) -> str:
    """The hosts of a matrix in a few words, which differ where the hosts do."""
    names = list(hosts)
    digest = zlib.crc32(" ".join(names).encode()) & 0xFFFF
    return names[0] if len(set(names)) == 1 else f"{names[0]} .. {names[-1]} (#{digest:04x})"
