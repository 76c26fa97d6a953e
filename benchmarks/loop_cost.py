"""How much longer a batch of the engine takes than the same loop written bare in C."""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from common import ROOT_ENV, build_with_engine

from hockney.run.measure.toolchain.mpi import find_mpi
from hockney.run.mpis import Mpi

LAUNCHES = 5


def build(mpi: Mpi, program: Path, name: str = "loop_cost") -> None:
    """The bare loop, with all of the engine but its main program."""
    build_with_engine(mpi.mpicc, Path(__file__).with_name(f"{name}.c"), program)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpicc", default=None)
    parser.add_argument("--threads", type=int, help="of each rank, under MPI_THREAD_MULTIPLE")
    parser.add_argument("--batches", type=int, default=2001)
    args = parser.parse_args()
    mpi = find_mpi(args.mpicc)
    words = [str(args.batches), *([str(args.threads)] if args.threads else [])]
    ratios: dict[tuple[str, int], list[float]] = {}
    with tempfile.TemporaryDirectory() as directory:
        program = Path(directory) / "loop_cost"
        build(mpi, program, "loop_cost_threads" if args.threads else "loop_cost")
        for _ in range(LAUNCHES):
            done = subprocess.run(
                [mpi.mpiexec, "--bind-to", "core", "-n", "2", program, *words],
                capture_output=True,
                text=True,
                check=True,
                env={**os.environ, **ROOT_ENV},
            )
            for line in done.stdout.splitlines():
                *name, bytes_, engine, bare = line.split()
                key = "".join(name) or "threads", int(bytes_)
                ratios.setdefault(key, []).append(float(engine) / float(bare))
    print(f"{mpi.launcher_text}; {LAUNCHES} launches, medians of {args.batches} batches of 200")
    print("operation  bytes  engine/bare (median, min, max of launches)")
    for (operation, bytes_), values in sorted(ratios.items()):
        ends = f"{min(values):.4f}  {max(values):.4f}"
        print(f"{operation:9}  {bytes_:5d}  {np.median(values):.4f}  {ends}")


if __name__ == "__main__":
    main()
