"""Trees of ranks, and the schedules that walk them down and up."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from hockney.infer.arrays import Array
from hockney.infer.predict.schedule import (
    MOST_MESSAGES,
    STEP_MESSAGES,
    Ranks,
    Schedule,
    one_block,
    ranges,
    step,
    sums_of,
    too_long,
)

CHAIN_FANOUT = 4
"""Default of Open MPI's chain (coll_tuned_bcast_algorithm_chain_fanout)."""
KNOMIAL_RADIX = 4
"""Default of Open MPI's k-nomial tree (coll_tuned_bcast_algorithm_knomial_radix)."""


@dataclass(frozen=True)
class Tree:
    """Edges of a tree in the order in which each parent posts them. Shapes (ranks - 1,) and
    (ranks,)."""

    parents: Ranks
    children: Ranks
    depth: Ranks
    """Depth of each rank below the root, rank 0."""
    height: Ranks
    """Height of each rank above its lowest leaf."""
    members: Ranks
    """Number of ranks in the subtree of each rank."""


def tree(parent: Ranks, posted: Ranks) -> Tree:
    """The tree with these parents. parent: the parent of each rank, a lower rank except for rank 0,
    its own parent; posted: a sort key of each rank, lower if its parent posts to it earlier."""
    ranks = len(parent)
    depth, height = np.zeros(ranks, dtype=np.int64), np.zeros(ranks, dtype=np.int64)
    members = np.ones(ranks, dtype=np.int64)
    for rank in range(1, ranks):
        depth[rank] = depth[parent[rank]] + 1
    for rank in range(ranks - 1, 0, -1):
        height[parent[rank]] = max(height[parent[rank]], height[rank] + 1)
        members[parent[rank]] += members[rank]
    children = np.arange(1, ranks)
    order = np.lexsort((posted[1:], parent[1:]))
    return Tree(parent[1:][order], children[order], depth, height, members)


def flat(ranks: int) -> Tree:
    """A tree in which all other ranks are children of the root."""
    return tree(np.zeros(ranks, dtype=np.int64), np.arange(ranks))


def chain(ranks: int, fanout: int = 1) -> Tree:
    """A tree whose root heads `fanout` chains of neighbouring ranks, of lengths that differ by at
    most 1."""
    rank = np.arange(ranks)
    heads = {int(part[0]) for part in np.array_split(rank[1:], fanout) if len(part)}
    parent = np.where(np.isin(rank, list(heads)), 0, np.maximum(rank - 1, 0))
    return tree(parent, rank)


def binary(ranks: int) -> Tree:
    """A tree in which rank r of level l has the children r + 2^l and r + 2^(l+1), so that odd ranks
    are on one side of the root and even ones on the other, as in Open MPI."""
    rank = np.arange(ranks)
    level = np.floor(np.log2(rank + 1)).astype(np.int64)
    is_first_child = rank + 1 - 2**level < 2**level // 2
    parent = rank - np.where(is_first_child, 2**level // 2, 2**level)
    return tree(np.maximum(parent, 0), rank)


def knomial(ranks: int, radix: int = KNOMIAL_RADIX) -> Tree:
    """A tree in which the parent of a rank has its lowest nonzero digit in base `radix` set to 0.
    Larger subtrees are served first; each has neighbouring ranks."""
    parent, posted = np.zeros(ranks, dtype=np.int64), np.zeros(ranks, dtype=np.int64)
    for rank in range(1, ranks):
        unit = 1
        while rank % (unit * radix) == 0:
            unit *= radix
        parent[rank] = rank - rank % (unit * radix)
        posted[rank] = rank - 2 * unit * ranks
    return tree(parent, posted)


def binomial(ranks: int) -> Tree:
    """k-nomial of radix 2 (Thakur, Rabenseifner & Gropp 2005)."""
    return knomial(ranks, 2)


def down(shape: Tree, segments: Array, in_turn: bool = False) -> Schedule:
    """Every rank passes each segment on to all its children, while it receives the next. Block s is
    segment s."""
    first = shape.depth[shape.parents]
    return _by_segments(shape.parents, shape.children, first, segments, in_turn, reduces=False)


def up(shape: Tree, segments: Array, in_turn: bool = False) -> Schedule:
    """Every rank adds its children's data to its own and sends the sum to its parent, the reverse
    of `down`."""
    first = shape.height[shape.children]
    return _by_segments(shape.children, shape.parents, first, segments, in_turn, reduces=True)


def _by_segments(
    sources: Ranks,
    destinations: Ranks,
    first: Ranks,
    segments: Array,
    in_turn: bool,
    reduces: bool,
) -> Schedule:
    """The steps in which edges that carry their first segment in step `first` carry all. Raises
    UsageError if they are too many, before edges are computed."""
    times = range(int(first.max(initial=-1)) + len(segments))
    if len(times) * STEP_MESSAGES > MOST_MESSAGES:
        raise too_long(len(first) * len(segments))
    for time in times:
        due = (time >= first) & (time - first < len(segments))
        carried = (time - first)[due]
        yield step(
            sources[due],
            destinations[due],
            segments[carried],
            partial(one_block, carried),
            in_turn=in_turn,
            reduces=reduces,
        )


def spread(shape: Tree, sizes: Array, in_turn: bool = True) -> Schedule:
    """Scatter: every rank gets the blocks of its subtree from its parent, keeps its own and passes
    on the others. The subtree of rank r must have the ranks r, r + 1, ...; block r is rank r's."""
    first = shape.depth[shape.parents]
    return _by_subtrees(shape, sizes, shape.parents, shape.children, first, in_turn)


def collect(shape: Tree, sizes: Array, in_turn: bool = True) -> Schedule:
    """Gather: the reverse of `spread`."""
    first = shape.height[shape.children]
    return _by_subtrees(shape, sizes, shape.children, shape.parents, first, in_turn)


def _by_subtrees(
    shape: Tree, sizes: Array, sources: Ranks, destinations: Ranks, first: Ranks, in_turn: bool
) -> Schedule:
    """The steps in which edges carry the blocks of the subtree below them, each in step `first`."""
    total = sums_of(sizes)
    for time in range(int(first.max(initial=-1)) + 1):
        due = first == time
        heads = shape.children[due]
        ends = heads + shape.members[heads]
        yield ranges(sources[due], destinations[due], heads, ends, total, in_turn=in_turn)
