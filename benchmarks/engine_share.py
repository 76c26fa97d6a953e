"""What part of a round of collectives the engine spends on itself: agreeing on starts, bringing
results together, planning, and comparing clocks.

The rounds are those of a real machine, simulated: an engine built with HOCKNEY_WHOLE_ROUNDS, on
ranks each of which has a clock of its own (--sync messages), in the time of the simulated machine.
Inside its windows a visit waits for the next start; that is not the engine's part of the round, but
it is printed beside it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from common import build_with_engine

from hockney.plan import Case, Placement
from hockney.plan.workloads.collective import Collective
from hockney.run.measure.machine.platforms import platform_file
from hockney.run.measure.toolchain.build import ENGINE
from hockney.run.measure.toolchain.mpi import find_mpi
from hockney.run.schedulers import find_starter


def simulate(args: argparse.Namespace) -> list[dict[str, Any]]:
    """The records of one launch."""
    mpi = find_mpi(None, simulated=True)
    workload = Collective(collective=args.collective, sizes=())
    shape = f"fat-tree:{args.ranks},lat={args.latency},bw=12.5GB/s"
    with (
        tempfile.TemporaryDirectory() as directory,
        platform_file(Placement(ranks=args.ranks, platform=shape)) as placement,
    ):
        engine = Path(directory) / "engine"
        build_with_engine(mpi.mpicc, ENGINE.directory / "main.c", engine, "-DHOCKNEY_WHOLE_ROUNDS")
        program = [str(engine), "collective", args.collective, f"--sizes={args.sizes}"]
        program += ["--place=none", f"--sync={args.sync}", "--seconds=1000"]
        program += [f"--rounds={args.rounds}:{args.rounds}"]
        command = find_starter(mpi, placement).command(
            mpi, Case(workload=workload, placement=placement), program
        )
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=4096)
    parser.add_argument("--collective", default="allreduce")
    parser.add_argument("--sizes", default="8,1KiB,64KiB")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--latency", default="1us", help="of each link of the fat tree")
    parser.add_argument("--sync", default="messages", help="clock: all ranks share one")
    args = parser.parse_args()
    records = simulate(args)
    windows_s: dict[int, float] = defaultdict(float)
    inside_s: dict[int, float] = defaultdict(float)
    missed = {(r["round"], r["bytes"]): r["missed"] for r in records if r["kind"] == "start"}
    for visit in records:
        if visit["kind"] == "samples":
            count = len(visit["ns"]) + missed[visit["round"], visit["bytes"]]
            windows_s[visit["round"]] += count * visit["window_ns"] * 1e-9
            inside_s[visit["round"]] += count * float(np.median(visit["ns"])) * 1e-9
    for round_ in records:
        if round_["kind"] == "round":
            number, wall_s = round_["round"], round_["wall_s"]
            print(
                f"{args.ranks} ranks, {args.collective} of {args.sizes}, round {number}: "
                f"{wall_s * 1e3:.2f} ms, timed {windows_s[number] * 1e3:.2f} ms (inside the "
                f"operation {inside_s[number] * 1e3:.2f} ms), engine's own "
                f"{100 * (1 - windows_s[number] / wall_s):.1f} %"
            )


if __name__ == "__main__":
    main()
