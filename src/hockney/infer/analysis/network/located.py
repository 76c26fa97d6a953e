"""What rounds that were chosen step by step show of a network: what is slow, what may be, and what
could not be judged."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hockney.base.units import format_ratio, format_size, listed, whole_percent
from hockney.infer.analysis.conditions.noise import held_by_others
from hockney.infer.analysis.network.boards import Doubt, held_doubts
from hockney.infer.analysis.network.outlier_rule import least_ratio
from hockney.infer.analysis.network.part_words import counted, words_of
from hockney.infer.analysis.network.round_times import (
    CROWDS,
    blocks_of,
    made_rounds,
    moved_launches,
    network_of,
    platform_of,
    sizes_of,
    times_of,
)
from hockney.infer.analysis.network.slow_parts import SlowPart, Verdict
from hockney.infer.analysis.network.two_kinds import two_kinds
from hockney.infer.estimate.interval import Interval, interval_words
from hockney.infer.locate.candidates import NODE, PROCESS, NetworkPart, OneWayRoutes, Routes
from hockney.infer.locate.design import all_rounds, pair_between
from hockney.infer.locate.explanations import Explanations, LikelyFault
from hockney.infer.locate.odds import FEWEST, SURE, RoundTimes, judge
from hockney.infer.locate.platform_routes import unknown_hosts
from hockney.records import Run

RULE = (
    "a part of the network is slow if that is at least 1,000 times likelier than that nothing is "
    "(Bayes; averaged over a slowness from 1.1 times on, and over small differences of sound "
    "parts; noise is Student's t with 3 degrees of freedom); it is separated from another part "
    "where it is 1,000 times likelier than that, too"
)
NEARER_IS_SLOWER = 1.15
"""Ratio of the times of near pairs to those of farther ones from which on the topology is not
believed."""
MOST_NAMED = 4
MORE_ROUNDS = "more rounds would decide: a larger --budget or --rounds, or --all-pairs"
SMALL_ALONE = "small messages alone show what is slow at these: --sizes 8"


@dataclass(frozen=True, kw_only=True)
class LocatedFault(SlowPart):
    """A slow part of the network, by few of its pairs."""

    USUAL = "the usual time"

    way: str | None
    """OUT or IN where it is slow in one direction alone: a cable from the first of its names."""
    note: str | None
    """More about it in a network whose routes are known: "x+", "between groups"; None elsewhere."""
    all_bytes: tuple[int, ...]
    """All sizes that show it."""
    interval: Interval
    """The 95 % interval of the ratio; both are of the slow messages alone where only some are."""
    lost: float | None
    """Fraction of the times that are far longer; None if all are longer."""
    odds_log10: float
    """Logarithm of how much likelier it is than the next explanation."""
    next: str | None
    """The next explanation, in words; None: that nothing is slow."""
    same: tuple[str, ...]
    """Other explanations that no measured pair separates from it."""
    like: tuple[str, ...]
    """Other explanations that are not 1,000 times less likely."""
    separated_by: tuple[str, str] | None
    """Two nodes whose messages would separate it from the first of those."""
    observations: int
    """Number of times of pairs that passed it."""

    @property
    def words(self) -> str:
        return words_of(NetworkPart(self.what, self.names, self.way, self.note))

    @property
    def number(self) -> str:
        ratio = format_ratio(self.ratio) + interval_words(self.interval, format_ratio)
        return f"{ratio} times {self.USUAL} at {format_size(self.bytes)}"


@dataclass(frozen=True, kw_only=True)
class Located(Verdict[LocatedFault]):
    """The verdict on a network, by few of its pairs."""

    rounds: int
    """Number of rounds that were made, and of those of all pairs."""
    all_rounds: int
    steps: int
    """Launches that chose rounds by the ones before."""
    knows_switches: bool


def located_of(run: Run) -> Located | None:
    """The verdict; None if no pair was measured."""
    network = network_of(run)
    times = times_of(run, network)
    if times is None:
        return None
    judged = judge(times, list(network.parts))
    ranks = len(network.host_of)
    sizes = sizes_of(run)
    counts = _counts(network, range(len(network.parts)))
    counts.subtract(_counts(network, [*judged.unclear.tolist(), *judged.unjudged.tolist()]))
    held = held_by_others(run)
    faults = [_fault(slow_part, network, sizes) for slow_part in judged.slow_parts]
    least = least_ratio(held)
    knows_switches = any(part.kind not in (NODE, PROCESS) for part in network.parts)
    kinds = list(two_kinds(network.parts, times)) if knows_switches else []
    named = [fault for fault in faults if fault.ratio > least and not kinds]
    return Located(
        slow=tuple(named),
        rounds=len(made_rounds(run, ranks)),
        all_rounds=all_rounds(ranks),
        steps=len({block.launch for block in blocks_of(run)}),
        judged=dict(+counts),
        knows_switches=knows_switches,
        doubts=(
            *_of_moved(run),
            *_of_unknown(run, network),
            *held_doubts(held, len(named) < len(faults) and not kinds),
            *kinds,
            *_doubts(network, times, judged),
        ),
    )


def _fault(slow_part: LikelyFault, network: Routes, sizes: Sequence[int]) -> LocatedFault:
    parts = network.parts
    part = parts[slow_part.part]
    rivals = [*slow_part.same, *slow_part.like]
    pair = (
        pair_between(network, len(network.host_of), slow_part.part, rivals[0]) if rivals else None
    )
    hosts = [parts[network.host_of[rank]].names[0] for rank in pair] if pair else []
    return LocatedFault(
        what=part.kind,
        names=part.names,
        way=part.way,
        note=part.note,
        bytes=sizes[slow_part.size],
        all_bytes=tuple(sizes[i] for i in slow_part.shows),
        ratio=slow_part.ratio,
        interval=slow_part.interval,
        lost=slow_part.lost,
        odds_log10=slow_part.odds_log / math.log(10.0),
        next=None if slow_part.next_part is None else words_of(parts[slow_part.next_part]),
        same=tuple(words_of(parts[i]) for i in slow_part.same[:MOST_NAMED]),
        like=tuple(words_of(parts[i]) for i in slow_part.like[:MOST_NAMED]),
        separated_by=(hosts[0], hosts[1]) if hosts else None,
        observations=slow_part.observations,
    )


def _counts(network: Routes, parts: Iterable[int]) -> Counter[str]:
    """How many parts of each kind these are; two directions of a part count once."""
    if isinstance(network, OneWayRoutes):
        parts = network.both_ways[list(parts)].tolist()
    return Counter(network.parts[i].kind for i in dict.fromkeys(parts))


def _doubts(network: Routes, times: RoundTimes, judged: Explanations) -> Iterator[Doubt]:
    for slow_part in judged.slow_parts:
        if slow_part.odds_log < SURE:
            words = " or ".join(
                words_of(network.parts[i]) for i in (slow_part.part, *slow_part.like[:2])
            )
            yield Doubt(f"{words}: the times separate them by less than 1,000 to 1", MORE_ROUNDS)
    contradiction = _contradiction(network, times)
    if contradiction is not None:
        yield Doubt(contradiction, "correct the topology, or measure without it")
    likeliest = judged.open[np.argsort(-judged.log_odds[judged.open])][:MOST_NAMED].tolist()
    likely = [i for i in likeliest if judged.log_odds[i] > 0.0]
    if likely:
        words = "; ".join(words_of(network.parts[i]) for i in likely)
        yield Doubt(f"{words}: likelier than not, but not 1,000 times", MORE_ROUNDS)
    if times.left_out > 0.0 and (len(judged.unclear) or likely):
        yield Doubt(
            f"the large messages of {whole_percent(times.left_out)} of the pairs shared a cable "
            "with others of their round, which delays them, and were left out",
            SMALL_ALONE,
        )
    unclear = _counts(network, (i for i in judged.unclear.tolist() if i not in likely))
    if unclear:
        yield Doubt(
            f"{counted(unclear)} had too few or too different times to exclude that "
            f"{'it is' if unclear.total() == 1 else 'one is'} slow",
            MORE_ROUNDS,
        )
    usual = _counts(network, judged.unjudged.tolist())
    if usual:
        yield Doubt(
            f"most pairs pass {counted(usual)}, so that nothing shows their usual time",
            "measure on nodes of more switches",
        )


def _of_moved(run: Run) -> list[Doubt]:
    moved = sorted(moved_launches(run))
    if not moved:
        return []
    numbers = ", ".join(str(number + 1) for number in moved[:MOST_NAMED])
    return [
        Doubt(
            f"launch {numbers} ran on other nodes than launch 1: its times are left out",
            "measure again, on nodes that stay the same",
        )
    ]


def _of_unknown(run: Run, network: Routes) -> Iterator[Doubt]:
    platform = platform_of(run)
    hosts = [part.names[0] for part in network.parts if (part.kind, part.way) == (NODE, None)]
    missing = unknown_hosts(platform, hosts) if platform else []
    if platform and missing:
        yield Doubt(
            f"{platform.source} has no {listed(missing, MOST_NAMED)}: its routes are not "
            "used, cables are unknown",
            "add what is missing, or measure on other nodes",
        )


def _contradiction(network: Routes, times: RoundTimes) -> str | None:
    """Pairs that are nearer by the topology but take longer, in words."""
    levels = times.classes[0] // CROWDS
    medians = {
        int(level): float(np.nanmedian(times.logs[0, levels == level]))
        for level in np.unique(levels)
        if level > 0 and (~np.isnan(times.logs[0, levels == level])).sum() >= FEWEST
    }
    for near, far in itertools.combinations(sorted(medians), 2):
        ratio = math.exp(medians[near] - medians[far])
        names = network.level_name(near), network.level_name(far)
        if ratio > NEARER_IS_SLOWER and None not in names:
            return (
                f"pairs of level {names[0]!r} take {format_ratio(ratio)} times as long as pairs of "
                f"level {names[1]!r}: the topology contradicts the times"
            )
    return None
