"""Whether one slow link planted among 64 simulated nodes is found, and nothing else is reported."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from networks import with_slow_link
from platforms import EXACT

OPTIONS = {"pairs": ["--pairs-active", "all"], "cores": ["--parallel"]}


def outliers_of(verb: str, xml: str, hosts: int) -> list[set[str]]:
    """Hosts of each outlier."""
    with tempfile.TemporaryDirectory() as directory:
        platform = Path(directory) / "platform.xml"
        platform.write_text(xml)
        command = ["hockney", verb, "-n", str(hosts), "--platform", str(platform), "--json", "-q"]
        command += EXACT
        command += ["--timeout", "10min", "--sizes", "8,1MiB", *OPTIONS[verb]]
        command += ["-o", str(Path(directory) / "run.jsonl")]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    shown = json.loads(done.stdout)
    names = {place["rank"]: place["host"] for place in shown["run"]["places"]}
    return [{names[rank] for rank in outlier["ranks"]} for outlier in shown["outliers"]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--platforms", type=int, default=20)
    parser.add_argument("--hosts", type=int, default=64)
    parser.add_argument("--verbs", nargs="*", default=list(OPTIONS))
    args = parser.parse_args()
    for verb in args.verbs:
        right = 0
        for seed in range(args.platforms):
            xml, host, kind = with_slow_link(seed, args.hosts)
            outliers = outliers_of(verb, xml, args.hosts)
            # A pair is the best evidence where each node is in one pair only.
            allowed = 2 if verb == "pairs" else 1
            well = len(outliers) == 1 and host in outliers[0] and len(outliers[0]) <= allowed
            right += well
            print(
                f"{verb}, platform {seed}: {host} slow in {kind}, outliers {outliers}", flush=True
            )
        print(f"{verb}: {right} of {args.platforms} platforms right")


if __name__ == "__main__":
    main()
