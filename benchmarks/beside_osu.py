"""Whether hockney's medians agree with those of OSU's programs on two ranks, in alternated runs:
one-sided operations, threads, persistent messages and the neighbourhood all-to-all."""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from common import ROOT_ENV, hockney, osu_times

from hockney.run.measure.toolchain.mpi import find_mpi
from hockney.run.mpis import Mpi

SIZES = (8, 1024, 65536, 1048576)


@dataclass(frozen=True)
class Peer:
    """A command of hockney and OSU's program that measures the same: its place below c/mpi."""

    command: str
    program: str
    options: str = ""
    operation: str = "pingpong"
    """Operation of the points to compare, among others that the command measures."""
    sizes: tuple[int, ...] = SIZES


# OSU sends from one buffer into another, each always the same.
SAME = "--buffers separate"
FLUSH = "-w allocate -s flush"
PEERS = {
    "put": Peer(f"rma put --sync flush {SAME}", "one-sided/osu_put_latency", FLUSH, "put"),
    "get": Peer(f"rma get --sync flush {SAME}", "one-sided/osu_get_latency", FLUSH, "get"),
    "accumulate": Peer(
        f"rma accumulate --element int8 --sync flush {SAME}",
        "one-sided/osu_acc_latency",
        FLUSH,
        "accumulate",
    ),
    "fetch-and-op": Peer(
        f"rma fetch-and-op --element int32 --sync flush {SAME}",
        "one-sided/osu_fop_latency",
        f"{FLUSH} -T mpi_int",
        "fetch-and-op",
        (4,),
    ),
    "1 thread": Peer(f"pingpong --threads 1 {SAME}", "pt2pt/standard/osu_latency_mt", "-t 1:1"),
    "2 threads": Peer(f"pingpong --threads 2 {SAME}", "pt2pt/standard/osu_latency_mt", "-t 2:2"),
    "persistent": Peer(
        f"pairs --mode persistent {SAME}", "pt2pt/persistent/osu_latency_persistent"
    ),
    "neighbour alltoall": Peer(
        "halo --grid 2x1 --open --exchange neighbor --sync barrier",
        "collective/neighborhood/osu_neighbor_alltoall",
        "-N graph:{graph}",
        "halo",
    ),
}


def ours(peer: Peer, mpi: Mpi, seconds: float) -> dict[int, float]:
    """Median seconds by bytes."""
    verb, *words = peer.command.split()
    if len(peer.sizes) > 1:
        words += ["--sizes", ",".join(map(str, peer.sizes))]
    words += ["-n", "2", "--mpicc", str(mpi.mpicc), "--budget", f"{seconds}s"]
    run = hockney(*words, experiment=verb)
    return {
        point["bytes"]: point["median_s"]
        for point in run["points"]
        if point["operation"] == peer.operation
    }


def theirs(peer: Peer, mpi: Mpi, directory: Path, repetitions: int) -> dict[int, float]:
    with tempfile.NamedTemporaryFile("w", suffix=".graph") as graph:
        graph.write("0,1\n1,0\n")
        graph.flush()
        words = [*peer.options.format(graph=graph.name).split(), "-i", str(repetitions)]
        if len(peer.sizes) > 1:
            words += ["-m", f"{min(peer.sizes)}:{max(peer.sizes)}"]
        return osu_times(directory / peer.program, mpi, words)


def bare(mpi: Mpi, name: str, *questions: str, ranks: int = 1) -> list[float]:
    """Times in nanoseconds that a program of this directory prints, one for each question."""
    with tempfile.TemporaryDirectory() as directory:
        program = Path(directory) / name
        source = Path(__file__).with_name(f"{name}.c")
        subprocess.run([mpi.mpicc, "-O2", "-pthread", "-o", program, source], check=True)
        env = {**os.environ, **ROOT_ENV}
        start = [mpi.mpiexec, "--bind-to", "core", "-n", str(ranks), program]
        return [
            float(subprocess.check_output([*start, *question.split()], env=env))
            for question in questions
        ]


def explain(mpi: Mpi, runs: int) -> None:
    """Prints bare loops with the variables of OSU's threads, and with batches of several
    lengths."""
    questions = [
        *(
            f"threads {threads} {variables} 4000 {size}"
            for size in (8, 65536)
            for threads in (1, 2)
            for variables in ("shared", "own")
        ),
        *(f"persistent 1048576 {batch} {max(300 // batch, 30)}" for batch in (1, 3, 10, 100)),
    ]
    times_ns = np.array([bare(mpi, "beside_osu", *questions, ranks=2) for _ in range(runs)])
    for question, all_ns in zip(questions, times_ns.T, strict=True):
        low, middle, high = (1e-3 * at for at in (all_ns.min(), np.median(all_ns), all_ns.max()))
        print(f"{question:40s} {middle:9.3f} us, from {low:.3f} to {high:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpicc", required=True)
    parser.add_argument("--osu", type=Path, help="c/mpi of a build with that MPI")
    parser.add_argument("--explain", action="store_true", help="bare loops alone")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each run of hockney")
    parser.add_argument("--repetitions", type=int, default=5000, help="of each size of OSU's")
    parser.add_argument("--only", choices=PEERS, action="append")
    args = parser.parse_args()
    mpi = find_mpi(args.mpicc)
    if args.explain or args.osu is None:
        explain(mpi, args.runs)
        return
    print(f"{args.mpicc}; {args.runs} alternated runs; us, and the median of the runs' ratios")
    print(f"OSU reads MPI_Wtime twice in each iteration: {bare(mpi, 'wtime', '')[0]:.0f} ns")
    for name in args.only or PEERS:
        peer = PEERS[name]
        both: dict[int, list[tuple[float, float]]] = defaultdict(list)
        for _ in range(args.runs):
            mine = ours(peer, mpi, args.seconds)
            other = theirs(peer, mpi, args.osu, args.repetitions)
            for size in peer.sizes:
                both[size].append((mine[size], other[size]))
        for size, times in both.items():
            a, b = np.array(times).T
            print(
                f"{name:20s} {size:8d}  hockney {1e6 * np.median(a):9.3f}  "
                f"OSU {1e6 * np.median(b):9.3f}  {np.median(a / b):.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
