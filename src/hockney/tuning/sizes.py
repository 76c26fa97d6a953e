"""Sizes between the measured ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from hockney.plan.workloads.collective import INT_BYTES, REDUCTIONS


def step_of(collective: str) -> int:
    """The bytes of which sizes of a collective are multiples."""
    return INT_BYTES if collective in REDUCTIONS else 1


def middles_of(collective: str, sizes: Sequence[int]) -> list[int]:
    """A size in the middle of each gap between these ascending sizes, on a logarithmic scale."""
    step = step_of(collective)
    middles = (round(math.sqrt(max(a, 1) * b) / step) * step for a, b in pairwise(sizes))
    return [size for size in middles if size not in sizes]
