"""What a state of the machine probably is, where the topology does not contradict it."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from hockney.records import Place, Run


@dataclass(frozen=True)
class Guess:
    below_s: float
    """Upper limit of usual core-to-core latencies of today's processors, seconds; never used to
    sort."""
    words: str
    same_core: bool | None = None
    """Whether the two CPUs share a core, by this guess; None if it leaves that open."""
    same_l3: bool | None = None


GUESSES = (
    Guess(35e-9, "two threads of one core", same_core=True),
    Guess(130e-9, "two cores that share a last-level cache", same_core=False, same_l3=True),
    Guess(600e-9, "two cores without a common last-level cache", same_core=False, same_l3=False),
    Guess(float("inf"), "two cores far apart, or a disturbed machine", same_core=False),
)


def likely_of(run: Run, launches: Container[int], handover_s: float | None) -> str | None:
    """What this core-to-core latency usually means; None where it is unknown, or where the places
    of the ranks in one of the launches contradict it, as where a hypervisor shows caches that are
    not there."""
    if not handover_s:
        return None
    guess = next(guess for guess in GUESSES if handover_s < guess.below_s)
    columns = (run.probes.column(name).tolist() for name in ("launch", "peers"))
    peers = dict(zip(*columns, strict=True))
    for launch in run.launches:
        if launch.launch in launches and launch.launch in peers:
            places = [place for place in launch.places if place.rank in peers[launch.launch]]
            if len(places) == 2 and _contradict(guess, *places):
                return None
    return guess.words


def _contradict(guess: Guess, first: Place, second: Place) -> bool:
    """Whether two places contradict the guess."""
    return any(
        claimed is not None and None not in (a, b) and (a == b) is not claimed
        for claimed, a, b in (
            (guess.same_core, first.core_of_node, second.core_of_node),
            (guess.same_l3, first.l3, second.l3),
        )
    )
