"""A fat tree of switches, each with cables to several above it (XGFT; Zahavi, "Fat-tree routing and
node ordering providing contention free traffic for MPI global collectives", 2012,
doi 10.1016/j.jpdc.2012.01.018)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hockney.infer.arrays import Whole
from hockney.infer.locate.candidates import CABLE, SWITCH, UPLINK, Entries, NetworkPart
from hockney.infer.locate.routed import PAIRS_TRIED, Way


class FatTree:
    """Messages go up as far as they need to, by the number of their target (d-mod-k), and down."""

    pairs_tried = PAIRS_TRIED

    def __init__(
        self,
        children: Sequence[int],
        parents: Sequence[int],
        cables: Sequence[int],
        hosts: Sequence[str],
    ) -> None:
        """For each level, the lowest first: the nodes or switches below a switch, the switches
        above each of these, and the parallel cables between two."""
        self.children, self.parents_, self.cables = tuple(children), tuple(parents), tuple(cables)
        self.levels = len(self.children)
        parts: list[NetworkPart] = []
        self.first_cable: list[int | None] = []
        """The first cable up from each level; None where a node has a single one, a part of it."""
        for level in range(self.levels):
            is_own = level == 0 and self._ports(0) == 1
            self.first_cable.append(None if is_own else len(parts))
            parts += [] if is_own else self._cables_above(level, hosts)
        self.first_switch: list[int | None] = [None]
        """The first switch of each level; None where it is the only one, which all pass."""
        for level in range(1, self.levels + 1):
            count = self._count(level)
            self.first_switch.append(len(parts) if count > 1 else None)
            if count > 1:
                parts += [NetworkPart(SWITCH, (_switch(level, i),), note="") for i in range(count)]
        self.parts: Sequence[NetworkPart] = parts
        self.capacity = np.ones(len(parts), np.int64)

    def _ports(self, level: int) -> int:
        """Cables up from each node or switch of a level."""
        return self.parents_[level] * self.cables[level]

    def _radixes(self, level: int) -> list[int]:
        """Radixes of the digits of a switch's number on this level, the lowest first."""
        return [*self.parents_[:level], *self.children[level:]]

    def _count(self, level: int) -> int:
        return int(np.prod(self._radixes(level)))

    def _digits(self, numbers: Whole, level: int) -> list[Whole]:
        return list(np.unravel_index(numbers, self._radixes(level), order="F"))

    def _number(self, digits: Sequence[Whole], level: int) -> Whole:
        """Any number for digits that no switch has, of messages that do not come here."""
        radixes = self._radixes(level)
        return np.ravel_multi_index(tuple(digits), radixes, mode="clip", order="F")

    def _cables_above(self, level: int, hosts: Sequence[str]) -> list[NetworkPart]:
        count, ports = self._count(level), self._ports(level)
        lower, port = np.divmod(np.arange(count * ports), ports)
        digits = self._digits(lower, level)
        digits[level] = port % self.parents_[level]
        upper = self._number(digits, level + 1)
        kind = UPLINK if ports == 1 else CABLE
        cables = []
        for i, j, k in zip(lower.tolist(), upper.tolist(), port.tolist(), strict=True):
            ends = hosts[i] if level == 0 else _switch(level, i), _switch(level + 1, j)
            parallel = k // self.parents_[level] + 1
            note = f"number {parallel} of {self.cables[level]}" if self.cables[level] > 1 else ""
            cables.append(NetworkPart(kind, ends[:1] if kind == UPLINK else ends, note=note))
        return cables

    def way(self, sources: Whole, targets: Whole) -> Way:
        rows = np.arange(len(sources))
        at, to = self._digits(sources, 0), self._digits(targets, 0)
        apart = np.stack([a != b for a, b in zip(at, to, strict=True)])
        top = np.maximum(self.levels - apart[::-1].argmax(axis=0), 1)
        along: Entries = []
        against: Entries = []
        switches: Entries = []
        for level in range(self.levels):
            goes = rows[top > level]
            port = targets // int(np.prod(self.parents_[:level])) % self._ports(level)
            self._add_cable(along, level, at, port, goes)
            at[level] = np.where(top > level, port % self.parents_[level], at[level])
            self._add_switch(switches, level + 1, at, goes)
        child = np.full(len(sources), -1)
        for level in reversed(range(self.levels)):
            goes = rows[top > level]
            child = self._child(level, sources, to[level], child)
            port = at[level] + child // self.children[level] * self.parents_[level]
            at[level] = np.where(top > level, to[level], at[level])
            child = np.where(top > level, child, -1)
            self._add_cable(against, level, at, port, goes)
            if level > 0:
                self._add_switch(switches, level, at, goes)
        return Way(along, against, switches, top)

    def _child(self, level: int, source: Whole, target: Whole, last: Whole) -> Whole:
        """The port down that SimGrid takes: of parallel cables the source's, but one behind the
        port at the switch above where there is one."""
        count, cables = self.children[level], self.cables[level]
        after = last + 1 + (target - last - 1) % count
        usual = source % cables * count + target
        return np.where((last >= 0) & (after < count * cables), after, usual)

    def _add_cable(
        self,
        entries: Entries,
        level: int,
        at: list[Whole],
        port: Whole,
        rows: Whole,
    ) -> None:
        first = self.first_cable[level]
        if first is not None:
            cables = first + self._number(at, level) * self._ports(level) + port
            entries.append((rows, cables[rows]))

    def _add_switch(self, entries: Entries, level: int, at: list[Whole], rows: Whole) -> None:
        first = self.first_switch[level]
        if first is not None:
            entries.append((rows, first + self._number(at, level)[rows]))

    def level_name(self, level: int) -> str | None:
        return f"up to switches of level {level}"


def _switch(level: int, number: int) -> str:
    return f"switch {number} of level {level}"
