"""The one sentence that opens the section of an experiment."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hockney.analysis import Analysis
from hockney.analysis.best import FASTER, OWN, Cell
from hockney.analysis.contention import Knee
from hockney.estimate.points import PointEstimate
from hockney.units import format_rate, format_size
from hockney.views.drawing import time_text

MOST_LISTED = 4
"""Systems that are all named; of more, the fastest and the slowest."""
NOTHING = "No point was measured."


def answer(experiment: str, operation: str, analyses: Sequence[Analysis]) -> str:
    """One sentence about that operation from the runs of an experiment."""
    if not any(_points(analysis, operation) for analysis in analyses):
        return NOTHING
    of_experiment = BY_EXPERIMENT.get(experiment)
    words = of_experiment(operation, analyses) if of_experiment else None
    return words or _times(operation, analyses)


def _points(analysis: Analysis, operation: str) -> list[PointEstimate]:
    return [point for point in analysis.estimates.own() if point.operation == operation]


def _times(operation: str, analyses: Sequence[Analysis]) -> str:
    """The time at the smallest common size, and the largest bandwidth."""
    by_system = {a.label: _points(a, operation) for a in analyses}
    by_system = {label: points for label, points in by_system.items() if points}
    common = set.intersection(*({p.bytes for p in points} for points in by_system.values()))
    if not common:
        return "The systems have no size in common."
    size = min(common)
    fastest = {
        label: min((p for p in points if p.bytes == size), key=lambda point: point.typical_s)
        for label, points in by_system.items()
    }
    what = "A message" if operation == "pingpong" else operation
    return f"{what} of {format_size(size)} takes {_list(fastest)}{_bandwidth(by_system)}."


def _list(fastest: dict[str, PointEstimate]) -> str:
    """The time of each system."""
    if len(fastest) == 1:
        [point] = fastest.values()
        known = point.low_s is not None and point.high_s is not None
        interval = f" ({time_text(point.low_s)} to {time_text(point.high_s)})" if known else ""
        return time_text(point.typical_s) + interval
    ordered = sorted(fastest.items(), key=lambda item: item[1].typical_s)
    if len(ordered) > MOST_LISTED:
        (first, least), (last, most) = ordered[0], ordered[-1]
        return (
            f"from {time_text(least.typical_s)} ({first}) to {time_text(most.typical_s)} ({last}) "
            f"on {len(ordered)} systems"
        )
    each = [f"{time_text(point.typical_s)} on {label}" for label, point in ordered]
    return f"{', '.join(each[:-1])} and {each[-1]}"


def _bandwidth(by_system: dict[str, list[PointEstimate]]) -> str:
    rated = [
        (p.bandwidth_Bps, p.bytes, label)
        for label, points in by_system.items()
        for p in points
        if p.bandwidth_Bps
    ]
    if not rated:
        return ""
    rate, size, label = max(rated)
    where = f" on {label}" if len(by_system) > 1 else ""
    return f"; the largest bandwidth is {format_rate(rate)}, at {format_size(size)}{where}"


def _pairs(operation: str, analyses: Sequence[Analysis]) -> str | None:
    """The number of pairs from which they wait for each other, at the largest size."""
    found = []
    for analysis in analyses:
        knees = [knee for knee in analysis.knees if knee.point.operation == operation]
        if knees:
            which = f"{analysis.label}: " if len(analyses) > 1 else ""
            largest = max(knees, key=lambda knee: knee.point.bytes)
            found.append(f"{which}{_knee(largest)}.")
    return " ".join(found) or None


def _knee(knee: Knee) -> str:
    size = format_size(knee.point.bytes)
    if knee.pairs is None:
        return (
            f"With {size} messages, {knee.most_pairs} pairs at once are no slower than the fewest"
        )
    plateau = f"; all pairs together reach {format_rate(knee.plateau_Bps)}" * bool(knee.plateau_Bps)
    pairs = f"{knee.pairs:.3g} pair{'s' * (knee.pairs > 1.0)}"
    return f"From {pairs} on, {size} messages wait for each other{plateau}"


def _cores(operation: str, analyses: Sequence[Analysis]) -> str | None:
    """The fastest and the slowest two ranks."""
    found = []
    for analysis in analyses:
        points = [p for p in _points(analysis, operation) if p.is_one_pair]
        size = min((point.bytes for point in points), default=0)
        points = sorted((p for p in points if p.bytes == size), key=lambda p: p.typical_s)
        if len(points) < 2:
            continue
        (fast, slow) = (
            f"{time_text(p.typical_s)} (ranks {p.peers[0]} and {p.peers[1]})"
            for p in (points[0], points[-1])
        )
        which = f" on {analysis.label}" if len(analyses) > 1 else ""
        found.append(f"A message of {format_size(size)} takes from {fast} to {slow}{which}.")
    return " ".join(found) or None


def _collective(operation: str, analyses: Sequence[Analysis]) -> str | None:
    """How often an algorithm is significantly the best, and its largest gain."""
    found = []
    for analysis in analyses:
        cells = [c for c in analysis.best if c.collective == operation]
        cells = [c for c in cells if len(c.contenders) + (c.default is not None) > 1]
        if cells:
            which = f"{analysis.label}: " if len(analyses) > 1 else ""
            found.append(f"{which}{_verdicts(cells)}.")
    return " ".join(found) or None


def _verdicts(cells: Sequence[Cell]) -> str:
    faster = [cell for cell in cells if cell.verdict == FASTER]
    own = sum(cell.verdict == OWN for cell in cells)
    unknown = len(cells) - len(faster) - own
    of = f"of {len(cells)} combinations of size and processes"
    if any(cell.gain is not None for cell in cells):
        words = [f"an algorithm is faster than the library's own decision in {len(faster)} {of}"]
    else:
        words = [f"one algorithm is shown to be the fastest in {len(faster)} {of}"]
    gains = [cell for cell in faster if cell.gain is not None]
    if gains:
        most = max(gains, key=lambda cell: cell.gain or 0.0)
        words[0] += (
            f" (at most {most.gain:.3g} times: {most.best.name} at {format_size(most.bytes)} with "
            f"{most.ranks} processes)"
        )
    words += [f"the library's own decision is the best in {own}"] * bool(own)
    fewest = min((c.launches for c in cells if c.verdict not in (FASTER, OWN)), default=0)
    launches = f"{fewest} launch{'es' * (fewest != 1)}"
    words += [f"unknown in {unknown}, with {launches} or more"] * bool(unknown)
    text = "; ".join(words)
    return text[0].upper() + text[1:]


def _overheads(operation: str, analyses: Sequence[Analysis]) -> str | None:  # noqa: ARG001
    """The parts of a message at the smallest size at which all are known."""
    found = []
    for analysis in analyses:
        model = analysis.loggp()
        sizes = model.overheads if model else ()
        known = [s for s in sizes if (s.o_send_s.value or 0) > 0 < (s.o_receive_s.value or 0)]
        if known:
            one = known[0]
            which = f" on {analysis.label}" if len(analyses) > 1 else ""
            found.append(
                f"A message of {format_size(one.bytes)} takes {time_text(one.one_way_s.value)}; "
                f"{time_text(one.o_send_s.value)} of this in the send and "
                f"{time_text(one.o_receive_s.value)} in the receive{which}."
            )
    return " ".join(found) or "A message's overheads are too small to be measured here."


BY_EXPERIMENT: dict[str, Callable[[str, Sequence[Analysis]], str | None]] = {
    "pairs": _pairs,
    "cores": _cores,
    "core-to-core": _cores,
    "collective": _collective,
    "overheads": _overheads,
}
