"""Rounds of disjoint pairs: the first ones at random, the next ones such that they separate what is
still suspected (group testing; Dorfman 1943, doi 10.1214/aoms/1177731363)."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hockney.infer.arrays import Array, Whole
from hockney.infer.locate.candidates import Routes

if TYPE_CHECKING:
    from scipy.sparse import csr_array

OFFERED = 48
"""Rounds drawn at random, among which the best ones are taken."""
MOST_SEPARATED = 24
"""Most suspects every two of which rounds shall separate."""
ENOUGH = 4.0
"""Observations of a part after which another one is worth half as much."""


def all_rounds(ranks: int) -> int:
    """Rounds in which every two ranks meet once: those of the circle method (engine/circle.h)."""
    return ranks + ranks % 2 - 1


def round_pairs(ranks: int, number: int) -> Whole:
    """The pairs of one of these rounds, shape (pairs, 2), the lower rank first. Of an odd number
    of ranks one is idle."""
    moving = all_rounds(ranks)
    rank = np.arange(moving)
    partner = (2 * number - rank) % moving
    chosen = rank < partner
    pairs = np.stack([rank[chosen], partner[chosen]], axis=1)
    if moving < ranks:
        pairs = np.concatenate([pairs, [[number % moving, moving]]])
    return np.asarray(pairs, np.int64)


def round_of(ranks: int, pairs: NDArray[Any]) -> Whole:
    """The number of the round in which each pair meets."""
    moving = all_rounds(ranks)
    low, high = np.sort(pairs, axis=1).astype(np.int64).T
    half = (moving + 1) // 2  # of a sum, modulo an odd number
    return np.asarray(np.where(high == moving, low, (low + high) * half % moving))


def pair_between(network: Routes, ranks: int, part: int, other: int) -> tuple[int, int] | None:
    """Two ranks whose messages pass more of one part than of the other; None if there are none."""
    random = np.random.default_rng(1)
    rounds = drawn(ranks, OFFERED, (), random)
    for number in rounds:
        pairs = round_pairs(ranks, number)
        both = network.passed(pairs).weights[:, [part, other]].toarray()
        apart = np.abs(both[:, 0] - both[:, 1])
        if apart.max(initial=0.0) > 0.0:
            first, second = pairs[int(apart.argmax()) * len(pairs) // len(apart)].tolist()
            return first, second
    return None


def drawn(ranks: int, count: int, made: Collection[int], random: np.random.Generator) -> list[int]:
    """So many different rounds by lot: new ones as long as there are some."""
    every = random.permutation(all_rounds(ranks)).tolist()
    old = set(made)
    return [*(n for n in every if n not in old), *(n for n in every if n in old)][:count]


def separating(
    network: Routes,
    ranks: int,
    count: int,
    made: Collection[int],
    seen: csr_array[Any, Any],
    need: Array,
    random: np.random.Generator,
) -> list[int]:
    """So many rounds, chosen one by one, that separate what is suspected and cross what is not yet
    known to be sound.

    seen: the parts that the measured pairs passed, as `Passed.weights`; need: shape (parts,), how
    much is to be learnt about each part, 0 for none. Two parts are separated by the pairs that pass
    one of them only; a part is separated from no fault by those that pass it.
    """
    offered = drawn(ranks, min(OFFERED, all_rounds(ranks)), made, random)
    suspects = np.argsort(-need, kind="stable")[:MOST_SEPARATED]
    suspects = suspects[need[suspects] > 0.0]
    weight = np.minimum(need[suspects][:, None], need[suspects])
    np.fill_diagonal(weight, 0.0)
    passed = [network.passed(round_pairs(ranks, number)).weights for number in offered]
    apart = _separations(seen, suspects)
    gains = np.array([_separations(weights, suspects) for weights in passed])
    crossed = np.asarray(abs(seen).sum(axis=0)).ravel()
    crossings = np.array([np.asarray(weights.sum(axis=0)).ravel() for weights in passed])
    wanted = np.flatnonzero(need > 0.0)
    crossed, crossings = crossed[wanted], crossings[:, wanted]
    chosen: list[int] = []
    for _ in range(min(count, len(offered))):
        worth = (weight * _more(apart, gains)).sum(axis=(1, 2)) / max(len(suspects), 1)
        worth += (need[wanted] * _more(crossed, crossings)).sum(axis=1)
        worth[chosen] = -1.0
        best = int(worth.argmax())
        chosen.append(best)
        apart, crossed = apart + gains[best], crossed + crossings[best]
    return [offered[i] for i in chosen]


def _more(before: Array, added: Array) -> Array:
    """What is gained by more observations of what has been observed before."""
    return np.log1p(added / (ENOUGH + before))


def _separations(weights: csr_array[Any, Any], suspects: Whole) -> Array:
    """Shape (suspects, suspects): how many messages pass one but not the other, summed over
    pairs."""
    own = weights[:, suspects]
    own = own[np.flatnonzero(np.diff(own.indptr))].toarray()
    return np.asarray(np.abs(own[:, :, None] - own[:, None, :]).sum(axis=0))
