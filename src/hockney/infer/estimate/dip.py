"""The dip test of one mode (Hartigan & Hartigan 1985, Annals of Statistics 13)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hockney.infer.arrays import Array


def dip(values: Array) -> float:
    """The largest distance between the values' distribution and the nearest with one mode.

    The greatest convex minorant and the least concave majorant of the distribution bound what one
    mode allows; the interval in which they are farthest apart is searched again, until nothing
    outside it is farther from them (section 4 of the paper). values: shape (n,), n at least 1.
    """
    at, counts = np.unique(values, return_counts=True)
    tops = np.cumsum(counts).astype(np.float64)
    feet = tops - counts
    low, high, distance = 0, len(at), float(counts.max())
    while high - low > 1:
        x, top, foot = at[low:high], tops[low:high], feet[low:high]
        convex, concave = _lower_hull(x, foot), _lower_hull(x, -top)
        minorant = np.interp(x, x[convex], foot[convex])
        majorant = np.interp(x, x[concave], top[concave])
        apart = majorant - minorant
        at_foot = int(convex[np.argmax(apart[convex])])
        at_top = int(concave[np.argmax(apart[concave])])
        if apart[at_foot] >= apart[at_top]:
            first, last = at_foot, int(concave[np.searchsorted(concave, at_foot)])
        else:
            first, last = int(convex[np.searchsorted(convex, at_top, "right") - 1]), at_top
        if max(apart[at_foot], apart[at_top]) <= distance:
            break
        before = float(np.max(top[: first + 1] - minorant[: first + 1]))
        after = float(np.max(majorant[last:] - foot[last:]))
        distance = max(distance, before, after)
        if last - first == high - low - 1:
            break
        low, high = low + first, low + last + 1
    return distance / (2.0 * len(values))


def _lower_hull(x: Array, y: Array) -> NDArray[np.intp]:
    """Indices of the corners of the greatest convex function below the points (Andrew 1979)."""
    xs, ys = x.tolist(), y.tolist()
    hull: list[int] = []
    for i in range(len(xs)):
        while len(hull) > 1:
            a, b = hull[-2], hull[-1]
            if (xs[b] - xs[a]) * (ys[i] - ys[a]) > (ys[b] - ys[a]) * (xs[i] - xs[a]):
                break
            hull.pop()
        hull.append(i)
    return np.array(hull)


PROBABILITIES = (0.5, 0.3, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 2e-4, 1e-4)
LEAST_P = 1e-6
"""Least p that is resolved: a row of few values ends close behind the table."""
UNIFORM_DIPS = {
    4: (12500, 13268, 18757, 20719, 22371, 23158, 23709, 24196, 24429, 24732, 24804),
    5: (12151, 14726, 17675, 18640, 19362, 19654, 19817, 19924, 19962, 19992, 19996),
    6: (12302, 14051, 15909, 16472, 17911, 19200, 20226, 21277, 21905, 22982, 23320),
    7: (11787, 13046, 14448, 16006, 17539, 18425, 19110, 19809, 20215, 20840, 21027),
    8: (11105, 12056, 14182, 15393, 16596, 17300, 17890, 18651, 19458, 20852, 21321),
    9: (10416, 11257, 13642, 14654, 15703, 16414, 17257, 18226, 18857, 19939, 20396),
    10: (9776, 10991, 13046, 13954, 15067, 15946, 16704, 17518, 18042, 19091, 19520),
    15: (8359, 9314, 11006, 11869, 12876, 13575, 14213, 14974, 15535, 16663, 17157),
    20: (7333, 8244, 9723, 10512, 11423, 12059, 12650, 13357, 13872, 15009, 15400),
    30: (6150, 6897, 8157, 8824, 9623, 10162, 10665, 11290, 11726, 12652, 13022),
    50: (4885, 5482, 6492, 7029, 7663, 8104, 8525, 9043, 9399, 10209, 10565),
    100: (3547, 3979, 4717, 5113, 5585, 5907, 6211, 6596, 6885, 7432, 7682),
    200: (2557, 2869, 3401, 3687, 4024, 4261, 4498, 4765, 4965, 5368, 5531),
    500: (1647, 1845, 2185, 2371, 2591, 2748, 2893, 3081, 3217, 3489, 3621),
    1000: (1175, 1317, 1561, 1692, 1848, 1958, 2069, 2193, 2294, 2486, 2538),
    5000: (532, 596, 706, 766, 840, 886, 934, 1001, 1046, 1151, 1168),
}
"""Dips in units of 1e-5, by number of values, that uniform values, the worst with one mode, exceed
with these probabilities: our simulation of a million samples a size (200,000 from 200 on, 50,000 of
5,000). They agree with table 1 of the paper to its three digits."""


def dip_p(distance: float, size: float) -> float:
    """The probability of this dip or a larger one of `size` values with one mode: 1 below four
    values, and never between 0.5 and 1.

    Interpolated in log p over n D^2, as in Brownian bridges the tails are exponential in it, and
    extrapolated down to LEAST_P; rows are interpolated in the logarithm of n, over sqrt(n) D.
    """
    sizes = list(UNIFORM_DIPS)
    if size < sizes[0]:
        return 1.0
    rows = np.array(list(UNIFORM_DIPS.values())) * 1e-5 * np.sqrt(sizes)[:, None]
    at = np.log(min(size, sizes[-1]))
    row = np.array([np.interp(at, np.log(sizes), column) for column in rows.T]) ** 2
    logs, value = np.log(PROBABILITIES), size * distance**2
    if value < row[0]:
        return 1.0
    if value <= row[-1]:
        return float(np.exp(np.interp(value, row, logs)))
    slope = (logs[-1] - logs[-3]) / (row[-1] - row[-3])
    return max(float(np.exp(logs[-1] + slope * (value - row[-1]))), LEAST_P)
