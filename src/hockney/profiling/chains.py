"""Chains of waiting: a rank that is waited for may itself wait, and passes the blame on.

A rank waits for what the last rank of such a chain does. Only sums are known of each rank, so the
waiting for it is divided among its activities, and its own waits, in proportion to their time. Two
ranks never wait for each other at one moment, so no chain goes back to where it came from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

MOST_STEPS, LEAST_HOPS = 10_000_000, 10
"""Waiting is followed for MOST_STEPS / links hops, which take a second or two, but for at least
LEAST_HOPS: to the end of pipelines of up to 3000 ranks. Where all ranks wait for all, few hops
reach every rank."""
NEGLIGIBLE = 1e-6
"""Fraction of the waiting below which it is followed no further."""
ROUNDING = 1e-12
"""Fraction of a rank's time below which a difference of times is a rounding error."""
Key = tuple[int, int]
Seconds = NDArray[np.float64]


@dataclass(frozen=True)
class WaitChains:
    """Waiting between ranks. A link is the waiting of one rank for another."""

    keys: Sequence[Key]
    active: Seconds
    """Seconds of each rank (rows) in each activity (columns), waiting excepted."""
    source: NDArray[np.intp]
    """The waiting rank of each link, as a row of `active`."""
    target: NDArray[np.intp]
    """The rank that is waited for."""
    seconds: Seconds

    @cached_property
    def _opposite(self) -> NDArray[np.intp]:
        """The link of each link's ranks in the other direction; -1 without one."""
        ranks = len(self.active)
        links = self.source * ranks + self.target
        opposite = self.target * ranks + self.source
        order = np.argsort(links)
        places = np.searchsorted(links, opposite, sorter=order).clip(max=len(links) - 1)
        return np.where(links[order[places]] == opposite, order[places], -1)

    @cached_property
    def _back(self) -> Seconds:
        """Seconds that the target of each link waited for its source."""
        return np.where(self._opposite >= 0, self.seconds[self._opposite], 0.0)

    @cached_property
    def _per_second(self) -> Seconds:
        """One over the seconds of each link's target in which its source may have waited for it; 0
        where there are none."""
        whole = self.active.sum(axis=1) + self._of_ranks(self.source, self.seconds)
        left = whole[self.target] - self._back
        has_any = left > ROUNDING * whole[self.target]
        per_second: Seconds = np.divide(1.0, left, out=np.zeros_like(left), where=has_any)
        return per_second

    def _of_ranks(self, ranks: NDArray[np.intp], of_links: Seconds) -> Seconds:
        return np.asarray(np.bincount(ranks, of_links, len(self.active)), np.float64)

    @property
    def _hops(self) -> range:
        links = len(self.seconds)
        return range(max(MOST_STEPS // links, LEAST_HOPS) if links else 0)

    @cached_property
    def activities_met(self) -> Seconds:
        """What each link's waiting ends at, as fractions of the activities; a row of zeros where
        nobody in its chains does anything."""
        met = np.stack([self._met(activity) for activity in self.active.T], axis=1)
        whole = met.sum(axis=1, keepdims=True)
        parts: Seconds = np.divide(met, whole, out=np.zeros_like(met), where=whole > 0.0)
        return parts

    def _met(self, active: Seconds) -> Seconds:
        """The fraction of each link's waiting that ends at one activity; active: seconds of each
        rank in it."""
        met = np.zeros_like(self.seconds)
        for _ in self._hops if active.any() else ():
            at_ranks = active + self._of_ranks(self.source, self.seconds * met)
            turned_back = self._back * met[self._opposite]
            before, met = met, (at_ranks[self.target] - turned_back) * self._per_second
            if np.abs(met - before).max() < NEGLIGIBLE:
                break
        return met.clip(0.0)

    @cached_property
    def ends(self) -> Seconds:
        """Seconds of all waiting that end at each rank (rows), by its activities (columns)."""
        left, met = self.seconds, np.zeros(len(self.active))
        for _ in self._hops:
            arriving = left * self._per_second
            at_ranks = self._of_ranks(self.target, arriving)
            met += at_ranks
            turned_back = np.where(self._opposite >= 0, arriving[self._opposite], 0.0)
            left = (self.seconds * (at_ranks[self.source] - turned_back)).clip(0.0)
            if left.sum() <= NEGLIGIBLE * self.seconds.sum():
                break
        return met[:, None] * self.active

    def mix_of(self, of_links: Seconds) -> dict[Key, Seconds]:
        """Mean over the waiting of each rank that waits, weighted by its seconds."""
        whole = self._of_ranks(self.source, self.seconds)
        sums = [self._of_ranks(self.source, row) for row in (self.seconds[:, None] * of_links).T]
        return {
            key: np.array([row[at] for row in sums]) / whole[at]
            for at, key in enumerate(self.keys)
            if whole[at] > 0.0
        }


def chains_of(
    active: Mapping[Key, Mapping[str, float]],
    names: Sequence[str],
    waited_for: Mapping[Key, Mapping[Key, float]],
) -> WaitChains:
    """The chains, from each rank's seconds in each activity and of waiting for each other rank. All
    that are waited for must be in `active`; names: the activities, in the order of the columns."""
    rows = {key: row for row, key in enumerate(active)}
    links = [
        (rows[key], rows[other], seconds)
        for key, others in waited_for.items()
        for other, seconds in others.items()
        if seconds > 0.0
    ]
    return WaitChains(
        tuple(active),
        np.reshape([[of[name] for name in names] for of in active.values()], (-1, len(names))),
        np.array([source for source, _, _ in links], np.intp),
        np.array([target for _, target, _ in links], np.intp),
        np.array([seconds for _, _, seconds in links], np.float64),
    )
