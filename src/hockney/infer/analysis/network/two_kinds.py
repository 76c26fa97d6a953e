"""Nodes of two kinds, either of which may be the normal one, by few pairs of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from hockney.infer.analysis.network.boards import Doubt
from hockney.infer.analysis.network.outlier_rule import MOST_FRACTION, slower_kind
from hockney.infer.analysis.network.part_words import WAY_WORDS
from hockney.infer.arrays import Array, Whole
from hockney.infer.estimate.medians import own_medians, sorted_by
from hockney.infer.locate.candidates import NODE, WAYS, NetworkPart
from hockney.infer.locate.odds import ENOUGH, RoundTimes


def two_kinds(parts: Sequence[NetworkPart], times: RoundTimes) -> Iterator[Doubt]:
    """A doubt where so many nodes are slow, one way or both, that neither kind is an outlier of the
    other: the first size and way that show it. Only where switches are known: where near and far
    pairs cannot be distinguished, nodes differ by how many of each were measured."""
    passed = times.weights.tocoo()
    kinds = {
        way: np.array([part.kind == NODE and part.way == way for part in parts])[passed.col]
        for way in (None, *WAYS)
    }
    for logs, classes in zip(times.logs, times.classes, strict=True):
        above = logs - own_medians(classes, logs)
        for way, is_node in kinds.items():
            values = _fastest(above[passed.row[is_node]], passed.col[is_node])
            if slower := len(slower_kind(values)):
                what = WAY_WORDS[way] if way else "with all others"
                yield Doubt(
                    f"{slower} of {len(values)} nodes take longer {what}: either kind may be the "
                    "normal one",
                    "compare with an earlier run",
                )
                return


def _fastest(above: Array, nodes: Whole) -> Array:
    """The quantile MOST_FRACTION of each node's times, of nodes with enough: most pairs of a sound
    node are with slow ones where half of the nodes are slow. above, nodes: shape (times,), how far
    each lies above the median of its class, NaN where it is missing, and whose it is."""
    known = ~np.isnan(above)
    node, value = nodes[known], above[known]
    order, _, starts, counts = sorted_by(node, value)
    places = starts + (MOST_FRACTION * (counts - 1)).astype(np.int64)
    return np.asarray(value[order][places][counts >= ENOUGH])
