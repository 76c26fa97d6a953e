"""Collectives by messages on a simulated cluster: their phases against schedules that are walked by
hand, and the data that they bring."""

from __future__ import annotations

from typing import Any

import pytest

from conftest import RunHockney, first_of
from hockney.infer.predict.phases import TIMED, schedules_with_phases
from platforms import EXACT

pytestmark = pytest.mark.simgrid
ALPHA_S, BETA_S_PER_B, ENVELOPE_BYTES = 10e-6, 1e-9, 16
PLATFORM = "cluster:12,lat=5us,bw=1GB/s"
"""A message takes two links."""
SIZES = (64, 1 << 20)


def hop(bytes_: float) -> float:
    """One message alone on its links."""
    return ALPHA_S + BETA_S_PER_B * (bytes_ + ENVELOPE_BYTES)


def by_hand(algorithm: str, ranks: int, size: int) -> dict[str, float]:
    """Seconds by phase; every step of these waits for the one before it."""
    rounds = ranks.bit_length() - 1
    power = 1 << rounds
    if algorithm.endswith("ring"):
        each = (ranks - 1) * hop(size / ranks)
        if algorithm == "ring":
            return {"reduce-scatter": each, "allgather": each}
        return {"scatter": sum(hop(size / 2**k) for k in range(1, rounds + 1)), "allgather": each}
    halves = sum(hop(size / 2**k) for k in range(1, rounds + 1))
    if algorithm == "scatter_allgather":
        return {"scatter": halves, "allgather": halves}
    folds = {"fold": hop(size)} if ranks > power else {}
    unfolds = {"unfold": hop(size)} if ranks > power else {}
    if algorithm == "rabenseifner":
        return {**folds, "reduce-scatter": halves, "allgather": halves, **unfolds}
    exchanges = rounds * hop(size)
    return {**folds, "exchange": exchanges, **unfolds} if folds else {"exchange": exchanges}


def phases_of(hockney: RunHockney, *words: str) -> list[dict[str, Any]]:
    done = hockney.ok("collective", *words, "--platform", PLATFORM, *EXACT, "--json", "-q")
    phases: list[dict[str, Any]] = done.json["phases"]
    return phases


@pytest.mark.parametrize(
    ("collective", "algorithms", "ranks"),
    [
        ("allreduce", "ring,rabenseifner,recursive_doubling", "6,8"),
        ("bcast", "scatter_allgather,scatter_allgather_ring", "8"),
    ],
)
def test_phases_take_what_their_messages_take(
    hockney: RunHockney, collective: str, algorithms: str, ranks: str
) -> None:
    words = (collective, "-n", ranks, "--phases", algorithms, "--sizes", "64,1MiB")
    schedules = phases_of(hockney, *words)
    count = len(algorithms.split(",")) * len(ranks.split(",")) * len(SIZES)
    assert len(schedules) == count
    for schedule in schedules:
        expected = by_hand(schedule["algorithm"], schedule["ranks"], schedule["bytes"])
        seconds = {phase["phase"]: phase["median_s"] for phase in schedule["phases"]}
        assert schedule["median_s"] == pytest.approx(sum(expected.values()), rel=0.02)
        assert schedule["predicted_s"] == pytest.approx(schedule["median_s"], rel=0.02)
        assert schedule["library_s"] > 0.0
        if len(expected) == 1:
            assert seconds == {}
            continue
        assert sum(seconds.values()) == pytest.approx(schedule["median_s"], rel=1e-5)
        assert seconds == pytest.approx(expected, rel=0.02)
        predicted = {phase["phase"]: phase["predicted_s"] for phase in schedule["phases"]}
        assert predicted == pytest.approx(seconds, rel=0.02)


@pytest.mark.parametrize("ranks", first_of([5, 8, 2]))
def test_the_right_data_arrive_by_every_schedule(hockney: RunHockney, ranks: int) -> None:
    """Sizes include parts without an element."""
    names = ",".join(TIMED)
    words = (names, "-n", str(ranks), "--phases", "all", "--sizes", "4,10000", "--verify")
    schedules = phases_of(hockney, *words)
    made = {(schedule["operation"], schedule["algorithm"]) for schedule in schedules}
    left_out = {"neighbor"} if ranks % 2 else set()
    left_out |= {"two_procs"} if ranks > 2 else set()
    for collective in TIMED:
        for algorithm in schedules_with_phases(collective):
            assert ((collective, algorithm) in made) == (algorithm not in left_out)


def test_inside_nodes_and_between(hockney: RunHockney) -> None:
    """Two ranks a node: the first halving is with the node's other rank."""
    words = ("allreduce", "-n", "8", "--ranks-per-node", "2", "--phases", "rabenseifner,ring")
    schedules = phases_of(hockney, *words, "--sizes", "1MiB")
    halving, ring = sorted(schedules, key=lambda schedule: -len(schedule["phases"]))
    assert [phase["phase"] for phase in halving["phases"]] == [
        "reduce-scatter, inside nodes",
        "reduce-scatter, between nodes",
        "allgather, between nodes",
        "allgather, inside nodes",
    ]
    assert [phase["phase"] for phase in ring["phases"]] == [
        "reduce-scatter, between nodes",
        "allgather, between nodes",
    ]
    for schedule in schedules:
        seconds = [phase["median_s"] for phase in schedule["phases"]]
        assert sum(seconds) == pytest.approx(schedule["median_s"], rel=1e-5)
    # Both ranks of a node share its link.
    between = ALPHA_S + 2.0 * BETA_S_PER_B * (2**18 + ENVELOPE_BYTES)
    between += ALPHA_S + 2.0 * BETA_S_PER_B * (2**17 + ENVELOPE_BYTES)
    for phase in halving["phases"][1:3]:
        assert phase["median_s"] == pytest.approx(between, rel=0.02)
