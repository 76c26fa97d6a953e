"""Pairs and cores on simulated networks whose answer is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conftest import RunHockney
from networks import Link, nodes_of_ranks, two_halves, with_slow_link
from platforms import EXACT

pytestmark = pytest.mark.simgrid
"""On these platforms T = alpha + (bytes + 16) beta: SimGrid adds an envelope of 16 bytes."""
ENVELOPE_BYTES = 16


def measured(
    hockney: RunHockney, tmp_path: Path, verb: str, xml: str, *options: str
) -> tuple[int, dict[str, Any]]:
    platform = tmp_path / "platform.xml"
    platform.write_text(xml)
    done = hockney(verb, "--platform", str(platform), *EXACT, "--json", "-q", *options)
    assert done.stdout, done.stderr
    return done.status, done.json


def test_knee_and_plateau_of_a_shared_uplink(hockney: RunHockney, tmp_path: Path) -> None:
    """128 pairs across one link that 12 of them fill; benchmarks/uplink.py has 512."""
    wire, uplink = Link(1e-6, 1e9), Link(1e-6, 12e9)
    status, shown = measured(
        hockney,
        tmp_path,
        "pairs",
        two_halves(256, wire, uplink),
        "-n",
        "256",
        "--sizes",
        "1MiB",
        "--pairs-active",
        "1,2,4,...,all",
    )
    assert status == 0
    (knee,) = shown["knees"]
    assert knee["pairs"] == pytest.approx(12.0, rel=0.02)
    assert knee["plateau_Bps"] == pytest.approx(12e9, rel=0.02)
    last = shown["contention"][-1]
    alpha_s = 2 * wire.latency_s + uplink.latency_s
    seconds = alpha_s + 128 * (2**20 + ENVELOPE_BYTES) / uplink.bandwidth_Bps
    assert last["typical_s"] == pytest.approx(seconds, rel=0.01)
    assert shown["outliers"] == []


@pytest.mark.long
def test_the_matrix_of_two_levels_gives_both_back(hockney: RunHockney, tmp_path: Path) -> None:
    near, far = Link(5e-6, 10e9), Link(20e-6, 1e9)
    _, shown = measured(
        hockney, tmp_path, "cores", nodes_of_ranks(4, near, far), "-n", "16", "--sizes", "0,1MiB"
    )
    same, different = shown["by_places"]
    assert (same["name"], len(same["pairs"])) == ("same node", 4 * 6)
    assert (different["name"], len(different["pairs"])) == ("different nodes", 120 - 4 * 6)
    for group, latency_s, rate in ((same, 5e-6, 10e9), (different, 40e-6, 1e9)):
        for row in group["times"]:
            seconds = latency_s + (row["bytes"] + ENVELOPE_BYTES) / rate
            assert row["mean_s"] == pytest.approx(seconds, rel=0.01)
            assert row["ratio"] < 1e-3
    assert [sorted(group["pairs"]) for group in shown["by_times"]] == [
        sorted(group["pairs"]) for group in shown["by_places"]
    ]
    assert shown["disagreeing"] == shown["not_told_apart"] == shown["outliers"] == []


@pytest.mark.parametrize("seed", range(3))
def test_one_slow_link_among_64_nodes_is_found(
    hockney: RunHockney, tmp_path: Path, seed: int
) -> None:
    """benchmarks/slow_link.py asks the same of many more."""
    xml, host, _ = with_slow_link(seed)
    options = ["-n", "64", "--sizes", "8,1MiB", "--gate", "--pairs-active", "all"]
    status, shown = measured(hockney, tmp_path, "pairs", xml, *options)
    assert status == 1
    (apart,) = shown["outliers"]
    hosts = {place["rank"]: place["host"] for place in shown["run"]["places"]}
    assert host in {hosts[rank] for rank in apart["ranks"]}
