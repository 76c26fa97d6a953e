"""What is slow in simulated networks is named in few rounds, and nothing else is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import RunHockney, kept_short
from hockney.infer.locate.platform_routes import shape_of
from networks import with_slow_fabric
from platform_networks import cluster_xml, network_in, written_out
from platforms import EXACT

pytestmark = pytest.mark.simgrid
FAULTS = ("node", "uplink", "cable", "none")
SWITCHES = 8


@pytest.mark.parametrize("what", kept_short(FAULTS, ["node", "none"]))
def test_the_slow_part_is_named_and_shown_again(
    hockney: RunHockney, tmp_path: Path, what: str
) -> None:
    fabric, names = with_slow_fabric(1, what, SWITCHES)
    (tmp_path / "platform.xml").write_text(fabric.xml)
    (tmp_path / "topology.conf").write_text(fabric.topology)
    ranks = str(len(fabric.hosts))
    located = hockney.ok(
        *("fabric", "--locate", "-n", ranks, "--platform", "platform.xml", *EXACT),
        *("--topology", "topology.conf", "--json", "-q", "-o", "run.jsonl"),
    ).json["located"]
    faults = [(fault["what"], tuple(fault["names"])) for fault in located["faults"]]
    assert faults == ([] if what == "none" else [(what, names)])
    assert located["doubts"] == []
    assert located["steps"] == (1 if what == "none" else 2)
    shown = hockney("show", "run.jsonl", "--json")
    assert shown.json["located"] == located


def test_an_odd_number_of_nodes_of_which_no_switch_is_known(hockney: RunHockney) -> None:
    done = hockney.ok(
        *[
            "fabric",
            "--locate",
            "-n",
            "9",
            "--platform",
            "cluster:9",
            "--gate",
            "-q",
            "-o",
            "run.jsonl",
        ]
    )
    assert "nothing is slow among 9 nodes; 9 of 9 rounds" in done.stdout
    assert "cables are unknown without --topology" in done.stdout


def test_a_run_that_was_cut_between_steps_goes_on(hockney: RunHockney, tmp_path: Path) -> None:
    fabric, names = with_slow_fabric(1, "node", SWITCHES)
    (tmp_path / "platform.xml").write_text(fabric.xml)
    (tmp_path / "topology.conf").write_text(fabric.topology)
    words = ("fabric", "--locate", "-n", str(len(fabric.hosts)), "--platform", "platform.xml")
    words = (*words, *EXACT, "--topology", "topology.conf", "--json", "-q", "-o", "run.jsonl")
    whole = hockney(*words).json["located"]
    lines = (tmp_path / "run.jsonl").read_text().splitlines(keepends=True)
    first_end = next(i for i, line in enumerate(lines) if json.loads(line)["kind"] == "end")
    (tmp_path / "run.jsonl").write_text("".join(lines[: first_end + 1]))
    half = hockney("show", "run.jsonl", "--json").json["located"]
    assert half["steps"] == 1
    located = hockney.ok(*words, "--resume").json["located"]
    assert (located["steps"], located["rounds"]) == (whole["steps"], whole["rounds"])
    assert [tuple(fault["names"]) for fault in located["faults"]] == [names]
    assert hockney(*words, "--resume").status == 0
    again = hockney("show", "run.jsonl", "--json").json["located"]
    assert again == located


PLATFORMS = {
    "FAT_TREE": (32, "2;4,8;1,4;1,1"),
    "TORUS": (32, "2,4,4"),
    "DRAGONFLY": (64, "4,1;2,1;4,1;2"),
}
PLANTED = {
    ("TORUS", "cable"): (
        ("n20", "n21"),
        "the cable between n20 and n21 (x+) is slow",
    ),
    ("FAT_TREE", "cable"): (
        ("switch 4 of level 1", "switch 0 of level 2"),
        "the cable between switch 4 of level 1 and switch 0 of level 2 is slow",
    ),
    ("FAT_TREE", "switch"): (("switch 0 of level 2",), "switch 0 of level 2 is slow"),
    ("DRAGONFLY", "cable"): (
        ("router 0.0.1", "router 1.0.0"),
        "the cable between router 0.0.1 and router 1.0.0 (between groups) is slow",
    ),
    **{(topology, "node"): (("n17",), "node n17 is slow") for topology in PLATFORMS},
    **{(topology, "none"): ((), "") for topology in PLATFORMS},
}


@pytest.mark.parametrize(
    ("topology", "what"), kept_short(PLANTED, [("TORUS", "cable"), ("FAT_TREE", "none")])
)
def test_the_routes_of_a_platform_name_its_cables(
    hockney: RunHockney, tmp_path: Path, topology: str, what: str
) -> None:
    """Simulated with all routes written out and one link slow."""
    nodes, parameters = PLATFORMS[topology]
    names, words = PLANTED[topology, what]
    xml = cluster_xml(nodes, topology, parameters)
    (tmp_path / "network.xml").write_text(xml)
    (tmp_path / "platform.xml").write_text(written_out(network_in(xml), names, latency=6.0))
    located = hockney.ok(
        *("fabric", "--locate", "-n", str(nodes), "--platform", "platform.xml", *EXACT),
        *("--topology", "network.xml", "--sizes", "8", "--json", "-q", "-o", "run.jsonl"),
    ).json["located"]
    faults = [(fault["what"], tuple(fault["names"])) for fault in located["faults"]]
    assert faults == ([] if what == "none" else [(what, names)])
    assert located["judged"]["node"] == nodes
    shown = hockney("show", "run.jsonl")
    assert words in shown.stdout
    assert "cables are unknown" not in shown.stdout


def test_the_platform_that_is_simulated_has_its_routes_used(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """No topology is named: links have the names of the file."""
    network = network_in(cluster_xml(16, "TORUS", "4,4"))
    names = ("n5", "n6")
    (tmp_path / "platform.xml").write_text(written_out(network, names, latency=6.0))
    words = ("fabric", "--locate", "-n", "16", *EXACT, "--sizes", "8", "-q")
    done = hockney.ok(*words, "--platform", "platform.xml", "-o", "run.jsonl")
    part = [part.names for part in shape_of(network).parts].index(names)
    assert done.stdout.startswith(f"link p{part} is slow: ")


def test_a_healthy_shape_is_not_accused(hockney: RunHockney) -> None:
    """Large messages that share a cable with others of their round are left out."""
    words = ("fabric", "--locate", "-n", "32", "--platform", "fat-tree:4x8", *EXACT)
    done = hockney(*words, "--gate", "-q", "-o", "run.jsonl")
    assert done.status == 0, done.stdout + done.stderr
    assert "nothing is slow among 32 nodes, 32 cables and 12 switches" in done.stdout
