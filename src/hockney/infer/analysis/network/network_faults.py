"""Slow nodes, switches, cables and pairs of a network, from passes over its pairs.

The engine and its rule are those of all verbs (faults.py). Only switches that are known account for
a time: those that the times show (pair_levels.py) group the tables, and explain nothing away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from hockney.base.units import format_seconds, format_size
from hockney.infer.analysis.network.boards import (
    CABLE,
    INSIDE,
    NODE,
    PAIR,
    PLACE,
    Board,
    Doubt,
    Fault,
    Network,
    lacking_doubts,
    seldom_doubts,
    unmeasured_doubts,
)
from hockney.infer.analysis.network.faults import judged
from hockney.infer.analysis.network.outliers import RULE as RULE_OF_PAIRS
from hockney.infer.analysis.network.pair_faults import of_cable
from hockney.infer.analysis.network.pairwise import Pairwise, median_of_passes
from hockney.infer.analysis.network.part_words import slow_words
from hockney.infer.analysis.network.slow_parts import TestedPart, Verdict
from hockney.infer.arrays import Array, Whole
from hockney.infer.locate.candidates import IN, OUT
from hockney.plan.workloads import Workload
from hockney.plan.workloads.fabric import Fabric

RULE = (
    RULE_OF_PAIRS.replace("launches", "passes")
    + "; a cable has the upper quartile of its pairs, which a narrow one delays only where they "
    "meet in it in the same round"
)


@dataclass(frozen=True, kw_only=True)
class Suspect(TestedPart):
    """A slow part among all pairs of a network."""

    LOOK = "pass"

    pairs: int
    """Number of pairs of ranks that show it."""
    typical_s: float
    """Median time of these pairs; of a cable with many pairs the upper quartile."""
    usual_s: float
    """Median time of all pairs of the same levels."""
    way: str | None
    """OUT or IN where it is slow in one direction alone; a cable or pair is so from the first of
    its names to the second."""

    @property
    def words(self) -> str:
        """ "node n3 is slow", "node n3 is slow to send"."""
        if self.what == INSIDE:
            return f"{slow_words(INSIDE, self.names, None)} inside"
        return slow_words(self.what, self.names, self.way)

    @property
    def reference(self) -> str:
        return f"{format_seconds(self.usual_s)}, the median of pairs as far apart"


COUNTED = (NODE, PLACE, INSIDE, CABLE, PAIR)
"""Kinds of parts whose number is shown."""
LEAST_TO_DELAY = 4096
"""Least size of messages that delay others on a shared link, in bytes."""


def verdict_of(pairwise: Pairwise, workload: Workload | None) -> Verdict[Suspect]:
    """Outliers of a network by RULE, those that explain most first, with the doubts about a run
    that was to measure all pairs and did not."""
    verdict = _of_both_ways(pairwise) if pairwise.is_one_way else _judged(pairwise)[0]
    if isinstance(workload, Fabric) and workload.switch_numbers:
        return verdict
    return replace(verdict, doubts=(*verdict.doubts, *cut_doubts(pairwise)))


def _of_both_ways(pairwise: Pairwise) -> Verdict[Suspect]:
    """Where directions were measured by themselves, both together are judged and then each as nodes
    and switches of their own."""
    whole, _ = _judged(pairwise.both_ways)
    each, has_two_kinds = _judged(pairwise)
    ways: dict[tuple[str, frozenset[str]], set[tuple[str, ...]]] = {}
    for suspect in each.slow:
        ways.setdefault(_part(suspect), set()).add((suspect.way or "", *suspect.names))
    of_whole = {_part(suspect) for suspect in whole.slow}
    # Nodes of two kinds in one direction differ by half as much in both together: what is slow
    # there alone may be theirs.
    ways_explained = (0, 1) if has_two_kinds else (1,)
    # The slow node of a rank explains that its pairs are slow.
    nodes = {name for suspect in each.slow if suspect.what == NODE for name in suspect.names}
    explained = {name for i, name in enumerate(pairwise.rank_names) if pairwise.host(i) in nodes}
    known = {doubt.why for doubt in whole.doubts}
    return replace(
        whole,
        slow=(
            *(
                suspect
                for suspect in whole.slow
                if len(ways.get(_part(suspect), ())) not in ways_explained
                and not (suspect.what in (PAIR, PLACE) and explained & {*suspect.names})
            ),
            *(
                suspect
                for suspect in each.slow
                if len(ways[_part(suspect)]) == 1 or _part(suspect) not in of_whole
            ),
        ),
        doubts=(*whole.doubts, *(doubt for doubt in each.doubts if doubt.why not in known)),
    )


def cut_doubts(pairwise: Pairwise) -> list[Doubt]:
    """The doubts about a pass over all pairs that ended early, or without some node."""
    doubts = lacking_doubts(pairwise.wanted - len(pairwise.ends), pairwise.wanted)
    hosts = [pairwise.host(position) for position in range(len(pairwise.ranks))]
    return doubts + seldom_doubts(
        hosts, pairwise.ends, pairwise.passes_of_pairs, len(pairwise.passes), Suspect.LOOK
    )


def _part(suspect: Suspect) -> tuple[str, frozenset[str]]:
    return suspect.what, frozenset(suspect.names)


def boards_of(pairwise: Pairwise) -> tuple[list[Board], Network]:
    """The board of each size, and the network."""
    network = _network(pairwise)
    return [_board(pairwise, size, network) for size in range(len(pairwise.bytes))], network


def _judged(pairwise: Pairwise) -> tuple[Verdict[Suspect], bool]:
    """The verdict, and whether so many nodes are slow that either kind may be the normal one."""
    boards, network = boards_of(pairwise)
    judgement = judged(boards, network)
    each = [_one_way(of) if pairwise.is_one_way else (of, None) for of in judgement.faults]
    verdict = Verdict(
        slow=tuple(_suspect(fault, way, network, pairwise) for fault, way in each),
        judged=+Counter({kind: judgement.judged[kind] for kind in COUNTED}),
        doubts=(*judgement.doubts, *unmeasured_doubts(pairwise.places, pairwise.measured)),
    )
    return verdict, judgement.has_two_kinds


def _one_way(fault: Fault) -> tuple[Fault, str | None]:
    """A fault whose units are numbered twice as high, and one more where they receive, with the
    usual numbers, and its way."""
    units = sorted(fault.units, key=lambda unit: unit % 2)
    is_inside = fault.kind == CABLE and len({unit // 2 for unit in units}) == 1
    single = replace(
        fault,
        kind=INSIDE if is_inside else fault.kind,
        units=tuple(dict.fromkeys(unit // 2 for unit in units)),
    )
    ways = {unit % 2 for unit in units}
    way = None if is_inside else OUT if 0 in ways else IN
    return single, way


def _network(pairwise: Pairwise) -> Network:
    of_rank = [pairwise.host(i) for i in range(len(pairwise.ranks))]
    numbers = {name: i for i, name in enumerate(dict.fromkeys(of_rank))}
    host = np.array([numbers[name] for name in of_rank], np.int64)
    switch = np.full(len(numbers), -1)
    if not pairwise.are_found:
        switch[host] = pairwise.switch
    if pairwise.is_one_way:
        host, switch = _twice(host), _twice(switch)
    names = list(numbers), pairwise.switches, pairwise.rank_names
    known = pairwise.is_simulated, pairwise.is_one_way, pairwise.held
    return Network(host, switch, *known, *names)


def _twice(numbers: Whole) -> Whole:
    """Numbers for what sends and what receives; -1 stays unknown."""
    both = np.repeat(2 * numbers, 2) + np.tile([0, 1], len(numbers))
    return np.where(np.repeat(numbers, 2) < 0, -1, both)


def _board(pairwise: Pairwise, size: int, network: Network) -> Board:
    """The board of one size. The kind of a path is its level, or that both ends are on one node."""
    ends, hosts = pairwise.ends, network.host[pairwise.ends]
    if pairwise.is_one_way:
        ends = 2 * ends + np.array([0, 1])
        hosts = network.host[ends] // 2
    same = hosts[:, 0] == hosts[:, 1]
    return Board(
        name=format_size(pairwise.bytes[size]),
        ends=ends,
        kinds=same.astype(np.int64) if pairwise.are_found else pairwise.level,
        logs=np.log(pairwise.typical_s[size].astype(np.float64)),
        launches=np.log(pairwise.seconds[size].astype(np.float64)),
        rounds=pairwise.rounds if pairwise.bytes[size] >= LEAST_TO_DELAY else None,
    )


def _suspect(fault: Fault, way: str | None, network: Network, pairwise: Pairwise) -> Suspect:
    each = pairwise.seconds[fault.board][:, fault.members]
    usual = pairwise.level_medians_s[fault.board][pairwise.level[fault.members]]
    typical: Callable[[Array], float] = of_cable if fault.kind == CABLE else np.median
    typical_s = float(typical(np.asarray(median_of_passes(each), np.float64)))
    # A level that the times show may be that of the outlier itself.
    usual_s = typical_s / fault.ratio if pairwise.are_found else float(np.median(usual))
    return Suspect(
        what=fault.kind,
        names=network.names_of(fault),
        bytes=pairwise.bytes[fault.board],
        pairs=len(fault.members),
        typical_s=typical_s,
        usual_s=usual_s,
        ratio=fault.ratio,
        p=fault.p,
        agreeing=fault.agreeing,
        looks=fault.launches,
        way=way,
    )
