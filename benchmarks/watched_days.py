"""Whether a watch finds slowdowns of this machine's messages, and nothing else: days of looks, made
one after another and counted half an hour apart.

    python watched_days.py --days 1 --looks-a-day 720 --first-days 0.1 --hours 2 --slower 1 1 1
    python watched_days.py --days 45 --slower 0.1 0.1 0.1

The looks are real, their noise is that of the minutes in which they are made. Messages are made
slower by a preloaded MPI_Send that waits (slower_send.c), for some hours each time. A new watch
sees a change by half; smaller ones it overlooks in the first four weeks.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import tempfile
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

import click
import numpy as np
from msgspec.structs import replace

from hockney.cli._measure import measured
from hockney.cli._watcher import measured_look
from hockney.cli.watch import request_of
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.history.watch import Look, Watch
from hockney.plan import Placement, Plan
from hockney.run.measure.execution import Target
from hockney.run.measure.preparation.setup import mpi_of
from hockney.show.history.watch_lines import change_line

HERE = Path(__file__).parent
SIZES = (8, 1 << 20)
BEGAN = datetime(2026, 1, 5, tzinfo=timezone.utc)


def slow_looks(args: argparse.Namespace) -> list[range]:
    """The looks of each slowdown: one in each part of the time after the first days, at random."""
    count, lasts = max(len(args.slower), 1), round(args.hours / 24.0 * args.looks_a_day)
    first = round(args.first_days * args.looks_a_day)
    each = (round(args.days * args.looks_a_day) - first) // count
    chance = random.Random(args.seed)
    begins = [first + each * i + chance.randrange(max(each - 2 * lasts, 1)) for i in range(count)]
    return [range(begin, begin + lasts) for begin in begins]


def delay(usual_ns: dict[int, list[float]], by: float) -> str:
    """The content of the file that makes messages of SIZES slower by a fraction."""
    small, large = (by * float(np.median(usual_ns[size])) for size in SIZES)
    per_byte = (large - small) / (SIZES[1] - SIZES[0])
    return f"{small - per_byte * SIZES[0]:.3f} {per_byte:.9f}\n"


def plan_of(budget: str) -> Plan:
    words = ("pingpong", "--sizes", ",".join(map(str, SIZES)), "--budget", budget)
    with click.Context(click.Command("watch")):
        return request_of(words).plan


def made(
    number: int,
    looks_a_day: int,
    plan: Plan,
    directory: Path,
    usual_ns: dict[int, list[float]] | None,
) -> Look:
    """A look, with the time at which it would have been made. usual_ns: where its times go."""
    session = measured(plan, Target(directory / f"look-{number:06d}.jsonl"), quiet=True)
    look = measured_look(number, Analysis(session.run), session.launches_wall_s)
    assert look is not None
    for sample in session.run.samples if usual_ns is not None else ():
        usual_ns.setdefault(sample.bytes, []).append(float(np.median(sample.ns)))
    started = BEGAN + timedelta(days=number / looks_a_day)
    return replace(look, started=started.isoformat())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=float, default=45.0)
    parser.add_argument("--looks-a-day", type=int, default=48)
    parser.add_argument("--first-days", type=float, default=30.0, help="none slower until then")
    parser.add_argument("--hours", type=float, default=6.0, help="length of a slowdown")
    parser.add_argument("--slower", type=float, nargs="*", default=[0.1, 0.1, 0.1])
    parser.add_argument("--budget", default="600ms")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    looks = round(args.days * args.looks_a_day)
    planned = dict(zip(slow_looks(args), args.slower, strict=False))
    first = min((when.start for when in planned), default=looks)
    mpi, _ = mpi_of(Placement())
    plan = plan_of(args.budget)
    usual_ns: dict[int, list[float]] = {}
    watch, began = Watch(0.01), time.monotonic()
    with tempfile.TemporaryDirectory() as kept:
        directory = Path(kept)
        library, slower = directory / "slower.so", directory / "slower"
        words = ["-O2", "-shared", "-fPIC", "-o", str(library), str(HERE / "slower_send.c")]
        subprocess.run([str(mpi.mpicc), *words], check=True)
        os.environ |= {"LD_PRELOAD": str(library), "HOCKNEY_SLOWER": str(slower)}
        for number in range(1, looks + 1):
            by = next((by for when, by in planned.items() if number in when), 0.0)
            slower.write_text(delay(usual_ns, by) if by else "0 0\n")
            times = usual_ns if number < min(first, args.looks_a_day) else None
            shown = watch.take(made(number, args.looks_a_day, plan, directory, times))
            for change in shown.changes:
                assert shown.watched is not None
                print(f"look {number}: {change_line(shown.watched, change)}", flush=True)
    for when, by in planned.items():
        print(f"slower by {100.0 * by:g} % in looks {when.start} to {when.stop - 1}")
    print(f"{looks} looks in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
