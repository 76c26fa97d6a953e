"""Does the completion time of a broadcast depend on the barrier in front of it? With the common
clock and, beside it, with the barrier itself as the start, by three algorithms of the barrier."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from platforms import EXACT

SIMULATED = ("ompi_basic_linear", "ompi_tree", "ompi_recursivedoubling")
VARIABLES = {
    "mpich": ("MPIR_CVAR_BARRIER_INTRA_ALGORITHM", ("k_dissemination", "recexch", "nb")),
    "openmpi": ("OMPI_MCA_coll_tuned_barrier_algorithm", ("linear", "bruck", "tree")),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--sizes", default="8,1KiB,64KiB,1MiB")
    parser.add_argument("--mpicc")
    parser.add_argument("--library", choices=VARIABLES, help="none: simulated")
    parser.add_argument("--launches", type=int, default=5)
    parser.add_argument("--budget", default="6s", help="of a run")
    parser.add_argument("--repeats", type=int, default=4, help="runs of each, in turn")
    args = parser.parse_args()
    variable, algorithms = VARIABLES.get(args.library, ("", SIMULATED))
    times_s: dict[tuple[str, str, int], list[float]] = {}
    for _ in range(args.repeats if args.library else 1):
        for sync in ("clock", "barrier"):
            for algorithm in algorithms:
                env = {variable: algorithm} if variable else {}
                for size, seconds in _medians(args, sync, algorithm, env):
                    times_s.setdefault((sync, algorithm, size), []).append(seconds)
    print("| start | bytes | " + " | ".join(f"{name}, us" for name in algorithms) + " | apart |")
    print("|---" * (len(algorithms) + 3) + "|")
    for sync, size in dict.fromkeys((sync, size) for sync, _, size in times_s):
        us = [1e6 * float(np.median(times_s[sync, name, size])) for name in algorithms]
        apart = 100.0 * (max(us) / min(us) - 1.0)
        print(f"| {sync} | {size} | {' | '.join(f'{t:.4g}' for t in us)} | {apart:.1f} % |")


def _medians(
    args: argparse.Namespace, sync: str, algorithm: str, env: dict[str, str]
) -> Iterator[tuple[int, float]]:
    with tempfile.TemporaryDirectory() as directory:
        command = ["hockney", "collective", "bcast", "-n", str(args.ranks), "--sizes", args.sizes]
        command += ["--algorithm", "binomial", "--sync", sync, "--json", "-q"]
        command += ["-o", str(Path(directory) / "run.jsonl")]
        if args.library:
            command += ["--oversubscribe", "--launches", f"{args.launches}.."]
            command += ["--budget", args.budget]
            command += ["--mpicc", args.mpicc] if args.mpicc else []
        else:
            command += ["--platform", f"cluster:{args.ranks},lat=5us,bw=1GB/s"]
            command += [*EXACT, "--cfg", f"smpi/barrier:{algorithm}"]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, env={**os.environ, **env}
        )
    for point in json.loads(done.stdout)["points"]:
        yield point["bytes"], point["median_s"]


if __name__ == "__main__":
    main()
