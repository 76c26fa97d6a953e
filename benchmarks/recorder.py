"""What the recorder of `hockney profile` costs: a call, and whole programs, with it and without.

    python benchmarks/recorder.py --calls                      # each MPI that is named by --mpicc
    python benchmarks/recorder.py -- mpiexec -n 2 lmp -in in.lj

Targets: at most 60 ns a call of a ping-pong of 8 B, at most 2 % of a program's time.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

from hockney.measure.build import build_recorder
from hockney.measure.mpi import find_mpi
from hockney.measure.recording import environment, mpi_of_command
from hockney.mpis import Mpi, family_of
from hockney.tuning.program import gain_of

CALLS_A_TRIP = 4
"""Two sends and two receives follow each other in a round trip."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", action="store_true")
    parser.add_argument("--mpicc")
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--trace", action="store_true", help="keep the order of calls")
    parser.add_argument("command", nargs="*")
    given = parser.parse_args()
    mpi = mpi_of_command(given.command, given.mpicc) if given.command else find_mpi(given.mpicc)
    recorder, _ = build_recorder(mpi)
    with tempfile.TemporaryDirectory() as place:
        found = environment(recorder, Path(place), 1_000_000 if given.trace else 0)
        settings = {name: value for name, value in found.items() if os.environ.get(name) != value}
        if given.calls:
            of_calls(mpi, settings, Path(place), given.blocks)
        else:
            of_program(mpi, given.command, settings, given.blocks)


def of_calls(mpi: Mpi, settings: dict[str, str], place: Path, blocks: int) -> None:
    program = place / "cost"
    source = Path(__file__).with_name("recorder_cost.c")
    subprocess.run([mpi.mpicc, "-O2", "-o", program, source], check=True)
    command = [str(mpi.mpiexec), "-n", "2", str(program)]
    trips, calls = [], []
    for _ in range(blocks):
        plain, recorded = _times(mpi, command, {}), _times(mpi, command, settings)
        trips.append((recorded[0] - plain[0]) / CALLS_A_TRIP * 1e9)
        calls.append((recorded[1] - plain[1]) * 1e9)
    for name, each in (("ping-pong", trips), ("send to nobody", calls)):
        spread = f"{min(each):.1f} .. {max(each):.1f}"
        middle = statistics.median(each)
        print(f"{mpi.mpicc} {name}: {middle:.1f} ns a call ({spread}), {blocks} pairs")


def _times(mpi: Mpi, command: list[str], settings: dict[str, str]) -> list[float]:
    env = {**os.environ, **family_of(mpi).environment(mpi), **settings}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def of_program(mpi: Mpi, command: list[str], settings: dict[str, str], blocks: int) -> None:
    os.environ.update(family_of(mpi).environment(mpi))
    gain = gain_of(command, settings, blocks)
    interval = gain.interval or (min(gain.ratios), max(gain.ratios))
    print(
        f"{' '.join(command)}: {100.0 * (gain.ratio - 1.0):+.2f} % "
        f"[{100.0 * (interval[0] - 1.0):+.2f} .. {100.0 * (interval[1] - 1.0):+.2f}], "
        f"{blocks} pairs"
    )


if __name__ == "__main__":
    main()
