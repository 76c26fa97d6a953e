"""Whether hockney's medians agree with NetPIPE's on the same MPI, in alternated runs."""

from __future__ import annotations

import argparse

import numpy as np
from common import hockney, medians, netpipe, netpipe_repeats

SIZES = (1, 1024, 65536, 1048576)
LARGEST = max(SIZES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpicc", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--netpipe", required=True)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each run")
    args = parser.parse_args()
    repeats = netpipe_repeats(args.netpipe, args.mpiexec, LARGEST, args.seconds)
    ours: dict[int, list[float]] = {size: [] for size in SIZES}
    theirs: dict[int, list[float]] = {size: [] for size in SIZES}
    handovers = []
    for _ in range(args.runs):
        run = hockney(
            "--mpicc",
            args.mpicc,
            "--budget",
            f"{args.seconds}s",
            "--sizes",
            ",".join(map(str, SIZES)),
        )
        handovers.append(round(1e9 * (run["run"]["states"][0]["handover_s"] or 0.0)))
        peer = netpipe(args.netpipe, args.mpiexec, LARGEST, repeats)
        for size in SIZES:
            ours[size].append(medians(run)[size])
            theirs[size].append(peer[size])
    print(f"{args.netpipe}, {repeats} repeats; {args.runs} alternated runs of {args.seconds} s")
    print(f"core-to-core latency in hockney's runs, ns: {handovers}")
    print("bytes     hockney us   NetPIPE us   median of the pairs' ratios")
    for size in SIZES:
        a, b = float(np.median(ours[size])), float(np.median(theirs[size]))
        ratio = float(np.median(np.array(ours[size]) / np.array(theirs[size])))
        print(f"{size:8d}  {a * 1e6:11.3f}  {b * 1e6:11.3f}   {ratio:.3f}")


if __name__ == "__main__":
    main()
