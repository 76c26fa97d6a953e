"""Start-up, the tool's own time around a run, and the time to build the engine."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np


def timed(command: list[str], env: dict[str, str] | None = None) -> tuple[float, str]:
    started = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    return time.monotonic() - started, done.stderr


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpicc", default=None)
    args = parser.parse_args()
    mpicc = ["--mpicc", args.mpicc] if args.mpicc else []
    help_s = [timed(["hockney", "--help"])[0] for _ in range(20)]
    ours = []
    with tempfile.TemporaryDirectory() as directory:
        run = ["hockney", "pingpong", "--budget", "1.5s", *mpicc, "--force"]
        run += ["-o", str(Path(directory) / "run.jsonl")]
        timed(run)
        for _ in range(10):
            wall_s, said = timed(run)
            match = re.search(r"launch(?:es)? in ([\d.]+) (s|ms)", said)
            assert match is not None
            ours.append(wall_s - float(match[1]) * (1.0 if match[2] == "s" else 1e-3))
        builds = []
        for number in range(3):
            env = {**os.environ, "XDG_CACHE_HOME": str(Path(directory) / f"cache{number}")}
            builds.append(timed([*run, "--launches", "1", "--budget", "0.1s"], env)[0])
    print(f"hockney --help: median {np.median(help_s):.3f} s, largest {max(help_s):.3f} s")
    print(f"ours around a run of 1.5 s: median {np.median(ours):.3f} s, largest {max(ours):.3f} s")
    print(f"a run of 0.1 s with building the engine: median {np.median(builds):.2f} s")


if __name__ == "__main__":
    main()
