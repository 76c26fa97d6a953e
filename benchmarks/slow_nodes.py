"""Whether `hockney fabric --one-way` names the node whose network is slow in one direction, and
no sound one: hosts of namespaces, one of whose links is limited to 100 Mbit/s.

    python slow_nodes.py --times 10
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from claim import Rate

from hockney.plan import Placement
from hockney.run.measure.preparation.setup import mpi_of
from virtual_hosts import virtual_hosts, why_not

HOSTS = 6
LONGEST_S = 300.0
WAYS = {"out": "to send", "in": "to receive", "none": ""}


def named(way: str, host: str, directory: str) -> list[str]:
    """The nodes that are named, with their direction."""
    words = ["fabric", "-n", str(HOSTS), "--nodes", str(HOSTS), "--ranks-per-node", "1"]
    words += ["--one-way", "--all-pairs", "--sizes", "64KiB", "--budget", "20s", "-q", "--force"]
    with virtual_hosts(HOSTS) as hosts:
        if way != "none":
            hosts.slow_down(host, way)
        words += ["--hosts", ",".join(hosts.names), "--oversubscribe"]
        words += ["-o", f"{directory}/run.jsonl"]
        process = hosts.start(sys.executable, "-m", "hockney", *words)
        try:
            stdout, stderr = process.communicate(timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    if process.returncode:
        sys.exit(stderr)
    starts = [line.partition(":")[0] for line in stdout.splitlines()]
    return [words for words in starts if re.search(r" (is|are) slow\b", words)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--ways", nargs="*", choices=WAYS, default=list(WAYS))
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the hosts are removed
    os.environ.setdefault("MPICC", str(Path(sys.prefix) / "bin" / "mpicc"))
    if reason := why_not():
        sys.exit(reason)
    mpi_of(Placement())
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as directory:
        for way in args.ways:
            words = WAYS[way]
            right = false = 0
            for _ in range(args.times):
                host = f"n{draw.randrange(HOSTS) + 1}"
                expected = [] if way == "none" else [f"node {host} is slow {words}"]
                nodes = named(way, host, directory)
                right += nodes == expected
                false += bool(set(nodes) - set(expected))
                if nodes != expected:
                    print("   ", way, host, nodes, flush=True)
            print(
                f"{way:>5} n={args.times}  right {Rate(right, args.times)}  names another "
                f"{Rate(false, args.times)}",
                flush=True,
            )


if __name__ == "__main__":
    main()
