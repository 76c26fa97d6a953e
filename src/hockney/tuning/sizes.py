"""The measured sizes, in words, and sizes between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from hockney.base.units import format_size
from hockney.plan.workloads.collective import INT_BYTES, REDUCTIONS


def step_of(collective: str) -> int:
    """The bytes that divide every size of a collective."""
    return INT_BYTES if collective in REDUCTIONS else 1


def middles_of(collective: str, sizes: Sequence[int]) -> list[int]:
    """A size in the middle of each gap between these ascending sizes, on a logarithmic scale."""
    step = step_of(collective)
    middles = (round(math.sqrt(max(a, 1) * b) / step) * step for a, b in pairwise(sizes))
    return [size for size in middles if size not in sizes]


def measured_text(sizes: Sequence[int]) -> str:
    """ "measured from 8 B to 4 MiB", or "measured at 8 B alone"."""
    low, high = format_size(min(sizes)), format_size(max(sizes))
    return f"measured at {low} alone" if low == high else f"measured from {low} to {high}"
