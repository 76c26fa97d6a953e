"""The acceptance of a simulated cluster with a slow node names the node."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import RunHockney
from platforms import EXACT, star

pytestmark = pytest.mark.simgrid
PLAN = """
[[run]]
label = "half at once"
verb = "pairs"
sizes = "1MiB"

[[run]]
label = "every pair of nodes"
verb = "fabric"
sizes = "1MiB"
least-nodes = 6
"""


def test_a_slow_node_comes_before_the_pairs_that_it_explains(
    hockney: RunHockney, tmp_path: Path
) -> None:
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "slow.xml").write_text(star(12, 7, 2.0))
    words = ("--platform", "slow.xml", *EXACT, "--gate")
    done = hockney("suite", "plan.toml", "-o", "s", "--", "-n", "12", *words)
    assert done.status == 1
    gate, verdict, first, second, *_ = done.stdout.splitlines()
    assert gate.startswith("gate: FAILED: node h7 is slow: 2")
    assert verdict == "verdict: NOT ACCEPTED"
    assert first.lstrip().startswith("every pair of nodes: node h7 is slow: 2")
    assert "pair" in second
    assert second.endswith("; first what explains it: node h7 is slow")
    few = hockney("suite", "plan.toml", "-o", "few", "--", "-n", "4", *words)
    assert len(list((tmp_path / "few").glob("0*.jsonl"))) == 1, few.stderr


def test_simulated_times_are_exact_and_have_no_p(hockney: RunHockney, tmp_path: Path) -> None:
    (tmp_path / "slow.xml").write_text(star(12, 7, 2.0))
    words = ("-n", "12", "--platform", "slow.xml", "--sizes", "1MiB", *EXACT)
    done = hockney("fabric", *words, "-o", "f.jsonl")
    assert "p = " not in done.stdout
    assert "exact, as it is simulated" in done.stdout.splitlines()[0]
    (suspect,) = hockney("show", "f.jsonl", "--json").json["suspects"]
    assert suspect["p"] is None
    pairs = hockney("pairs", *words, "-o", "p.jsonl")
    assert "p = " not in pairs.stdout
    (outlier,) = hockney("show", "p.jsonl", "--json").json["outliers"]
    assert (outlier["p"], outlier["ratio"] > 1.9) == (None, True)
    hockney.ok("report", "f.jsonl", "p.jsonl", "-o", "r.html")
    assert "(p " not in (tmp_path / "r.html").read_text()
