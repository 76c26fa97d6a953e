"""A simulated machine whose latency and bandwidth are known."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from conftest import RunHockney
from hockney import records
from platforms import EXACT, two_hosts

pytestmark = pytest.mark.simgrid
"""On these platforms T = alpha + (bytes + 16) beta: SimGrid adds an envelope of 16 bytes."""
ENVELOPE_BYTES = 16


def platforms() -> list[tuple[float, float]]:
    """Latencies of 0.5 to 100 us, bandwidths of 0.1 to 100 GB/s."""
    chance = random.Random(17)
    return [(0.5e-6 * 200 ** chance.random(), 1e8 * 1000 ** chance.random()) for _ in range(5)]


@pytest.mark.long
@pytest.mark.parametrize(("latency_s", "bandwidth_Bps"), platforms())
def test_alpha_and_beta_are_given_back(
    hockney: RunHockney, tmp_path: Path, latency_s: float, bandwidth_Bps: float
) -> None:
    platform = tmp_path / "platform.xml"
    platform.write_text(two_hosts(latency_s, bandwidth_Bps))
    result = hockney.ok("pingpong", "--platform", str(platform), *EXACT, "--json", "-q").json
    assert result["run"]["simulated"] is True
    parameters = result["fits"][0]["parameters"]
    beta = 1.0 / bandwidth_Bps
    alpha = latency_s + ENVELOPE_BYTES * beta
    # Two readings of the simulated clock of 10 ns each stand in every batch of 20 us or more.
    assert parameters["alpha_s"]["value"] == pytest.approx(alpha, rel=0.01)
    assert parameters["beta_s_per_B"]["value"] == pytest.approx(beta, rel=0.01)


def test_simulated_times_that_repeat_end_the_launch(hockney: RunHockney, tmp_path: Path) -> None:
    """They differ in the last digits of the clock, whose pattern looks like a drift."""
    words = ("--platform", "cluster:2", "--sizes", "1..1MiB/2", "--budget", "2s", "-q")
    hockney.ok("pingpong", "-n", "2", *words, "-o", str(tmp_path / "run.jsonl"))
    run = records.read(tmp_path / "run.jsonl")
    assert run.ends[-1].reason == "precision"
    assert len({visit.round for visit in run.samples}) < 50


def test_no_noise_of_this_host_is_in_a_simulated_run(hockney: RunHockney, tmp_path: Path) -> None:
    platform = tmp_path / "platform.xml"
    platform.write_text(two_hosts(1e-5, 1e9))
    options = ["--platform", str(platform), *EXACT, "--sizes", "0,8,1MiB", "--json", "-q"]
    first, second = (hockney("pingpong", *options).json for _ in range(2))
    assert [p["median_s"] for p in first["points"]] == [p["median_s"] for p in second["points"]]
    assert first["warnings"] == []
    assert [(place["host"], place["pu"]) for place in first["run"]["places"]] == [
        ("a", None),
        ("b", None),
    ]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--platform", "nowhere.xml"], "no such file"),
        (["--platform", "PLATFORM", "--floor"], "--floor applies to this machine"),
        (["--platform", "PLATFORM", "--cpus", "0,1"], "--cpus applies to this machine"),
    ],
)
def test_bad_platforms_are_refused(
    hockney: RunHockney, tmp_path: Path, options: list[str], complaint: str
) -> None:
    platform = tmp_path / "platform.xml"
    platform.write_text(two_hosts(1e-5, 1e9))
    words = [str(platform) if word == "PLATFORM" else word for word in options]
    hockney.refused("pingpong", *words, because=complaint)


def test_what_simgrid_refuses_is_shown(hockney: RunHockney, tmp_path: Path) -> None:
    platform = tmp_path / "platform.xml"
    platform.write_text(two_hosts(1e-5, 1e9).replace("<link ", "<nonsense ", 1))
    done = hockney("pingpong", "--platform", str(platform), "--sizes", "8")
    assert done.status == 1
    assert "platform.xml:7" in done.stderr
