"""The slope of a line through points, by the median of the slopes of all pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_POINTS = 2000
"""Points of which all pairs are taken, 2 million of them. More points are thinned evenly: 30,000
visits of a launch would take 20 GB."""


def slope_of(values: NDArray[Any], at: NDArray[Any]) -> tuple[float, float]:
    """The slope of `values` over `at`, and the value at 0 (Theil 1950, Sen 1968)."""
    from scipy.stats import theilslopes

    if len(values) > MOST_POINTS:
        some = np.linspace(0, len(values) - 1, MOST_POINTS).astype(np.int64)
        values, at = values[some], at[some]
    line = theilslopes(values, at)
    return float(line[0]), float(line[1])
