"""Victims and aggressors on simulated fat trees, whose links are shared by max-min fairness: what
victims have left under load is computed by hand."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from conftest import RunHockney
from platforms import EXACT, fat_tree

pytestmark = pytest.mark.simgrid
TOLERANCE = 0.02
SIZE, LOAD_SIZE = 4 * 2**20, 2**20


@dataclass(frozen=True)
class Tree:
    """A fat tree with tapered uplinks, its victims' stream and its aggressors."""

    leaves: int
    hosts_a_leaf: int
    wire_Bps: float
    uplink_Bps: float
    aggressor: str
    victims: tuple[int, int]
    aggressors: tuple[int, ...]
    window: int
    load_window: int

    def path(self, sender: int, receiver: int) -> list[str]:
        """The directions of links that a message takes."""
        leaf, other = sender // self.hosts_a_leaf, receiver // self.hosts_a_leaf
        uplinks = [f"u{leaf} up", f"u{other} down"] if leaf != other else []
        return [f"w{sender} up", *uplinks, f"w{receiver} down"]

    def flows(self) -> list[tuple[int, int]]:
        """Sender and receiver of each flow of the aggressors."""
        hub, *others = self.aggressors
        if self.aggressor == "incast":
            return [(other, hub) for other in others]
        if self.aggressor == "outcast":
            return [(hub, other) for other in others]
        if self.aggressor == "ring":
            return list(zip(self.aggressors, [*others, hub], strict=True))
        return [(a, b) for a in self.aggressors for b in self.aggressors if a != b]

    def victims_Bps(self, loaded: bool) -> float:
        """Bandwidth of all messages of the victims' window together."""
        paths = [self.path(*self.victims)] * self.window
        for flow in self.flows() if loaded else ():
            paths += [self.path(*flow)] * self.load_window
        rates = max_min(paths, {"w": self.wire_Bps, "u": self.uplink_Bps})
        return sum(rates[: self.window])


def max_min(paths: Sequence[Sequence[str]], bandwidths: dict[str, float]) -> list[float]:
    """The rate of each path by progressive filling: the link with the least for each path still
    open fixes their rates, which are taken off all their links."""
    left = {link: bandwidths[link[0]] for path in paths for link in path}
    rates = [0.0] * len(paths)
    still = set(range(len(paths)))
    while still:
        users = {link: [i for i in still if link in paths[i]] for link in left}
        link = min(
            (link for link in left if users[link]), key=lambda link: left[link] / len(users[link])
        )
        rate = left[link] / len(users[link])
        for i in users[link]:
            rates[i] = rate
            still.remove(i)
            for crossed in paths[i]:
                left[crossed] -= rate
    return rates


def tree(seed: int) -> Tree:
    """A random tree in which each message of the aggressors crosses two uplinks, in a ring that
    alternates between two leaves, or to or from a hub on another leaf."""
    chance = random.Random(seed)
    hosts = chance.randint(3, 5)
    leaves = chance.randint(2, 3)
    wire = 1e9 * 10 ** chance.random()
    aggressor = ("incast", "outcast", "ring")[seed % 3]
    senders = chance.randint(2, hosts - 1)
    near, far = list(range(1, 1 + senders)), list(range(hosts + 1, hosts + 1 + senders))
    members = [rank for pair in zip(near, far, strict=True) for rank in pair]
    victims = (0, hosts)
    if aggressor == "incast":
        members = [far[0], *near]
    elif aggressor == "outcast":
        members = [near[0], *far]
    return Tree(
        leaves,
        hosts,
        wire,
        uplink_Bps=wire * chance.uniform(0.3, 2.0),
        aggressor=aggressor,
        victims=victims,
        aggressors=tuple(members),
        window=chance.choice((2, 4, 8)),
        load_window=chance.choice((2, 4, 8)),
    )


def measured(hockney: RunHockney, path: Path, case: Tree) -> dict[str, Any]:
    platform, roles = path / "tree.xml", path / "roles"
    platform.write_text(
        fat_tree(case.leaves, case.hosts_a_leaf, case.wire_Bps, case.uplink_Bps, 1e-7)
    )
    roles.write_text(
        f"victims {case.victims[0]},{case.victims[1]}\n"
        f"aggressors {','.join(map(str, case.aggressors))}  # the hub first\n"
    )
    points = hockney.ok(
        *("congestion", "-n", str(case.leaves * case.hosts_a_leaf), "--platform", str(platform)),
        *(*EXACT, "--victim", "stream", "--sizes", str(SIZE), "--window", str(case.window)),
        *("--aggressor", case.aggressor, "--load-sizes", str(LOAD_SIZE)),
        *("--load-windows", str(case.load_window), "--roles", str(roles), "--json", "-q"),
    ).json["points"]
    assert len(points) == 1
    point: dict[str, Any] = points[0]
    return point


def check(hockney: RunHockney, path: Path, seed: int) -> None:
    case = tree(seed)
    point = measured(hockney, path, case)
    alone_Bps, loaded_Bps = case.victims_Bps(loaded=False), case.victims_Bps(loaded=True)
    assert SIZE / point["isolated_s"] == pytest.approx(alone_Bps, rel=TOLERANCE), case
    assert SIZE / point["loaded_s"] == pytest.approx(loaded_Bps, rel=TOLERANCE), case
    assert point["factor"] == pytest.approx(alone_Bps / loaded_Bps, rel=TOLERANCE)
    assert point["low"] == point["high"] == point["factor"]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_loaded_bandwidth_is_max_min_fair(hockney: RunHockney, tmp_path: Path, seed: int) -> None:
    check(hockney, tmp_path, seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3, 20))
def test_and_on_many_platforms(hockney: RunHockney, tmp_path: Path, seed: int) -> None:
    check(hockney, tmp_path, seed)


def test_the_trees_are_congested() -> None:
    """Most of the random platforms have a factor that is far from 1."""
    factors = [
        tree(seed).victims_Bps(loaded=False) / tree(seed).victims_Bps(loaded=True)
        for seed in range(20)
    ]
    assert sum(factor > 1.2 for factor in factors) >= 12
    assert max(factors) > 3.0


def test_two_equal_streams_halve_each_other(hockney: RunHockney, tmp_path: Path) -> None:
    """Both aggressors of a ring do so too: the one that has a direction of the uplink for itself
    keeps step with the other."""
    case = Tree(2, 2, 1e9, 1e9, "ring", (0, 2), (1, 3), 4, 4)
    point = measured(hockney, tmp_path, case)
    assert point["factor"] == pytest.approx(2.0, rel=0.005)
    assert point["load_Bps"] == pytest.approx(1e9, rel=0.01)


def test_bursts_load_the_network_for_their_part_of_the_time(
    hockney: RunHockney, tmp_path: Path
) -> None:
    platform, roles = tmp_path / "tree.xml", tmp_path / "roles"
    platform.write_text(fat_tree(2, 2, 1e9, 1e9, 1e-7))
    roles.write_text("victims 0,2\naggressors 1,3\n")
    shown = hockney.ok(
        *("congestion", "-n", "4", "--platform", str(platform), *EXACT, "--sizes", "8,16KiB"),
        *("--aggressor", "ring", "--load-sizes", "16KiB", "--load-windows", "2"),
        *("--burst", "steady,1ms/1ms,1ms/3ms", "--roles", str(roles), "--json", "-q"),
    ).json
    points = {(point["bytes"], point["gap_s"]): point for point in shown["points"]}
    assert {gap_s for _, gap_s in points} == {None, 1e-3, 3e-3}
    steady_Bps = points[8, None]["load_Bps"]  # 8 B take nothing of it away
    assert steady_Bps == pytest.approx(2e9, rel=0.05)
    assert points[8, 1e-3]["load_Bps"] == pytest.approx(steady_Bps / 2.0, rel=0.1)
    assert points[8, 3e-3]["load_Bps"] == pytest.approx(steady_Bps / 4.0, rel=0.1)
    # Of three quarters without a load the median shows nothing, the longest time all of it.
    steady, rare = points[16384, None], points[16384, 3e-3]
    assert steady["factor"] > 1.5
    assert rare["factor"] == pytest.approx(1.0, rel=0.02)
    (longest_s,) = (
        time["max_s"] for time in shown["times"] if (time["bytes"], time["gap_s"]) == (16384, 3e-3)
    )
    assert longest_s / rare["isolated_s"] > 0.95 * steady["factor"]


def test_links_of_their_own_are_not_shared(hockney: RunHockney) -> None:
    points = hockney.ok(
        *("congestion", "-n", "8", "--platform", "cluster:8", "--victim", "pingpong"),
        *("--aggressor", "incast", "--sizes", "8,64KiB", "--json", "-q"),
    ).json["points"]
    assert [point["bytes"] for point in points] == [8, 65536]
    for point in points:
        assert (point["victim"], point["aggressor"]) == ("pingpong", "incast")
        assert point["isolated_s"] > 0.0
        assert point["factor"] == pytest.approx(point["loaded_s"] / point["isolated_s"])
        assert point["low"] <= point["factor"] <= point["high"]
        assert point["factor"] == pytest.approx(1.0, abs=0.001)
