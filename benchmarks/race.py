"""Does a race find the same winners as a full search, in which part of the time?

Times of algorithms are those of `tuning.py`'s simulated clusters (--directory), with noise: medians
of launches scatter by --noise, and one launch of ten by twice as much again. Who leaves is decided
by sessions/race.py itself. A launch costs its start, and measuring in proportion to its sizes; a
full search makes --launches of every algorithm at every size, a race until that many. The first
launch of a race is shorter, for which its times scatter more. A winner is the same if it has the
name, or by its exact time is within 3 % of the other.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from hockney.infer.analysis.algorithms.best import TOLERANCE, CollectiveCell
from hockney.plan import Case, Placement, sizes_of
from hockney.plan.workloads.collective import DEFAULT, Collective
from hockney.records import Run, RunRecord, Samples
from hockney.run.measure.sessions.race import FIRST_PART, Race
from tuning import COLLECTIVES, LARGEST, SELECTORS, cells_in, pieces_of

START = 1.0 / 3.0
"""Fraction of a launch at all sizes in which it starts: launches measure for twice as long."""
OUTLIERS = 0.1
WITHIN = 0.5
"""Fraction of the variance of a launch's median that comes from within the launch; it grows as
launches get shorter."""
HEADER = RunRecord(schema=1, hockney="", id="race", experiment="collective")


@dataclass
class Runner:
    """An algorithm with its exact times (s) by size."""

    name: str
    exact: dict[int, float]
    collective: str
    run: Run = field(default_factory=lambda: Run(HEADER))
    is_done: bool = False
    launches: int = 0
    cost: float = 0.0
    times: dict[int, list[float]] = field(default_factory=dict)
    case: Case = field(init=False)

    def __post_init__(self) -> None:
        workload = Collective(
            collective=self.collective, sizes=sizes_of(list(self.exact)), algorithm=self.name
        )
        self.case = Case(workload=workload, placement=Placement(ranks=2))

    def launch(self, drawn: np.ndarray, part: float = 1.0) -> None:
        """Makes a launch. drawn: its factors by size. part: the fraction of a launch's time for
        which it measures."""
        sizes = self.case.workload.sizes
        for (size, exact), factor in zip(self.exact.items(), drawn.tolist(), strict=True):
            if size in {kept.bytes for kept in sizes}:
                self.times.setdefault(size, []).append(exact * factor)
                samples = Samples(
                    launch=self.launches,
                    round=0,
                    operation=self.collective,
                    bytes=size,
                    ranks=2,
                    peers=(),
                    repetitions=1,
                    ns=[exact * factor * 1e9],
                )
                self.run.add(samples)
        self.launches += 1
        self.cost += START + (1.0 - START) * part * len(sizes) / len(self.exact)


def searched(
    cells: Sequence[CollectiveCell],
    factors: dict[str, np.ndarray],
    launches: int,
    shorter: dict[str, np.ndarray] | None = None,
) -> tuple[dict[int, str], float]:
    """The winner at each size, and the cost. shorter: the factors of a race by which times of the
    first launch differ for being shorter; None for a full search."""
    exact: dict[str, dict[int, float]] = {}
    for cell in cells:
        assert cell.default is not None
        exact.setdefault(DEFAULT, {})[cell.bytes] = cell.default.typical_s
        for contender in cell.contenders:
            exact.setdefault(contender.name, {})[cell.bytes] = contender.point.typical_s
    runners = [Runner(name, times, cells[0].collective) for name, times in exact.items()]
    race = Race(launches)
    for number in range(launches):
        for runner in runners:
            if runner.is_done:
                continue
            drawn = factors[runner.name][number, : len(runner.exact)]
            if shorter is not None and number == 0:
                runner.launch(drawn * shorter[runner.name][: len(runner.exact)], FIRST_PART)
            else:
                runner.launch(drawn)
        if shorter is not None:
            race.drop(runners)
    winners = {}
    for cell in cells:
        left = [r for r in runners if cell.bytes in {s.bytes for s in r.case.workload.sizes}]
        left = [r for r in left if cell.bytes in r.times and not r.is_done]
        winners[cell.bytes] = min(left, key=lambda r: float(np.median(r.times[cell.bytes]))).name
    return winners, sum(runner.cost for runner in runners)


def is_same(cell: CollectiveCell, first: str, second: str) -> bool:
    times = {contender.name: contender.point.typical_s for contender in cell.contenders}
    assert cell.default is not None
    times[DEFAULT] = cell.default.typical_s
    return abs(math.log(times[first] / times[second])) <= math.log1p(TOLERANCE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--directory", type=Path, required=True)
    parser.add_argument("--ranks", default="64")
    parser.add_argument("--collectives", default=COLLECTIVES)
    parser.add_argument("--launches", type=int, default=10)
    parser.add_argument("--noise", type=float, nargs="+", default=[0.02, 0.05, 0.1])
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    studies = []
    for ranks in map(int, args.ranks.split(",")):
        for collective in args.collectives.split(","):
            pieces = pieces_of(collective, ranks, 2, LARGEST)
            studies += [cells_in(args.directory, pieces, selector) for selector in SELECTORS]
    for noise in args.noise:
        rng = np.random.default_rng(1)
        count = same = again = 0
        costs = {True: 0.0, False: 0.0}
        for cells in studies * args.repeats:
            names = {DEFAULT, *(contender.name for cell in cells for contender in cell.contenders)}
            winners = {}
            for key in ("full", "again"):
                factors = {}
                for name in sorted(names):
                    shape = (args.launches, len(cells))
                    log = rng.normal(0.0, noise, shape)
                    log += np.abs(rng.normal(0.0, 2.0 * noise, shape)) * (
                        rng.random(shape) < OUTLIERS
                    )
                    factors[name] = np.exp(log)
                winners[key], cost = searched(cells, factors, args.launches)
                if key == "full":
                    costs[False] += cost
                    deviation = noise * math.sqrt(WITHIN * (1.0 / FIRST_PART - 1.0))
                    shorter = {
                        n: np.exp(rng.normal(0.0, deviation, len(cells))) for n in sorted(names)
                    }
                    winners["race"], cost = searched(cells, factors, args.launches, shorter)
                    costs[True] += cost
            for cell in cells:
                count += 1
                same += is_same(cell, winners["full"][cell.bytes], winners["race"][cell.bytes])
                again += is_same(cell, winners["full"][cell.bytes], winners["again"][cell.bytes])
        print(
            f"noise {noise:.2f}: {count} cells, the same winner in {100.0 * same / count:.1f} % "
            f"({100.0 * again / count:.1f} % in a second full search), "
            f"{100.0 * costs[True] / costs[False]:.0f} % of the time",
            flush=True,
        )


if __name__ == "__main__":
    main()
