"""A torus of nodes with a cable to the next one in each dimension."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hockney.base.units import how_many
from hockney.infer.arrays import Whole
from hockney.infer.locate.candidates import CABLE, Entries, NetworkPart
from hockney.infer.locate.routed import PAIRS_TRIED, Way

AXES = "xyz"


class Torus:
    """Messages go along one dimension after another, the shorter way around."""

    pairs_tried = PAIRS_TRIED

    def __init__(self, extents: Sequence[int], hosts: Sequence[str]) -> None:
        self.extents = tuple(extents)
        self.strides = np.cumprod([1, *extents])[:-1]
        self.nodes = len(hosts)
        self.parts: Sequence[NetworkPart] = [
            NetworkPart(CABLE, (hosts[i], hosts[j]), note=f"{_axis(axis)}+")
            for axis in range(len(self.extents))
            for i, j in enumerate(self._next(np.arange(self.nodes), axis, 1).tolist())
        ]
        self.capacity = np.ones(len(self.parts), np.int64)

    def _next(self, nodes: Whole, axis: int, step: int | Whole) -> Whole:
        extent, stride = self.extents[axis], self.strides[axis]
        at = nodes // stride % extent
        return np.asarray(nodes + ((at + step) % extent - at) * stride)

    def way(self, sources: Whole, targets: Whole) -> Way:
        along: Entries = []
        against: Entries = []
        at, hops = sources.copy(), np.zeros(len(sources), np.int64)
        for axis, extent in enumerate(self.extents):
            stride, half = self.strides[axis], extent // 2
            mine, target = sources // stride % extent, targets // stride % extent
            # Where both ways are as long, SimGrid's choice depends on the ends.
            is_up = ((target > mine) & (target <= mine + half)) | (
                (mine > half) & ((mine + half) % extent >= target)
            )
            distance = np.where(is_up, target - mine, mine - target) % extent
            hops += distance
            for done in range(int(distance.max(initial=0))):
                after = self._next(at, axis, np.where(is_up, 1, -1))
                for entries, moves, start in (
                    (along, is_up & (distance > done), at),
                    (against, ~is_up & (distance > done), after),
                ):
                    rows = np.flatnonzero(moves)
                    entries.append((rows, self.nodes * axis + start[rows]))
                at = np.where(distance > done, after, at)
        return Way(along, against, [], np.maximum(hops, 1))

    def level_name(self, level: int) -> str | None:
        return how_many(level, "cable")


def _axis(axis: int) -> str:
    return AXES[axis] if axis < len(AXES) else f"dimension {axis + 1} "
