"""Places of ranks from their profile, and distances between them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hockney.base.grouping import by_key
from hockney.profiling.kinds import RankRecord

MOST_CPUS = 1 << 16
SELF, CACHE, NODE, OTHER_NODE, UNKNOWN = "itself", "same last cache", "same node", "other node", "?"
NOBODY = "none"
"""Distance of messages to MPI_PROC_NULL, which carry nothing."""
DISTANCES = (SELF, CACHE, NODE, OTHER_NODE, UNKNOWN, NOBODY)

Cache = tuple[str, frozenset[int]]
"""A last cache, by its host and the CPUs that share it."""


def cpus_of(text: str) -> frozenset[int]:
    """The CPUs of a list as Linux writes them (0-3,8); empty if it is invalid."""
    cpus: set[int] = set()
    for part in text.split(","):
        matched = re.fullmatch(r"\s*(\d{1,6})(?:-(\d{1,6}))?\s*", part)
        if not matched:
            return frozenset()
        first, last = int(matched[1]), int(matched[2] or matched[1])
        if not first <= last < MOST_CPUS:
            return frozenset()
        cpus.update(range(first, last + 1))
    return frozenset(cpus)


def distance(a: RankRecord, b: RankRecord | None) -> str:
    """The distance, one of DISTANCES. A common cache is known if both ranks are bound to its
    CPUs."""
    if b is None:
        return UNKNOWN
    if (a.job, a.rank) == (b.job, b.rank):
        return SELF
    if a.host != b.host:
        return OTHER_NODE
    cache = cpus_of(a.cache)
    bound = [cpus_of(rank.cpus) for rank in (a, b)]
    return CACHE if cache and all(cpus and cpus <= cache for cpus in bound) else NODE


def cache_of(rank: RankRecord) -> Cache | None:
    """The last cache to whose CPUs a rank is bound; None if it is not known to be bound to those of
    one cache."""
    cache, bound = cpus_of(rank.cache), cpus_of(rank.cpus)
    return (rank.host, cache) if bound and bound <= cache else None


def crowded(ranks: Sequence[RankRecord]) -> list[tuple[frozenset[int], list[RankRecord]]]:
    """CPUs of a host on which more ranks than CPUs are bound, with these ranks."""
    sharing = by_key(ranks, lambda rank: (rank.host, rank.job, cpus_of(rank.cpus)))
    return [
        (cpus, of_them)
        for (_, _, cpus), of_them in sharing.items()
        if cpus and len(of_them) > len(cpus)
    ]
