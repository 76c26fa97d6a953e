"""Which runs of a suite are left out for too few nodes, and what is said of them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from conftest import RunHockney
from samples import past_run, write_run

PLAN = """
[[run]]
label = "first"
verb = "pingpong"
sizes = "8"
budget = "0.2s"
launches = "1"

[[run]]
label = "every pair"
verb = "fabric"
least-nodes = 6

[[run]]
label = "last"
verb = "pingpong"
sizes = "8"
budget = "0.2s"
launches = "1"
"""
LEFT_OUT = "left out: every pair: 1 node, 6 are needed"


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path


def test_a_run_with_too_few_nodes_is_named_and_the_others_keep_their_files(
    hockney: RunHockney, plan: Path
) -> None:
    done = hockney.ok("suite", "plan.toml", "-o", "s")
    assert LEFT_OUT in done.stdout.splitlines()
    assert "3 of 3, last" in done.stderr
    files = sorted(file.name for file in (plan / "s").glob("0*.jsonl"))
    assert files == ["01-first.jsonl", "03-last.jsonl"]
    assert LEFT_OUT in (plan / "s" / "report.html").read_text()
    assert reasons(plan / "s") == ["left out: 1 node, 6 are needed", "launches", "launches"]
    hockney("suite", "plan.toml", "-o", "s", "--resume")
    assert len(reasons(plan / "s")) == 3


def reasons(directory: Path) -> list[str]:
    """How each run ended, by the journal."""
    lines = (directory / "suite.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line)["reason"] for line in lines]


def test_what_only_the_earlier_suite_has_is_not_judged(hockney: RunHockney, plan: Path) -> None:
    assert hockney("suite", "plan.toml", "-o", "s", "-q").status == 0
    (plan / "before").mkdir()
    for name in ("01-first.jsonl", "02-every-pair.jsonl", "03-last.jsonl"):
        write_run(past_run(0), plan / "before" / name)
    done = hockney("suite", "plan.toml", "-o", "s", "-q", "--resume", "--against", "before")
    assert "before has 02-every-pair.jsonl, which this suite has not" in done.stdout
    assert "03-last.jsonl, which" not in done.stdout
    assert "NOT JUDGED" in done.stdout


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--hosts", "a,b"), "2 nodes, 6 are needed"),
        (("--nodes", "3"), "3 nodes, 6 are needed"),
        (("-n", "12"), "1 node, 6 are needed"),
        (("--platform", "cluster:4"), "4 nodes, 6 are needed"),
        (("--platform", "cluster:64", "-n", "4"), "4 nodes, 6 are needed"),
        (("--platform", "cluster:64", "-n", "8", "--ranks-per-node", "4"), "2 nodes, 6 are needed"),
    ],
)
def test_nodes_are_those_that_the_suite_is_given(
    hockney: RunHockney, tmp_path: Path, words: tuple[str, ...], line: str
) -> None:
    (tmp_path / "plan.toml").write_text('[[run]]\nverb = "fabric"\nleast-nodes = 6\n')
    done = hockney("suite", "plan.toml", "-o", "s", "--", *words)
    assert (done.status, f"nothing to measure\n  left out: fabric: {line}" in done.stderr) == (
        2,
        True,
    ), done.stderr
    assert not (tmp_path / "s").exists()


@pytest.mark.simgrid
def test_the_ranks_of_another_run_say_nothing_of_nodes(hockney: RunHockney, tmp_path: Path) -> None:
    """The two ranks of a ping-pong counted as two nodes, whatever the platform had."""
    pingpong = '[[run]]\nverb = "pingpong"\nsizes = "8"\n'
    fabric = '[[run]]\nverb = "fabric"\nn = 8\nsizes = "8"\nleast-nodes = 6\n'
    (tmp_path / "plan.toml").write_text(pingpong + fabric)
    done = hockney.ok("suite", "plan.toml", "-o", "s", "--", "--platform", "fat-tree:64")
    assert (tmp_path / "s" / "02-fabric.jsonl").exists()
    assert "left out" not in done.stdout
