"""Simulates a schedule, message by message."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hockney.infer.arrays import Array
from hockney.infer.predict.parameters import Machine
from hockney.infer.predict.schedule import Ranks, Schedule, Step

T = TypeVar("T", np.int64, np.float64)


@dataclass
class _PortTimes:
    now_s: Array
    """Time when each rank completed its last step."""
    out_free_s: Array
    """Time when each port becomes free to send; ports as numbered by Machine."""
    in_free_s: Array


def simulate(machine: Machine, schedule: Schedule, begun_s: Array | None = None) -> Array:
    """Completion time of each rank in seconds; shape (ranks,). begun_s: each rank's start; None for
    all at 0."""
    ended_s = np.zeros(machine.ranks) if begun_s is None else begun_s
    for _, now_s in walk(machine, schedule, begun_s):
        ended_s = now_s
    return ended_s


def walk(
    machine: Machine, schedule: Schedule, begun_s: Array | None = None
) -> Iterator[tuple[Step, Array]]:
    """Each step, and the time when each rank completed it; the array changes with the next step."""
    ports = machine.ports
    begun = np.zeros(machine.ranks) if begun_s is None else begun_s.copy()
    state = _PortTimes(begun, np.zeros(ports), np.zeros(ports))
    for step in schedule:
        for messages in _posted_together(machine, step):
            _advance(machine, state, step, messages)
        yield step, state.now_s


def _posted_together(machine: Machine, step: Step) -> list[Ranks]:
    """Groups of messages posted together: a whole step, or if ranks wait for each message, the
    first of each rank, then the second ..."""
    turn = np.zeros(len(step.sources), dtype=np.int64)
    if step.in_turn and (step.bytes >= machine.eager_bytes).any():
        turn += position(step.sources)
    if step.in_turn and (step.bytes >= machine.early_bytes).any():
        turn += position(step.destinations)
    return _by_number(turn)


def _by_number(numbers: Ranks) -> list[Ranks]:
    """Indices of the entries 0, of the entries 1, and so on."""
    ends = np.cumsum(np.bincount(numbers))
    return np.split(np.argsort(numbers, kind="stable"), ends[:-1])


def _advance(machine: Machine, state: _PortTimes, step: Step, messages: Ranks) -> None:
    """A message leaves when its sender posts it and the port is free; from early_bytes on, only
    after its receiver is ready; from eager_bytes on, the sender also waits until it arrives."""
    sources, destinations = step.sources[messages], step.destinations[messages]
    sizes = step.bytes[messages]
    path = machine.paths(sources, destinations, sizes)
    work, overhead = path.work_s, path.overhead_s
    posted = state.now_s[sources] + _sums_to(sources, overhead)
    expected = np.maximum(posted, state.now_s[destinations])
    ready = np.where(sizes >= machine.early_bytes, expected, posted)

    serve = _share if machine.is_fair else _queue
    begun, sent = serve(path.out_port, ready, work, state.out_free_s)
    _, taken = serve(path.in_port, begun + path.alpha_s, work, state.in_free_s)
    arrived = np.maximum(taken, sent + path.alpha_s)

    waits = sizes >= machine.eager_bytes
    np.maximum.at(state.now_s, sources, np.where(waits, arrived, posted))
    np.maximum.at(state.now_s, destinations, arrived)
    handling = overhead + (machine.gamma_s_per_B * sizes if step.reduces else 0.0)
    np.add.at(state.now_s, destinations, handling)


def position(keys: Ranks) -> Ranks:
    """For each entry, the number of earlier entries with the same key."""
    return _sums_to(keys, np.ones(len(keys), dtype=np.int64)) - 1


def _sums_to(keys: Ranks, values: NDArray[T]) -> NDArray[T]:
    """For each entry, the sum of its value and those of earlier entries with the same key."""
    order = np.argsort(keys, kind="stable")
    ordered, sums = keys[order], np.cumsum(values[order])
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    lengths = np.diff(starts, append=len(keys))
    result = np.empty_like(values)
    result[order] = sums - np.repeat(sums[starts] - values[order[starts]], lengths)
    return result


def _queue(ports: Ranks, ready: Array, work: Array, free: Array) -> tuple[Array, Array]:
    """Serves the messages of a port one after the other, as they become ready; returns start and
    end of each."""
    begun, ended = np.empty(len(ports)), np.empty(len(ports))
    order = np.lexsort((ready, ports))
    for turn in _by_number(position(ports[order])):
        messages = order[turn]
        port = ports[messages]
        begun[messages] = np.maximum(ready[messages], free[port])
        ended[messages] = begun[messages] + work[messages]
        free[port] = ended[messages]
    return begun, ended


def _share(ports: Ranks, ready: Array, work: Array, free: Array) -> tuple[Array, Array]:
    """Messages posted together share their port equally: of n, the one with the k-th least work
    ends when the k least are complete and the n - k others have received as much as it. Messages of
    earlier steps precede."""
    begun = np.maximum(ready, free[ports])
    order = np.lexsort((work, ports))
    turn = position(ports[order])
    starts = np.flatnonzero(turn == 0)
    lengths = np.diff(np.r_[starts, len(ports)])
    done = np.cumsum(work[order])
    before = np.repeat(done[starts] - work[order][starts], lengths)
    others = np.repeat(lengths, lengths) - 1 - turn
    ended = np.empty(len(ports))
    ended[order] = begun[order] + done - before + others * work[order]
    np.maximum.at(free, ports, ended)
    return begun, ended
