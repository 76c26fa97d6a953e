"""Does the interval of the first segment's alpha hold the measured latency of 0 bytes?"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--budget", default="2s")
    parser.add_argument("--mpicc")
    args = parser.parse_args()
    held = apart = 0
    for run in range(args.runs):
        with tempfile.TemporaryDirectory() as directory:
            file = str(Path(directory) / "run.jsonl")
            mpicc = ["--mpicc", args.mpicc] if args.mpicc else []
            measured = _hockney("pingpong", "--budget", args.budget, "-q", "-o", file, *mpicc)
            first = _hockney("fit", file, "--model", "segmented")["fits"][0]["segments"][0]
        (empty,) = (point for point in measured["points"] if point["bytes"] == 0)
        seconds, low, high = empty["median_s"], first["alpha_low_s"], first["alpha_high_s"]
        inside = low is not None and low <= seconds <= high
        held, apart = held + inside, apart + (first["to_bytes"] == 0)
        print(
            f"{run + 1:2d}  {1e9 * seconds:.1f} ns, alpha {1e9 * first['alpha_s']:.1f} "
            f"({1e9 * (low or 0.0):.1f} .. {1e9 * (high or 0.0):.1f}) of {first['from_bytes']} to "
            f"{first['to_bytes']} B: {'inside' if inside else 'outside'}"
        )
    print(f"inside in {held} of {args.runs}; 0 bytes a segment of their own in {apart}")


def _hockney(*arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        ["hockney", *arguments, "--json"], capture_output=True, text=True, check=True
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


if __name__ == "__main__":
    main()
