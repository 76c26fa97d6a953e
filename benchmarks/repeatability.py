"""How far ten runs of hockney spread, and ten of NetPIPE in the same wall time, alternated."""

from __future__ import annotations

import argparse
import time

import numpy as np
from common import hockney, medians, netpipe, netpipe_repeats, spread

LARGEST = 4 << 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpicc", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--netpipe", required=True)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seconds", type=float, required=True, help="wall time of a run")
    args = parser.parse_args()
    repeats = netpipe_repeats(args.netpipe, args.mpiexec, LARGEST, args.seconds)
    ours, theirs, walls, handovers = [], [], [], []
    for _ in range(args.runs):
        run = hockney("--mpicc", args.mpicc, "--budget", f"{args.seconds}s", "--sizes", "1..4MiB")
        ours.append(medians(run))
        handovers.append(round(1e9 * (run["run"]["states"][0]["handover_s"] or 0.0)))
        started = time.monotonic()
        theirs.append(netpipe(args.netpipe, args.mpiexec, LARGEST, repeats))
        walls.append((run["wall_s"], time.monotonic() - started))
    print(f"{args.runs} alternated runs of {args.seconds} s; NetPIPE with {repeats} repeats")
    print(
        f"wall s, medians: hockney {np.median([w[0] for w in walls]):.2f}, "
        f"NetPIPE {np.median([w[1] for w in walls]):.2f}"
    )
    print(f"core-to-core latency in hockney's runs, ns: {handovers}")
    for name, runs in (("hockney", ours), ("NetPIPE", theirs)):
        sizes = sorted(set.intersection(*(set(run) for run in runs)))
        spreads = {size: spread([run[size] for run in runs]) for size in sizes}
        worst = max(spreads, key=lambda size: spreads[size])
        print(
            f"{name}: IQR/median typical {100 * np.median(list(spreads.values())):.2f} %, "
            f"worst {100 * spreads[worst]:.1f} % at {worst} B"
        )
    _same_state(ours, handovers)


def _same_state(ours: list[dict[int, float]], handovers: list[int]) -> None:
    """Prints the median spread of the runs whose headline was in the commonest state."""
    commonest = np.median(handovers)
    alike = [run for run, ns in zip(ours, handovers, strict=True) if abs(ns / commonest - 1) < 0.25]
    if len(alike) < 3:
        return
    spreads = [spread([run[size] for run in alike]) for size in alike[0]]
    print(f"hockney, the {len(alike)} runs in one state: typical {100 * np.median(spreads):.2f} %")


if __name__ == "__main__":
    main()
