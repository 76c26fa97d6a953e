"""Slow nodes, switches, cables and pairs of a network, from passes over its pairs.

The engine and its rule are those of all verbs (faults.py). Only switches that are known account for
a time: those that the times show (pairwise.py) group the tables, and explain nothing away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hockney.base.units import format_size
from hockney.infer.analysis.boards import (
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
    Network,
    names_of,
)
from hockney.infer.analysis.faults import judged, of_cable
from hockney.infer.analysis.outliers import RULE as RULE_OF_PAIRS
from hockney.infer.analysis.pairwise import Array, Pairwise, median_of_passes

RULE = (
    RULE_OF_PAIRS.replace("launches", "passes")
    + "; a cable has the upper quartile of its pairs, which a narrow one delays only where they "
    "meet in it in the same round"
)


WORDS = {
    NODE: "node {} is slow",
    GROUP: "the links of nodes {} to all others are slow",
    UPLINK: "the links of switch {} to other switches are slow",
    INSIDE: "switch {} is slow inside",
    CABLE: "the cable between switches {} is slow",
    PLACE: "{} is slow",
    PAIR: "the pair of {} is slow",
}


@dataclass(frozen=True)
class Suspect:
    """One node, switch, cable or pair that is an outlier."""

    what: str
    """Kind: node; group, for nodes near each other but slow to all others; uplink, for the links of
    a switch to others; switch, for its inside; cable, for two switches; pair."""
    names: tuple[str, ...]
    """Names of the nodes, or of one or two switches."""
    bytes: int
    pairs: int
    """Number of pairs of ranks that show it."""
    typical_s: float
    """Median time of these pairs; of a cable with many pairs the upper quartile."""
    usual_s: float
    """Median time of all pairs of the same levels."""
    ratio: float
    """Time over that of its peers, at the size where the ratio is largest."""
    p: float
    """p, corrected for all candidates of its kind."""
    passes_agreeing: int
    passes: int

    @property
    def words(self) -> str:
        """ "node n3 is slow"."""
        joined = " and ".join(filter(None, (", ".join(self.names[:-1]), self.names[-1])))
        return WORDS[self.what].format(joined)


LEAST_TO_DELAY = 4096
"""Least size of messages that delay others on a shared link, in bytes."""


@dataclass(frozen=True)
class Verdict:
    """Slow components of a network."""

    suspects: tuple[Suspect, ...]
    nodes: int
    """Number of nodes that were compared with others, as of switches, cables and pairs."""
    switches: int
    cables: int
    pairs: int = 0
    doubts: tuple[Doubt, ...] = ()


def verdict_of(pairwise: Pairwise, is_simulated: bool = False) -> Verdict:
    """Outliers of a network by RULE, those that explain most first."""
    hosts = list(dict.fromkeys(pairwise.host(i) for i in range(len(pairwise.ranks))))
    network = _network(pairwise, hosts, is_simulated)
    boards = [_board(pairwise, size, network) for size in range(len(pairwise.bytes))]
    found = judged(boards, network)
    name_of_rank = _namer(pairwise)
    return Verdict(
        suspects=tuple(
            _suspect(fault, pairwise, names_of(fault, hosts, pairwise.switches, name_of_rank))
            for fault in found.faults
        ),
        nodes=found.judged[NODE],
        switches=found.judged[INSIDE],
        cables=found.judged[CABLE],
        pairs=found.judged[PAIR],
        doubts=tuple(found.doubts),
    )


def _network(pairwise: Pairwise, hosts: Sequence[str], is_simulated: bool) -> Network:
    numbers = {name: i for i, name in enumerate(hosts)}
    host = np.array([numbers[pairwise.host(i)] for i in range(len(pairwise.ranks))], np.int64)
    switch = np.full(len(hosts), -1)
    if not pairwise.are_found:
        switch[host] = pairwise.switch
    return Network(host, switch, is_simulated)


def _board(pairwise: Pairwise, size: int, network: Network) -> Board:
    """The board of one size. The kind of a path is its level, or that both ends are on one node."""
    hosts = network.host[pairwise.ends]
    same = hosts[:, 0] == hosts[:, 1]
    return Board(
        name=format_size(pairwise.bytes[size]),
        ends=pairwise.ends,
        kinds=same.astype(np.int64) if pairwise.are_found else pairwise.level,
        logs=np.log(pairwise.typical_s[size].astype(np.float64)),
        launches=np.log(pairwise.seconds[size].astype(np.float64)),
        rounds=pairwise.rounds if pairwise.bytes[size] >= LEAST_TO_DELAY else None,
    )


def _namer(pairwise: Pairwise) -> Callable[[int], str]:
    """Names of ranks, by default those of their nodes."""
    ranks_of = Counter(map(pairwise.host, range(len(pairwise.ranks))))

    def name_of_rank(i: int) -> str:
        host = pairwise.host(i)
        return host if ranks_of[host] == 1 else f"rank {pairwise.ranks[i]} on {host}"

    return name_of_rank


def _suspect(fault: Fault, pairwise: Pairwise, names: tuple[str, ...]) -> Suspect:
    each = pairwise.seconds[fault.board][:, fault.members]
    usual = pairwise.level_medians_s[fault.board][pairwise.level[fault.members]]
    typical: Callable[[Array], float] = of_cable if fault.kind == CABLE else np.median
    typical_s = float(typical(np.asarray(median_of_passes(each), np.float64)))
    # A level that the times show may be that of the outlier itself.
    usual_s = typical_s / fault.ratio if pairwise.are_found else float(np.median(usual))
    return Suspect(
        what=fault.kind,
        names=names,
        bytes=pairwise.bytes[fault.board],
        pairs=len(fault.members),
        typical_s=typical_s,
        usual_s=usual_s,
        ratio=fault.ratio,
        p=fault.p,
        passes_agreeing=fault.agreeing,
        passes=fault.launches,
    )
