"""Faults of simulated networks are named, and nothing else is."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from conftest import RunHockney, first_of, kept_short
from networks import with_slow_fabric
from platforms import EXACT, two_switches

pytestmark = pytest.mark.simgrid
SEEDS = range(int(os.environ.get("HOCKNEY_TEST_ROUNDS", "4")))
FAULTS = ("uplink", "cable", "node", "none")


def passed(
    hockney: RunHockney, tmp_path: Path, seed: int, what: str, *options: str
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What `hockney fabric` shows of a network with that fault, and the names of what is slow."""
    fabric, names = with_slow_fabric(seed, what)
    (tmp_path / "platform.xml").write_text(fabric.xml)
    (tmp_path / "topology.conf").write_text(fabric.topology)
    done = hockney(
        "fabric",
        *("-n", str(len(fabric.hosts)), "--platform", "platform.xml", *EXACT),
        *("--json", "-q", "-o", f"{what}{seed}.jsonl", "--sizes", "8,1MiB", *options),
    )
    assert done.status == 0, done.stderr
    shown: dict[str, Any] = json.loads(done.stdout)
    return shown, names


@pytest.mark.parametrize("seed", first_of(SEEDS))
@pytest.mark.parametrize("what", FAULTS)
def test_inside_and_between_switches(
    hockney: RunHockney, tmp_path: Path, seed: int, what: str
) -> None:
    shown, names = passed(
        hockney, tmp_path, seed, what, "--topology", "topology.conf", "--per-switch"
    )
    found = [(one["what"], tuple(one["names"])) for one in shown["suspects"]]
    assert found == ([] if what == "none" else [(what, names)])


@pytest.mark.parametrize("verb", ["pairs", "cores"])
def test_pairs_per_switch_are_the_same_passes(
    hockney: RunHockney, tmp_path: Path, verb: str
) -> None:
    fabric, names = with_slow_fabric(1, "cable")
    (tmp_path / "platform.xml").write_text(fabric.xml)
    (tmp_path / "topology.conf").write_text(fabric.topology)
    done = hockney(
        *(verb, "-n", str(len(fabric.hosts)), "--platform", "platform.xml", *EXACT),
        *("--topology", "topology.conf", "--per-switch", "--gate", "-q", "-o", "run.jsonl"),
    )
    assert done.status == 1, done.stderr
    who = f"the cable between switches {names[0]} and {names[1]} is slow: "
    gate, first = done.stdout.splitlines()[:2]
    assert gate.startswith(f"gate: FAILED: {who}")
    assert first.startswith(who)
    assert f"; {len(fabric.hosts)} ranks, SimGrid SMPI " in first


@pytest.mark.parametrize("seed", first_of(SEEDS))
@pytest.mark.parametrize("what", kept_short(FAULTS, ["cable"]))
def test_all_pairs(hockney: RunHockney, tmp_path: Path, seed: int, what: str) -> None:
    shown, names = passed(hockney, tmp_path, seed, what, "--topology", "topology.conf")
    found = [(one["what"], tuple(one["names"])) for one in shown["suspects"]]
    assert found == ([] if what == "none" else [(what, names)])
    assert shown["fraction_measured"] == 1.0


def test_switches_are_found_by_the_times(hockney: RunHockney, tmp_path: Path) -> None:
    shown, _ = passed(hockney, tmp_path, 0, "none")
    assert (shown["switches_from"], len(shown["switches"])) == ("times", 16)
    assert [one["level"] for one in shown["levels"][:2]] == ["same switch", "other switch"]
    assert shown["suspects"] == []


def test_one_switch_alone_is_not_taken_for_several(hockney: RunHockney) -> None:
    done = hockney(
        "fabric", "-n", "16", "--platform", "cluster:16", "--json", "-q", "-o", "a.jsonl"
    )
    shown = json.loads(done.stdout)
    assert (shown["switches_from"], shown["switches"]) == (None, [])
    assert [one["level"] for one in shown["levels"]] == ["different nodes"] * 2


@pytest.mark.parametrize("serial", [False, True])
def test_a_sample_of_rounds(hockney: RunHockney, serial: bool) -> None:
    words = ["-n", "64", "--platform", "fat-tree:64", "--rounds", "1", "--sizes", "8"]
    done = hockney("fabric", *words, *(["--serial"] if serial else []), "--json", "-q")
    assert json.loads(done.stdout)["pairs"] == (1 if serial else 32)


def test_bisection_bandwidth_is_what_the_links_allow(hockney: RunHockney, tmp_path: Path) -> None:
    """Four pairs of 1 GB/s each across an uplink of 2 GB/s."""
    hosts, xml = two_switches(4, wire_Bps=1e9, uplink_Bps=2e9, latency_s=1e-6)
    (tmp_path / "platform.xml").write_text(xml)
    (tmp_path / "switches.txt").write_text(
        f"left {','.join(hosts[:4])} 8Gbit/s\nright {','.join(hosts[4:])} 8Gbit/s\n"
        "core left,right 16Gbit/s\n"
    )
    done = hockney(
        "pairs",
        *("-n", "8", "--platform", "platform.xml", *EXACT, "--topology", "switches.txt"),
        *("--operation", "stream", "--sizes", "8,16MiB", "--pairs-active", "1,4", "--json", "-q"),
    )
    shown = json.loads(done.stdout)
    one, four = shown["link_use"]
    assert (one["is_bisection"], four["is_bisection"]) == (False, True)
    assert one["allowed_Bps"] == pytest.approx(1e9)
    assert four["allowed_Bps"] == pytest.approx(2e9)
    assert one["fraction"] == pytest.approx(1.0, abs=0.02)
    assert four["fraction"] == pytest.approx(1.0, abs=0.02)
    assert {point["level"] for point in shown["points"]} == {"one hop"}
    assert [level["of_level"] for level in shown["levels"]] == [1, 4, 1, 4]
