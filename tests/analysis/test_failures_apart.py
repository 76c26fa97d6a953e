"""What one run shows by itself, and another does not, is a difference between them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from conftest import RunHockney
from fabric_samples import fabric_run
from hockney import records
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.compare import compare
from hockney.infer.analysis.comparison.comparison_gate import comparison_gate
from hockney.infer.analysis.comparison.explanation import explanation
from hockney.infer.analysis.findings import failures_apart
from hockney.infer.analysis.gate import FAILED
from hockney.records import End, Run
from samples import make_run, night_run


@pytest.mark.parametrize(
    ("slow", "apart"),
    [
        (([], [6]), ([], ["n6"])),
        (([6], []), (["n6"], [])),
        (([6], [6]), ([], [])),
        (([6], [3]), (["n6"], ["n3"])),
        (([], []), ([], [])),
    ],
)
def test_what_one_run_alone_has_is_a_difference(
    slow: tuple[Sequence[int], Sequence[int]], apart: tuple[list[str], list[str]]
) -> None:
    first, second = (Analysis(night_run(day, *nodes)) for day, nodes in enumerate(slow))
    sides = failures_apart(first, second)
    assert tuple([name for finding in side for name in finding.names] for side in sides) == apart


def network(run_id: str, slow: bool) -> Run:
    """Median pairs of each level do not show a switch that is slow inside."""
    run = fabric_run(slow={(0, 0): 3.0} if slow else None)
    run.header = msgspec.structs.replace(run.header, id=run_id)
    return run


def test_a_gate_against_an_earlier_run_fails_by_a_new_failure() -> None:
    good, slow = (Analysis(network(name, name == "slow")) for name in ("good", "slow"))
    comparison, back = compare(good, slow, 0.03), compare(slow, good, 0.03)
    assert (comparison.is_slower(0.03), comparison.is_worse(0.03)) == (False, True)
    assert (back.is_slower(0.03), back.is_worse(0.03)) == (False, False)
    gate = comparison_gate(comparison, 0.03)
    assert (gate.status, gate.culprits) == (FAILED, ("s0",))
    assert "switch s0 is slow inside, which was not found before" in gate.why


def test_a_launch_that_failed_is_a_failure_of_its_run_alone() -> None:
    good, bad = (make_run(lambda launch, *_: [1000.0 + launch]) for _ in range(2))
    bad.add(End(launch=4, reason="failed", message="a message arrived with other bytes"))
    ours, theirs = failures_apart(Analysis(good), Analysis(bad))
    assert (len(ours), [finding.what for finding in theirs]) == (0, ["a launch failed"])


def test_a_named_failure_is_an_answer_though_points_are_not_judged() -> None:
    good, bad, same = (make_run(lambda launch, *_: [1000.0 + launch], launches=3) for _ in range(3))
    for number, run in enumerate((good, bad, same)):
        run.header = msgspec.structs.replace(run.header, id=f"run {number}")
    bad.add(End(launch=2, reason="failed", message="a message arrived with other bytes"))
    named = explanation(Analysis(good), Analysis(bad), 0.03, [])
    unnamed = explanation(Analysis(good), Analysis(same), 0.03, [])
    assert (named.gate is not None, named.ends_by) == (True, None)
    assert unnamed.gate is not None
    assert unnamed.ends_by is unnamed.gate


def test_compare_and_explain_name_it_first(hockney: RunHockney, tmp_path: Path) -> None:
    for name in ("good", "slow"):
        lines = map(records.encode, network(name, name == "slow").records())
        (tmp_path / f"{name}.jsonl").write_bytes(b"".join(lines))
    words = "in B alone: switch s0 is slow inside: 3"
    done = hockney("compare", "good.jsonl", "slow.jsonl")
    assert (done.status, done.stdout.splitlines()[1][: len(words)]) == (1, words)
    assert hockney("compare", "slow.jsonl", "good.jsonl").status == 0
    [shown] = hockney("compare", "good.jsonl", "slow.jsonl", "--json").json["comparisons"]
    assert [failure["names"] for failure in shown["failures"]["other"]] == [["s0"]]
    assert shown["failures"]["base"] == []
    done = hockney("explain", "good.jsonl", "slow.jsonl")
    assert done.stdout.startswith(words)
    assert "nothing to explain" not in done.stdout
