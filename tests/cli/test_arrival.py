"""hockney collective --arrival: ranks that arrive apart, simulated against schedules that are
walked by hand, and real."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conftest import RunHockney
from hockney import records

RANKS = 8
SKEW_S = 40e-6
DETACHED, RENDEZVOUS = 8, 1 << 20
"""Sizes of a message whose sender goes on at once, and of one that its sender waits for."""


def lateness(pattern: str, ranks: int) -> list[float]:
    """Fractions of the skew, as docs/method.md defines the patterns."""
    last = ranks - 1
    return {
        "none": [0.0] * ranks,
        "ascending": [rank / last for rank in range(ranks)],
        "descending": [1.0 - rank / last for rank in range(ranks)],
        "first-late": [float(rank == 0) for rank in range(ranks)],
        "last-late": [float(rank == last) for rank in range(ranks)],
        "half-late": [float(rank >= ranks // 2) for rank in range(ranks)],
    }[pattern]


def binomial_children(rank: int) -> Iterator[int]:
    """The furthest first."""
    lowest = rank & -rank or RANKS
    while lowest := lowest // 2:
        yield rank + lowest


def chain_children(rank: int) -> Iterator[int]:
    if rank + 1 < RANKS:
        yield rank + 1


def walked(
    children: Callable[[int], Iterator[int]], arrives: list[float], hop_s: float, detached: bool
) -> float:
    """From the last arrival to the last end: a message takes a hop from when both ranks are
    there."""
    ready, ends = {0: arrives[0]}, []
    for rank in (order := [0]):
        time = ready[rank]
        for child in children(rank):
            order.append(child)
            ready[child] = max(time, arrives[child]) + hop_s
            time = time if detached else ready[child]
        ends.append(time)
    return max(ends) - max(arrives)


@pytest.mark.simgrid
@pytest.mark.long
@pytest.mark.parametrize(
    ("algorithm", "children"),
    [("NTSL", chain_children), ("binomial_tree", binomial_children)],
)
def test_simulated_broadcasts_take_what_their_schedule_takes(
    hockney: RunHockney, algorithm: str, children: Callable[[int], Iterator[int]]
) -> None:
    patterns = ("none", "ascending", "descending", "first-late", "last-late", "half-late")
    sizes = (DETACHED,) if children is chain_children else (DETACHED, RENDEZVOUS)
    common = ("--platform", f"cluster:{RANKS}", "--json", "-q", "--algorithm", algorithm)
    common += ("--sizes", ",".join(map(str, sizes)))
    points = hockney.ok(
        *("collective", "bcast", "-n", str(RANKS), "--arrival", ",".join(patterns)),
        *("--skew", f"{SKEW_S * 1e6:g}us"),
        *common,
    ).json["points"]
    alone = hockney("collective", "bcast", "-n", "2", *common)
    hops = {p["bytes"]: p["median_s"] for p in alone.json["points"]}
    assert {(p["arrival"], p["bytes"]) for p in points} == {(a, b) for a in patterns for b in sizes}
    for point in points:
        assert point["skew_s"] == (None if point["arrival"] == "none" else SKEW_S)
        arrives = [SKEW_S * late for late in lateness(point["arrival"], RANKS)]
        size = point["bytes"]
        expected = walked(children, arrives, hops[size], detached=size == DETACHED)
        assert point["median_s"] == pytest.approx(expected, rel=0.02)


def test_random_arrivals_are_recorded_and_differ_between_launches(
    hockney: RunHockney, tmp_path: Path
) -> None:
    done = hockney.ok(
        *("collective", "barrier", "-n", "2", "--arrival", "none,random", "--skew", "3x"),
        *("--launches", "3", "--budget", "1s", "-o", "run.jsonl", "--json", "-q"),
    )
    run = records.read(tmp_path / "run.jsonl")
    assert [launch.arrivals["none"] for launch in run.launches] == [[0.0, 0.0]] * 3
    assert all(sorted(launch.arrivals["random"]) == [0.0, 1.0] for launch in run.launches)
    skews = {sample.skew_ns for sample in run.samples if sample.arrival == "random"}
    assert None not in skews
    assert all(sample.skew_ns is None for sample in run.samples if sample.arrival == "none")
    points = done.json["points"]
    assert {(p["arrival"], p["skew_times"]) for p in points} <= {("none", None), ("random", 3.0)}


@pytest.mark.simgrid
def test_delays_of_a_file(hockney: RunHockney, tmp_path: Path) -> None:
    draw = random.Random(4)
    delays = [1e-5 * draw.random() for _ in range(RANKS)]
    (tmp_path / "delays.txt").write_text("\n".join(map(str, delays)))
    hockney.ok(
        *("collective", "bcast", "-n", str(RANKS), "--platform", f"cluster:{RANKS}"),
        *("--arrival", "@delays.txt", "--sizes", "8", "-o", "run.jsonl", "-q"),
    )
    [launch] = records.read(tmp_path / "run.jsonl").launches
    spread = max(delays) - min(delays)
    fractions = [(delay - min(delays)) / spread for delay in delays]
    assert launch.arrivals["listed"] == pytest.approx(fractions, abs=1e-5)
    hockney.refused(
        *("collective", "bcast", "-n", "4", "--arrival", "@delays.txt", "--oversubscribe"),
        because="delays of 8 ranks, not of 4",
    )


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--arrival", "none", "--skew", "1us"), "--arrival none has none"),
        (("--skew", "1us"), "--skew needs --arrival"),
        (("--arrival", "ascending", "--algorithm", "default,binomial"), "give a time"),
        (("--arrival", "ascending", "--skew", "1min"), "choose a shorter skew"),
        (("--arrival", "ascending", "--sync", "barrier"), "--sync barrier"),
        (("--arrival", "ascending", "--verify"), "--verify"),
        (("--arrival", "upwards"), "no pattern of arrival"),
    ],
)
def test_refused(hockney: RunHockney, words: tuple[str, ...], complaint: str) -> None:
    done = hockney.refused("collective", "bcast", "-n", "2", *words, because=complaint)
    assert "Traceback" not in done.stderr


@pytest.mark.simgrid
def test_the_map_and_the_least_loss_are_shown(hockney: RunHockney, tmp_path: Path) -> None:
    done = hockney.ok(
        *("collective", "bcast", "-n", str(RANKS), "--platform", f"cluster:{RANKS}"),
        *("--algorithm", "binomial_tree,flattree,NTSL", "--arrival", "none,descending,last-late"),
        *("--skew", "100us", "--sizes", "8,64KiB", "-o", "run.jsonl"),
    )
    assert "bcast, arrival descending, skew 100 us of 8 B" in done.stdout
    assert "least loss over the patterns of arrival none, descending, last-late" in done.stdout
    shown = hockney("show", "run.jsonl", "--json").json
    assert [regret["bytes"] for regret in shown["regrets"]] == [8, 65536]
    assert all(1.0 <= regret["worst"] < 10.0 for regret in shown["regrets"])
    hockney.ok("plot", "run.jsonl", "--what", "arrivals", "-o", "map.svg")
    text = (tmp_path / "map.svg").read_text()
    assert all(name in text for name in ("none", "descending", "last-late", "arrival of 8 ranks"))
