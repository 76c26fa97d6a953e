"""How long a study of a collective, of pairs or of a round of all pairs takes on thousands of
simulated ranks, and how much memory."""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=4096)
    what = "or pairs, or fabric: one round of all pairs"
    parser.add_argument("--collective", default="bcast", help=what)
    parser.add_argument("--algorithm", default="default")
    parser.add_argument("--sizes", default="8,64KiB,1MiB")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        command = ["hockney", "pairs"]
        if args.collective == "fabric":
            command = ["hockney", "fabric", "--rounds", "1"]
        elif args.collective != "pairs":
            command = ["hockney", "collective", args.collective, "--algorithm", args.algorithm]
        command += ["-n", str(args.ranks)]
        command += ["--platform", f"fat-tree:{args.ranks},lat=1us,bw=12.5GB/s"]
        command += ["--sizes", args.sizes, "--budget", "30min"]
        command += ["--timeout", "30min", "-q", "-o", str(Path(directory) / "run.jsonl")]
        started = time.monotonic()
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        most = 0
        while run.poll() is None:
            time.sleep(0.2)
            most = max(most, *(_memory_kB(path) for path in Path("/proc").glob("[0-9]*")), 0)
    print(
        f"{args.ranks} ranks, {args.collective} {args.algorithm} of {args.sizes}: exit status "
        f"{run.returncode}, {time.monotonic() - started:.0f} s, {most / 2**20:.1f} GiB"
    )


def _memory_kB(process: Path) -> int:
    """Memory of a simulator process (Pss: pages that are mapped often count once); 0 for others."""
    with suppress(OSError):
        if (process / "comm").read_text().strip() == "smpimain":
            lines = (process / "smaps_rollup").read_text().splitlines()
            return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return 0


if __name__ == "__main__":
    main()
