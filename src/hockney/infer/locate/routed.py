"""A network whose routes are known cable by cable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hockney.infer.arrays import Flags, Whole
from hockney.infer.locate.candidates import (
    Crossed,
    Entries,
    NetworkPart,
    Passed,
    TwoWayRoutes,
    end_parts,
    weights_of,
)
from hockney.infer.locate.design import all_rounds, drawn, round_pairs

PAIRS_TRIED = 1 << 17
"""All pairs of 512 ranks."""


@dataclass(frozen=True)
class Way:
    """What messages pass, from one node to another: numbers of pairs and of parts."""

    along: Entries
    """Cables from their first end to the second one."""
    against: Entries
    switches: Entries
    levels: Whole
    """Shape (pairs,): number of the kind of route, from 1 on."""


class RoutedShape(Protocol):
    """The cables and switches of a network, and how it routes."""

    parts: Sequence[NetworkPart]
    """All but the nodes."""
    capacity: Whole
    """Pairs whose messages pass each part in one direction at once without delay."""
    pairs_tried: int
    """Most pairs by which it is found what any message passes. A part that none of them passes is
    passed by so few that no search would cross it."""

    def way(self, sources: Whole, targets: Whole) -> Way:
        """The route from each source to its target, a different node."""

    def level_name(self, level: int) -> str | None:
        """Pairs of such a route in words; None where a longer route may well be faster."""


class RoutedNetwork(TwoWayRoutes):
    """The routes between ranks on nodes of a network with that shape."""

    def __init__(
        self,
        shape: RoutedShape,
        hosts: Sequence[str],
        node_of: Sequence[int],
        host_of: Sequence[int],
    ) -> None:
        """hosts: names of the nodes that take part; node_of: the number of each in the shape;
        host_of: which of these each rank is on."""
        self.shape, self.capacity = shape, shape.capacity
        self.node_of = np.asarray(node_of, np.int64)
        self.host_of = np.asarray(host_of, np.int64)
        parts = end_parts(hosts, self.host_of)
        self.first_process, self.has_processes = len(hosts), len(parts) > len(hosts)
        used = self._used()
        self.number = np.full(len(shape.parts), -1)
        self.number[used] = len(parts) + np.arange(len(used))
        self.parts: Sequence[NetworkPart] = [*parts, *(shape.parts[i] for i in used.tolist())]

    def _used(self) -> Whole:
        """Numbers of the shape's parts that the ranks' messages pass."""
        used = np.zeros(len(self.shape.parts), bool)
        for pairs in tried(len(self.host_of), self.shape.pairs_tried):
            way, _ = self._way(pairs)
            for _, parts in (*way.along, *way.against, *way.switches):
                used[parts] = True
        return np.flatnonzero(used)

    def _way(self, pairs: Whole) -> tuple[Way, Whole]:
        """The way of pairs on two nodes, and the numbers of these pairs."""
        sources, targets = self.host_of[pairs].T
        apart = np.flatnonzero(sources != targets)
        return self.shape.way(self.node_of[sources[apart]], self.node_of[targets[apart]]), apart

    def passed(self, pairs: Whole) -> Passed:
        """Half of the messages of a pair go each way."""
        go, back = self.crossed(pairs), self.crossed(pairs[:, ::-1])
        entries = [
            (rows, parts, 0.5)
            for way in (go, back)
            for rows, parts in (*way.first, *way.second, *way.cables)
        ]
        weights = weights_of(entries, (len(pairs), len(self.parts)))
        weights.data = np.minimum(weights.data, 1.0)  # a route may pass a switch twice
        return Passed(weights, go.levels + back.levels)

    def one_way_level_name(self, level: int) -> str | None:
        return self.shape.level_name(level)

    def level_name(self, level: int) -> str | None:
        """The level of a pair is that of both ways together."""
        return None if level % 2 else self.shape.level_name(level // 2)

    def crossed(self, pairs: Whole) -> Crossed:
        """What messages from the first rank of pairs to the second one pass."""
        rows = np.arange(len(pairs))
        way, apart = self._way(pairs)
        ends = []
        for end in (0, 1):
            ends.append([(apart, self.host_of[pairs[apart, end]])])
            if self.has_processes:
                ends[-1].append((rows, self.first_process + pairs[:, end]))
        first = [*ends[0], self._kept(way.switches, apart)]
        levels = np.zeros(len(pairs), np.int64)
        levels[apart] = way.levels
        cables = [self._kept(entries, apart) for entries in (way.along, way.against)]
        return Crossed(first, ends[1], cables, levels)

    def delayed(self, pairs: Whole, rounds: Whole) -> Flags:
        """Whether more pairs of the same round pass a cable in one direction than it has room
        for."""
        low, high = np.sort(pairs, axis=1).T
        different, numbers = np.unique(low * len(self.host_of) + high, return_inverse=True)
        is_delayed = np.zeros(len(pairs), bool)
        there_and_back = [self._way(each) for each in (pairs, pairs[:, ::-1])]
        for name in ("along", "against"):
            entries = [
                (apart[rows], cables)
                for way, apart in there_and_back
                for rows, cables in getattr(way, name)
            ]
            rows, cables = _joined(entries)
            uses = rounds[rows] * len(self.capacity) + cables
            keys = np.sort(uses * len(different) + numbers.ravel()[rows])
            once = keys[np.diff(keys, prepend=-1) > 0]  # np.unique takes several times as long
            each, counts = np.unique(once // len(different), return_counts=True)
            full = each[counts > self.capacity[each % len(self.capacity)]]
            is_delayed[rows[np.isin(uses, full)]] = True
        return is_delayed

    def _kept(self, entries: Entries, apart: Whole) -> tuple[Whole, Whole]:
        rows, parts = _joined(entries)
        numbers = self.number[parts]
        return apart[rows[numbers >= 0]], numbers[numbers >= 0]


def _joined(entries: Entries) -> tuple[Whole, Whole]:
    """All numbers of pairs and of the parts that they pass; there may be none."""
    none = np.zeros(0, np.int64)
    rows, parts = zip((none, none), *entries, strict=True)
    return np.concatenate(rows), np.concatenate(parts)


def tried(ranks: int, most: int) -> Iterator[Whole]:
    """Pairs in both directions: those of all rounds, or of so many by lot."""
    count = min(all_rounds(ranks), max(most // max(ranks // 2, 1), 1))
    for number in drawn(ranks, count, (), np.random.default_rng(1)):
        pairs = round_pairs(ranks, number)
        yield np.concatenate([pairs, pairs[:, ::-1]])
