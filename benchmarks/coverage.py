"""Whether intervals hold over runs spread in time: the interval of each run against the grand
median of all in its state, that of the next run against the run that followed, and equal runs of
one MPI in succession compared with each other, with and without other runs as history.

    python coverage.py --into runs --runs 40 --pause 60 --mpicc mpicc.mpich --mpicc mpicc.openmpi
    python coverage.py --into runs --runs 0     # evaluates what is there
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from common import CLASSES, hockney

from hockney import load
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.compare import compare
from hockney.infer.analysis.comparison.expected import next_run
from hockney.infer.analysis.comparison.run_drift import as_earlier
from hockney.infer.analysis.conditions.between import are_one_state
from hockney.infer.estimate import PointEstimate

TOLERANCE = 0.03
"""Tolerance of `hockney compare`."""
OTHERS = 20
"""Other runs that serve as history, as many as `hockney compare` reads."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mpicc", action="append", help="may be repeated: measured in turn")
    parser.add_argument("--into", type=Path, required=True, help="directory of the result files")
    parser.add_argument("--runs", type=int, default=40, help="runs of each MPI")
    parser.add_argument("--seconds", type=float, default=3.0, help="budget of a run")
    parser.add_argument("--pause", type=float, default=60.0, help="seconds between runs")
    parser.add_argument("--over", type=float, help="wall time to spread a run's launches over")
    parser.add_argument("--sizes", default="8,1KiB,16KiB,256KiB,1MiB")
    args = parser.parse_args()
    args.into.mkdir(exist_ok=True)
    for number in range(args.runs):
        for mpicc in args.mpicc or [None]:
            measure(args, mpicc, number)
            time.sleep(args.pause)
    for name, runs in by_library(args.into).items():
        report(name, runs)


def measure(args: argparse.Namespace, mpicc: str | None, number: int) -> None:
    arguments = ["--budget", f"{args.seconds}s", "--sizes", args.sizes]
    arguments += ["--over", f"{args.over}s"] if args.over else []
    arguments += ["--mpicc", mpicc] if mpicc else []
    name = f"{(mpicc or 'default').replace('/', '_')}-{number:03d}.jsonl"
    hockney(*arguments, output=args.into / name)


def by_library(directory: Path) -> dict[str, list[Analysis]]:
    """The runs of each MPI library, in the order of their start."""
    runs: dict[str, list[Analysis]] = {}
    for file in directory.glob("*.jsonl"):
        analysis = load(file)
        if analysis.run.launches:
            runs.setdefault(analysis.run.launches[0].mpi.library or "unknown", []).append(analysis)
    return {
        name: sorted(analyses, key=lambda analysis: analysis.run.header.started)
        for name, analyses in sorted(runs.items())
    }


def report(name: str, runs: Sequence[Analysis]) -> None:
    states = Counter(round(1e9 * (run.states.states[0].handover_s or 0.0), -1) for run in runs)
    launches = np.median([len(run.run.launches) for run in runs])
    print(f"{name}: {len(runs)} runs of {launches:.0f} launches; states (ns: runs): {dict(states)}")
    print("interval of a run holds the grand median of its state:")
    _by_class(lambda: _grand(runs))
    print(f"interval for the next run, from the {OTHERS} before, holds its median:")
    _by_class(lambda: _next(runs))
    for words, history in (("alone", False), ("with other runs", True)):
        comparisons = [
            compare(a, b, TOLERANCE, _near(runs, at) if history else ())
            for at, (a, b) in enumerate(pairwise(runs))
        ]
        wholes = Counter(comparison.verdict for comparison in comparisons if comparison.overall)
        points = Counter(
            point.difference.verdict for comparison in comparisons for point in comparison.points
        )
        judged = sum(
            comparison.overall is not None and comparison.overall.interval is not None
            for comparison in comparisons
        )
        print(f"equal runs in succession, {words}: {judged} with an interval,")
        print(f"  as a whole {dict(wholes)}, points {dict(points)}")


def _near(runs: Sequence[Analysis], at: int) -> Sequence[Analysis]:
    start = max(min(at - OTHERS // 2, len(runs) - OTHERS - 2), 0)
    return runs[start : start + OTHERS + 2]


Held = Iterator[tuple[int, bool]]
"""The size of a point, and whether its interval held."""


def _grand(runs: Sequence[Analysis]) -> Held:
    """Intervals against the grand median, among at least five runs in a state."""
    for run in runs:
        handover_s = run.states.states[0].handover_s
        alike = [other for other in runs if _headline_in(other, handover_s)]
        if len(alike) < 5:
            continue
        medians = [_points(other) for other in alike]
        for size, point in _points(run).items():
            if point.interval is not None:
                every = [of[size].typical_s for of in medians if size in of]
                yield size, point.interval.holds(float(np.median(every)))


def _next(runs: Sequence[Analysis]) -> Held:
    for at in range(1, len(runs)):
        run, following = runs[at - 1], runs[at]
        if not _headline_in(following, run.states.states[0].handover_s):
            continue
        expected = next_run(run, as_earlier(runs[max(at - 1 - OTHERS, 0) : at - 1]))
        for size, point in _points(following).items():
            known = expected.at(_points(run)[size]) if size in _points(run) else None
            if known is not None:
                yield size, known.interval.holds(point.typical_s)


def _headline_in(analysis: Analysis, handover_s: float | None) -> bool:
    states = analysis.states
    are_unknown = not handover_s or states.probe != "handover"
    return are_unknown or are_one_state(states.states[0].handover_s, handover_s)


def _points(analysis: Analysis) -> dict[int, PointEstimate]:
    return {point.bytes: point for point in analysis.estimates.own()}


def _by_class(held: Callable[[], Held]) -> None:
    every = list(held())
    for name, (first, last) in CLASSES.items():
        hits = [good for size, good in every if first <= size <= last]
        if hits:
            print(f"  {name:7s} {sum(hits)} of {len(hits)}: {100 * np.mean(hits):.1f} %")


if __name__ == "__main__":
    main()
