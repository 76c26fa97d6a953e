"""Whether values are in groups, or one hill that chance made uneven."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hockney.infer.arrays import Array, Whole
from hockney.infer.estimate.dip import dip, dip_p
from hockney.infer.estimate.quantiles import autocorrelation_time

Labels = Whole

SIGNIFICANCE = 0.005
"""Level of the test that a valley between two groups is real: at most 1 % of runs with one state
may show more groups, and a run has several valleys."""
LEAST_CROSSED = 3
"""Values of one launch needed in both groups to show that it changed from one to the other."""
SCATTER, SCATTER_FEW = 0.045, 0.00045
"""Standard deviation of launches in their groups, over the gap between the groups, beyond which
launches may scatter over one hill; below ten launches SCATTER_FEW times the square of their number.
Launches drawn from a normal, uniform, exponential or Student's t distribution (three degrees of
freedom) have so wide a gap in 0.3 % of draws at most (100,000 for each number from 4 to 30)."""
FAR, CLOSE = math.log(2.0), 0.065
"""A gap between groups, and a standard deviation of launches in them over that gap, which show two
states however few the launches are: medians of a state differ by 1.4 to 4.2 % from launch to launch
(benchmarks/RESULTS.md, probe.py), and hypervisors move cores to ones twice and four times as far.
Six launches of one state that differ by 20 or 40 % have both in 0.2 % of draws from a normal and
1.1 % from Student's t distribution (three degrees of freedom; 200,000 draws)."""


@dataclass(frozen=True)
class Probed:
    """Probe values on a log scale, with the launch of each; those of a launch are in order of
    time."""

    logs: Array
    launches: Labels
    luck: float = 0.0
    """Log difference of launches that their memory addresses can explain. It may form groups too,
    and no test separates these from states."""


def merged(probed: Probed, labels: Labels) -> Labels:
    """Merges neighbouring groups where the valley between them may be chance.

    labels: groups from the lowest up, -1 for values in none.
    """
    logs, labels = probed.logs, labels.copy()
    while labels.max() > 0:
        chances = [valley_p(probed, labels, lower) for lower in range(int(labels.max()))]
        lower = int(np.argmax(chances))
        if chances[lower] <= SIGNIFICANCE:
            break
        both = (labels == lower) | (labels == lower + 1)
        labels[labels > lower + 1] -= 1
        labels[(logs >= logs[both].min()) & (logs <= logs[both].max())] = lower
    return labels


def valley_p(probed: Probed, labels: Labels, lower: int) -> float:
    """The probability of such a valley above group `lower` where there is one mode.

    The dip test of equally many values on either side, as a part of a distribution with one mode
    has one mode; times the number of such parts, as the valley was chosen among them. Where each
    launch may have its own value, the launches must show the valley too, with one value each.
    """
    launches = np.unique(probed.launches)
    series = [
        [probed.logs[(labels == group) & (probed.launches == launch)] for launch in launches]
        for group in (lower, lower + 1)
    ]
    sides = [np.concatenate(group) for group in series]
    # Drift continues from launch to launch, which many short launches alone do not show.
    memory = max(_memory([logs for group in series for logs in group if len(logs)]), _memory(sides))
    p = _valley_p(sides, memory)
    medians = [np.array([np.median(logs) for logs in group if len(logs)]) for group in series]
    if _crossed(series):
        return p
    is_changed_inside = any(len(a) and len(b) for a, b in zip(*series, strict=True))
    if not is_changed_inside and _are_far_apart(medians, of=len(launches)):
        return 0.0
    if np.median(medians[1]) - np.median(medians[0]) < probed.luck:
        return 1.0
    are_scattered = _are_scattered(medians, of=len(launches))
    return max(p, _valley_p(medians, memory=1.0)) if are_scattered else p


def _valley_p(sides: list[Array], memory: float) -> float:
    lower, upper = sides
    count = min(len(lower), len(upper))
    part = np.concatenate((np.sort(lower)[-count:], np.sort(upper)[:count]))
    parts = (len(lower) + len(upper)) / len(part)
    return dip_p(dip(part), len(part) / memory) * parts


def _crossed(series: list[list[Array]]) -> bool:
    """Whether a launch was in both groups: its addresses were the same in both."""
    lower, upper = series
    return any(min(len(a), len(b)) >= LEAST_CROSSED for a, b in zip(lower, upper, strict=True))


def _are_scattered(medians: list[Array], of: int) -> bool:
    """Whether scatter of launches over one hill may have made the valley. of: number of launches of
    the run; two of more, each a group, may be neighbours on the hill."""
    lower, upper = medians
    here = len(lower) + len(upper)
    if here == 2:
        return of > 2
    residuals = np.concatenate((lower - np.median(lower), upper - np.median(upper)))
    limit = min(SCATTER, SCATTER_FEW * here**2)
    return float(np.std(residuals)) > limit * float(upper.min() - lower.max())


def _are_far_apart(medians: list[Array], of: int) -> bool:
    """Whether two groups of launches are so far apart, and each so narrow, that they are not one
    hill. of: number of launches of the run; of more than three, two groups of one launch do not
    show how narrow they are."""
    lower, upper = medians
    if len(lower) + len(upper) == 2 and of > 3:
        return False
    residuals = np.concatenate((lower - lower.mean(), upper - upper.mean()))
    gap = float(upper.min() - lower.max())
    return gap >= FAR and float(np.std(residuals)) <= CLOSE * gap


def _memory(series: list[Array]) -> float:
    """How many successive values are worth an independent one, on average: drift over one hill
    makes lumps too, but then successive values are close inside of them as well."""
    times = [autocorrelation_time(values) for values in series]
    return float(np.average(times, weights=[len(values) for values in series]))
