"""Common parts of benchmarks: runs of hockney and of its peers, and the spread that is reported."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hockney.plan import Case, Placement, Sampling
from hockney.plan.engine import engine_arguments, launch_arguments
from hockney.plan.size import Size
from hockney.plan.workloads.pingpong import Pingpong
from hockney.run.measure.launches.start import start_of
from hockney.run.measure.toolchain.build import ENGINE, build_engine
from hockney.run.measure.toolchain.compiler import FLAGS
from hockney.run.measure.toolchain.mpi import find_mpi
from hockney.run.mpis import Mpi

FEWEST_REPETITIONS = 1000
"""Fewest repetitions of an OSU benchmark; with fewer its wall time is that of its start."""
ROOT_ENV = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
CLASSES = {"small": (0, 1024), "medium": (1025, 65536), "large": (65537, 1 << 40)}
"""Classes of sizes (bytes), from and to, that behave alike."""


def build_with_engine(mpicc: str | Path, source: Path, program: Path, *options: str) -> None:
    """A C program that calls parts of the engine: `source` and all of it but its main program."""
    parts = [part for part in ENGINE.directory.rglob("*.c") if part.name != "main.c"]
    command = [
        mpicc,
        *FLAGS,
        *options,
        f"-I{ENGINE.directory}",
        "-o",
        program,
        *parts,
        source,
        "-lm",
    ]
    subprocess.run(command, check=True)


def hockney(
    *arguments: str,
    experiment: str = "pingpong",
    env: dict[str, str] | None = None,
    output: Path | None = None,
) -> dict[str, Any]:
    """One run's JSON, with the wall time of the whole command as "wall_s". The result file stays
    where `output` is given."""
    with tempfile.TemporaryDirectory() as directory:
        file = output or Path(directory) / "run.jsonl"
        started = time.monotonic()
        done = subprocess.run(
            ["hockney", experiment, "--json", "-q", "-o", str(file), *arguments],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, **(env or {})},
        )
        result: dict[str, Any] = json.loads(done.stdout)
        result["wall_s"] = time.monotonic() - started
        return result


def lines_of_judged_launches(
    sizes: Sequence[Size], mpicc: str | None, launches: int, seconds: float
) -> Iterator[list[bytes]]:
    """The records of each launch of a ping-pong, by an engine that is its own judge: it also prints
    every line of its probe, and core-to-core latencies before and after each round."""
    os.environ["HOCKNEY_CFLAGS"] = "-DHOCKNEY_FAULTS"
    mpi = find_mpi(mpicc)
    engine = build_engine(mpi)
    case = Case(workload=Pingpong(sizes=tuple(sizes)), placement=Placement())
    for launch in range(launches):
        arguments = engine_arguments(case, Sampling(precision=1e-6), seconds)
        arguments += launch_arguments(launch)
        start = start_of(mpi, engine, case, arguments, {"HOCKNEY_JUDGE": "1"})
        env = {**os.environ, **start.env}
        done = subprocess.run(start.command, capture_output=True, check=True, env=env)
        yield done.stdout.splitlines()


def medians(run: dict[str, Any]) -> dict[int, float]:
    """Seconds by bytes."""
    return {p["bytes"]: p["median_s"] for p in run["points"] if p["operation"] == "pingpong"}


def netpipe(command: str, mpiexec: str, largest: int, repeats: int) -> dict[int, float]:
    """One run of NetPIPE 3 on its own grid of sizes: one-way seconds by bytes, from the rate (2^20
    bits a second), because its times are printed in steps of 10 ns."""
    with tempfile.TemporaryDirectory() as directory:
        out = Path(directory) / "np.out"
        bind = ["--bind-to", "core"] if "openmpi" in command else ["-bind-to", "core"]
        settings = ["-p", "0", "-n", str(repeats), "-u", str(largest), "-o", str(out)]
        subprocess.run(
            [mpiexec, *bind, "-n", "2", command, *settings],
            capture_output=True,
            check=True,
            env={**os.environ, **ROOT_ENV},
        )
        rows = [line.split() for line in out.read_text().splitlines() if line.strip()]
    return {int(row[0]): 8.0 * int(row[0]) / (float(row[1]) * 2**20) for row in rows}


def netpipe_repeats(command: str, mpiexec: str, largest: int, seconds: float) -> int:
    """How many repeats a size make one run of NetPIPE last about so long."""
    times = []
    for repeats in (10, 40):
        started = time.monotonic()
        netpipe(command, mpiexec, largest, repeats)
        times.append(time.monotonic() - started)
    each = max((times[1] - times[0]) / 30.0, 1e-6)
    return max(int(10 + (seconds - times[0]) / each), 5)


def osu_times(program: Path, mpi: Mpi, arguments: Sequence[str]) -> dict[int, float]:
    """One start of an OSU benchmark on two ranks: seconds by bytes, for programs that print but one
    number by 8. Their status is no matter: osu_latency_mt prints all and may not finalize."""
    done = subprocess.run(
        [mpi.mpiexec, "--bind-to", "core", "-n", "2", program, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **ROOT_ENV},
    )
    rows = [line.split() for line in done.stdout.splitlines() if line.strip()[:1].isdigit()]
    if not rows:
        raise SystemExit(f"{program} printed no number: {done.stderr}")
    return {int(row[0]) if len(row) > 1 else 8: float(row[-1]) / 1e6 for row in rows}


def osu(program: Path, mpi: Mpi, arguments: list[str], repetitions: int) -> tuple[float, float]:
    """One start of an OSU benchmark of a collective on two ranks: the time that it prints, which is
    the mean over ranks of each rank's own mean, and the wall time of the whole command; seconds."""
    started = time.monotonic()
    [*_, (_, seconds)] = osu_times(program, mpi, ["-i", str(repetitions), *arguments]).items()
    return seconds, time.monotonic() - started


def repetitions_for(seconds: float, run: Callable[[int], float]) -> int:
    """How many repetitions make `run`, which returns its wall time, last about `seconds`."""
    few, many = FEWEST_REPETITIONS, 4 * FEWEST_REPETITIONS
    few_s, many_s = run(few), run(many)
    while many_s < 0.5 * seconds:
        many *= 4
        many_s = run(many)
    each_s = max((many_s - few_s) / (many - few), 1e-8)
    return max(int(few + (seconds - few_s) / each_s), few)


def spread(values: list[float]) -> float:
    """Interquartile range over median."""
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
    return float((high - low) / middle)
