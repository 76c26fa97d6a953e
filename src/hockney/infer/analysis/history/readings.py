"""The numbers of a run that a watch follows from look to look: times, tails, and how slow each part
of a network is beside its peers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from hockney.infer.analysis.history.run_facts import RunFacts
from hockney.infer.analysis.network.boards import CABLE, INSIDE, NODE, UPLINK
from hockney.infer.analysis.network.network_faults import boards_of
from hockney.infer.analysis.network.pair_faults import of_cable
from hockney.infer.analysis.network.pairwise import Pairwise
from hockney.infer.analysis.tails import TailQuantiles
from hockney.infer.arrays import Array, Whole
from hockney.infer.estimate.medians import own_medians, values_by

TIME, TAIL = "time", "tail"
LEAST_PEERS = 3
"""Peers that a part must be compared with, and different partners that a node must have."""
MOST_CABLES = 4096
"""Most cables that are followed. Every two switches may have one, so that their number grows with
the square of the network's, while few of the pairs of a look pass each."""
FOLLOWED = (0.99, 0.999)
"""Quantiles of tails."""


class WatchedSeries(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """What a number that is followed measures."""

    bytes: int
    what: str = TIME
    """TIME, TAIL, or the kind of a part: node, uplink (the links of a switch to others), switch
    (its inside) or cable (two switches)."""
    names: tuple[str, ...] = ()
    """Names of the part; of a time that of its curve, where there are several."""
    quantile: float | None = None
    """The quantile of a tail."""

    @property
    def is_part(self) -> bool:
        return self.what not in (TIME, TAIL)


class Reading(msgspec.Struct, frozen=True, array_like=True):
    series: WatchedSeries
    value: float
    """Seconds; of a part the median time of the messages that pass it over that of all messages
    between nodes as near."""


def readings_of(
    facts: RunFacts, tails: Sequence[TailQuantiles], pairwise: Pairwise | None
) -> tuple[Reading, ...]:
    """The readings of a run."""
    several = len(facts.curves) > 1
    times = [
        Reading(WatchedSeries(size, TIME, (curve,) if several else ()), seconds)
        for curve, of in sorted(facts.curves.items())
        for size, (seconds, *_) in sorted(of.items())
    ]
    parts = [] if pairwise is None else list(_parts(pairwise))
    return (*times, *_tails(tails), *parts)


def not_followed(pairwise: Pairwise | None) -> str | None:
    """Why cables are not followed, in words; None where they are."""
    cables = 0 if pairwise is None else _number_of_cables(pairwise)
    if cables <= MOST_CABLES:
        return None
    return (
        f"{cables} cables between switches are too many to follow each by itself, beyond "
        f"{MOST_CABLES}: nodes and switches are followed, with the links of each switch"
    )


def _number_of_cables(pairwise: Pairwise) -> int:
    """The number of pairs of known switches between which something was measured."""
    if pairwise.are_found:
        return 0
    ends = np.sort(pairwise.switch[pairwise.ends], axis=1)
    between = ends[(ends[:, 0] >= 0) & (ends[:, 0] != ends[:, 1])]
    return len(np.unique(between @ (len(pairwise.switches), 1)))


def _tails(tails: Sequence[TailQuantiles]) -> Iterator[Reading]:
    """Each quantile of each size; of several points the median."""
    for size in sorted({tail.point.bytes for tail in tails}):
        for quantile in FOLLOWED:
            known = [
                each.seconds
                for tail in tails
                if tail.point.bytes == size
                for each in tail.quantiles
                if each.quantile == quantile and each.seconds is not None
            ]
            if known:
                yield Reading(WatchedSeries(size, TAIL, (), quantile), float(np.median(known)))


def _parts(pairwise: Pairwise) -> Iterator[Reading]:
    """How slow nodes are and, where they are known, switches and their cables, in both directions
    together."""
    pairwise = pairwise.both_ways if pairwise.is_one_way else pairwise
    boards, network = boards_of(pairwise)
    for board, size in zip(boards, pairwise.bytes, strict=True):
        host = network.host[board.ends]
        switches = network.switch[host]
        apart = host[:, 0] != host[:, 1]
        known = apart & (switches >= 0).all(axis=1)
        across = switches[:, 0] != switches[:, 1]
        rest = board.logs - own_medians(board.kinds, board.logs)
        yield from _nodes(host[apart], rest[apart], network.hosts, size)
        inside, between = known & ~across, known & across
        own = _typical(switches[inside, 0], rest[inside])
        yield from _named(own, INSIDE, pairwise.switches, size)
        own = _typical(*_each_end(switches[between], rest[between]))
        yield from _named(own, UPLINK, pairwise.switches, size)
        yield from _cables(np.sort(switches[between], axis=1), rest[between], pairwise, size)


def _nodes(ends: Whole, rest: Array, hosts: Sequence[str], size: int) -> Iterator[Reading]:
    count = len(hosts)
    pairs = np.unique(np.concatenate([ends @ (count, 1), ends @ (1, count)]))
    enough = np.bincount(pairs // count, minlength=count) >= LEAST_PEERS
    logs = {i: log for i, log in _typical(*_each_end(ends, rest)).items() if enough[i]}
    yield from _named(logs, NODE, hosts, size)


def _cables(ends: Whole, rest: Array, pairwise: Pairwise, size: int) -> Iterator[Reading]:
    count = len(pairwise.switches)
    logs = _typical(ends[:, 0] * count + ends[:, 1], rest, of_cable)
    if LEAST_PEERS < len(logs) <= MOST_CABLES:
        for key, log in logs.items():
            names = (pairwise.switches[key // count], pairwise.switches[key % count])
            yield Reading(WatchedSeries(size, CABLE, names), float(np.exp(log)))


def _each_end(ends: Whole, rest: Array) -> tuple[Whole, Array]:
    return ends.T.ravel(), np.tile(rest, 2)


def _typical(
    keys: Whole, values: Array, typical: Callable[[Array], Any] = np.median
) -> dict[int, float]:
    """The typical one of the values of each key."""
    return {key: float(typical(own)) for key, own in values_by(keys, values)}


def _named(logs: dict[int, float], what: str, names: Sequence[str], size: int) -> Iterator[Reading]:
    """The parts by their numbers, where there are enough peers."""
    if len(logs) > LEAST_PEERS:
        for number, log in logs.items():
            yield Reading(WatchedSeries(size, what, (names[number],)), float(np.exp(log)))
