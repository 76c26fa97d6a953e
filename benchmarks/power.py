"""Whether `hockney compare` sees a true difference of 5 %, and only where there is one.

The difference is injected into a build of the engine's own (HOCKNEY_CFLAGS=-DHOCKNEY_FAULTS). Pairs
of runs that the machine spent in different states are repeated: compare says that it cannot tell.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

BUILD = {"HOCKNEY_CFLAGS": "-DHOCKNEY_FAULTS"}
SLOWER = {"HOCKNEY_FAULT_SLOWER": "0.05"}
MOST_REPEATS = 3


def measure(path: Path, arguments: list[str], env: dict[str, str]) -> None:
    subprocess.run(
        ["hockney", "pingpong", "-q", "--force", "-o", str(path), *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **BUILD, **env},
    )


def trial(directory: Path, arguments: list[str], env: dict[str, str]) -> tuple[str, int]:
    """The verdict, and how often the pair had to be repeated for want of a common state."""
    base, other = directory / "a.jsonl", directory / "b.jsonl"
    for repeats in range(MOST_REPEATS):
        measure(base, arguments, {})
        measure(other, arguments, env)
        said = subprocess.run(
            ["hockney", "compare", "--json", str(base), str(other)], capture_output=True, text=True
        ).stdout
        result = json.loads(said)
        overall = result["comparisons"][0]["overall"]
        if result["verdict"] != "unknown" or overall.get("p") is not None:
            return result["verdict"], repeats
    return "unknown", MOST_REPEATS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--null-trials", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=10.0, help="budget; the default is ours")
    asked = parser.parse_args()
    arguments = ["--budget", f"{asked.seconds}s"]
    with tempfile.TemporaryDirectory() as directory:
        for name, env, trials in (
            ("5 % slower", SLOWER, asked.trials),
            ("alike", {}, asked.null_trials),
        ):
            results = [trial(Path(directory), arguments, env) for _ in range(trials)]
            verdicts = Counter(verdict for verdict, _ in results)
            repeated = sum(repeats for _, repeats in results)
            print(
                f"{name}: {dict(verdicts)} of {trials} (pairs measured again: {repeated})",
                flush=True,
            )


if __name__ == "__main__":
    main()
