"""Input and results of the search for outliers among pairs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hockney.base.units import format_ratio, how_many, listed, whole_percent
from hockney.infer.analysis.network.outlier_rule import LEAST_RATIO, SOUGHT, least_ratio
from hockney.infer.arrays import Array, Flags, Whole
from hockney.infer.estimate.medians import own_medians
from hockney.infer.locate import candidates as located
from hockney.records import Place

NODE, UPLINK, INSIDE, CABLE = located.NODE, located.UPLINK, located.SWITCH, located.CABLE
PLACE, GROUP, PAIR = "place", "group", "pair"
"""Kinds of components, as of the parts that rounds locate, and more."""

MORE = "more launches or longer ones"

LEAST_LOOKS = 0.8
"""Least part of the usual number of launches or passes in which a node has a pair."""

ALIKE = 0.5
"""Part of a pair's delay, in logarithms, that another's must reach for a link to explain both."""


@dataclass(frozen=True)
class Board:
    """The times of many pairs at one size."""

    name: str
    """The size and the number of pairs at once, in words."""
    ends: Whole
    """Shape (pairs, 2): numbers of ranks."""
    kinds: Whole
    """Shape (pairs,): number of the kind of path between the two ranks."""
    logs: Array
    """Shape (pairs,): logarithms of the median times."""
    launches: Array
    """Shape (launches, pairs): logarithms of each launch's times, NaN without one."""
    rounds: Whole | None = None
    """Shape (pairs,): pairs with the same number may have delayed each other; None if none did."""

    def shifts(self, members: Whole) -> Array:
        """How far each launch that made some of these pairs shows them above `logs`, compared with
        all its pairs."""
        each = self._rest[:, members]
        made = np.flatnonzero(~np.isnan(each).all(axis=1))
        return np.asarray(np.nanmedian(each[made], axis=1) - self._centres[made])

    @cached_property
    def delays(self) -> Array:
        """Shape (pairs,): logarithms of the times over the usual one of their kind."""
        return np.asarray(self.logs - own_medians(self.kinds, self.logs))

    def met_others(self, members: Whole, own: Whole, left: Flags) -> bool:
        """Whether most of the late ones of these pairs shared their round with another pair, not
        among `own`, that was about as late: links that they shared explain both. One that was far
        less late does not, it may itself have waited."""
        if self.rounds is None:
            return False
        others = left & (self.delays > math.log(LEAST_RATIO))
        others[own] = False
        most = np.zeros(int(self.rounds.max()) + 1)
        np.maximum.at(most, self.rounds[others], self.delays[others])
        late = members[self.delays[members] > math.log(LEAST_RATIO)]
        met = most[self.rounds[late]] >= ALIKE * self.delays[late]
        return bool(len(late)) and bool(met.mean() > 0.5)

    @cached_property
    def _rest(self) -> Array:
        return self.launches - self.logs

    @cached_property
    def _centres(self) -> Array:
        made = np.flatnonzero(~np.isnan(self._rest).all(axis=1))
        centres = np.full(len(self._rest), np.nan)
        centres[made] = np.nanmedian(self._rest[made], axis=1)
        return centres


@dataclass(frozen=True)
class Network:
    """Nodes of the ranks, and switches of the nodes."""

    host: Whole
    """Shape (ranks,): the number of each one's node, -1 if unknown."""
    switch: Whole
    """Shape (nodes,): the number of the switch that each node is known to be on, -1 if unknown."""
    is_simulated: bool
    """Simulated times have no noise, and one launch is as good as many."""
    is_one_way: bool = False
    """Whether each rank, node and switch has two numbers, to send and to receive."""
    held: float = 0.0
    """The fraction of the time for which other processes held the CPUs of half of the ranks."""
    hosts: Sequence[str] = ()
    switches: Sequence[str] = ()
    ranks: Sequence[str] = ()
    """Names of the nodes, switches and ranks."""

    def names_of(self, fault: Fault) -> tuple[str, ...]:
        """The names of a fault's units."""
        names = {NODE: self.hosts, GROUP: self.hosts, PLACE: self.ranks, PAIR: self.ranks}
        return tuple(names.get(fault.kind, self.switches)[i] for i in fault.units)

    def units_of(self, kind: str) -> Whole:
        """Shape (ranks,): the number of each one's node or switch, or its own, -1 if unknown."""
        if kind in (PLACE, PAIR):
            return np.arange(len(self.host))
        switches = np.append(self.switch, -1)  # its last one is that of node -1
        return self.host if kind in (NODE, GROUP) else switches[self.host]

    @property
    def least_ratio(self) -> float:
        return least_ratio(self.held)

    @property
    def knows_switches(self) -> bool:
        return bool((self.switch >= 0).any())

    def compared(self, kind: str, count: int) -> list[tuple[str, Flags]]:
        """The nodes or places that are compared with each other, in words and as flags of shape
        (count,): those that send and those that receive are not."""
        if not self.is_one_way:
            return [(self.plural(kind), np.ones(count, np.bool_))]
        receives = np.arange(count) % 2 == 1
        return [(f"sending {kind}s", ~receives), (f"receiving {kind}s", receives)]

    def plural(self, kind: str) -> str:
        """What is compared, in words: "nodes", "directions of nodes"."""
        words = "switches" if kind == INSIDE else f"{kind}s"
        return f"directions of {words}" if self.is_one_way else words


@dataclass(frozen=True)
class Fault:
    """A slow component of the network."""

    kind: str
    """NODE ... PAIR; UPLINK stands for a switch's links to others, INSIDE for the switch itself,
    CABLE for a connection of two switches, GROUP for nodes near each other but slow to all
    others."""
    units: tuple[int, ...]
    """Numbers of nodes (NODE, GROUP), switches (UPLINK, INSIDE, CABLE) or ranks (PLACE, PAIR)."""
    board: int
    """The board where its ratio is largest."""
    members: Whole
    """The pairs that show it, by their place in that board."""
    ratio: float
    p: float | None
    """p of the test, corrected for the number of candidates; None of simulated times, which are
    exact."""
    agreeing: int
    """Number of launches that show it."""
    launches: int
    """Number of launches that measured it."""


@dataclass(frozen=True)
class Doubt:
    """The reason why a gate cannot pass, and the remedy."""

    why: str
    remedy: str


def held_doubts(held: float, hides: bool) -> list[Doubt]:
    """The doubt where other processes may hide what is slow. hides: whether something was not named
    because of them."""
    least = least_ratio(held)
    if not hides and least <= SOUGHT:
        return []
    why = (
        f"other processes held the CPUs of half of the ranks for {whole_percent(held)} of the "
        f"time, which may take {format_ratio(least)} times as long: what is less slow is not named"
    )
    return [Doubt(why, "stop them, or pin the ranks elsewhere with --cpus")]


def unmeasured_doubts(places: Mapping[int, Place], ranks: Iterable[int]) -> list[Doubt]:
    """The doubt where nodes took part, but none of their ranks is among `ranks`, which were
    measured."""
    measured = {places[rank].host for rank in ranks if rank in places}
    hosts = sorted({place.host for place in places.values() if place.host} - measured)
    if not hosts:
        return []
    why = f"no pair of {listed(hosts, 1)} was measured"
    return [Doubt(why, "measure again, with all nodes in pairs")]


def lacking_doubts(lacking: int, wanted: int) -> list[Doubt]:
    """The doubt where some of the wanted pairs have no time: each of them may be slow."""
    if not lacking:
        return []
    have = "have" if lacking > 1 else "has"
    why = f"{lacking} of {how_many(wanted, 'pair')} {have} no time"
    return [Doubt(why, "go on with --resume, or measure again with a larger --budget")]


def seldom_doubts(
    names: Sequence[str], ends: Whole, looks: Whole, made: int, look: str
) -> list[Doubt]:
    """The doubt where a node has no pair in LEAST_LOOKS of the median pair's number of looks.

    names: that of the node of each rank that `ends` counts, shape (pairs, 2); looks: the number of
    launches or passes, of all that were `made`, that measured each pair.
    """
    if not len(looks):
        return []
    most = np.zeros(len(names), np.int64)
    for end in ends.T:
        np.maximum.at(most, end, looks)
    of_node: dict[str, int] = {}
    for name, count in zip(names, most.tolist(), strict=True):
        of_node[name] = max(of_node.get(name, 0), count)
    least = LEAST_LOOKS * float(np.median(looks))
    seldom = [(name, count) for name, count in of_node.items() if 0 < count < least]
    return [
        Doubt(
            f"{name} was measured in only {count} of {made} {look}es", "see why, and measure again"
        )
        for name, count in seldom[:1]
    ]


@dataclass
class Judgement:
    faults: list[Fault] = field(default_factory=list)
    """The slow components, those that explain most first."""
    judged: Counter[str] = field(default_factory=Counter)
    """Number of each kind that were compared with others."""
    doubts: list[Doubt] = field(default_factory=list)
    has_two_kinds: bool = False
    """Whether so many nodes are slow that either kind may be the normal one."""
    hides: bool = False
    """Whether a component was not named because `Network.held` may explain it."""
    _unsure: dict[tuple[str, str], tuple[int, float]] = field(default_factory=dict)
    """The place among `doubts` and the ratio of each kind and size that `unsure` reported."""

    def doubt(self, why: str, remedy: str) -> None:
        self.doubts.append(Doubt(why, remedy))

    def unsure(self, what: str, size: str, least: float) -> None:
        """A doubt where a fault could stay unseen; of several about one kind and size the worst.

        least: the ratio of times from which on a fault is sure to be found.
        """
        place, worst = self._unsure.get((what, size), (len(self.doubts), 0.0))
        if least > worst:
            self._unsure[what, size] = place, least
            why = (
                f"{what} differ so much at {size} that one is sure to be found only from "
                f"{format_ratio(least)} times as slow on"
            )
            self.doubts[place : place + 1] = [Doubt(why, MORE)]
