"""A dragonfly as the Cray Cascade's: groups of chassis of routers of nodes (Faanes et al. 2012,
doi 10.1109/SC.2012.39)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from hockney.infer.arrays import Whole
from hockney.infer.locate.candidates import CABLE, SWITCH, Entries, NetworkPart, pair_numbers
from hockney.infer.locate.routed import PAIRS_TRIED, Way

NEAR = ("on one router", "in a chassis or column", "in a group")
"""Pairs of one group, by their level."""
FAR = len(NEAR)
"""Level of a pair in two groups, less its cables."""


class Dragonfly:
    """All-to-all connections join the routers of a chassis, the routers at the same place of all
    chassis of a group, and the groups, by the routers of their first chassis that have the other's
    number. Messages take SimGrid's route, which is the shortest except inside a group."""

    pairs_tried = PAIRS_TRIED

    def __init__(self, extents: Sequence[int], cables: Sequence[int]) -> None:
        """extents: the groups, chassis of each, routers of each, nodes of each; cables: how many
        nodes' bandwidth a connection of groups, of chassis and of routers has."""
        self.groups, self.chassis, self.routers, self.each = extents
        each = self.chassis * self.routers
        names = [self._name(i) for i in range(self.groups * each)]
        routers = np.arange(len(names)).reshape(self.groups, self.chassis, self.routers)
        self.number_of = [pair_numbers(size) for size in (self.routers, self.chassis, self.groups)]
        """The number of a cable in its set of all-to-all cables: of routers, chassis, groups."""
        green = _all_to_all(names, routers.reshape(-1, self.routers), "in a chassis")
        columns = routers.swapaxes(1, 2).reshape(-1, self.chassis)
        black = _all_to_all(names, columns, "between chassis")
        blue = [
            NetworkPart(CABLE, (names[i * each + j], names[j * each + i]), note="between groups")
            for i, j in combinations(range(self.groups), 2)
        ]
        self.first_black, self.first_blue = len(green), len(green) + len(black)
        self.first_router = self.first_blue + len(blue)
        switches = [NetworkPart(SWITCH, (name,), note="") for name in names]
        self.parts: Sequence[NetworkPart] = [*green, *black, *blue, *switches]
        counts = [len(green), len(black), len(blue), len(switches)]
        self.capacity = np.repeat([*reversed(cables), 1], counts)

    def _name(self, router: int) -> str:
        """The router by its group, chassis and place."""
        place, own = divmod(router, self.routers)
        return f"router {place // self.chassis}.{place % self.chassis}.{own}"

    def way(self, sources: Whole, targets: Whole) -> Way:
        walk = _Walk(self, sources // self.each, targets // self.each)
        far = walk.group(walk.at) != walk.group(walk.to)
        mine, theirs = walk.group(walk.at), walk.group(walk.to)
        if self.groups > 1:
            walk.to_place(np.where(far, theirs, walk.place(walk.at)), far)
            walk.to_chassis(np.zeros_like(mine), far)
            walk.to_group(theirs, mine, far)
        every = np.ones(len(sources), bool)
        has_moved = walk.place(walk.at) != walk.place(walk.to)
        walk.to_place(walk.place(walk.to), every)
        walk.take_for_first_chassis(has_moved)
        walk.to_chassis(walk.of_chassis(walk.to), every)
        return Way(walk.along, walk.against, walk.switches, walk.hops + 1 + (FAR - 1) * far)

    def level_name(self, level: int) -> str | None:
        """Those of two groups may have fewer cables than those of one."""
        return NEAR[level - 1] if level <= FAR else None


class _Walk:
    """Goes from routers to others, all pairs at once, and notes what is passed."""

    def __init__(self, shape: Dragonfly, at: Whole, to: Whole) -> None:
        self.shape, self.at, self.to = shape, at, to
        self.along: Entries = []
        self.against: Entries = []
        self.switches = [(np.arange(len(at)), shape.first_router + at)]
        self.hops = np.zeros(len(at), np.int64)

    def group(self, routers: Whole) -> Whole:
        return routers // (self.shape.chassis * self.shape.routers)

    def of_chassis(self, routers: Whole) -> Whole:
        return routers // self.shape.routers % self.shape.chassis

    def place(self, routers: Whole) -> Whole:
        return routers % self.shape.routers

    def to_place(self, place: Whole, chosen: Whole) -> None:
        """To the router at that place of the chassis."""
        mine, count = self.place(self.at), math.comb(self.shape.routers, 2)
        cables = self.at // self.shape.routers * count + self.shape.number_of[0][mine, place]
        self._go(self.at + place - mine, cables, chosen)

    def to_chassis(self, chassis: Whole, chosen: Whole) -> None:
        """To the router at the same place of another chassis."""
        mine, count = self.of_chassis(self.at), math.comb(self.shape.chassis, 2)
        column = self.group(self.at) * self.shape.routers + self.place(self.at)
        cables = self.shape.first_black + column * count + self.shape.number_of[1][mine, chassis]
        self._go(self.at + (chassis - mine) * self.shape.routers, cables, chosen)

    def take_for_first_chassis(self, chosen: Whole) -> None:
        """Messages that went to another place continue from the first chassis, as in SimGrid
        3.32."""
        first = self.at - self.of_chassis(self.at) * self.shape.routers
        self.at = np.where(chosen, first, self.at)

    def to_group(self, group: Whole, place: Whole, chosen: Whole) -> None:
        mine = self.group(self.at)
        cables = self.shape.first_blue + self.shape.number_of[2][mine, group]
        self._go(group * self.shape.chassis * self.shape.routers + place, cables, chosen)

    def _go(self, after: Whole, cables: Whole, chosen: Whole) -> None:
        goes = chosen & (after != self.at)
        for entries, rows in (
            (self.along, np.flatnonzero(goes & (after > self.at))),
            (self.against, np.flatnonzero(goes & (after < self.at))),
        ):
            entries.append((rows, cables[rows]))
        rows = np.flatnonzero(goes)
        self.switches.append((rows, self.shape.first_router + after[rows]))
        self.hops += goes
        self.at = np.where(goes, after, self.at)


def _all_to_all(names: Sequence[str], sets: Whole, note: str) -> list[NetworkPart]:
    """A cable between every two routers of each set."""
    return [
        NetworkPart(CABLE, (names[first], names[second]), note=note)
        for routers in sets.tolist()
        for first, second in combinations(routers, 2)
    ]
