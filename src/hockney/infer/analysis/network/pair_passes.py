"""The passes of a run over the pairs of its network, as one table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hockney.infer.analysis.conditions.noise import held_by_others
from hockney.infer.analysis.network.pair_levels import (
    FOUND,
    found_switches,
    known_switches,
    levels_of,
)
from hockney.infer.analysis.network.pairwise import Pairwise, median_of_passes
from hockney.infer.analysis.network.places import places_of
from hockney.infer.arrays import Whole
from hockney.records import PairBlock, Run, Samples


def pairwise_of(run: Run) -> Pairwise | None:
    """The pairs of a run; None if no pass was made."""
    blocks = [block for block in run.pair_times if len(block.peers)]
    if not blocks:
        return None
    ranks = np.unique(np.concatenate([np.unique(block.peers) for block in blocks]))
    passes = tuple(sorted({block.pass_number for block in blocks}))
    sizes = tuple(sorted({size for block in blocks for size in block.bytes}))
    ends, seconds, rounds = _table(blocks, ranks, sizes, passes)
    places = places_of(run)
    own = [places.get(int(rank)) for rank in ranks]
    paths, switch = known_switches(own)
    if not paths:
        paths, switch = found_switches(own, ends, median_of_passes(seconds[0]))
    levels, level = levels_of(own, ends, paths, switch)
    return Pairwise(
        ranks=ranks.astype(np.int64),
        places=places,
        ends=ends,
        bytes=sizes,
        passes=passes,
        seconds=seconds,
        switch=switch,
        switches=tuple(path[-1] for path in paths),
        are_found=bool(paths) and paths[0][0] == FOUND,
        levels=levels,
        level=level,
        rounds=rounds,
        is_one_way=any(block.is_one_way for block in blocks),
        is_simulated=run.is_simulated,
        held=held_by_others(run),
    )


def _table(
    blocks: Sequence[PairBlock],
    ranks: NDArray[np.int32],
    sizes: Sequence[int],
    passes: Sequence[int],
) -> tuple[Whole, NDArray[np.float32], Whole]:
    """`Pairwise.ends`, `seconds` and `rounds`; pairs without all sizes are excluded."""
    keys = [_keys(block, ranks) for block in blocks]
    known = np.unique(np.concatenate(keys))
    seconds = np.full((len(sizes), len(passes), len(known)), np.nan, np.float32)
    rounds = np.full(len(known), -1)
    rounds[np.searchsorted(known, np.concatenate(keys))] = rounds_of(blocks)
    for block, key in zip(blocks, keys, strict=True):
        at = np.searchsorted(known, key)
        for size, ns in zip(block.bytes, block.ns, strict=True):
            known_s = np.where(ns > 0.0, ns * 1e-9, np.nan)  # of 0, the clock was too coarse
            seconds[sizes.index(size), passes.index(block.pass_number), at] = known_s
    has_all = ~np.isnan(seconds).all(axis=1).any(axis=0)
    ends = np.stack([known // len(ranks), known % len(ranks)], axis=1)
    return ends[has_all], seconds[:, :, has_all], rounds[has_all]


def rounds_of(blocks: Sequence[PairBlock]) -> Whole:
    """Shape (pairs of all blocks,): pairs that communicated at the same time have the same number,
    an even one and the next one where the two directions of each pair took turns."""
    each: list[Whole] = []
    begun = 0
    for block in blocks:
        ways = 2 if block.is_one_way else 1
        visits = begun + _visits_of(block.peers[::ways], block.visits)
        begun = int(visits.max()) + 1
        each.append((2 * visits[:, None] + np.arange(ways)).ravel())
    return np.concatenate(each)


def _visits_of(peers: NDArray[np.int32], visits: int) -> Whole:
    """The visit of each pair, from 0 on. Where visits have different numbers of pairs, a new one
    begins where a rank is repeated."""
    count = len(peers)
    if count % visits == 0:
        return np.arange(count) // (count // visits)
    visit_of = np.zeros(count, np.int64)
    seen: set[int] = set()
    for i, pair in enumerate(peers.tolist()):
        again = not seen.isdisjoint(pair)
        seen = set(pair) if again else seen.union(pair)
        visit_of[i] = (visit_of[i - 1] if i else 0) + again
    return visit_of


def _keys(block: PairBlock, ranks: NDArray[np.int32]) -> Whole:
    peers = block.peers if block.is_one_way else np.sort(block.peers, axis=1)
    places = np.searchsorted(ranks, peers).astype(np.int64)
    return np.asarray(places[:, 0] * len(ranks) + places[:, 1])


def level_samples(pairwise: Pairwise, operation: str) -> list[Samples]:
    """The median pair of each level and size in each pass, as samples, which are compared, fitted
    and exported. A pass with fewer pairs than another does not count."""
    made = [int((~np.isnan(pairwise.seconds[0, i])).sum()) for i in range(len(pairwise.passes))]
    whole = [i for i, pairs in enumerate(made) if pairs == max(made)]
    return [
        Samples(
            operation=operation,
            bytes=size,
            ranks=len(pairwise.ranks),
            level=level,
            launch=pairwise.passes[i],
            round=0,
            repetitions=1,
            ns=[float(np.nanmedian(pairwise.seconds[place, i, pairwise.level == number])) * 1e9],
        )
        for i in whole
        for place, size in enumerate(pairwise.bytes)
        for number, level in enumerate(pairwise.levels)
        if not np.isnan(pairwise.seconds[place, i, pairwise.level == number]).all()
    ]
