"""A matrix of times for a terminal or a pipe: a digit for each pair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hockney.base.units import format_seconds, format_size
from hockney.infer.analysis.network.matrix import Matrix

SHADES = "0123456789"
MOST_COLUMNS = 64
"""Most columns of a map; more ranks are drawn in blocks of neighbours, by the median of a block."""

SLOWER_WAY = "the slower of both directions"
"""What a map shows of a pair with two times."""
LEAST_SPREAD = 1e-3
"""Relative difference below which times count as equal: digits would show noise."""
LEAST_SCALE = 0.1
"""Relative difference of the ends of a scale, at least: a smaller one makes no outlier, and would
look like a large one."""


def rank_map(matrix: Matrix, size: int) -> str:
    """The times between ranks at one size (bytes)."""
    lines = heat_map(matrix.seconds(size), matrix.ranks)
    return f"{format_size(size)}, rank by rank\n{lines}"


def heat_map(seconds: NDArray[np.float64], ranks: Sequence[int | str]) -> str:
    """A digit for each pair, in even steps of log time from the fastest, 0, to the slowest or what
    would be slow, 9. seconds: shape (ranks, ranks), NaN where nothing was measured."""
    step = -(-len(ranks) // MOST_COLUMNS)
    cells = _blocks(seconds, step)
    slowest = float(np.nanmax(seconds))
    low, high = distinct(float(np.nanmin(seconds)), slowest)
    width = max(len(str(rank)) for rank in ranks)
    lines = []
    for row, rank in zip(cells, ranks[::step], strict=True):
        digits = " ".join(shade(value, low, high) for value in row)
        lines.append(f"{rank:>{width}}  {digits}")
    blocks = f"; blocks of {step} x {step} ranks" if step > 1 else ""
    scale = f"0 is {format_seconds(low)}, 9 is {format_seconds(high)}, log scale{blocks}"
    scale += f"; the slowest is {format_seconds(slowest)}" if high > slowest else ""
    return "\n".join([*lines, scale if high > low else f"all {format_seconds(low)}{blocks}"])


def distinct(low: float, high: float) -> tuple[float, float]:
    """The ends of a scale for times between these; both are `low` where they count as equal."""
    return low, max(high, low * (1.0 + LEAST_SCALE)) if high >= low * (1.0 + LEAST_SPREAD) else low


def _blocks(seconds: NDArray[np.float64], step: int) -> list[list[float]]:
    """Medians of the measured times in each block; NaN in a block without any."""
    starts = range(0, len(seconds), step)
    blocks = [[seconds[i : i + step, j : j + step] for j in starts] for i in starts]
    return [
        [float("nan") if np.isnan(block).all() else float(np.nanmedian(block)) for block in row]
        for row in blocks
    ]


def shade(value: float, low: float, high: float) -> str:
    """The digit of a time between the fastest and the slowest; a dot for NaN."""
    if np.isnan(value):
        return "."
    fraction = np.log(value / low) / np.log(high / low) if high > low else 0.0
    return SHADES[min(int(fraction * len(SHADES)), len(SHADES) - 1)]
