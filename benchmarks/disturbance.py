"""Whether runs beside a busy loop on one core are flagged, and quiet ones are not."""

from __future__ import annotations

import argparse
import subprocess

from common import hockney

BUSY = ["taskset", "-c", "1", "sh", "-c", "while :; do :; done"]


def flagged(run: dict) -> bool:
    return any(warning.startswith("disturbed") for warning in run["warnings"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpicc", default=None)
    parser.add_argument("--seconds", type=float, default=1.5)
    args = parser.parse_args()
    arguments = ["--budget", f"{args.seconds}s"] + (["--mpicc", args.mpicc] if args.mpicc else [])
    loaded = 0
    for _ in range(10):
        load = subprocess.Popen(BUSY)
        try:
            loaded += flagged(hockney(*arguments))
        finally:
            load.kill()
            load.wait()
    quiet = [hockney(*arguments) for _ in range(20)]
    false = [run for run in quiet if flagged(run)]
    print(f"flagged beside a busy loop: {loaded} of 10; when quiet: {len(false)} of 20")
    for run in false:
        print("  " + "; ".join(w for w in run["warnings"] if w.startswith("disturbed")))


if __name__ == "__main__":
    main()
