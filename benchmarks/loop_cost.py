"""How much longer a batch of the engine takes than the same loop written bare in C."""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from common import ROOT_ENV, build_with_engine

from hockney.measure.mpi import find_mpi
from hockney.mpis import Mpi

LAUNCHES = 5


def build(mpi: Mpi, program: Path) -> None:
    """The bare loop, with all of the engine but its main program."""
    build_with_engine(mpi.mpicc, Path(__file__).with_suffix(".c"), program)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpicc", default=None)
    mpi = find_mpi(parser.parse_args().mpicc)
    ratios: dict[int, list[float]] = {}
    with tempfile.TemporaryDirectory() as directory:
        program = Path(directory) / "loop_cost"
        build(mpi, program)
        for _ in range(LAUNCHES):
            done = subprocess.run(
                [mpi.mpiexec, "--bind-to", "core", "-n", "2", program],
                capture_output=True,
                text=True,
                check=True,
                env={**os.environ, **ROOT_ENV},
            )
            for line in done.stdout.splitlines():
                bytes_, engine, bare = line.split()
                ratios.setdefault(int(bytes_), []).append(float(engine) / float(bare))
    print(f"{mpi.launcher_version}; {LAUNCHES} launches, medians of 2001 batches of 200")
    print("bytes  engine/bare (median, min, max of launches)")
    for bytes_, values in sorted(ratios.items()):
        print(f"{bytes_:5d}  {np.median(values):.4f}  {min(values):.4f}  {max(values):.4f}")


if __name__ == "__main__":
    main()
