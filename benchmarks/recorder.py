"""What the recorder of `hockney profile` costs: a call, and whole programs, with it and without.

    python benchmarks/recorder.py --calls                      # each MPI that is named by --mpicc
    python benchmarks/recorder.py -- mpiexec -n 2 lmp -in in.lj

Targets: at most 60 ns a call of a ping-pong of 8 B, at most 2 % of a program's time.

A program runs many times, in pairs with and without the recorder, in random order: short runs
of 1 to 2 s meet less of the machine's changes than long ones. Beside the wall time stands the CPU
time of all its processes: what others do on the machine changes that less.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hockney.infer.estimate.shifts import paired_shift
from hockney.profiling.layout import read_rank
from hockney.run.measure.recording import DIRECTORY, environment, mpi_of_command
from hockney.run.measure.toolchain.build import build_recorder
from hockney.run.measure.toolchain.mpi import find_mpi
from hockney.run.mpis import Mpi, family_of

CALLS_A_TRIP = 4
"""Two sends and two receives follow each other in a round trip."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", action="store_true")
    parser.add_argument("--mpicc")
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--seconds", type=float, help="of a program: as many pairs as fit")
    parser.add_argument("--trace", action="store_true", help="keep the order of calls")
    parser.add_argument("command", nargs="*")
    given = parser.parse_args()
    mpi = mpi_of_command(given.command, given.mpicc) if given.command else find_mpi(given.mpicc)
    recorder, _ = build_recorder(mpi)
    with tempfile.TemporaryDirectory() as place:
        variables = environment(recorder, Path(place), 1_000_000 if given.trace else 0)
        settings = {
            name: value for name, value in variables.items() if os.environ.get(name) != value
        }
        if given.calls:
            of_calls(mpi, settings, Path(place), given.blocks)
        else:
            of_program(mpi, given.command, settings, given.blocks, given.seconds)


def of_calls(mpi: Mpi, settings: dict[str, str], place: Path, blocks: int) -> None:
    program = place / "cost"
    source = Path(__file__).with_name("recorder_cost.c")
    subprocess.run([mpi.mpicc, "-O2", "-o", program, source], check=True)
    command = [str(mpi.mpiexec), "-n", "2", str(program)]
    costs_ns: dict[str, list[float]] = defaultdict(list)
    for _ in range(blocks):
        plain, recorded = _times(mpi, command, {}), _times(mpi, command, settings)
        more = [1e9 * (with_it - without) for without, with_it in zip(plain, recorded, strict=True)]
        costs_ns["ping-pong"].append(more[0] / CALLS_A_TRIP)
        costs_ns["send to nobody"].append(more[1])
        costs_ns["test that finds nothing"].append(more[2])
    for path in place.glob("[0-9]*"):
        rank = read_rank(path)
        for name in ("call", "poll", "page"):
            own = f"{name}, by the recorder itself"
            costs_ns[own].append(rank.header[f"{name}_ticks"] * rank.s_per_tick * 1e9)
    for name, each in costs_ns.items():
        spread = f"{min(each):.1f} .. {max(each):.1f}"
        middle = statistics.median(each)
        print(f"{mpi.mpicc} {name}: {middle:.1f} ns ({spread}), {blocks} pairs")


def _times(mpi: Mpi, command: list[str], settings: dict[str, str]) -> list[float]:
    env = {**os.environ, **family_of(mpi).environment(mpi), **settings}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


@dataclass(frozen=True)
class Spent:
    """Times of one run, in seconds."""

    wall: float
    cpu: float


def of_program(
    mpi: Mpi, command: list[str], settings: dict[str, str], pairs: int, seconds: float | None
) -> None:
    os.environ.update(family_of(mpi).environment(mpi))
    chance = random.Random(1)
    _run(command, {})  # its files are read into memory now
    spent: list[tuple[Spent, Spent]] = []
    begun = time.monotonic()
    while len(spent) < pairs or (seconds and time.monotonic() - begun < seconds):
        recorded_first = chance.random() < 0.5
        first = _run(command, settings if recorded_first else {})
        second = _run(command, {} if recorded_first else settings)
        spent.append((first, second) if recorded_first else (second, first))
    for name in ("wall", "cpu"):
        plain = np.array([getattr(without, name) for _, without in spent])
        recorded = np.array([getattr(with_it, name) for with_it, _ in spent])
        shift = paired_shift(np.log(recorded / plain))
        ends = (shift.interval.low, shift.interval.high) if shift.interval else (np.nan, np.nan)
        low, high = (100.0 * (np.exp(end) - 1.0) for end in ends)
        print(
            f"{' '.join(command)}: {name} time {100.0 * (np.exp(shift.centre) - 1.0):+.2f} % "
            f"[{low:+.2f} .. {high:+.2f}] (Hodges-Lehmann, signed-rank), {len(spent)} pairs of "
            f"{np.median(plain):.2f} s"
        )


def _run(command: list[str], settings: Mapping[str, str]) -> Spent:
    # The recorder writes a file a rank, which must be new.
    with tempfile.TemporaryDirectory() as place:
        env = {**os.environ, **settings}
        if settings:
            env[DIRECTORY] = place
        began = time.monotonic()
        process = subprocess.Popen(
            command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - began
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with exit status {process.returncode}")
    return Spent(wall, used.ru_utime + used.ru_stime)


if __name__ == "__main__":
    main()
