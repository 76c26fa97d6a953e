"""What the first rank does for each of 100,000 ranks: what a launch of so many would cost it."""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

from common import ROOT_ENV, build_with_engine

from hockney.run.measure.toolchain.mpi import find_mpi


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpicc", default=None)
    parser.add_argument("--ranks", type=int, default=100_000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        program, records = Path(directory) / "per_rank", Path(directory) / "records.jsonl"
        build_with_engine(find_mpi(args.mpicc).mpicc, Path(__file__).with_suffix(".c"), program)
        with records.open("wb") as file:
            done = subprocess.run(
                [program, str(args.ranks)],
                stdout=file,
                stderr=subprocess.PIPE,
                text=True,
                check=True,
                env={**os.environ, **ROOT_ENV},
            )
        print(f"{args.ranks} ranks, {records.stat().st_size / args.ranks:.0f} B of records each")
        print(done.stderr, end="")


if __name__ == "__main__":
    main()
