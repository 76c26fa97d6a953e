"""Faults of simulated networks are named, and nothing else is."""

from __future__ import annotations

import os
import re
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import pytest

from conftest import RunHockney, first_of, kept_short
from networks import HEAD, TAIL, Link, with_slow_fabric
from platforms import EXACT, two_switches

pytestmark = pytest.mark.simgrid
SEEDS = range(int(os.environ.get("HOCKNEY_TEST_ROUNDS", "4")))
FAULTS = ("uplink", "cable", "node", "none")


def passed(
    hockney: RunHockney, tmp_path: Path, seed: int, what: str, *options: str
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Output of `hockney fabric` for a network with that fault, and the names of what is slow."""
    fabric, names = with_slow_fabric(seed, what)
    (tmp_path / "platform.xml").write_text(fabric.xml)
    (tmp_path / "topology.conf").write_text(fabric.topology)
    done = hockney.ok(
        "fabric",
        *("-n", str(len(fabric.hosts)), "--platform", "platform.xml", *EXACT),
        *("--json", "-q", "-o", f"{what}{seed}.jsonl", "--sizes", "8,1MiB", *options),
    )
    shown: dict[str, Any] = done.json
    return shown, names


@pytest.mark.parametrize("seed", first_of(SEEDS))
@pytest.mark.parametrize("what", first_of(FAULTS))
def test_inside_and_between_switches(
    hockney: RunHockney, tmp_path: Path, seed: int, what: str
) -> None:
    shown, names = passed(
        hockney, tmp_path, seed, what, "--topology", "topology.conf", "--per-switch"
    )
    suspects = [(suspect["what"], tuple(suspect["names"])) for suspect in shown["suspects"]]
    assert suspects == ([] if what == "none" else [(what, names)])


def star_with_slow_wire(way: str) -> str:
    """Eight nodes with a wire out and a wire in; one of n3's has half the bandwidth."""
    hosts = [f"n{i}" for i in range(8)]
    parts = [f'    <host id="{host}" speed="1Gf"/>\n' for host in hosts]
    for i, host in enumerate(hosts):
        for name in ("out", "in"):
            rate = "1GBps" if (i, name) == (3, way) else "2GBps"
            parts.append(f'    <link id="{name}-{host}" bandwidth="{rate}" latency="1us"/>\n')
    for first, second in permutations(hosts, 2):
        wires = f'<link_ctn id="out-{first}"/><link_ctn id="in-{second}"/>'
        parts.append(f'    <route src="{first}" dst="{second}" symmetrical="NO">{wires}</route>\n')
    return HEAD + "".join(parts) + TAIL


@pytest.mark.parametrize(("way", "words"), [("out", "to send"), ("in", "to receive")])
@pytest.mark.parametrize("choice", ["--all-pairs", "--locate"])
def test_a_wire_that_is_slow_in_one_direction(
    hockney: RunHockney, tmp_path: Path, way: str, words: str, choice: str
) -> None:
    (tmp_path / "platform.xml").write_text(star_with_slow_wire(way))
    done = hockney(
        *("fabric", "-n", "8", "--platform", "platform.xml", *EXACT, "--one-way", choice),
        *("--sizes", "8,1MiB", "--gate", "-q", "-o", "run.jsonl"),
    )
    assert done.status == 1, done.stdout + done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("node ")]
    assert re.match(rf"node n3 is slow {words}: (1\.9\d*|2) times ", line), line
    assert "at 1 MiB" in line


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


@pytest.mark.long
@pytest.mark.parametrize("seed", first_of(SEEDS))
@pytest.mark.parametrize("what", kept_short(FAULTS, ["cable"]))
def test_all_pairs(hockney: RunHockney, tmp_path: Path, seed: int, what: str) -> None:
    shown, names = passed(hockney, tmp_path, seed, what, "--topology", "topology.conf")
    suspects = [(suspect["what"], tuple(suspect["names"])) for suspect in shown["suspects"]]
    assert suspects == ([] if what == "none" else [(what, names)])
    assert shown["fraction_measured"] == 1.0


def test_switches_are_found_by_the_times(hockney: RunHockney, tmp_path: Path) -> None:
    shown, _ = passed(hockney, tmp_path, 0, "none")
    assert (shown["switches_from"], len(shown["switches"])) == ("times", 16)
    assert [level["level"] for level in shown["levels"][:2]] == ["same switch", "other switch"]
    assert shown["suspects"] == []


def test_one_switch_alone_is_not_taken_for_several(hockney: RunHockney) -> None:
    shown = hockney(
        "fabric", "-n", "16", "--platform", "cluster:16", "--json", "-q", "-o", "a.jsonl"
    ).json
    assert (shown["switches_from"], shown["switches"]) == (None, [])
    assert [level["level"] for level in shown["levels"]] == ["different nodes"] * 2


def test_pairs_that_share_a_link_in_a_round_accuse_nobody(hockney: RunHockney) -> None:
    """Links between the switches of this tree are narrower than what all nodes send at once."""
    words = ["fabric", "-n", "16", "--platform", "fat-tree:16", "--gate", "-q"]
    together = hockney(*words, "-o", "together.jsonl")
    alone = hockney(*words, "--serial", "-o", "alone.jsonl")
    assert (together.status, alone.status) == (3, 0)
    line = together.stdout.splitlines()[0]
    assert line.startswith("gate: NOT JUDGED: ")
    assert "pairs were slow at 1 MiB in rounds in which others were slow, too" in line
    assert alone.stdout.splitlines()[0] == "gate: passed"


@pytest.mark.parametrize("fault", ["latency", "bandwidth", "pair"])
def test_a_star_found_by_the_times_explains_no_slow_node_away(
    hockney: RunHockney, tmp_path: Path, fault: str
) -> None:
    """Eight nodes on one switch, of which node n03, or its pair with n06, is twice as slow."""
    hosts = [f"n{i:02}" for i in range(8)]
    links = {host: Link(5e-7, 1.25e10) for host in hosts}
    if fault != "pair":
        links["n03"] = Link(1.5e-6, 1.25e10) if fault == "latency" else Link(5e-7, 6.25e9)
    links["cable"] = Link(1e-6, 6.25e9)
    parts = [f'<host id="{host}" speed="1Gf"/>' for host in hosts]
    parts += [link.xml(name) for name, link in links.items()]
    for a, b in combinations(hosts, 2):
        ways = [a, b, *(["cable"] if fault == "pair" and (a, b) == ("n03", "n06") else [])]
        route = "".join(f'<link_ctn id="{name}" direction="UP"/>' for name in ways)
        parts.append(f'<route src="{a}" dst="{b}">{route}</route>')
    (tmp_path / "star.xml").write_text(HEAD + "\n".join(parts) + TAIL)
    done = hockney("fabric", "-n", "8", "--platform", "star.xml", "--gate", "-q")
    who = "the pair of n03 and n06 is slow" if fault == "pair" else "node n03 is slow"
    assert done.status == 1
    assert done.stdout.splitlines()[0].startswith(f"gate: FAILED: {who}: ")


@pytest.mark.parametrize("serial", [False, True])
def test_a_sample_of_rounds(hockney: RunHockney, serial: bool) -> None:
    words = ["-n", "64", "--platform", "fat-tree:64", "--rounds", "1", "--sizes", "8"]
    done = hockney("fabric", *words, *(["--serial"] if serial else []), "--json", "-q")
    assert done.json["pairs"] == (1 if serial else 32)


def test_bisection_bandwidth_is_what_the_links_allow(hockney: RunHockney, tmp_path: Path) -> None:
    """Four pairs of 1 GB/s each across an uplink of 2 GB/s."""
    hosts, xml = two_switches(4, wire_Bps=1e9, uplink_Bps=2e9, latency_s=1e-6)
    (tmp_path / "platform.xml").write_text(xml)
    (tmp_path / "switches.txt").write_text(
        f"left {','.join(hosts[:4])} 8Gbit/s\nright {','.join(hosts[4:])} 8Gbit/s\n"
        "core left,right 16Gbit/s\n"
    )
    shown = hockney(
        "pairs",
        *("-n", "8", "--platform", "platform.xml", *EXACT, "--topology", "switches.txt"),
        *("--operation", "stream", "--sizes", "8,16MiB", "--pairs-active", "1,4", "--json", "-q"),
    ).json
    one_pair, four_pairs = shown["link_use"]
    assert (one_pair["is_bisection"], four_pairs["is_bisection"]) == (False, True)
    assert one_pair["allowed_Bps"] == pytest.approx(1e9)
    assert four_pairs["allowed_Bps"] == pytest.approx(2e9)
    assert one_pair["fraction"] == pytest.approx(1.0, abs=0.02)
    assert four_pairs["fraction"] == pytest.approx(1.0, abs=0.02)
    assert {point["level"] for point in shown["points"]} == {"one hop"}
    assert [level["of_level"] for level in shown["levels"]] == [1, 4, 1, 4]
