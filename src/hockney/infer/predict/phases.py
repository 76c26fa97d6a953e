"""Phases of collective algorithms: the steps of each in a schedule, and the time of each by message
costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from hockney.base.errors import UsageError
from hockney.infer.estimate.points import PointEstimate
from hockney.infer.predict.collectives import schedule_for
from hockney.infer.predict.parameters import Machine, Parameters
from hockney.infer.predict.schedule import Step
from hockney.infer.predict.schedules import SCHEDULES
from hockney.infer.predict.simulation import walk
from hockney.plan.bounds import LARGEST_INT
from hockney.plan.words import ALL_PHASES
from hockney.plan.workloads.collective import INT_BYTES, REDUCTIONS
from hockney.records import Place

TIMED = ("bcast", "reduce", "allreduce", "allgather")
"""Collectives whose result is in one buffer, so that the engine can make them by messages."""
BETWEEN, INSIDE = "between nodes", "inside nodes"
MOST_MESSAGES = 2**21
"""Most messages of a schedule, which launches read: a file of some 60 MB."""
MOST_SEGMENTS = 32
"""Most runs of steps of one phase; the engine's MOST_SEGMENTS."""


def schedules_with_phases(collective: str) -> list[str]:
    """Names of the schedules that can be made by messages with timed phases."""
    if collective not in TIMED:
        return []
    return list(SCHEDULES.find(collective).ALGORITHMS)


def steps_of(
    collective: str, name: str, ranks: int, bytes: int, segment: int | None = None
) -> list[Step]:
    """The steps that have messages. Messages of reductions are of whole elements, as in the engine.
    Raises UsageError as schedule_for does."""
    unit = INT_BYTES if collective in REDUCTIONS else 1
    segment = None if segment is None else max(segment // unit, 1)
    steps = schedule_for(collective, name, ranks, bytes // unit, segment or None)
    return [replace(step, bytes=unit * step.bytes) for step in steps if len(step.sources)]


def segments_of(steps: Sequence[Step], nodes: Sequence[object]) -> list[str]:
    """The phase of each step; empty for a schedule of a single phase. nodes: of each rank. If ranks
    share some of several nodes, steps with messages between nodes are a phase apart from others."""
    phases = [step.phase or "" for step in steps]
    if 1 < len(set(nodes)) < len(nodes):
        number = {node: i for i, node in enumerate(dict.fromkeys(nodes))}
        of_rank = np.array([number[node] for node in nodes])
        away = [bool((of_rank[s.sources] != of_rank[s.destinations]).any()) for s in steps]
        levels = [BETWEEN if is_away else INSIDE for is_away in away]
        both = list(zip(phases, levels, strict=True))
        if sum(before != after for before, after in pairwise(both)) < MOST_SEGMENTS:
            phases = [", ".join(filter(None, words)) for words in both]
    return phases if len(set(phases)) > 1 else []


def phases_in_order(point: PointEstimate, placement: Sequence[Place] | None) -> list[str]:
    """The phases of a point's schedule in order; empty if it is unknown or impossible here."""
    name, segment = point.algorithm or "", point.segment_bytes or None
    if name not in schedules_with_phases(point.operation):
        return []
    try:
        steps = steps_of(point.operation, name, point.known_ranks, point.bytes, segment)
    except UsageError:
        return []
    return list(dict.fromkeys(segments_of(steps, _nodes(point.known_ranks, placement))))


def _nodes(ranks: int, placement: Sequence[Place] | None) -> list[object]:
    hosts = {place.rank: place.host for place in placement or ()}
    return [hosts.get(rank, rank) for rank in range(ranks)]


def phase_times(
    parameters: Parameters,
    collective: str,
    name: str,
    ranks: int,
    bytes: int,
    segment: int | None = None,
    placement: Sequence[Place] | None = None,
) -> dict[str, float]:
    """Seconds of each phase, from the last rank's end of the phase before to the last rank's end of
    it; ALL_PHASES has their sum, the completion time."""
    steps = steps_of(collective, name, ranks, bytes, segment)
    phases = segments_of(steps, _nodes(ranks, placement))
    phase_s: dict[str, float] = {}
    before_s = 0.0
    for number, (_, ended_s) in enumerate(
        walk(Machine(parameters, ranks, placement, 0), iter(steps))
    ):
        now_s = float(ended_s.max())
        if phases:
            phase_s[phases[number]] = phase_s.get(phases[number], 0.0) + now_s - before_s
        before_s = now_s
    return {ALL_PHASES: before_s, **phase_s}


def predicted_phase_s(
    parameters: Parameters, point: PointEstimate, placement: Sequence[Place] | None
) -> float | None:
    """The predicted time of a point's phase; None if its schedule is unknown here."""
    name, segment = point.algorithm or "", point.segment_bytes or None
    if name not in schedules_with_phases(point.operation) or point.phase is None:
        return None
    how = (point.operation, name, point.known_ranks, point.bytes, segment)
    return phase_times(parameters, *how, placement).get(point.phase)


@dataclass(frozen=True)
class LaidOut:
    """A schedule with the positions of its messages in the result buffer."""

    collective: str
    name: str
    ranks: int
    bytes: int
    segment: int | None
    steps: Sequence[Step]
    offsets: Sequence[int]
    """Offset of each block, in bytes."""
    sizes: Sequence[int]

    @property
    def messages(self) -> int:
        return sum(len(step.sources) for step in self.steps)

    def text(self) -> str:
        """The schedule as the engine reads it (engine/schedule.h)."""
        segment = -1 if self.segment is None else self.segment
        head = (self.collective, self.name, segment, self.bytes, self.ranks, len(self.steps))
        lines = [" ".join(map(str, head))]
        for step in self.steps:
            facts = (step.phase or "-", int(step.in_turn), int(step.reduces), len(step.sources))
            lines.append(" ".join(map(str, facts)))
            lines += self._messages_of(step)
        return "\n".join(lines) + "\n"

    def _messages_of(self, step: Step) -> Iterator[str]:
        ends = zip(step.sources.tolist(), step.destinations.tolist(), strict=True)
        for message, (source, destination) in enumerate(ends):
            blocks = step.blocks(message)
            parts = _fragments([(self.offsets[b], self.sizes[b]) for b in blocks])
            words = [source, destination, len(parts), *(word for part in parts for word in part)]
            yield " ".join(map(str, words))


def laid_out(collective: str, name: str, ranks: int, bytes: int, segment: int | None) -> LaidOut:
    """The schedule that makes a collective of that many bytes. Raises UsageError without one, or if
    it has more or larger messages than the engine can make."""
    steps = steps_of(collective, name, ranks, bytes, segment)
    if sum(len(step.sources) for step in steps) > MOST_MESSAGES:
        raise UsageError(
            f"{collective} of {bytes} bytes: more than {MOST_MESSAGES} messages",
            "ask for fewer ranks, or larger segments",
        )
    if any(float(step.bytes.max()) > LARGEST_INT for step in steps):
        raise UsageError(
            f"{collective} of {bytes} bytes: a message is larger than MPI counts in an int",
            "leave out the largest sizes",
        )
    layout = _layout(collective, steps, ranks, bytes)
    return LaidOut(collective, name, ranks, bytes, segment, steps, *layout)


def _layout(
    collective: str, steps: Sequence[Step], ranks: int, bytes: int
) -> tuple[list[int], list[int]]:
    """Offset of each block in the result buffer, and its bytes: the blocks lie in the order of
    their numbers."""
    if collective == "allgather":
        return [rank * bytes for rank in range(ranks)], [bytes] * ranks
    carried = [
        (list(step.blocks(message)), int(size))
        for step in steps
        for message, size in enumerate(step.bytes)
    ]
    known = {blocks[0]: size for blocks, size in carried if len(blocks) == 1}
    sizes = [known.get(block, 0) for block in range(max(known, default=-1) + 1)]
    if sum(sizes) != bytes or any(sum(sizes[b] for b in of) != size for of, size in carried):
        raise UsageError(
            f"{collective}: the blocks of this schedule are not those of {bytes} bytes",
            "leave out its name from --phases",
        )
    return np.cumsum([0, *sizes])[:-1].tolist(), sizes


def _fragments(blocks: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Fragments of neighbouring blocks, joined."""
    joined: list[tuple[int, int]] = []
    for offset, size in blocks:
        if joined and sum(joined[-1]) == offset:
            joined[-1] = (joined[-1][0], joined[-1][1] + size)
        else:
            joined.append((offset, size))
    return joined
