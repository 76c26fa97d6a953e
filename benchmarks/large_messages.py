"""Whether every kind of message arrives whole past 2 GiB, every byte of it checked: one launch of
each on two ranks, as a user would ask for it. Needs up to 20 GiB of memory; less with --size."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

from common import ROOT_ENV

from hockney.base.units import parse_size
from hockney.plan.workloads.collective import IN_FORMS, NO_BYTES

JUST_ABOVE = "2147487744"
"""2 GiB and 4 KiB, in bytes: more than an int counts."""
HALO = "halo -n 2 --grid 1d --open --exchange"
KINDS = (
    "pingpong",
    *(f"pairs --mode {mode}" for mode in ("synchronous", "nonblocking", "persistent")),
    "pairs --mode partitioned --partitions 2",
    "pairs --operation exchange --mode replace",
    *(f"pairs --operation {way} --window 1" for way in ("bidirectional", "stream")),
    "pairs --datatype indexed:4096@0:4096@8192 --packing datatype",
    "pairs --datatype vector:2:2048:2056 --packing datatype,pack,hand",
    *(f"rma {name} --sync flush" for name in ("put", "get", "accumulate", "get-accumulate")),
    "rma put --sync fence",
    *(
        f"{HALO} {way}"
        for way in ("waitall", "sendrecv", "persistent", "partitioned", "put-fence", "get-fence")
    ),
    *(f"{HALO} {way}" for way in ("neighbor", "neighborv", "neighborw", "neighbor-allgather")),
    *(
        f"collective {name} -n 2 --form blocking,nonblocking"
        for name in IN_FORMS
        if name not in NO_BYTES
    ),
    "collective bcast,allgather -n 2 --form put-fence,get-flush",
)


def outcome(kind: str, size: str, mpicc: str, directory: Path) -> str:
    """One line: the request, the points of that size, seconds, and why it failed."""
    options = (
        "--sizes",
        size,
        "--verify",
        "--launches",
        "1",
        "--timeout",
        "500s",
        "--budget",
        "20s",
    )
    words = [
        "hockney",
        *kind.split(),
        "--json",
        *options,
        "--mpicc",
        mpicc,
        "-o",
        str(directory / "run.jsonl"),
        "--force",
    ]
    started = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ | ROOT_ENV)
    seconds = time.monotonic() - started
    points = json.loads(done.stdout)["points"] if done.stdout else []
    whole = sum(point["bytes"] == parse_size(size) for point in points)
    why = "" if done.returncode == 0 else done.stderr.strip().splitlines()[-1][:200]
    return f"| `{kind}` | {whole} | {seconds:.0f} | {done.returncode} | {why} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default=JUST_ABOVE)
    parser.add_argument("--mpicc", default="mpicc")
    parser.add_argument("--only", default="", help="kinds in which this word occurs")
    args = parser.parse_args()
    print("| requested | points | s | status | |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as directory:
        for kind in KINDS:
            if args.only in kind:
                print(outcome(kind, args.size, args.mpicc, Path(directory)), flush=True)


if __name__ == "__main__":
    main()
