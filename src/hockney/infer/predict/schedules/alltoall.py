"""All-to-all. Bytes are those of one block; block i * ranks + j goes from rank i to rank j."""

from __future__ import annotations

from functools import partial

import numpy as np

from hockney.infer.predict.schedule import MOST_AT_ONCE, Ranks, Schedule, require, step, too_long


def linear(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """Every rank posts everything at once, beginning with its right neighbour."""
    if ranks**2 > MOST_AT_ONCE:
        raise too_long(ranks**2)
    rank, distance = np.arange(ranks), np.arange(1, ranks)
    sources = np.repeat(rank, ranks - 1)
    destinations = (sources + np.tile(distance, ranks)) % ranks
    yield step(sources, destinations, bytes_, partial(_direct, ranks, sources, destinations))


def pairwise(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """In step k every rank sends to rank r + k and receives from rank r - k."""
    rank = np.arange(ranks)
    for distance in range(1, ranks):
        to = (rank + distance) % ranks
        yield step(rank, to, bytes_, partial(_direct, ranks, rank, to))


def bruck(ranks: int, bytes_: int, segment: int | None) -> Schedule:  # noqa: ARG001
    """In step k all blocks whose distance from source to destination has bit k set move by 2^k
    (Bruck et al. 1997)."""
    rank, way = np.arange(ranks), np.arange(ranks)
    unit = 1
    while unit < ranks:
        ways = way[(way & unit) > 0]
        yield step(
            rank, (rank + unit) % ranks, bytes_ * len(ways), partial(_under_way, ranks, ways, unit)
        )
        unit *= 2


def two_procs(ranks: int, bytes_: int, segment: int | None) -> Schedule:
    require(ranks == 2, "two_procs is for two ranks", ranks)
    return pairwise(ranks, bytes_, segment)


def _direct(ranks: int, sources: Ranks, destinations: Ranks, message: int) -> tuple[int]:
    return (int(sources[message]) * ranks + int(destinations[message]),)


def _under_way(ranks: int, ways: Ranks, unit: int, holder: int) -> list[int]:
    """Blocks of these distances that a rank holds after the steps of all bits below unit."""
    origins = (holder - ways % unit) % ranks
    return [int(block) for block in origins * ranks + (origins + ways) % ranks]


ALGORITHMS = {"basic_linear": linear, "pairwise": pairwise, "bruck": bruck, "two_procs": two_procs}
