"""The verdict of runs, with the findings that decide it."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from conftest import RunHockney
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.compare import compare
from hockney.infer.analysis.decision import Decision, decision_of, of_comparison
from hockney.infer.analysis.findings import DecidingFinding, findings_of
from hockney.infer.analysis.gate import FAILED, NOT_JUDGED, PASSED
from hockney.records import End, Place
from hockney.run.measure.sessions.resume import missing_ends
from hockney.show.decision_lines import UNHELD, decision_lines
from samples import make_pairs_run, make_run, night_run, one_a_node, past_run, write_run

DOCS = Path(__file__).parents[2] / "docs"
SLOW_NODE = """
name = "a cluster"

[[run]]
label = "two nodes"
verb = "pingpong"
platform = "{platform}"
sizes = "8,64KiB"

[[run]]
label = "all pairs"
verb = "fabric"
n = 8
platform = "{platform}"
sizes = "8,64KiB"

[[run]]
label = "broadcasts"
verb = "collective"
collectives = "bcast"
n = 8
platform = "{platform}"
sizes = "8"
"""


def test_numbers_without_a_reference_are_not_judged() -> None:
    decision = decision_of([Analysis(make_run(lambda launch, *_: [1000.0 + launch]))])
    assert decision is not None
    assert decision.status == NOT_JUDGED
    assert "1.002 us [1 us to 1.004 us] at 8 B" in decision.deciding[0].number
    assert "hockney compare" in decision.deciding[0].action


def test_one_slow_run_is_no_change_and_said_to_be_slow(hockney: RunHockney, tmp_path: Path) -> None:
    """It was accepted without a word on it."""
    for day in range(12):
        write_run(past_run(day), tmp_path / f"{day:02}.jsonl")
    usual = hockney("history", ".")
    assert (usual.status, "measure again" in usual.stdout) == (0, False)
    write_run(past_run(12, 1.3), tmp_path / "12.jsonl")
    slow = hockney("history", ".")
    assert (slow.status, slow.stdout.count("to do: measure again: it is 1.3 times")) == (0, 2)
    for day in (13, 14):
        write_run(past_run(day, 1.3), tmp_path / f"{day}.jsonl")
    assert hockney("history", ".").stdout.startswith("verdict: NOT ACCEPTED")


def test_a_run_that_nothing_was_held_against_is_named_beside_an_accepted_one() -> None:
    pairs = [[pair] for pair in combinations(range(8), 2)]
    judged = make_pairs_run(lambda *_: [1000.0], pairs, one_a_node(8))
    decision = decision_of([Analysis(judged), Analysis(make_run(lambda *_: [5e6]))])
    assert decision is not None
    assert decision.status == PASSED
    *_, unheld, relative = decision_lines(decision)
    assert unheld == f'  {UNHELD}: "pingpong"'
    assert "what is slow everywhere passes" in relative


def test_of_many_runs_that_nothing_was_held_against_a_few_are_named() -> None:
    """Three hundred labels were one line."""
    finding = DecidingFinding(PASSED, "outliers", "none", "their peers", "")
    decision = Decision((finding,), unheld=tuple(f"run {number}" for number in range(300)))
    assert (
        decision_lines(decision)[-1] == f'  {UNHELD}: "run 0", "run 1", "run 2" and 297 more runs'
    )


def test_a_verdict_is_relative_until_something_else_is_held_against() -> None:
    night = Analysis(night_run(1))
    assert decision_of([night]).is_relative  # type: ignore[union-attr]
    beside = of_comparison(compare(Analysis(night_run(0)), night, 0.03), 0.03)
    for decision in (
        decision_of([night], against=[beside]),
        decision_of([Analysis(night_run(1, 6))]),
    ):
        assert decision is not None
        assert not decision.is_relative


def test_a_pair_of_two_nodes_is_to_be_measured_with_all_others() -> None:
    """Each of 16 nodes is in one pair, which does not tell the node from the cable."""
    pairs = [[(node, node + 8)] for node in range(8)]
    run = make_pairs_run(lambda _, pair, *__: [3e3 if pair[0] == 3 else 1e3], pairs, one_a_node(16))
    [slow_pair] = findings_of(Analysis(run))
    assert slow_pair.what == "pair rank 3 (n3), rank 11 (n11) is slow"
    assert "hockney fabric --gate in the same job" in slow_pair.action
    places = [Place(rank=rank, host="here", pu=rank, core=rank, pinned=True) for rank in range(16)]
    near = make_pairs_run(lambda _, pair, *__: [3e3 if pair[0] == 3 else 1e3], pairs, places)
    assert [
        finding.action.startswith("measure rank 3") for finding in findings_of(Analysis(near))
    ] == [True]


def test_a_failed_launch_is_not_accepted() -> None:
    run = make_run(lambda *_: [1000.0])
    run.add(End(launch=5, reason="failed", message="a message arrived with other bytes"))
    decision = decision_of([Analysis(run)])
    assert decision is not None
    assert decision.status == FAILED
    assert "other bytes" in decision_lines(decision)[1]


def test_a_launch_that_failed_on_many_ranks_is_counted_once() -> None:
    run = make_run(lambda *_: [1000.0])
    for _ in range(8):
        run.add(End(launch=5, reason="failed", message="it was killed"))
    decision = decision_of([Analysis(run)])
    assert decision is not None
    assert decision.deciding[0].number == "1 of 6 launches (it was killed)"


def test_a_launch_that_was_cut_short_with_hockney_itself_is_no_failure() -> None:
    """Its run was killed, and continued."""
    run = make_run(lambda *_: [1000.0])
    run.ends.pop(2)
    for end in missing_ends(run):
        run.add(end)
    findings = list(findings_of(Analysis(run)))
    assert len({end.launch for end in run.ends}) == len(run.launches)
    assert FAILED not in [finding.status for finding in findings]


def test_a_run_whose_file_is_not_whole_is_not_judged() -> None:
    pairs = [[pair] for pair in combinations(range(8), 2)]
    run = make_pairs_run(lambda *_: [1000.0], pairs, one_a_node(8))
    run.cut = "line 7 is cut short or damaged, and ignored"
    decision = decision_of([Analysis(run)])
    assert decision is not None
    assert decision.status == NOT_JUDGED
    assert "line 7 is cut short" in decision_lines(decision)[1]


def test_no_run_has_no_verdict() -> None:
    assert decision_of([]) is None


@pytest.mark.simgrid
@pytest.mark.parametrize("shape", ["cluster:8", "cluster:8,slow=3"])
def test_a_suite_and_its_page_begin_with_a_verdict(
    shape: str, hockney: RunHockney, tmp_path: Path
) -> None:
    (tmp_path / "plan.toml").write_text(SLOW_NODE.format(platform=platform_of(shape)))
    done = hockney("suite", "plan.toml", "-o", "results", "-q")
    first, second, *_ = done.stdout.splitlines()
    page = (tmp_path / "results" / "report.html").read_text()
    if "slow" in shape:
        assert first == "verdict: NOT ACCEPTED"
        assert "node node-3 is slow" in second
        assert "to do: take node-3 out of the job" in second
    else:
        assert first == "verdict: ACCEPTED"
        assert "no outlier among 8 nodes" in second
    assert page.index(first) < page.index('<main id="main">')
    assert page.count('<details class="whole">') == 3


def platform_of(shape: str) -> str:
    """A shape, or the platform of the page on acceptance."""
    return str(DOCS / "slow-node.xml") if "slow" in shape else shape


def test_a_history_begins_with_a_verdict(hockney: RunHockney, tmp_path: Path) -> None:
    """What to do is to explain the change, by the files on either side of it."""
    for day in range(20):
        write_run(past_run(day, 1.0 if day < 12 else 1.2), tmp_path / f"{day:02}.jsonl")
    done = hockney("history", ".")
    first, second, *_ = done.stdout.splitlines()
    assert done.status == 1
    assert first == "verdict: NOT ACCEPTED"
    assert "1.200 times worse" in second
    assert "hockney explain 11.jsonl 12.jsonl" in second


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (1, ", the only run; against no earlier run;"),
        (3, ", the last of 3 runs; against 2 earlier runs;"),
    ],
)
def test_few_runs_of_a_history_are_not_judged(
    hockney: RunHockney, tmp_path: Path, days: int, words: str
) -> None:
    for day in range(days):
        write_run(past_run(day), tmp_path / f"{day:02}.jsonl")
    done = hockney("history", ".")
    assert done.stdout.startswith("verdict: NOT JUDGED")
    assert words in done.stdout.splitlines()[1]


def test_a_steady_history_is_accepted(hockney: RunHockney, tmp_path: Path) -> None:
    for day in range(10):
        write_run(past_run(day), tmp_path / f"{day:02}.jsonl")
    done = hockney("history", ".")
    assert done.stdout.startswith("verdict: ACCEPTED")
    assert PASSED in hockney("history", ".", "--json").stdout
