"""Slow nodes, switches, cables, places and pairs among the times of many pairs: one engine for all
verbs that measure pairs.

What explains most is named first: a node before its pairs, a switch before its nodes; what is named
takes no part in later tests. Hardware that is known to lie between two ranks (places, a topology)
accounts for a time; a level that only the times show does so where it is spread over the network
(profiles.py). Where two explanations fit equally, or a fault could have stayed unseen, there is a
doubt, and no gate passes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from hockney.base.units import format_ratio
from hockney.infer.analysis.network.boards import (
    CABLE,
    GROUP,
    INSIDE,
    NODE,
    PAIR,
    PLACE,
    UPLINK,
    Board,
    Doubt,
    Fault,
    Judgement,
    Network,
    held_doubts,
)
from hockney.infer.analysis.network.candidates import (
    CandidateFamily,
    Peers,
    Units,
    check_sight,
    of_slower_kind,
    slow_ones,
    without_fast_partners,
)
from hockney.infer.analysis.network.groups_of_nodes import SlowGroup, near_groups, parts_of
from hockney.infer.analysis.network.outlier_rule import (
    LEAST_MEMBERS,
    LEAST_RATIO,
    MOST_FRACTION,
    SIGNIFICANCE,
    SOUGHT,
    tested,
)
from hockney.infer.analysis.network.pairwise import own_medians
from hockney.infer.analysis.network.profiles import effects, levels
from hockney.infer.arrays import Array, Flags, Whole

LEAST_PARTNERS = 3
"""Fewest partners by which a node or place is judged."""
LEAST_OF_CABLE, MANY_OF_CABLE = 2, 9
"""Fewest pairs of a cable (a single one is judged as a pair); and the number of pairs between two
switches of three nodes."""
MOST_STEP = 1.75
"""Ratio of times between two halves of a network to those within above which there is a doubt: more
than one more tier of switches costs. With two halves there is no third to compare with."""
MOST_FOR_NOISE = 64
"""Most units whose variation over launches is computed."""
TOPOLOGY = "describe the switches with --topology"


def judged(boards: Sequence[Board], network: Network) -> Judgement:
    """The slow components of a network, with the doubts that keep a gate from passing."""
    return _Judge(boards, network).judgement()


class _Judge:
    """Tests components from nodes to pairs; what is named takes no part in later tests."""

    def __init__(self, boards: Sequence[Board], network: Network) -> None:
        self.boards, self.network = boards, network
        self.left: list[Flags] = [np.ones(len(board.logs), np.bool_) for board in boards]
        self.hosts = [network.host[board.ends] for board in boards]
        self.apart: list[Flags] = [
            (ends >= 0).all(axis=1) & (ends[:, 0] != ends[:, 1]) for ends in self.hosts
        ]
        self.outcome = Judgement()
        self.level = SIGNIFICANCE / len(self._kinds())
        """Significance of each kind, which are tested one after the other: a part of
        SIGNIFICANCE."""

    def _kinds(self) -> set[str]:
        """The kinds of components that can be compared."""
        several = any(
            (_partners(board.ends, len(self.network.host)) >= LEAST_PARTNERS).any()
            for board in self.boards
        )
        kinds = {PAIR, *((NODE, PLACE) if several else ())}
        return kinds | ({INSIDE, CABLE} if (self.network.switch >= 0).any() else set())

    def judgement(self) -> Judgement:
        if not self.boards:
            return self._nothing()
        self._nodes()
        self._halves()
        self._places()
        self._switches()
        self._pairs()
        self.outcome.doubts += held_doubts(self.network.held, self.outcome.hides)
        return self.outcome if any(self.outcome.judged.values()) else self._nothing()

    def _nothing(self) -> Judgement:
        why = f"too few pairs to compare: {LEAST_MEMBERS} are needed"
        return Judgement(doubts=[Doubt(why, "measure more of them")])

    def _nodes(self) -> None:
        slow, many = self._units(NODE, self.hosts, self.apart, len(self.network.switch))
        if slow:
            board = max(slow.values(), key=lambda fault: fault.ratio).board
            pairs = self.boards[board], self.hosts[board], self.apart[board]
            for part in parts_of(slow, self.network.switch, *pairs, self._near_groups()):
                self._name(part, [slow[node] for node in part.nodes])
        self.outcome.faults.sort(key=lambda fault: -fault.ratio)
        self._leave_out(self.hosts, {*slow, *many})

    def _near_groups(self) -> list[set[int]]:
        """Groups of near nodes, by the size that shows most of them."""
        count = len(self.network.switch)
        each = zip(self.boards, self.hosts, self.apart, strict=True)
        return max((near_groups(*pairs, count) for pairs in each), key=len)

    def _name(self, part: SlowGroup, faults: list[Fault]) -> None:
        worst = max(faults, key=lambda fault: fault.ratio)
        of_board = [fault.members for fault in faults if fault.board == worst.board]
        members = np.unique(np.concatenate(of_board))
        if len(part.nodes) == 1:
            self.outcome.faults.append(worst)
        elif part.switch is not None:
            self._name_switch(part, replace(worst, units=(part.switch,)), members)
        elif part.like >= LEAST_MEMBERS:
            self.outcome.faults.append(
                replace(worst, kind=GROUP, units=part.nodes, members=members)
            )
        else:
            self.outcome.doubt(
                f"{len(part.nodes)} nodes are near each other, and {format_ratio(worst.ratio)} "
                f"times as far from all others as those are at {self.boards[worst.board].name}: on "
                "a switch of their own, or behind a slow link",
                TOPOLOGY,
            )

    def _name_switch(self, part: SlowGroup, worst: Fault, members: Whole) -> None:
        """Names the links of a switch; and the switch, if pairs of its own nodes are slow too."""
        board = self.boards[worst.board]
        inside = np.isin(self.hosts[worst.board][members], part.nodes).all(axis=1)
        own, across = members[inside], members[~inside]
        if len(across):
            self.outcome.faults.append(replace(worst, kind=UPLINK, members=across))
        if not len(own):
            return
        others = self.apart[worst.board] & np.isin(board.kinds, board.kinds[own])
        others[members] = False
        if not others.any():
            self.outcome.doubt(
                "nodes on a switch whose links to others are slow have no other switch with two "
                f"measured nodes to compare with at {board.name}: it may be slow inside as well",
                "measure two nodes of another switch",
            )
            return
        excess = np.median(board.logs[own]) - np.median(board.logs[others])
        if excess > math.log(LEAST_RATIO):
            ratio = math.exp(excess)
            self.outcome.faults.append(replace(worst, kind=INSIDE, members=own, ratio=ratio))

    def _halves(self) -> None:
        """A doubt where the network has two parts, far from each other."""
        for number, board in enumerate(self.boards):
            hosts, apart = self.hosts[number], self.apart[number] & self.left[number]
            known = np.unique(self.network.switch)
            if known.min(initial=-1) >= 0:
                groups = [set(np.flatnonzero(self.network.switch == s).tolist()) for s in known]
            else:
                groups = near_groups(board, hosts, apart, len(self.network.switch))
            groups = [group for group in groups if group]
            if len(groups) != 2 or min(map(len, groups)) < 2:
                continue
            is_first = np.isin(hosts, list(groups[0]))
            across = apart & (is_first[:, 0] != is_first[:, 1])
            inside = apart & ~across
            if not across.any() or not inside.any():
                continue
            step = math.exp(float(np.median(board.logs[across]) - np.median(board.logs[inside])))
            if step > MOST_STEP:
                self.outcome.doubt(
                    f"two parts of the network are {format_ratio(step)} times as far from each "
                    f"other as their own nodes are at {board.name}, and there is no third to "
                    "compare with",
                    "measure nodes of more switches, or compare with an earlier run",
                )
                return

    def _places(self) -> None:
        """Tests ranks by all their pairs; the only rank of a node was judged as a node."""
        host = self.network.host
        counts = Counter(host[host >= 0].tolist())
        alone = [i for i, at in enumerate(host.tolist()) if len(counts) > 1 and counts[at] == 1]
        ends = [board.ends for board in self.boards]
        chosen = [np.asarray(~np.isin(end, alone).any(axis=1)) for end in ends]
        slow, many = self._units(PLACE, ends, chosen, len(host))
        self.outcome.faults += sorted(slow.values(), key=lambda fault: -fault.ratio)
        self._leave_out(ends, {*slow, *many})

    def _units(
        self, kind: str, units: Sequence[Whole], chosen: Sequence[Flags], count: int
    ) -> tuple[dict[int, Fault], set[int]]:
        """Slow nodes or places, by their profiles; and those that cannot be named."""
        sets: list[Peers] = []
        for number, board in enumerate(self.boards):
            own = np.flatnonzero(chosen[number] & self.left[number])
            ends = units[number][own]
            can_be_judged = _partners(ends, count) >= LEAST_PARTNERS
            for what, alike in self.network.compared(kind, count):
                judged = np.flatnonzero(can_be_judged & alike)
                if len(judged) >= LEAST_MEMBERS:
                    values = effects(ends, board.kinds[own], board.logs[own], alike)[judged]
                    names = [(unit,) for unit in judged.tolist()]
                    sets.append(Peers.of(what, number, names, values, _with(own, ends)))
        family, slow, many = self._tested(kind, sets)
        many |= of_slower_kind(sets, many, self.boards, self.outcome)
        if kind == NODE:
            if not many and (self.network.switch >= 0).any():
                many |= without_fast_partners(sets, self.boards, self.outcome)
            self.outcome.has_two_kinds = bool(many)
        slow = {unit: fault for unit, fault in slow.items() if unit not in many}
        if kind == NODE:
            self._check_noise(family)
            self._check_nearest(sets, slow)
            self._check_fast(family)
            self._check_few()
        return {unit: fault for (unit,), fault in slow.items()}, {unit for (unit,) in many}

    def _tested(
        self, kind: str, sets: Sequence[Peers]
    ) -> tuple[CandidateFamily, dict[Units, Fault], set[Units]]:
        """Slow ones of one kind, and those that cannot be named."""
        family = CandidateFamily(kind, sets, self.level, self.network)
        slow, many = slow_ones(family, self.boards, self.left, self.outcome)
        self.outcome.judged[kind] = family.most
        # Lines of a regular network differ in latency by nature, in bandwidth hardly.
        check_sight(family, self.boards, self.outcome, at_any_size=kind in (CABLE, PAIR))
        return family, slow, many

    def _check_noise(self, family: CandidateFamily) -> None:
        """A doubt where noise hides a node, or a pair if no nodes are judged, that is slower by
        SOUGHT. Differences by nature may hide as much, which cannot be known."""
        if self.network.is_simulated:
            return
        for peers in family.sets:
            noise = self._noise(peers)
            least = peers.test.least_found(family.tests, family.level, noise)
            if least > SOUGHT:
                self.outcome.unsure(peers.what, self.boards[peers.board].name, least)

    def _check_nearest(self, sets: Sequence[Peers], slow: Mapping[Units, Fault]) -> None:
        """A doubt where many nodes have no partner as near as other nodes have, and no known switch
        accounts for it: half of the switches may be slow inside."""
        if (self.network.switch >= 0).any():
            return
        for peers in sets:
            logs = self.boards[peers.board].logs
            rest = [unit for unit in peers.units if unit not in slow]
            nearest = np.array([logs[peers.members(unit)].min() for unit in rest])
            near = np.quantile(nearest, MOST_FRACTION, method="lower")
            far = nearest > near + math.log(MOST_STEP)
            if MOST_FRACTION * len(rest) < far.sum():
                self.outcome.doubt(
                    f"{far.sum()} of {len(rest)} {peers.what} have no partner as near as the "
                    f"others have at {self.boards[peers.board].name}",
                    TOPOLOGY,
                )
                return

    def _check_fast(self, family: CandidateFamily) -> None:
        """A doubt where nodes are faster than the rest: most of a network may be slow."""
        for peers in family.sets:
            fast = tested(-peers.values)
            chosen = (fast.p * family.tests < family.level) & (fast.excess > math.log(SOUGHT))
            if chosen.any():
                ratio = format_ratio(math.exp(float(fast.excess[chosen].max())))
                self.outcome.doubt(
                    f"{chosen.sum()} of {len(peers.units)} {peers.what} are up to {ratio} "
                    f"times as fast as the rest at {self.boards[peers.board].name}: either kind "
                    "may be the normal one",
                    "compare with an earlier run",
                )
                return

    def _check_few(self) -> None:
        """A doubt where pairs differ between nodes that are too few to be judged by partners."""
        for number, board in enumerate(self.boards):
            own = np.flatnonzero(self.apart[number] & self.left[number])
            if len(own) and len(np.unique(self.hosts[number][own])) < LEAST_MEMBERS:
                ratio = math.exp(float(np.ptp(board.logs[own])))
                if ratio > MOST_STEP:
                    self.outcome.doubt(
                        f"pairs of nodes differ by {format_ratio(ratio)} times at {board.name}, "
                        "and their nodes are too few to say which is slow",
                        f"measure {LEAST_MEMBERS} nodes, or compare with an earlier run",
                    )
                    return

    def _noise(self, peers: Peers) -> float | None:
        """The standard deviation of a unit's value by chance; None where launches do not show
        it."""
        board = self.boards[peers.board]
        if len(board.launches) < 2:
            return None
        shifts = [board.shifts(peers.members(unit)) for unit in peers.units[:MOST_FOR_NOISE]]
        each = [float(np.var(shift, ddof=1)) / len(shift) for shift in shifts if len(shift) > 1]
        return math.sqrt(math.pi / 2.0 * float(np.mean(each))) if each else None

    def _switches(self) -> None:
        """Tests the inside of known switches, and cables between them."""
        count = len(np.unique(self.network.switch[self.network.switch >= 0]))
        if count:
            for kind, is_inside in ((INSIDE, True), (CABLE, False)):
                self._lines(kind, is_inside)

    def _lines(self, kind: str, is_inside: bool) -> None:
        sets, lines = [], []
        for number, board in enumerate(self.boards):
            ends = np.sort(self.network.switch[self.hosts[number]], axis=1)
            own = np.flatnonzero(
                self.apart[number]
                & self.left[number]
                & (ends[:, 0] >= 0)
                & ((ends[:, 0] == ends[:, 1]) == is_inside)
            )
            lines.append((own, ends[own]))
            if len(own):
                above = board.logs[own] - own_medians(board.kinds[own], board.logs[own])
                names, values = _by_line(ends[own], above, np.median if is_inside else of_cable)
                if len(names) >= LEAST_MEMBERS:
                    what = self.network.plural(kind)
                    sets.append(Peers.of(what, number, names, values, _equal(own, ends[own])))
        _, slow, many = self._tested(kind, sets)
        self.outcome.faults += sorted(slow.values(), key=lambda fault: -fault.ratio)
        for number, (own, ends) in enumerate(lines):
            for line in {*slow, *many}:
                self.left[number][own[(ends == [line[0], line[-1]]).all(axis=1)]] = False

    def _pairs(self) -> None:
        sets: list[Peers] = []
        for number, board in enumerate(self.boards):
            small = []
            for kind in np.unique(board.kinds[self.left[number]]):
                own = np.flatnonzero(self.left[number] & (board.kinds == kind))
                if len(own) < LEAST_MEMBERS:
                    small.append(own)
                    continue
                units = [board.ends[own]]
                if self.apart[number][own].all():
                    units.append(self.hosts[number][own])
                values = board.logs[own] - levels(units, board.logs[own])
                sets.append(self._pair_peers(number, own, values))
            if sets and sets[-1].board == number:
                self._few(number, small, sets)
        family, slow, _ = self._tested(PAIR, sets)
        if not (self.outcome.judged[NODE] or self.outcome.judged[PLACE]):
            self._check_noise(family)
        self.outcome.faults += sorted(slow.values(), key=lambda fault: -fault.ratio)

    def _leave_out(self, units: Sequence[Whole], named: Iterable[int]) -> None:
        chosen = list(named)
        for number, ends in enumerate(units):
            self.left[number] &= ~np.isin(ends, chosen).any(axis=1)

    def _pair_peers(self, number: int, own: Whole, values: Array) -> Peers:
        ends = np.sort(self.boards[number].ends[own], axis=1)
        names = [(a, b) for a, b in ends.tolist()]
        return Peers.of(self.network.plural(PAIR), number, names, values, _equal(own, ends))

    def _few(self, number: int, kinds: Sequence[Whole], sets: list[Peers]) -> None:
        """Tests pairs of kinds that have too few, by the variation of the commonest kind. Two pairs
        that differ are a doubt: either may be normal."""
        logs = self.boards[number].logs
        most = max((peers for peers in sets if peers.board == number), key=lambda p: len(p.units))
        for own in kinds:
            values = logs[own] - np.median(logs[own])
            if len(own) == 2 and 2.0 * values.max() > math.log(MOST_STEP):
                ratio = format_ratio(math.exp(2.0 * values.max()))
                self.outcome.doubt(
                    f"two pairs of one kind differ by {ratio} times at "
                    f"{self.boards[number].name}, and there is no third to compare with",
                    "measure more of them",
                )
            elif len(own) > 2:
                few = self._pair_peers(number, own, values)
                sets.append(replace(few, test=most.test.beside(values)))


def _partners(ends: Whole, count: int) -> Whole:
    """How many different partners each unit has."""
    both = np.unique(np.concatenate([ends, ends[:, ::-1]]), axis=0)
    return np.asarray(np.bincount(both[both[:, 0] != both[:, 1], 0], minlength=count))


def _with(own: Whole, ends: Whole) -> Callable[[Units], Whole]:
    return lambda unit: own[(ends == unit[0]).any(axis=1)]


def _equal(own: Whole, ends: Whole) -> Callable[[Units], Whole]:
    """Finds the pairs with these two ends, or with the same one twice."""
    return lambda names: own[(ends == [names[0], names[-1]]).all(axis=1)]


def _by_line(
    ends: Whole, values: Array, typical: Callable[[Array], float]
) -> tuple[list[Units], Array]:
    """Switches or cables with enough pairs, and a number for each."""
    lines, which = np.unique(ends, axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    counts = np.bincount(which.ravel())
    each = np.split(values[order], np.cumsum(counts)[:-1])
    names: list[Units] = []
    numbers = []
    for (a, b), own in zip(lines.tolist(), each, strict=True):
        if a == b or len(own) >= LEAST_OF_CABLE:
            names.append((a,) if a == b else (a, b))
            numbers.append(float(typical(own)))
    return names, np.array(numbers)


def of_cable(values: Array) -> float:
    """The upper quartile of the known values: a narrow cable delays only pairs that met in it in
    the same round. With few pairs, the median: half of them may be those of slow nodes."""
    known = values[~np.isnan(values)]
    quantile = 0.75 if len(known) >= MANY_OF_CABLE else 0.5
    return float(np.quantile(known, quantile, method="lower"))
