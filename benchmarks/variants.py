"""Whether runs with --vary find a small slowdown, and only where there is one; and how much less
the paired ratio scatters than ratios between separate runs.

The slowdown is injected into a build of the engine's own (HOCKNEY_CFLAGS=-DHOCKNEY_FAULTS). Runs
without one give both spreads: of the paired ratio from run to run, and of the ratio of the medians
of one variant in successive runs, which is what separate runs would have compared.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np

BUILD = {"HOCKNEY_CFLAGS": "-DHOCKNEY_FAULTS"}


def run(args: argparse.Namespace, slower: float) -> dict[str, Any]:
    """The variants of one run, of which the second is slower by that fraction. Their variables
    are equally long: other lengths caused differences of 0.1 to 0.2 %."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "run.jsonl"
        sets = Path(directory) / "sets.toml"
        sets.write_text(
            "".join(
                f'[{name}]\nenv.HOCKNEY_FAULT_SLOWER = "{fraction:.6f}"\n'
                for name, fraction in (("first", 0.0), ("other", slower))
            )
        )
        words = ["--sizes", args.sizes, "--budget", f"{args.seconds}s", "--vary", f"@{sets}"]
        words += ["--mpicc", args.mpicc, "--json", "-q", "-o", str(file)]
        started = time.monotonic()
        done = subprocess.run(
            ["hockney", "pingpong", *words],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, **BUILD},
        )
        study: dict[str, Any] = json.loads(done.stdout)["variants"]
        return study | {"wall_s": time.monotonic() - started}


def name_of(ratio: dict[str, Any]) -> str:
    return "whole" if ratio["point"] is None else f"{ratio['point']['bytes']} B"


def report(what: str, runs: list[dict[str, Any]]) -> None:
    """Prints the verdicts of each point over the runs, and how far the ratios spread."""
    verdicts: dict[str, Counter[str]] = defaultdict(Counter)
    ratios: dict[str, list[float]] = defaultdict(list)
    for study in runs:
        for ratio in study["ratios"]:
            verdicts[name_of(ratio)][ratio["verdict"]] += 1
            ratios[name_of(ratio)].append(ratio["ratio"])
    walls = [study["wall_s"] for study in runs]
    blocks = [study["blocks"] for study in runs]
    print(f"{what}: {len(runs)} runs of {np.median(walls):.0f} s, {np.median(blocks):.0f} blocks")
    for name, counts in verdicts.items():
        values = np.log(ratios[name])
        print(
            f"  {name}: {dict(counts)}, ratio {np.exp(np.median(values)):.4f}, "
            f"standard deviation {100.0 * values.std(ddof=1):.2f} %"
        )
    wrong = sum(
        any(ratio["verdict"] in ("faster", "slower") for ratio in study["ratios"]) for study in runs
    )
    print(f"  any difference claimed in {wrong} of {len(runs)} runs", flush=True)


def report_spread(runs: list[dict[str, Any]]) -> None:
    """Prints the paired ratio's spread over that of ratios between successive runs of one
    variant."""
    base: dict[str, list[float]] = defaultdict(list)
    paired: dict[str, list[float]] = defaultdict(list)
    for study in runs:
        for ratio in study["ratios"]:
            base[name_of(ratio)].append(np.log(ratio["base_s"]))
            paired[name_of(ratio)].append(np.log(ratio["ratio"]))
    for name, values in base.items():
        separate = float(np.diff(values).std(ddof=1))
        together = float(np.std(paired[name], ddof=1))
        print(
            f"  {name}: paired {100.0 * together:.2f} %, separate runs {100.0 * separate:.2f} %: "
            f"{together / separate:.2f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--equal-runs", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60.0, help="budget of a run")
    parser.add_argument("--slower", type=float, nargs="*", default=[0.02, 0.01])
    parser.add_argument("--sizes", default="8,8KiB,1MiB")
    parser.add_argument("--mpicc", default="mpicc")
    args = parser.parse_args()
    for slower in args.slower:
        runs = [run(args, slower) for _ in range(args.runs)]
        report(f"{100.0 * slower:g} % slower", runs)
    runs = [run(args, 0.0) for _ in range(args.equal_runs)]
    if runs:
        report("equal", runs)
        report_spread(runs)


if __name__ == "__main__":
    main()
