"""How far launches differ by the probe of many lines, and by one line of it, within each state."""

from __future__ import annotations

import argparse
import json

import numpy as np
from common import lines_of_judged_launches

from hockney.base.units import parse_sizes
from hockney.infer.estimate.states import cluster
from hockney.plan import sizes_of

SIZES = sizes_of(parse_sizes("8,1KiB,64KiB"))
LEAST_LAUNCHES = 5
"""Fewest launches of a state for a standard deviation."""


def launch_lines(mpicc: str | None, launches: int, seconds: float) -> tuple[np.ndarray, float]:
    """The median over rounds of each line, in ns, shape (launches, lines); and the fraction of the
    launches' time that the probe took."""
    medians = []
    probed_s = wall_s = 0.0
    for lines in lines_of_judged_launches(SIZES, mpicc, launches, seconds):
        records = [json.loads(line) for line in lines]
        rounds = [
            [ns for _, ns in sorted(record["ns"].items(), key=lambda line: int(line[0]))]
            for record in records
            if record["kind"] == "lines"
        ]
        medians.append(np.median(rounds, axis=0))
        probed_s += 1e-9 * 2 * 3 * float(np.sum(rounds))
        wall_s += sum(record["wall_s"] for record in records if record["kind"] == "end")
    return np.array(medians), probed_s / wall_s


def deviation(values: np.ndarray) -> float:
    """Relative standard deviation."""
    return float(np.std(np.log(values), ddof=1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpicc", default=None)
    parser.add_argument("--launches", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=0.3)
    args = parser.parse_args()
    lines, fraction = launch_lines(args.mpicc, args.launches, args.seconds)
    medians = np.median(lines, axis=1)
    states = cluster(medians)
    print(
        f"{len(lines)} launches of {args.seconds} s, {lines.shape[1]} lines; "
        f"the probe takes {100 * fraction:.2f} % of a launch"
    )
    for state in range(states.max() + 1):
        ours = lines[states == state]
        if len(ours) < LEAST_LAUNCHES:
            continue
        percent = [100 * deviation(ours[:, line]) for line in range(ours.shape[1])]
        within = [np.std(np.log(launch)) for launch in ours]
        print(
            f"state {np.median(ours):.1f} ns, {len(ours)} launches: standard deviation of launches "
            f"by {ours.shape[1]} lines {100 * deviation(np.median(ours, axis=1)):.2f} %, by one "
            f"line {np.median(percent):.2f} % ({min(percent):.2f} to {max(percent):.2f} %); of "
            f"lines in a launch {100 * np.median(within):.2f} %"
        )


if __name__ == "__main__":
    main()
