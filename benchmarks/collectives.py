"""How hockney's collectives on two ranks repeat and agree beside OSU Micro-Benchmarks' in the same
wall time, alternated, and whether the visits of a launch drift.

OSU prints the mean over ranks of each rank's own durations: `own_mean_s` of hockney is the same
quantity. Every spread is the interquartile range over the median of the runs' numbers.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from common import FEWEST_REPETITIONS, hockney, osu, repetitions_for, spread

from hockney.base.units import parse_seconds, parse_sizes
from hockney.infer.estimate import estimate
from hockney.records import Run, read
from hockney.run.measure.toolchain.mpi import find_mpi
from hockney.run.mpis import Mpi

ADDED = {"allreduce": ("-T", "mpi_int")}
"""Options of OSU's reductions: hockney adds integers of 4 bytes, OSU adds characters by default."""
WITHOUT_SIZES = ("barrier",)
TENTH = 10
ONE_STATE = 1.25
"""Largest ratio of core-to-core latencies of one state of the machine."""
FEWEST_RUNS = 3
"""Fewest runs for a spread."""
DRIFT = 0.03
"""Largest relative change from the first to the last tenth of a launch's visits."""


@dataclass(frozen=True)
class InState:
    """What one run of hockney measured in one state of the machine."""

    core_to_core_ns: float
    median_s: float
    own_s: float


@dataclass
class Point:
    """One collective and size: seconds, one entry a run, and one ratio a launch."""

    name: str
    bytes: int
    medians_s: list[float] = field(default_factory=list)
    own_s: list[float] = field(default_factory=list)
    osu_s: list[float] = field(default_factory=list)
    core_to_core_ns: list[float] = field(default_factory=list)
    """Core-to-core latency of hockney's runs: the state of the machine, which nothing reports for
    OSU's."""
    states: list[list[InState]] = field(default_factory=list)
    """Measurements of each of hockney's runs in each state of the machine."""
    drifts: list[float] = field(default_factory=list)
    steady_drifts: list[float] = field(default_factory=list)
    """Drifts of the launches that were in one state of the machine."""
    shuffled_drifts: list[float] = field(default_factory=list)
    """Drifts of these launches with their visits in random order: by chance alone."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--osu", required=True, type=Path, help="directory of osu_bcast ...")
    parser.add_argument("--mpicc", help="of the MPI that OSU was built with")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--names", default="bcast,allreduce,alltoall,barrier")
    parser.add_argument("--sizes", default="8,1KiB,64KiB")
    parser.add_argument("--seconds", type=parse_seconds, default=4.0, help="budget of a run")
    args = parser.parse_args()
    mpi = find_mpi(args.mpicc)
    print(f"{mpi.launcher_text}; {args.runs} alternated runs, budget {args.seconds:g} s")
    _run_hockney("barrier", {}, mpi, 0.2, [])  # builds the engine
    points = []
    for name in args.names.split(","):
        sizes = [0] if name in WITHOUT_SIZES else parse_sizes(args.sizes)
        points += compare(name, sizes, mpi, args.osu / f"osu_{name}", args.runs, args.seconds)
    print("\nAll runs:")
    show_agreement(points)
    alike = [in_common_state(point) for point in points]
    if min(len(point.medians_s) for point in alike) >= FEWEST_RUNS:
        print(
            "\nhockney in the state of the machine that most runs saw, which it reports by itself; "
            "all of OSU's runs, which do not know their state:"
        )
        show_agreement(alike)
    show_drift(points)


def compare(
    name: str, sizes: list[int], mpi: Mpi, program: Path, runs: int, seconds: float
) -> list[Point]:
    """Alternated runs of one collective. OSU starts once for each size; together its starts last as
    long as hockney's runs so far, with repetitions that follow what its last start took."""
    points = {size: Point(name, size) for size in sizes}
    words = {size: _osu_arguments(name, size) for size in sizes}
    each_s = _run_hockney(name, {}, mpi, seconds, sizes) / len(sizes)
    repetitions = {
        size: repetitions_for(each_s, lambda n, size=size: osu(program, mpi, words[size], n)[1])
        for size in sizes
    }
    walls_s = []
    for _ in range(runs):
        ours_s = _run_hockney(name, points, mpi, seconds, sizes)
        theirs = {size: osu(program, mpi, words[size], repetitions[size]) for size in sizes}
        walls_s.append((ours_s, sum(wall_s for _, wall_s in theirs.values())))
        each_s = float(np.mean(walls_s, axis=0)[0]) / len(sizes)
        for size, (mean_s, wall_s) in theirs.items():
            points[size].osu_s.append(mean_s)
            wanted = int(repetitions[size] * np.clip(each_s / wall_s, 0.5, 2.0))
            repetitions[size] = max(wanted, FEWEST_REPETITIONS)
    ours_s, theirs_s = np.mean(walls_s, axis=0)
    latencies = [round(latency) for latency in points[sizes[0]].core_to_core_ns]
    print(
        f"{name}: OSU's repetitions {list(repetitions.values())}; wall s, means: hockney "
        f"{ours_s:.2f}, OSU {theirs_s:.2f}; core-to-core latency in hockney's runs, ns: "
        f"{latencies}",
        flush=True,
    )
    return list(points.values())


def _osu_arguments(name: str, size: int) -> list[str]:
    sized = [] if name in WITHOUT_SIZES else ["-m", f"{size}:{size}"]
    return [*sized, *ADDED.get(name, ())]


def _run_hockney(
    name: str, points: dict[int, Point], mpi: Mpi, seconds: float, sizes: list[int]
) -> float:
    """Adds one run to the points, if any; returns the wall time of the command."""
    sized = [] if name in WITHOUT_SIZES else ["--sizes", ",".join(map(str, sizes))]
    arguments = [name, "-n", "2", *sized, "--budget", f"{seconds}s", "--mpicc", str(mpi.mpicc)]
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "run.jsonl"
        result = hockney(*arguments, experiment="collective", output=file)
        run = read(file)
    latency_s = result["run"]["states"][0]["handover_s"] or 0.0
    measured: dict[int, dict[str, Any]] = {point["bytes"]: point for point in result["points"]}
    for size, point in points.items():
        times = measured.get(size, {})
        point.medians_s.append(times.get("median_s", np.nan))
        point.own_s.append(times.get("own_mean_s", np.nan))
        point.core_to_core_ns.append(1e9 * latency_s)
        point.states.append(states_of(run, size))
    for launch, size, visits in visits_of(run):
        if size in points:
            _add_drift(points[size], visits, was_in_one_state(run, launch), launch)
    wall_s: float = result["wall_s"]
    return wall_s


def _add_drift(point: Point, visits: np.ndarray, steady: bool, seed: int) -> None:
    point.drifts.append(drift(visits))
    point.shuffled_drifts.append(drift(np.random.default_rng(seed).permutation(visits)))
    if steady:
        point.steady_drifts.append(point.drifts[-1])


def visits_of(run: Run) -> Iterator[tuple[int, int, np.ndarray]]:
    """Launch, bytes and the median of every visit in turn, nanoseconds."""
    visits: dict[tuple[int, int], list[float]] = defaultdict(list)
    for samples in run.samples:
        if samples.ns:
            visits[samples.launch, samples.bytes].append(float(np.median(samples.ns)))
    for (launch, size), medians in visits.items():
        yield launch, size, np.array(medians)


def drift(visits: np.ndarray) -> float:
    """The median of the last tenth of the visits over that of the first."""
    tenth = max(1, len(visits) // TENTH)
    return float(np.median(visits[-tenth:]) / np.median(visits[:tenth]))


def was_in_one_state(run: Run, launch: int) -> bool:
    latencies = [probe.handover_ns for probe in run.probes if probe.launch == launch]
    if not latencies:
        return False
    low, high = np.quantile(latencies, (0.1, 0.9))
    return bool(high <= ONE_STATE * low)


def states_of(run: Run, size: int) -> list[InState]:
    """The point of that size in each state that has a core-to-core latency."""
    estimates = estimate(run)
    return [
        InState(1e9 * state.handover_s, point.median_s, point.own_mean_s or np.nan)
        for state in estimates.states.states
        if state.handover_s
        for point in estimates.in_state(state.id)
        if point.bytes == size and point.median_s is not None
    ]


def in_common_state(point: Point) -> Point:
    """hockney's runs in the state that most of them met; those that did not are left out."""
    seen = [state.core_to_core_ns for states in point.states for state in states]

    def within(latency: float) -> list[InState]:
        nearest = []
        for states in point.states:
            near = min(states, key=lambda s: abs(np.log(s.core_to_core_ns / latency)), default=None)
            if near is not None and abs(np.log(near.core_to_core_ns / latency)) < np.log(ONE_STATE):
                nearest.append(near)
        return nearest

    alike = max(map(within, seen), key=len, default=[])
    return replace(
        point,
        medians_s=[state.median_s for state in alike],
        own_s=[state.own_s for state in alike],
    )


def show_agreement(points: list[Point]) -> None:
    """Prints spreads, medians and their ratios: a row a point."""
    print(
        "| collective | bytes | hockney us | own mean us | OSU us | hockney/OSU | own/OSU "
        "| spread: hockney % | own % | OSU % | hockney/OSU | runs |"
    )
    print("|---" * 12 + "|")
    ratios = []
    for point in points:
        numbers = (point.medians_s, point.own_s, point.osu_s)
        ours, own, theirs = (1e6 * float(np.median(values)) for values in numbers)
        over, own_over = ours / theirs, own / theirs
        spreads = [100 * spread(values) for values in numbers]
        ratios.append(spreads[0] / spreads[2] if spreads[2] > 0 else np.inf)
        print(
            f"| {point.name} | {point.bytes} | {ours:.3f} | {own:.3f} | {theirs:.3f} "
            f"| {over:.3f} | {own_over:.3f} | {' | '.join(f'{s:.1f}' for s in spreads)} "
            f"| {ratios[-1]:.2f} | {len(point.medians_s)} |"
        )
    print(f"spread, hockney/OSU: median {np.median(ratios):.2f}, largest {max(ratios):.2f}")


def show_drift(points: list[Point]) -> None:
    """Prints how far launches drift: a row a point."""
    print(
        "\nThe last tenth of a launch's visits over the first: the launch that is farthest from 1."
        "\nShuffled: the same launches with their visits in random order. One state: the machine's,"
        f"\ncore-to-core latencies within {ONE_STATE - 1:.0%}."
        f"\n| collective | bytes | launches | median | farthest | within {DRIFT:.0%} "
        "| shuffled: farthest | one state: launches | farthest |"
    )
    print("|---" * 9 + "|")
    for point in points:
        near = sum(abs(value - 1.0) <= DRIFT for value in point.drifts)
        print(
            f"| {point.name} | {point.bytes} | {len(point.drifts)} | {np.median(point.drifts):.3f} "
            f"| {_farthest(point.drifts)} | {near} | {_farthest(point.shuffled_drifts)} "
            f"| {len(point.steady_drifts)} | {_farthest(point.steady_drifts)} |"
        )


def _farthest(ratios: list[float]) -> str:
    """The ratio that is farthest from 1, up or down."""
    return f"{max(ratios, key=lambda ratio: abs(np.log(ratio))):.3f}" if ratios else "-"


if __name__ == "__main__":
    main()
