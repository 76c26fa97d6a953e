"""Whether three ways of starting ranks on two hosts agree, and 1/beta is that of the link.

As root: it makes the hosts of tests/cluster, of network namespaces, and removes them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from cluster.conftest import Cluster, two_hosts

HOCKNEY = (sys.executable, "-m", "hockney")
TWO = ("--nodes", "2", "--ranks-per-node", "1")
WAYS = {
    "mpiexec": (*HOCKNEY, "pingpong", "--hosts", "hA,hB"),
    "srun": ("salloc", "--quiet", "--nodes=2", *HOCKNEY, "pingpong", *TWO),
    "sbatch": (*HOCKNEY, "job", "slurm", "--submit", "--", "pingpong", *TWO),
}
GBIT_BPS = 1e9 / 8.0
BUCKET = "root tbf rate 1gbit burst 256kb latency 50ms"
"""tc's token bucket; a burst goes through at full speed, so only much larger messages show the
limit."""
FRAME, PAYLOAD = 1514, 1448
"""Bytes of an Ethernet frame, which the bucket counts, and of TCP with time stamps in it."""


def measured(cluster: Cluster, way: str, *options: str) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as work:
        own = Cluster(cluster.state, Path(work))
        done = own.run(*WAYS[way], *options, "--json", "-q", "-o", "run.jsonl")
        if done.status != 0:
            raise SystemExit(done.stderr)
        result: dict[str, object] = json.loads(done.stdout)
        return result


def three_ways(cluster: Cluster, repeats: int) -> None:
    """Medians of each way in turn, so that changes of the machine meet all of them."""
    options = ("--sizes", "8,1KiB,64KiB,1MiB", "--budget", "5s", "--launches", "5..")
    times: dict[int, dict[str, list[float]]] = {}
    for _ in range(repeats):
        for way in WAYS:
            for point in measured(cluster, way, *options)["points"]:  # type: ignore[attr-defined]
                of = times.setdefault(point["bytes"], {}).setdefault(way, [])
                of.append(point["median_s"] * 1e6)
    for size, ways in times.items():
        middles = {way: sorted(us)[len(us) // 2] for way, us in ways.items()}
        apart = max(middles.values()) / min(middles.values()) - 1.0
        said = ", ".join(f"{way} {us:.2f}" for way, us in middles.items())
        print(f"{size:>8} B: {said} us; {100.0 * apart:.1f} % apart")


def token_bucket(cluster: Cluster) -> None:
    for host in ("A", "B"):
        inside = ["nsenter", f"--net=/run/netns/h{host}"]
        command = f"tc qdisc add dev v{host} {BUCKET}"
        subprocess.run([*inside, *command.split()], check=True)
    options = ("--sizes", "4MiB..64MiB", "--budget", "60s")
    result = measured(cluster, "mpiexec", *options)
    rate = result["fits"][0]["derived"]["r_inf_Bps"]["value"]  # type: ignore[index]
    wire = GBIT_BPS * PAYLOAD / FRAME
    print(
        f"1/beta {rate / 1e6:.2f} MB/s; 1 Gbit/s is {GBIT_BPS / 1e6:.2f} MB/s of frames, "
        f"{wire / 1e6:.2f} MB/s of payload: {100.0 * (rate / GBIT_BPS - 1.0):+.1f} % and "
        f"{100.0 * (rate / wire - 1.0):+.1f} %"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    with two_hosts() as state:
        cluster = Cluster(state, Path("/"))
        three_ways(cluster, args.repeats)
        token_bucket(cluster)


if __name__ == "__main__":
    main()
