"""What is slow in simulated networks is named in few rounds, and nothing else is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import RunHockney, kept_short
from networks import with_slow_fabric
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
    done = hockney(
        *("fabric", "--locate", "-n", ranks, "--platform", "platform.xml", *EXACT),
        *("--topology", "topology.conf", "--json", "-q", "-o", "run.jsonl"),
    )
    assert done.status == 0, done.stderr
    located = json.loads(done.stdout)["located"]
    found = [(one["what"], tuple(one["names"])) for one in located["faults"]]
    assert found == ([] if what == "none" else [(what, names)])
    assert located["doubts"] == []
    assert located["steps"] == (1 if what == "none" else 2)
    shown = hockney("show", "run.jsonl", "--json")
    assert json.loads(shown.stdout)["located"] == located


def test_an_odd_number_of_nodes_of_which_no_switch_is_known(hockney: RunHockney) -> None:
    done = hockney(
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
    assert done.status == 0, done.stderr
    assert "nothing is slow among 9 nodes; 9 of 9 rounds" in done.stdout
    assert "cables are unknown without --topology" in done.stdout


def test_a_run_that_was_cut_between_steps_goes_on(hockney: RunHockney, tmp_path: Path) -> None:
    fabric, names = with_slow_fabric(1, "node", SWITCHES)
    (tmp_path / "platform.xml").write_text(fabric.xml)
    (tmp_path / "topology.conf").write_text(fabric.topology)
    words = ("fabric", "--locate", "-n", str(len(fabric.hosts)), "--platform", "platform.xml")
    words = (*words, *EXACT, "--topology", "topology.conf", "--json", "-q", "-o", "run.jsonl")
    whole = json.loads(hockney(*words).stdout)["located"]
    lines = (tmp_path / "run.jsonl").read_text().splitlines(keepends=True)
    first_end = next(i for i, line in enumerate(lines) if json.loads(line)["kind"] == "end")
    (tmp_path / "run.jsonl").write_text("".join(lines[: first_end + 1]))
    half = json.loads(hockney("show", "run.jsonl", "--json").stdout)["located"]
    assert half["steps"] == 1
    done = hockney(*words, "--resume")
    assert done.status == 0, done.stderr
    located = json.loads(done.stdout)["located"]
    assert (located["steps"], located["rounds"]) == (whole["steps"], whole["rounds"])
    assert [tuple(one["names"]) for one in located["faults"]] == [names]
    assert hockney(*words, "--resume").status == 0
    again = json.loads(hockney("show", "run.jsonl", "--json").stdout)["located"]
    assert again == located
