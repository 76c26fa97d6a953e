"""How long a collective takes in a bare program: back to back, and behind starts by the common
clock that lie 3 to 600 us apart. The reference for hockney's collectives.

Back to back is a mean over a loop. A broadcast's root need not wait for the other ranks there, so
that broadcasts overlap; a barrier, an allreduce or an alltoall ends when all have begun.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
from common import ROOT_ENV, spread

from hockney.base.units import parse_sizes
from hockney.run.measure.toolchain.mpi import find_mpi
from hockney.run.mpis import Mpi

WITHOUT_SIZES = ("barrier",)
MOST_LATE = 0.5
"""Fraction of repetitions that may begin late: where more do, the others are the quick ones of an
operation that takes longer than the starts are apart, and their median does not describe it."""


class Timing(NamedTuple):
    """One way in one launch; nanoseconds, nan where unknown, and the fraction of repetitions that
    began late."""

    time_ns: float
    other_ns: float
    late: float


Timings = dict[float, Timing]
"""Timing by the distance of the starts in nanoseconds; 0 is back to back."""


def build(mpi: Mpi, program: Path) -> None:
    """The bare program, which has nothing of the engine."""
    source = Path(__file__).with_suffix(".c")
    flags = ["-std=c11", "-O2", "-D_GNU_SOURCE"]
    subprocess.run([mpi.mpicc, *flags, "-o", program, source, "-lm"], check=True)


def launch(mpi: Mpi, program: Path, name: str, size: int, *settings: str) -> Timings:
    """One start of the program on two ranks; `settings` are rounds, lateness and distances."""
    done = subprocess.run(
        [mpi.mpiexec, "--bind-to", "core", "-n", "2", program, name, str(size), *settings],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **ROOT_ENV},
    )
    rows = [[float(word) for word in line.split()] for line in done.stdout.splitlines()]
    return {distance: _timing(*numbers) for distance, *numbers in rows}


def _timing(time_ns: float, other_ns: float, late: float) -> Timing:
    return Timing(time_ns, other_ns, late) if late <= MOST_LATE else Timing(np.nan, np.nan, late)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpicc")
    parser.add_argument("--names", default="bcast,allreduce,alltoall,barrier")
    parser.add_argument("--sizes", default="8,1KiB")
    parser.add_argument("--distances", default="3,5,20,100,600", help="of the starts, us")
    parser.add_argument("--late", type=float, default=1.0, help="more is late, us")
    parser.add_argument("--rounds", type=int, default=6, help="of all ways in a launch")
    parser.add_argument("--launches", type=int, default=5, help="of each point in a run")
    parser.add_argument("--runs", type=int, default=8)
    args = parser.parse_args()
    mpi = find_mpi(args.mpicc)
    points = [
        (name, size)
        for name in args.names.split(",")
        for size in ([0] if name in WITHOUT_SIZES else parse_sizes(args.sizes))
    ]
    distances = [str(1e3 * float(distance)) for distance in args.distances.split(",")]
    settings = [str(args.rounds), str(1e3 * args.late), *distances]
    runs: dict[tuple[str, int], list[list[Timings]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as directory:
        program = Path(directory) / "back_to_back"
        build(mpi, program)
        for _ in range(args.runs):
            launches: dict[tuple[str, int], list[Timings]] = defaultdict(list)
            for _ in range(args.launches):
                for point in points:
                    launches[point].append(launch(mpi, program, *point, *settings))
            for point in points:
                runs[point].append(launches[point])
    print(
        f"{mpi.launcher_text}; {args.runs} runs of {args.launches} launches, the points in "
        f"turn; medians of runs, each the median of its launches; late: over {args.late:g} us"
    )
    show(runs)


def show(runs: dict[tuple[str, int], list[list[Timings]]]) -> None:
    """Prints a row a point and way."""
    print(
        "The ratio to back to back is taken inside each launch. Own: rank 0's back to back, else "
        "the mean over ranks."
        "\n| collective | bytes | starts | time us | spread of runs % | slowest launch us "
        "| ratio | spread of runs % | own us | late % |"
    )
    print("|---" * 10 + "|")
    for (name, size), of_point in runs.items():
        for distance in of_point[0][0]:
            time, other, late = _columns(of_point, distance)
            alone, _, _ = _columns(of_point, 0.0)
            of_runs, of_other = median_of_launches(time), median_of_launches(other)
            ratios = median_of_launches(time / alone)
            way = f"{1e-3 * distance:g} us apart" if distance else "back to back"
            slowest = float(np.nanmax(time)) if np.isfinite(time).any() else np.nan
            numbers = (np.median(of_runs), 100 * spread(of_runs), slowest)
            numbers += (np.median(ratios), 100 * spread(ratios), np.median(of_other))
            words = [f"{number:.3f}" if np.isfinite(number) else "-" for number in numbers]
            print(f"| {name} | {size} | {way} | {' | '.join(words)} | {100 * np.mean(late):.1f} |")


def _columns(runs: list[list[Timings]], distance: float) -> tuple[np.ndarray, ...]:
    """Times in us and lateness, each a row a run and a column a launch."""
    each = np.array([[timings[distance] for timings in run] for run in runs])
    return 1e-3 * each[:, :, 0], 1e-3 * each[:, :, 1], each[:, :, 2]


def median_of_launches(values: np.ndarray) -> list[float]:
    """The median of each run's launches that have a value; nan where none has."""
    rows = [row[np.isfinite(row)] for row in values]
    return [float(np.median(row)) if len(row) else np.nan for row in rows]


if __name__ == "__main__":
    main()
