"""Slow nodes, by their pairs with all others, and slow places of ranks. Nodes that are slow
together may have one cause."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from hockney.base.units import format_ratio
from hockney.infer.analysis.network.boards import (
    GROUP,
    INSIDE,
    NODE,
    PLACE,
    UPLINK,
    Fault,
)
from hockney.infer.analysis.network.candidates import (
    CandidateFamily,
    Peers,
    Units,
    of_slower_kind,
    without_fast_partners,
)
from hockney.infer.analysis.network.fault_search import (
    LEAST_PARTNERS,
    MOST_STEP,
    FaultSearch,
    partners,
)
from hockney.infer.analysis.network.groups_of_nodes import SlowGroup, near_groups, parts_of
from hockney.infer.analysis.network.outlier_rule import (
    LEAST_MEMBERS,
    LEAST_RATIO,
    MOST_FRACTION,
    SOUGHT,
    tested,
)
from hockney.infer.analysis.network.profiles import effects
from hockney.infer.arrays import Flags, Whole

TOPOLOGY = "describe the switches with --topology"


def find_nodes(search: FaultSearch) -> None:
    hosts = [board.hosts for board in search.boards]
    apart = [board.apart for board in search.boards]
    count = len(search.network.switch)
    slow, many = _slow_units(search, NODE, hosts, apart, count)
    if slow:
        best = search.boards[max(slow.values(), key=lambda fault: fault.ratio).board]
        # Groups of near nodes, by the size that shows most of them.
        groups = max((near_groups(board, count) for board in search.boards), key=len)
        for part in parts_of(slow, search.network.switch, best, groups):
            _name(search, part, [slow[node] for node in part.nodes])
    search.outcome.faults.sort(key=lambda fault: -fault.ratio)
    search.leave_out(hosts, {*slow, *many})


def _name(search: FaultSearch, part: SlowGroup, faults: list[Fault]) -> None:
    worst = max(faults, key=lambda fault: fault.ratio)
    of_board = [fault.members for fault in faults if fault.board == worst.board]
    members = np.unique(np.concatenate(of_board))
    if len(part.nodes) == 1:
        search.outcome.faults.append(worst)
    elif part.switch is not None:
        _name_switch(search, part, replace(worst, units=(part.switch,)), members)
    elif part.like >= LEAST_MEMBERS:
        search.outcome.faults.append(replace(worst, kind=GROUP, units=part.nodes, members=members))
    else:
        search.outcome.doubt(
            f"{len(part.nodes)} nodes are near each other, and {format_ratio(worst.ratio)} "
            f"times as far from all others as those are at {search.boards[worst.board].name}: on "
            "a switch of their own, or behind a slow link",
            TOPOLOGY,
        )


def _name_switch(search: FaultSearch, part: SlowGroup, worst: Fault, members: Whole) -> None:
    """Names the links of a switch; and the switch, if pairs of its own nodes are slow too."""
    board = search.boards[worst.board]
    inside = np.isin(board.hosts[members], part.nodes).all(axis=1)
    own, across = members[inside], members[~inside]
    if len(across):
        search.outcome.faults.append(replace(worst, kind=UPLINK, members=across))
    if not len(own):
        return
    others = board.apart & np.isin(board.kinds, board.kinds[own])
    others[members] = False
    if not others.any():
        search.outcome.doubt(
            "nodes on a switch whose links to others are slow have no other switch with two "
            f"measured nodes to compare with at {board.name}: it may be slow inside as well",
            "measure two nodes of another switch",
        )
        return
    excess = np.median(board.logs[own]) - np.median(board.logs[others])
    if excess > math.log(LEAST_RATIO):
        ratio = math.exp(excess)
        search.outcome.faults.append(replace(worst, kind=INSIDE, members=own, ratio=ratio))


def check_halves(search: FaultSearch) -> None:
    """A doubt where the network has two parts, far from each other."""
    for board in search.boards:
        known = np.unique(search.network.switch)
        if known.min(initial=-1) >= 0:
            groups = [set(np.flatnonzero(search.network.switch == s).tolist()) for s in known]
        else:
            groups = near_groups(board, len(search.network.switch))
        groups = [group for group in groups if group]
        if len(groups) != 2 or min(map(len, groups)) < 2:
            continue
        is_first = np.isin(board.hosts, list(groups[0]))
        across = board.open & (is_first[:, 0] != is_first[:, 1])
        inside = board.open & ~across
        if not across.any() or not inside.any():
            continue
        step = math.exp(float(np.median(board.logs[across]) - np.median(board.logs[inside])))
        if step > MOST_STEP:
            search.outcome.doubt(
                f"two parts of the network are {format_ratio(step)} times as far from each "
                f"other as their own nodes are at {board.name}, and there is no third to "
                "compare with",
                "measure nodes of more switches, or compare with an earlier run",
            )
            return


def find_places(search: FaultSearch) -> None:
    """Tests ranks by all their pairs; the only rank of a node was judged as a node."""
    host = search.network.host
    counts = Counter(host[host >= 0].tolist())
    alone = [i for i, at in enumerate(host.tolist()) if len(counts) > 1 and counts[at] == 1]
    ends = [board.ends for board in search.boards]
    chosen = [np.asarray(~np.isin(end, alone).any(axis=1)) for end in ends]
    slow, many = _slow_units(search, PLACE, ends, chosen, len(host))
    search.add(slow.values())
    search.leave_out(ends, {*slow, *many})


def _slow_units(
    search: FaultSearch, kind: str, units: Sequence[Whole], chosen: Sequence[Flags], count: int
) -> tuple[dict[int, Fault], set[int]]:
    """Slow nodes or places, by their profiles; and those that cannot be named."""
    sets: list[Peers] = []
    for board, every, is_chosen in zip(search.boards, units, chosen, strict=True):
        own = np.flatnonzero(is_chosen & board.left)
        ends = every[own]
        can_be_judged = partners(ends, count) >= LEAST_PARTNERS
        for what, alike in search.network.compared(kind, count):
            judged = np.flatnonzero(can_be_judged & alike)
            if len(judged) >= LEAST_MEMBERS:
                values = effects(ends, board.kinds[own], board.logs[own], alike)[judged]
                names = [(unit,) for unit in judged.tolist()]
                sets.append(Peers(what, board, names, values, _with(own, ends)))
    family, slow, many = search.tested(kind, sets)
    many |= of_slower_kind(sets, many, search.outcome)
    if kind == NODE:
        if not many and search.network.knows_switches:
            many |= without_fast_partners(sets, search.outcome)
        search.outcome.has_two_kinds = bool(many)
    slow = {unit: fault for unit, fault in slow.items() if unit not in many}
    if kind == NODE:
        search.check_noise(family)
        _check_nearest(search, sets, slow)
        _check_fast(search, family)
        _check_few(search)
    return {unit: fault for (unit,), fault in slow.items()}, {unit for (unit,) in many}


def _check_nearest(search: FaultSearch, sets: Sequence[Peers], slow: Mapping[Units, Fault]) -> None:
    """A doubt where many nodes have no partner as near as other nodes have, and no known switch
    accounts for it: half of the switches may be slow inside."""
    if search.network.knows_switches:
        return
    for peers in sets:
        logs = peers.board.logs
        rest = [unit for unit in peers.units if unit not in slow]
        nearest = np.array([logs[peers.members(unit)].min() for unit in rest])
        near = np.quantile(nearest, MOST_FRACTION, method="lower")
        far = nearest > near + math.log(MOST_STEP)
        if MOST_FRACTION * len(rest) < far.sum():
            search.outcome.doubt(
                f"{far.sum()} of {len(rest)} {peers.what} have no partner as near as the "
                f"others have at {peers.board.name}",
                TOPOLOGY,
            )
            return


def _check_fast(search: FaultSearch, family: CandidateFamily) -> None:
    """A doubt where nodes are faster than the rest: most of a network may be slow."""
    for peers in family.sets:
        fast = tested(-peers.values)
        chosen = (fast.p * family.tests < family.level) & (fast.excess > math.log(SOUGHT))
        if chosen.any():
            ratio = format_ratio(math.exp(float(fast.excess[chosen].max())))
            search.outcome.doubt(
                f"{chosen.sum()} of {len(peers.units)} {peers.what} are up to {ratio} "
                f"times as fast as the rest at {peers.board.name}: either kind "
                "may be the normal one",
                "compare with an earlier run",
            )
            return


def _check_few(search: FaultSearch) -> None:
    """A doubt where pairs differ between nodes that are too few to be judged by partners."""
    for board in search.boards:
        own = np.flatnonzero(board.open)
        if len(own) and len(np.unique(board.hosts[own])) < LEAST_MEMBERS:
            ratio = math.exp(float(np.ptp(board.logs[own])))
            if ratio > MOST_STEP:
                search.outcome.doubt(
                    f"pairs of nodes differ by {format_ratio(ratio)} times at {board.name}, "
                    "and their nodes are too few to say which is slow",
                    f"measure {LEAST_MEMBERS} nodes, or compare with an earlier run",
                )
                return


def _with(own: Whole, ends: Whole) -> Callable[[Units], Whole]:
    return lambda unit: own[(ends == unit[0]).any(axis=1)]
