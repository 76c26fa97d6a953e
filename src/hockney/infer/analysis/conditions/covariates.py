"""How much of the variance between launches correlates with probes of the machine."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from hockney.infer.arrays import Array
from hockney.infer.estimate.differences import holm
from hockney.infer.estimate.points import Estimates, PointEstimate
from hockney.infer.estimate.states import work_of_rounds
from hockney.records import Run

ByLaunch = dict[int, float]

LEAST_LAUNCHES = 8
SIGNIFICANCE = 0.01
CERTAIN = 1.0 - 1e-12
"""The largest correlation that can be tested."""
LEAST_FRACTION = 0.1
"""Least fraction of the variance that is reported, however significant it is."""


@dataclass(frozen=True)
class Covariate:
    """A probe that the launch medians of an operation correlate with."""

    operation: str
    probe: str
    """compute, memory-copy or core-to-core."""
    fraction: float
    """Fraction of the variance between launches: the adjusted R squared of the line through the
    launches' logarithms."""
    p: float
    """p of the rank correlation, corrected for the number of probes and operations."""
    launches: int


def covariates(run: Run, estimates: Estimates) -> list[Covariate]:
    """Significant covariates in the headline state, the largest fraction first."""
    handovers_ns = {(p.launch, p.round): p.handover_ns for p in run.probes if p.handover_ns > 0.0}
    probes = {
        "compute": _medians(work_of_rounds(run), estimates),
        "memory-copy": _levels(p for p in estimates.headline if p.operation == "copy"),
        "core-to-core": _medians(handovers_ns, estimates),
    }
    own = [point for point in estimates.own() if point.statistic == "median"]
    operations = dict.fromkeys(point.operation for point in own)
    levels = {name: _levels(p for p in own if p.operation == name) for name in operations}
    fitted = [
        covariate
        for operation in levels
        for probe, by_launch in probes.items()
        if (covariate := _fitted(operation, probe, levels[operation], by_launch)) is not None
    ]
    corrected = holm(np.array([covariate.p for covariate in fitted])).tolist()
    sure = [
        replace(covariate, p=p)
        for covariate, p in zip(fitted, corrected, strict=True)
        if p < SIGNIFICANCE and covariate.fraction >= LEAST_FRACTION
    ]
    return sorted(sure, key=lambda covariate: -covariate.fraction)


def _levels(points: Iterable[PointEstimate]) -> ByLaunch:
    """Each launch's mean over points of the log of its median over the point's."""
    by_launch: dict[int, list[float]] = {}
    for point in points:
        if point.typical_s:
            for launch, median_s in point.by_launch.items():
                if median_s > 0.0:
                    by_launch.setdefault(launch, []).append(math.log(median_s / point.typical_s))
    return {launch: float(np.mean(logs)) for launch, logs in by_launch.items()}


def _medians(of_round: dict[tuple[int, int], float], estimates: Estimates) -> ByLaunch:
    """The logarithm of each launch's median over its rounds in the headline state."""
    by_launch: dict[int, list[float]] = {}
    for (launch, round_), value in of_round.items():
        if value > 0.0 and estimates.states.of(launch, round_) == 0:
            by_launch.setdefault(launch, []).append(math.log(value))
    return {launch: float(np.median(logs)) for launch, logs in by_launch.items()}


def _fitted(operation: str, probe: str, levels: ByLaunch, by_launch: ByLaunch) -> Covariate | None:
    """The covariate; None if launches are too few or the probe does not vary."""
    launches = sorted(levels.keys() & by_launch.keys())
    times = np.array([levels[launch] for launch in launches])
    probed = np.array([by_launch[launch] for launch in launches])
    n = len(launches)
    if n < LEAST_LAUNCHES or not np.ptp(times) or not np.ptp(probed):
        return None
    r = float(np.corrcoef(times, probed)[0, 1])
    fraction = 1.0 - (1.0 - r**2) * (n - 1) / (n - 2)
    return Covariate(operation, probe, fraction, rank_p(times, probed), n)


def rank_p(first: Array, second: Array) -> float:
    """p of a positive rank correlation (Spearman's, by Student's t).

    What drifts resembles whatever else drifts: two series, each of which follows its last value,
    have n (1 - r r') / (1 + r r') independent pairs, r and r' being the correlations of either with
    its last value (Bretherton et al. 1999, Journal of Climate 12, equation 31).
    """
    from scipy.stats import rankdata
    from scipy.stats import t as student

    a, b = rankdata(first), rankdata(second)
    rank_r = float(np.clip(np.corrcoef(a, b)[0, 1], -CERTAIN, CERTAIN))
    shared = max(_lag_one(a) * _lag_one(b), 0.0)
    free = len(a) * (1.0 - shared) / (1.0 + shared) - 2.0
    if free < 1.0:
        return 1.0
    return float(student.sf(rank_r * math.sqrt(free / (1.0 - rank_r**2)), free))


def _lag_one(values: Array) -> float:
    centred = values - values.mean()
    return float(centred[1:] @ centred[:-1] / (centred @ centred))
