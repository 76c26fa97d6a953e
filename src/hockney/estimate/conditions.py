"""What probes show of the machine during a launch, and the part of a block's ratio that is theirs.

A probe may speak for two launches of a block only where it does not go with the variants: where a
test finds that one variant's probes are systematically larger, as those of ranks that were placed
elsewhere, they are part of the difference and nothing is done.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hockney.estimate.differences import LEVEL, Array, paired_shift
from hockney.estimate.slopes import slope_of
from hockney.lazy import lazy_imports
from hockney.records import Probe, Round

with lazy_imports():
    from scipy.stats import binomtest, spearmanr

OTHER_STATE = 1.25
"""Core-to-core latencies of launches whose ratio is larger are of different states; within one,
medians of a launch differ by some 5 %."""
LEAST_BLOCKS = 8
"""That must be left."""
LEAST_ADJUSTED = 20
"""Blocks from which a slope is taken."""
SIGNIFICANCE = 0.01
"""p of the rank correlation from which the ratios are adjusted."""


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
    is_kept: NDArray[np.bool_]
    """Of all blocks: whether both launches met the same state."""
    slope: float | None
    """Of the log ratios over those of the compute probe, which was taken out; None where it was
    not."""


def conditions_of(probes: Iterable[Probe], rounds: Iterable[Round]) -> Conditions:
    """Those of one launch."""
    return Conditions(
        _median([one.handover_ns for one in probes if one.handover_ns > 0.0]),
        _median([one.probe_s for one in rounds if one.probe_s]),
    )


def compared(log_ratios: Array, handover: Array, compute: Array) -> Compared:
    """Leaves out blocks in which the state changed, and takes out what the compute probe explains.

    log_ratios, handover, compute: of each block, the logarithm of the second over the first; NaN
    where there was no probe. The slope is Theil's and Sen's, of at least LEAST_ADJUSTED blocks."""
    is_kept = _of_one_state(handover)
    kept, probed = log_ratios[is_kept], compute[is_kept]
    if _explains(kept, probed):
        slope, _ = slope_of(kept, probed)
        return Compared(kept - slope * probed, is_kept, slope)
    return Compared(kept, is_kept, None)


def _of_one_state(handover: Array) -> NDArray[np.bool_]:
    """The blocks in which the state did not change. All of them where it changed with the variant,
    by a sign test, and where too few would be left."""
    other = np.abs(handover) > math.log(OTHER_STATE)
    up, changed = int((handover[other] > 0.0).sum()), int(other.sum())
    goes_with_variant = changed > 0 and binomtest(up, changed).pvalue < LEVEL
    if goes_with_variant or (~other).sum() < LEAST_BLOCKS:
        return np.ones(len(handover), dtype=bool)
    return ~other


def _explains(log_ratios: Array, probed: Array) -> bool:
    """True if the ratios go with the probe, and the probe does not go with the variant."""
    if len(probed) < LEAST_ADJUSTED or not np.isfinite(probed).all() or not np.ptp(probed):
        return False
    p = paired_shift(probed, LEVEL).p
    is_balanced = p is not None and p >= LEVEL
    return is_balanced and float(spearmanr(log_ratios, probed).pvalue) < SIGNIFICANCE


def _median(values: list[float]) -> float:
    return float(np.median(values)) if values else math.nan
