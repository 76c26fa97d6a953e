"""Outliers of pairs and cores: nodes, places and pairs that are slower than their peers.

The rule is in outlier_rule.py, the order of explanations in faults.py; a network's passes are
judged by the same (network_faults.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from hockney.base.units import format_size, whole_percent
from hockney.infer.analysis.conditions.noise import held_by_others
from hockney.infer.analysis.network.boards import (
    Board,
    Doubt,
    Fault,
    Network,
    lacking_doubts,
    seldom_doubts,
    unmeasured_doubts,
)
from hockney.infer.analysis.network.faults import judged
from hockney.infer.analysis.network.outlier_rule import (
    LEAST_MEMBERS,
    LEAST_RATIO,
    SIGNIFICANCE,
)
from hockney.infer.analysis.network.places import BETWEEN_NODES, places_of, shared
from hockney.infer.analysis.network.slow_parts import TestedPart, Verdict
from hockney.infer.estimate.points import Estimates, Pair, PointEstimate, slower_by_pair
from hockney.plan.axes import grouped
from hockney.plan.topology import switches_of
from hockney.plan.workloads import Workload
from hockney.plan.workloads.cores import Cores
from hockney.plan.workloads.pairs import Pairs
from hockney.records import Place, Run

RULE = (
    f"an outlier takes more than {whole_percent(LEAST_RATIO - 1.0)} longer than its peers, and "
    "more than 1 / (1 - h) times as long if others held the CPUs of half of the ranks for a "
    "fraction h of the time, with "
    f"p < {whole_percent(SIGNIFICANCE)} for all that were compared (Student's t of its logarithm "
    "against the peers without those that are far off; Bonferroni's correction), in 4 of 5 "
    "launches; nodes and places are compared by the sorted times to all their partners, pairs with "
    "those of the same known hardware and of the same level of the times, if that is spread over "
    "the network"
)


@dataclass(frozen=True, kw_only=True)
class Outlier(TestedPart):
    """A slow part among pairs, or pairs at once, at the size where its ratio is largest."""

    ranks: tuple[int, ...]
    group: str
    """The hardware that the ranks of its pairs share (places.SHARED)."""
    operation: str
    pairs: int
    """Number of pairs at once."""

    @property
    def title(self) -> str:
        return f"{self.what} {', '.join(self.names)}"

    @property
    def words(self) -> str:
        return f"{self.title} is slow"

    @property
    def reference(self) -> str:
        return "its peers, in the same launches"

    @property
    def is_between_nodes(self) -> bool:
        return self.group in BETWEEN_NODES


def find_outliers(run: Run, estimates: Estimates, workload: Workload | None) -> Verdict[Outlier]:
    """Outliers by RULE in the headline state, those that explain most first."""
    measured = [point for point in estimates.own() if point.is_one_pair]
    pairs = slower_by_pair(measured).keys()
    points = _by_board(measured)
    ranks = sorted({rank for of_board in points for pair in of_board for rank in pair})
    places = places_of(run)
    network = _network(ranks, places, run)
    kinds = [[shared(places.get(a), places.get(b)) for a, b in of_board] for of_board in points]
    boards = [_board(*of_board, ranks) for of_board in zip(points, kinds, strict=True)]
    judgement = judged(boards, network)
    firsts = [next(iter(of_board.values())) for of_board in points]
    outliers = tuple(
        _outlier(fault, firsts[fault.board], kinds[fault.board], ranks, network)
        for fault in judgement.faults
    )
    left_out = unmeasured_doubts(
        _listed_places(places, workload), {rank for pair in pairs for rank in pair}
    )
    wanted = _wanted(places, workload)
    if wanted & pairs and not left_out:  # else the plan is another's
        left_out = lacking_doubts(len(wanted - pairs), len(wanted))
    left_out += _seldom(points, ranks, network, len(run.launches))
    return Verdict(outliers, +judgement.judged, (*judgement.doubts, *left_out))


def _seldom(
    boards: Iterable[Mapping[Pair, PointEstimate]],
    ranks: Sequence[int],
    network: Network,
    launches: int,
) -> list[Doubt]:
    """The doubt about a node that few launches measured; of a single node about a place."""
    looks: dict[Pair, int] = {}
    for of_board in boards:
        for pair, point in of_board.items():
            looks[pair] = max(looks.get(pair, 0), len(point.launch_numbers))
    names = network.ranks
    if len(network.hosts) > 1:
        of_ranks = zip(network.host.tolist(), network.ranks, strict=True)
        names = [network.hosts[at] if at >= 0 else rank for at, rank in of_ranks]
    ends = np.searchsorted(ranks, list(looks)).reshape(-1, 2)
    return seldom_doubts(names, ends, np.array([*looks.values()]), launches, Outlier.LOOK)


def _wanted(places: Mapping[int, Place], workload: Workload | None) -> set[Pair]:
    """The pairs that the plan measures; empty where that is not known."""
    if isinstance(workload, Cores):
        return set(combinations(sorted(places), 2))
    if isinstance(workload, Pairs) and max(workload.active, default=0) >= len(workload.pairing):
        return {(min(pair), max(pair)) for pair in workload.pairing}
    return set()


def _listed_places(places: Mapping[int, Place], workload: Workload | None) -> Mapping[int, Place]:
    """The places of the ranks that were to be measured: those in the list of pairs, if any."""
    pairing = getattr(workload, "pairing", ())
    listed = {rank for pair in pairing for rank in pair}
    return {rank: place for rank, place in places.items() if not listed or rank in listed}


def _by_board(points: Iterable[PointEstimate]) -> list[dict[Pair, PointEstimate]]:
    """Points by pair, for each size and number of pairs at once."""
    timed = grouped((point for point in points if min(point.medians_s) > 0.0), "peers", "level")
    boards = map(slower_by_pair, timed.values())
    return [board for board in boards if len(board) >= LEAST_MEMBERS]


def _network(ranks: Sequence[int], places: Mapping[int, Place], run: Run) -> Network:
    of_rank = [places[rank].host if rank in places else None for rank in ranks]
    hosts = [host for host in dict.fromkeys(of_rank) if host is not None]
    paths = {
        place.host: switches_of(place.topology) for place in places.values() if place.host in hosts
    }
    of_host = [paths[host][-1] if paths[host] else None for host in hosts]
    switches = [name for name in dict.fromkeys(of_host) if name is not None]
    return Network(
        np.array([-1 if name is None else hosts.index(name) for name in of_rank], np.int64),
        np.array([-1 if name is None else switches.index(name) for name in of_host], np.int64),
        run.is_simulated,
        held=held_by_others(run),
        hosts=hosts,
        switches=switches,
        ranks=[
            f"rank {rank}" + (f" ({host})" if host is not None else "")
            for rank, host in zip(ranks, of_rank, strict=True)
        ],
    )


def _board(points: Mapping[Pair, PointEstimate], names: list[str], ranks: list[int]) -> Board:
    """names: what the ranks of each pair share."""
    number = {rank: i for i, rank in enumerate(ranks)}
    known = sorted(set(names))
    launches = sorted({n for point in points.values() for n in point.launch_numbers})
    each = np.full((len(launches), len(points)), np.nan)
    for column, point in enumerate(points.values()):
        rows = [launches.index(launch) for launch in point.launch_numbers]
        each[rows, column] = np.log(point.medians_s)
    first = next(iter(points.values()))
    at_once = f" with {first.pairs} pairs at once" if (first.pairs or 1) > 1 else ""
    return Board(
        name=f"{format_size(first.bytes)}{at_once}",
        ends=np.array([[number[a], number[b]] for a, b in points], np.int64),
        kinds=np.array([known.index(name) for name in names], np.int64),
        logs=np.log([point.typical_s for point in points.values()]),
        launches=each,
    )


def _outlier(
    fault: Fault, point: PointEstimate, kinds: list[str], ranks: Sequence[int], network: Network
) -> Outlier:
    own = [kinds[i] for i in fault.members.tolist()]
    units = np.isin(network.units_of(fault.kind), fault.units)
    return Outlier(
        what=fault.kind,
        names=network.names_of(fault),
        ranks=tuple(ranks[i] for i in np.flatnonzero(units).tolist()),
        group=max(set(own), key=own.count),
        operation=point.operation,
        bytes=point.bytes,
        pairs=point.pairs or 1,
        ratio=fault.ratio,
        p=fault.p,
        agreeing=fault.agreeing,
        looks=fault.launches,
    )
