"""Is a segmented fit the best of all partitions?

Simulated platforms of 1 to 5 protocols with noise and single slow sizes, and every curve of logs.
The check shares the cost of a run of sizes with the fit (tests/models/test_exact_partition.py has
one of its own), but no search: every run is fitted anew at every scale of a grid, nothing is
skipped by a bound, and dynamic programming puts the runs together.

    python benchmarks/partitions.py --logs DIRECTORY
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import hockney
from hockney.base.errors import HockneyError
from hockney.infer.fitting.fit import Curve, curve_of, curve_of_arrays
from hockney.infer.fitting.likelihood import penalty, scale
from hockney.infer.fitting.partition import LEAST_SIZES, MOST_SEGMENTS, best_partitions
from hockney.infer.fitting.robust_partition import free_numbers
from hockney.infer.fitting.segment_costs import SegmentCosts, TimesBySize
from hockney.infer.models import segmented

Array = NDArray[np.float64]
MOST = 1e9
"""A cost that no run has."""
AROUND, GRID = 2.0, 0.05
"""Range of scales around the fit's own, and their steps (ln)."""
BETTER = 0.05
"""Criterion that the fit may miss, by its own step of the scale."""


def platforms(count: int) -> Iterator[Curve]:
    chance = np.random.default_rng(7)
    for _ in range(count):
        sizes = np.unique(np.round(2.0 ** np.arange(0.0, 22.01, 1.0 / chance.choice([1, 1, 2]))))
        lines = chance.integers(1, 6)
        last = np.sort(chance.choice(sizes[2:-3], lines - 1, replace=False))
        alpha = np.sort(10.0 ** chance.uniform(-6.5, -4.5, lines))
        beta = np.sort(10.0 ** chance.uniform(-10.5, -8.5, lines))[::-1]
        of = np.searchsorted(last, sizes)
        off = chance.choice([0.002, 0.01, 0.03]) * chance.standard_t(4, len(sizes))
        seconds = (alpha[of] + beta[of] * sizes) * np.exp(off)
        if chance.random() < 0.5:
            seconds[chance.integers(len(sizes))] *= 2.0
        yield curve_of_arrays(sizes, seconds)


def curves_of_logs(directory: Path) -> Iterator[tuple[str, Curve]]:
    """Curves of all logs in a known format."""
    with tempfile.TemporaryDirectory() as imported:
        for log in sorted(directory.iterdir()):
            subprocess.run(
                ["hockney", "import", str(log.absolute())],
                cwd=imported,
                capture_output=True,
                check=False,
            )
        for file in sorted(Path(imported).glob("*.jsonl")):
            for named in hockney.load(file).curves:
                try:
                    curve = curve_of(named.points)
                except HockneyError:  # a time of 0
                    continue
                if segmented.lacks(curve) is None:
                    yield f"{file.stem} {named.name}".strip(), curve


def least_criterion(bytes_: Array, seconds: Array, about: float) -> float:
    """The least criterion of all partitions, at any scale of the grid."""
    points = len(bytes_)
    most = min(MOST_SEGMENTS, len(np.unique(bytes_)) // LEAST_SIZES)
    least = np.inf
    for ln_sigma in np.arange(np.log(about) - AROUND, np.log(about) + AROUND, GRID):
        costs = SegmentCosts(TimesBySize(bytes_, seconds))
        for _ in range(2):  # the second goes on from the lines of shorter runs
            cost = costs.at(float(np.exp(ln_sigma)), MOST, 0.0)
        for starts in best_partitions(cost, most):
            bounds = [0, *starts, len(cost)]
            added = penalty(points, free_numbers(len(bounds) - 1))
            if added is not None:
                total = sum(cost[a, b - 1] for a, b in pairwise(bounds))
                least = min(least, 2.0 * points * ln_sigma + total + added)
    return float(least)


def off_by(curve: Curve) -> tuple[float, float]:
    """How much better another partition is, and the seconds of the fit."""
    started = time.perf_counter()
    best = segmented.best_partition(curve.bytes, curve.median_s)
    took = time.perf_counter() - started
    if not np.isfinite(best.criterion):
        return 0.0, took
    about = scale(best.ln_residuals)
    return best.criterion - least_criterion(curve.bytes, curve.median_s, about), took


def report(name: str, gaps: list[tuple[float, float]]) -> None:
    worse, took = np.array(gaps).T
    print(
        f"{name}: {len(gaps)} curves; another partition is better by more than {BETTER} in "
        f"{int((worse > BETTER).sum())}, at most by {max(worse.max(), 0.0):.3f}; a fit takes "
        f"{1e3 * np.median(took):.0f} ms, at most {1e3 * took.max():.0f} ms",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--platforms", type=int, default=200)
    parser.add_argument("--logs", type=Path, help="a directory of logs of other programs")
    args = parser.parse_args()
    if args.logs:
        every = list(curves_of_logs(args.logs))
        gaps = [off_by(curve) for _, curve in every]
        for (name, _), (worse, _) in zip(every, gaps, strict=True):
            if worse > BETTER:
                print(f"  {name}: {worse:.3f}")
        report("logs", gaps)
    if args.platforms:
        report("simulated", [off_by(curve) for curve in platforms(args.platforms)])


if __name__ == "__main__":
    main()
