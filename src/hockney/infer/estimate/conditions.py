"""The machine during a launch, as probes show it, and what it explains of a block's ratio.

Of two equal variants, which launch of a block belongs to which is chance: exchanging both changes
the sign of the log ratio and of its probes together. What is decided here from the probes depends
only on what such an exchange leaves as it is, so that the signed-rank test of what remains is exact
(Fisher's randomisation test with a covariate; Rosenbaum 2002, Statistical Science 17, 286-327).

Where a probe changes with the variant, as when its ranks are placed elsewhere, it is part of the
difference and nothing is removed. The two tests for this have their own part of the error rate: at
the full level, equal variants whose probes happen to differ would keep that difference, and be
called different more often than stated. Between that level and the full one, it is open whether a
probe goes with the variant: then both must show what is said, the ratios with and without what was
removed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from hockney.infer.arrays import Array, Flags
from hockney.infer.estimate.shifts import LEVEL, signed_rank_p
from hockney.records import Probe, Round

OTHER_STATE = 1.25
"""Ratio of the core-to-core latencies of two launches from which on their states differ; within a
state, medians of a launch differ by some 5 %."""
LEAST_BLOCKS = 8
"""Fewest blocks that must remain if others are excluded."""
LEAST_ADJUSTED = 20
"""Fewest blocks from which a slope is computed."""
SIGNIFICANCE = 0.01
"""p of the test that the ratios go with the probe, from which they are adjusted."""
DOUBT = LEVEL
"""p of either test below which a probe may go with the variant."""
ASIDE = 0.1
"""Part of the error rate for each of the two tests whether a probe goes with the variant."""


@dataclass(frozen=True)
class Conditions:
    """Medians over the rounds of a launch; NaN where nothing was probed."""

    handover_ns: float = math.nan
    compute_s: float = math.nan
    """Time of the slowest rank for a fixed amount of arithmetic."""


@dataclass(frozen=True)
class Compared:
    """The log ratios of blocks whose launches met the same machine."""

    log_ratios: Array
    is_kept: Flags
    """Shape (blocks,): whether a block is compared; others met two states of the machine."""
    slope: float | None
    """Slope of the log ratios over those of the compute probe, which was removed; None if it was
    not."""
    plain: Array | None = None
    """The log ratios with what was removed, where that may be part of the difference."""


def conditions_of(probes: Iterable[Probe], rounds: Iterable[Round]) -> Conditions:
    """The conditions of one launch."""
    return Conditions(
        _median([probe.handover_ns for probe in probes if probe.handover_ns > 0.0]),
        _median([round_.probe_s for round_ in rounds if round_.probe_s]),
    )


def compared(
    log_ratios: Array, handover: Array, compute: Array, aside: float = ASIDE * LEVEL
) -> Compared:
    """Excludes blocks in which the state changed, and removes what the compute probe explains.

    log_ratios, handover, compute: the logarithm of the second launch over the first in each block;
    NaN where there was no probe. aside: level of each of the two tests whether a probe goes with
    the variant. A slope needs LEAST_ADJUSTED blocks."""
    is_kept, p_state = _of_one_state(handover, aside)
    kept, probed = log_ratios[is_kept], compute[is_kept]
    plain = log_ratios if p_state < DOUBT else None
    p_speed = signed_rank_p(probed) if _explains(kept, probed) else None
    if p_speed is None or p_speed < aside:
        return Compared(kept, is_kept, None, plain)
    if plain is None and p_speed < DOUBT:
        plain = kept
    slope = slope_through_0(kept, probed)
    return Compared(kept - slope * probed, is_kept, slope, plain)


def _of_one_state(handover: Array, aside: float) -> tuple[Flags, float]:
    """Marks blocks in which the state did not change; all, if it changed with the variant (by a
    sign test) or too few would be left. And that test's p where some are excluded, else 1."""
    every, other = np.ones(len(handover), dtype=bool), np.abs(handover) > math.log(OTHER_STATE)
    up, changed = int((handover[other] > 0.0).sum()), int(other.sum())
    if not changed or (~other).sum() < LEAST_BLOCKS:
        return every, 1.0
    from scipy.stats import binomtest

    p = float(binomtest(up, changed).pvalue)
    return (every, 1.0) if p < aside else (~other, p)


def _explains(log_ratios: Array, probed: Array) -> bool:
    """True if the ratios go with the probe: they have its sign more often than not."""
    if len(probed) < LEAST_ADJUSTED or not np.isfinite(probed).all() or not probed.any():
        return False
    return signed_rank_p(log_ratios * np.sign(probed)) < SIGNIFICANCE


def slope_through_0(values: Array, at: Array) -> float:
    """The slope of a line through the origin with the least sum of absolute deviations: the median
    of all values / at, weighted by abs(at). Exchanging the sign of a value and of its place
    together does not change it."""
    used = at != 0.0
    slopes, weights = values[used] / at[used], np.abs(at[used])
    ascending = np.argsort(slopes)
    below = np.cumsum(weights[ascending])
    return float(slopes[ascending][np.searchsorted(below, below[-1] / 2.0)])


def _median(values: list[float]) -> float:
    return float(np.median(values)) if values else math.nan
