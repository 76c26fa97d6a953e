"""Knee and plateau of the contention curve of 1,024 simulated ranks across one link."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from networks import Link, two_halves
from platforms import EXACT


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=1024)
    parser.add_argument("--fill", type=float, default=16.0, help="pairs that fill the link")
    args = parser.parse_args()
    wire = Link(1e-6, 1e9)
    uplink = Link(1e-6, args.fill * wire.bandwidth_Bps)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        platform = Path(directory) / "platform.xml"
        platform.write_text(two_halves(args.ranks, wire, uplink))
        command = ["hockney", "pairs", "-n", str(args.ranks), "--platform", str(platform)]
        command += EXACT
        command += ["--pairs-active", "1,2,4,...,all", "--sizes", "1MiB", "--timeout", "10min"]
        command += ["--json", "-q", "-o", str(Path(directory) / "run.jsonl")]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    (knee,) = json.loads(done.stdout)["knees"]
    print(
        f"knee at {knee['pairs']:.3f} pairs of {args.fill:g}, plateau "
        f"{knee['plateau_Bps'] / uplink.bandwidth_Bps:.4f} of the link, "
        f"{time.monotonic() - started:.0f} s"
    )


if __name__ == "__main__":
    main()
