"""The numbers of a look that are of the parts of a network, as an array: there may be thousands."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from hockney.infer.analysis.history.readings import Reading, WatchedSeries
from hockney.infer.analysis.network.boards import NODE
from hockney.infer.arrays import Array

Order = tuple[WatchedSeries, ...]


class Parts(NamedTuple):
    """What a look has of the parts of a network."""

    order: Order
    values: Array
    """By the order; NaN for parts that the look lacks."""

    @property
    def known(self) -> list[WatchedSeries]:
        """The parts that the look does not lack."""
        pairs = zip(self.order, np.isnan(self.values).tolist(), strict=True)
        return [series for series, is_lacking in pairs if not is_lacking]

    @property
    def nodes(self) -> frozenset[WatchedSeries]:
        return nodes_of(self.known)


def nodes_of(series: Iterable[WatchedSeries]) -> frozenset[WatchedSeries]:
    return frozenset(each for each in series if each.what == NODE)


NO_PARTS = Parts((), np.empty(0))


def order_of(readings: Sequence[Reading], before: Order) -> Order:
    """The order of the parts in these readings: that of an earlier look where it has them all, else
    with what it lacks behind it. It begins anew where most of the earlier ones are lacking."""
    new = {reading.series: reading.value for reading in readings}
    every = dict.fromkeys((*before, *new))
    if len(every) > 2 * len(new):
        return tuple(new)
    return before if len(every) == len(before) else tuple(every)


def in_order(readings: Sequence[Reading], order: Order) -> Parts:
    """The parts of a look in an order that has them all."""
    known = {reading.series: reading.value for reading in readings}
    return Parts(order, np.array([known.get(series, math.nan) for series in order]))
