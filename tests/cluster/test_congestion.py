"""Two streams over one link of 200 Mbit/s between two hosts: each takes twice as long as alone."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator

import pytest

from cluster.conftest import Cluster
from cluster.test_measure import HOCKNEY

pytestmark = pytest.mark.long

LINK_BPS = 200e6 / 8.0
"""So slow that a busy CPU keeps up with it."""
SIZE, WINDOW = 2**18, 8
TOLERANCE = 0.15
"""A machine with other work adds some; a second aggressor would add half."""
WIRE = 0.06
"""Headers of frames, packets and segments, and MPI's own, take up to this fraction of the link."""


@pytest.fixture
def slow_link(cluster: Cluster) -> Iterator[Cluster]:
    """A token bucket limits what hA sends to 200 Mbit/s."""
    at = ["nsenter", "--net=/run/netns/hA", "tc", "qdisc"]
    bucket = ["tbf", "rate", "200mbit", "burst", "64kb", "latency", "50ms"]
    subprocess.run([*at, "add", "dev", "vA", "root", *bucket], check=True)
    try:
        yield cluster
    finally:
        subprocess.run([*at, "del", "dev", "vA", "root"], check=True)


def test_one_aggressor_halves_a_stream(slow_link: Cluster) -> None:
    """Victim and aggressor send from hA to hB."""
    hosts = ("--hosts", "hA,hB", "-n", "4", "--place", "none")
    probe = slow_link.run(
        *HOCKNEY, "congestion", *hosts, "--roles", "blocks", *short("probe", "1s")
    )
    assert probe.status == 0, probe.stderr
    places = json.loads(probe.stdout)["run"]["places"]
    near = [place["rank"] for place in places if place["host"] == "hA"]
    far = [place["rank"] for place in places if place["host"] == "hB"]
    (slow_link.work / "roles").write_text(
        f"victims {near[0]},{far[0]}\naggressors {far[1]},{near[1]}\n"  # an incast into hB
    )
    done = slow_link.run(
        *(*HOCKNEY, "congestion", *hosts, "--victim", "stream", "--sizes", str(SIZE)),
        *("--window", str(WINDOW), "--aggressor", "incast", "--load-sizes", str(SIZE)),
        *("--load-windows", str(WINDOW), "--roles", "roles", *short("run", "25s")),
    )
    assert done.status == 0, done.stderr
    (point,) = json.loads(done.stdout)["points"]
    print(point["isolated_s"], point["factor"], point["low"], point["high"], point["load_Bps"])
    alone_Bps = SIZE / point["isolated_s"]
    assert (1.0 - WIRE) * LINK_BPS < alone_Bps < LINK_BPS
    assert point["factor"] == pytest.approx(2.0, rel=TOLERANCE)
    assert point["load_Bps"] == pytest.approx(alone_Bps / 2.0, rel=2.0 * TOLERANCE)


def short(name: str, budget: str) -> tuple[str, ...]:
    return ("--budget", budget, "-q", "--json", "-o", f"{name}.jsonl")
