"""Nodes of two kinds, either of which may be the normal one, by few pairs of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hockney.infer.analysis.boards import Doubt
from hockney.infer.analysis.network_faults import WAYS as WAY_WORDS
from hockney.infer.analysis.outlier_rule import MOST_FRACTION, slower_kind
from hockney.infer.locate.candidates import NODE, WAYS, Array, NetworkPart, Whole
from hockney.infer.locate.odds import ENOUGH, RoundTimes


def two_kinds(parts: Sequence[NetworkPart], times: RoundTimes) -> Iterator[Doubt]:
    """A doubt where so many nodes are slow, one way or both, that neither kind is an outlier of the
    other: the first size and way that show it. Of a network whose switches are known: where near
    and far pairs are not told apart, nodes differ by how many of each were measured."""
    for logs, classes in zip(times.logs, times.classes, strict=True):
        above = _above_usual(logs, classes)
        for way in (None, *WAYS):
            nodes = np.array([part.kind == NODE and part.way == way for part in parts])
            values = _fastest(above, times, nodes)
            if slower := len(slower_kind(values)):
                what = WAY_WORDS[way] if way else "with all others"
                yield Doubt(
                    f"{slower} of {len(values)} nodes take longer {what}: either kind may be the "
                    "normal one",
                    "compare with an earlier run",
                )
                return


def _above_usual(logs: Array, classes: Whole) -> Array:
    """How far times lie above the median of their class, as logarithms."""
    above = np.full_like(logs, np.nan)
    for one in np.unique(classes):
        own = classes == one
        if not np.isnan(logs[own]).all():
            above[own] = logs[own] - np.nanmedian(logs[own])
    return above


def _fastest(above: Array, times: RoundTimes, nodes: NDArray[np.bool_]) -> Array:
    """The quantile MOST_FRACTION of each node's times, of nodes with enough: most pairs of a sound
    node are with slow ones where half of the nodes are slow."""
    entries = times.weights.tocoo()
    own = nodes[entries.col] & ~np.isnan(above[entries.row])
    node, value = entries.col[own], above[entries.row[own]]
    order = np.lexsort((value, node))
    starts = np.flatnonzero(np.diff(node[order], prepend=-1))
    counts = np.diff(starts, append=len(order))
    places = starts + (MOST_FRACTION * (counts - 1)).astype(np.int64)
    return np.asarray(value[order][places][counts >= ENOUGH])
