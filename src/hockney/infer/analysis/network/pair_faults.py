"""Slow insides of switches, cables between them, and single pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from hockney.base.units import format_ratio
from hockney.infer.analysis.network.boards import CABLE, INSIDE, NODE, PAIR, PLACE
from hockney.infer.analysis.network.candidates import Peers, SearchedBoard, Units
from hockney.infer.analysis.network.fault_search import MOST_STEP, FaultSearch
from hockney.infer.analysis.network.outlier_rule import LEAST_MEMBERS
from hockney.infer.analysis.network.profiles import levels
from hockney.infer.arrays import Array, Whole
from hockney.infer.estimate.medians import own_medians, values_by

LEAST_OF_CABLE, MANY_OF_CABLE = 2, 9
"""Fewest pairs of a cable (a single one is judged as a pair); and the number of pairs between two
switches of three nodes."""


def find_lines(search: FaultSearch) -> None:
    """Tests the inside of known switches, and cables between them."""
    if search.network.knows_switches:
        for kind, is_inside in ((INSIDE, True), (CABLE, False)):
            _find_of_kind(search, kind, is_inside)


def _find_of_kind(search: FaultSearch, kind: str, is_inside: bool) -> None:
    sets, lines = [], []
    for board in search.boards:
        ends = np.sort(search.network.switch[board.hosts], axis=1)
        is_kind = (ends[:, 0] == ends[:, 1]) == is_inside
        own = np.flatnonzero(board.open & (ends[:, 0] >= 0) & is_kind)
        lines.append((board, own, ends[own]))
        if len(own):
            above = board.logs[own] - own_medians(board.kinds[own], board.logs[own])
            names, values = _by_line(ends[own], above, np.median if is_inside else of_cable)
            if len(names) >= LEAST_MEMBERS:
                what = search.network.plural(kind)
                sets.append(Peers(what, board, names, values, _equal(own, ends[own])))
    _, slow, many = search.tested(kind, sets)
    search.add(slow.values())
    for board, own, ends in lines:
        for line in {*slow, *many}:
            board.left[own[(ends == [line[0], line[-1]]).all(axis=1)]] = False


def find_pairs(search: FaultSearch) -> None:
    sets: list[Peers] = []
    for board in search.boards:
        small = []
        for kind in np.unique(board.kinds[board.left]):
            own = np.flatnonzero(board.left & (board.kinds == kind))
            if len(own) < LEAST_MEMBERS:
                small.append(own)
                continue
            units = [board.ends[own]]
            if board.apart[own].all():
                units.append(board.hosts[own])
            values = board.logs[own] - levels(units, board.logs[own])
            sets.append(_pair_peers(search, board, own, values))
        if sets and sets[-1].board is board:
            _add_few(search, board, small, sets)
    family, slow, _ = search.tested(PAIR, sets)
    if not (search.outcome.judged[NODE] or search.outcome.judged[PLACE]):
        search.check_noise(family)
    search.add(slow.values())


def _pair_peers(search: FaultSearch, board: SearchedBoard, own: Whole, values: Array) -> Peers:
    ends = np.sort(board.ends[own], axis=1)
    names = [(a, b) for a, b in ends.tolist()]
    return Peers(search.network.plural(PAIR), board, names, values, _equal(own, ends))


def _add_few(
    search: FaultSearch, board: SearchedBoard, kinds: Sequence[Whole], sets: list[Peers]
) -> None:
    """Tests pairs of kinds that have too few, by the variation of the commonest kind. Two pairs
    that differ are a doubt: either may be normal."""
    logs = board.logs
    most = max((peers for peers in sets if peers.board is board), key=lambda p: len(p.units))
    for own in kinds:
        values = logs[own] - np.median(logs[own])
        if len(own) == 2 and 2.0 * values.max() > math.log(MOST_STEP):
            ratio = format_ratio(math.exp(2.0 * values.max()))
            search.outcome.doubt(
                f"two pairs of one kind differ by {ratio} times at "
                f"{board.name}, and there is no third to compare with",
                "measure more of them",
            )
        elif len(own) > 2:
            few = _pair_peers(search, board, own, values)
            sets.append(replace(few, beside_others=most.test.beside(values)))


def _equal(own: Whole, ends: Whole) -> Callable[[Units], Whole]:
    """Finds the pairs with these two ends, or with the same one twice."""
    return lambda names: own[(ends == [names[0], names[-1]]).all(axis=1)]


def _by_line(
    ends: Whole, values: Array, typical: Callable[[Array], float]
) -> tuple[list[Units], Array]:
    """Switches or cables with enough pairs, and a number for each."""
    count = ends.max() + 1
    names: list[Units] = []
    numbers = []
    for line, own in values_by(ends @ (count, 1), values):
        a, b = divmod(line, int(count))
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
