"""Whether `hockney watch` finds slowdowns of messages beside other work, and nothing else.

    python watched_hours.py --hours 24

Messages are made slower by a preloaded MPI_Send that waits (slower_send.c), from a time by lot on,
for a tenth of the hours each. Before, looks tell how long messages take.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hockney.plan import Placement
from hockney.records import read
from hockney.run.measure.looks import look_files
from hockney.run.measure.setup import mpi_of

HERE = Path(__file__).parent
SIZES = (8, 1 << 20)
BEFORE = 0.3
"""Part of the time before the first slowdown."""
LONG = 0.1
"""Part of the time that a slowdown lasts."""


@dataclass(frozen=True)
class Slowdown:
    begin_s: float
    end_s: float
    by: float


def slowdowns(hours: float, fractions: list[float], seed: int) -> list[Slowdown]:
    """One in each part of the time after BEFORE, by lot in its first half."""
    chance = random.Random(seed)
    whole_s = 3600.0 * hours
    each_s = (1.0 - BEFORE) * whole_s / len(fractions)
    begins = [
        BEFORE * whole_s + each_s * (number + 0.4 * chance.random())
        for number in range(len(fractions))
    ]
    return [
        Slowdown(begin, begin + LONG * whole_s, by)
        for begin, by in zip(begins, fractions, strict=True)
    ]


def delay(looks: Path, by: float) -> str:
    """The content of the file that makes messages of SIZES slower by a fraction."""
    *_, (_, last) = look_files(looks)
    samples = read(last).samples
    small, large = (
        by * float(np.median(np.concatenate([one.ns for one in samples if one.bytes == size])))
        for size in SIZES
    )
    per_byte = (large - small) / (SIZES[1] - SIZES[0])
    return f"{small - per_byte * SIZES[0]:.3f} {per_byte:.9f}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=24.0)
    parser.add_argument("--duty", default="1%")
    parser.add_argument("--slower", type=float, nargs="*", default=[0.1, 0.05, 0.1])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--into", type=Path, help="keep the looks there")
    args = parser.parse_args()
    planned = slowdowns(args.hours, args.slower, args.seed)
    mpi, _ = mpi_of(Placement())
    with tempfile.TemporaryDirectory() as directory:
        into = args.into or Path(directory) / "looks"
        library, slower, alarms = (Path(directory) / name for name in ("l.so", "slower", "alarms"))
        built = [mpi.mpicc, "-O2", "-shared", "-fPIC", "-o", library, HERE / "slower_send.c"]
        subprocess.run(built, check=True)
        alarms.touch()
        began = time.time()
        watch = subprocess.Popen(
            [
                *(sys.executable, "-m", "hockney", "watch", "--dir", into, "--duty", args.duty),
                *("--on-alarm", f'echo "$(date +%s) $HOCKNEY_TEXT" >> {alarms}'),
                *("--", "pingpong", "--sizes", ",".join(map(str, SIZES))),
            ],
            env={**os.environ, "LD_PRELOAD": str(library), "HOCKNEY_SLOWER": str(slower)},
        )
        try:
            for slowdown in planned:
                time.sleep(max(began + slowdown.begin_s - time.time(), 0.0))
                slower.write_text(delay(into, slowdown.by))
                time.sleep(max(began + slowdown.end_s - time.time(), 0.0))
                slower.unlink()
            time.sleep(max(began + 3600.0 * args.hours - time.time(), 0.0))
        finally:
            watch.terminate()
            watch.wait()
        report(planned, began, alarms.read_text().splitlines(), len(list(look_files(into))))


def report(planned: list[Slowdown], began: float, alarms: list[str], looks: int) -> None:
    whole_s = time.time() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = (used.ru_utime + used.ru_stime) / whole_s / (os.cpu_count() or 1)
    print(f"{whole_s / 3600.0:.2f} h, {looks} looks, {100.0 * cpu:.2g} % of the CPUs")
    for slowdown in planned:
        print(
            f"slower by {100.0 * slowdown.by:g} % from {slowdown.begin_s / 60.0:.1f} to "
            f"{slowdown.end_s / 60.0:.1f} min"
        )
    for alarm in alarms:
        at, _, text = alarm.partition(" ")
        print(f"alarm at {(float(at) - began) / 60.0:.1f} min: {text}")


if __name__ == "__main__":
    main()
