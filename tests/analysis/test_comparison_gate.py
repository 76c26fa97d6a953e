"""The gate of a run against an earlier one passes only what it could judge."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.compare import RunComparison, compare, unlike_question
from hockney.infer.analysis.comparison.comparison_gate import comparison_gate
from hockney.infer.analysis.gate import FAILED, NOT_JUDGED, PASSED
from hockney.infer.memory.host import EarlierRun, earlier_run
from hockney.plan import Placement, Sampling, single, sizes_of, stored
from hockney.plan.workloads.collective import Collective
from hockney.plan.workloads.pingpong import Pingpong
from hockney.show.comparison.comparison_lines import deciding_words, overall_words
from samples import make_run

SIZES = tuple(2**n for n in range(12))
ALLOWED = 0.05


def analysed(
    seed: int,
    *,
    sizes: tuple[int, ...] = SIZES,
    noisy: float = 0.005,
    slower: float = 1.0,
    last: float = 1.0,
    started: str = "2026-01-01",
    launches: int = 12,
) -> Analysis:
    """Launches scatter by 0.5 %, at the largest size by `noisy`, where the time is `last` times as
    long; all are `slower` times as long."""
    source = np.random.default_rng(seed)
    level = source.normal(0.0, 0.003)
    logs = {size: level + source.normal(0.0, 0.005, 12) for size in sizes}
    logs[sizes[-1]] = level + np.log(last) + source.normal(0.0, noisy, 12)
    run = make_run(
        lambda launch, _, size: [slower * np.exp(logs[size][launch]) * (1e3 + size)] * 3,
        launches=launches,
        sizes=sizes,
        rounds=2,
    )
    run.header = msgspec.structs.replace(run.header, id=f"{seed} {slower}", started=started)
    return Analysis(run)


def remembered(analysis: Analysis) -> EarlierRun:
    return earlier_run(analysis.run, analysis.of_every_launch)


def held(first: Analysis, second: Analysis, memory: list[EarlierRun]) -> RunComparison:
    return compare(first, second, ALLOWED, memory=memory)


PAST = [remembered(analysed(seed, started=f"2026-01-{seed:02}")) for seed in range(10, 20)]


def test_equal_runs_pass() -> None:
    assert comparison_gate(held(analysed(1), analysed(2), PAST), ALLOWED).status == PASSED


def test_sizes_that_were_not_measured_again_are_not_passed() -> None:
    comparison = held(analysed(1), analysed(2, sizes=SIZES[:1]), PAST)
    gate = comparison_gate(comparison, ALLOWED)
    assert gate.status == NOT_JUDGED
    assert "lacks what was measured before: 2 B, 4 B, 8 B, 16 B and 7 more sizes" in gate.why
    assert any("not compared" in note for note in comparison.notes)


def test_too_few_launches_are_the_reason_whatever_else_is_noted() -> None:
    comparison = held(analysed(1, launches=3), analysed(2, launches=3, sizes=SIZES[:2]), [])
    gate = comparison_gate(comparison, ALLOWED)
    assert (gate.status, "not compared" in " ".join(comparison.notes)) == (NOT_JUDGED, True)
    assert "too few launches for an interval; measure both with 5 or more" in gate.why


def test_sizes_that_are_new_are_said_and_pass() -> None:
    comparison = held(analysed(1, sizes=SIZES[:8]), analysed(2), PAST)
    assert comparison_gate(comparison, ALLOWED).status == PASSED
    assert any("not compared" in note for note in comparison.notes)


def test_a_size_too_noisy_to_judge_is_not_passed() -> None:
    gate = comparison_gate(
        held(analysed(1, noisy=0.3), analysed(2, noisy=0.3, last=1.2), PAST), ALLOWED
    )
    assert gate.status == NOT_JUDGED
    assert "may be slower by more than 5 % at 2 KiB" in gate.why


def test_a_size_that_is_slower_but_not_surely_by_more_than_allowed_is_not_passed() -> None:
    """The largest size takes 1.065 [1.045 to 1.084] times as long; 5 % are allowed."""
    comparison = held(analysed(1, noisy=0.02), analysed(2, noisy=0.02, last=1.06), PAST)
    last = comparison.points[-1].difference
    assert last.interval is not None
    assert (last.verdict, last.interval.holds(1.0 + ALLOWED)) == ("slower", True)
    gate = comparison_gate(comparison, ALLOWED)
    assert gate.status == NOT_JUDGED
    assert "may be slower by more than 5 % at 2 KiB: 1.06" in gate.why


@pytest.mark.parametrize(
    ("noisy", "last", "memory", "remedy"),
    [
        (0.02, 1.06, [], "no number of launches decides it: measure both in one run with --vary"),
        (0.3, 1.2, PAST, "about 14 launches of each would decide"),
    ],
    ids=["runs differ by more", "launches differ by more"],
)
def test_the_gate_advises_launches_only_where_the_table_does(
    noisy: float, last: float, memory: list[EarlierRun], remedy: str
) -> None:
    """What equal runs differ by is assumed without a memory, and no launch makes it less."""
    comparison = held(analysed(1, noisy=noisy), analysed(2, noisy=noisy, last=last), memory)
    gate = comparison_gate(comparison, ALLOWED)
    assert gate.why.endswith(f"times as long as before; {remedy}")
    words = deciding_words(comparison)
    assert ("no number of launches" in words) == ("no number of launches" in remedy)


def test_a_gate_of_the_whole_advises_launches_only_where_they_help() -> None:
    comparison = held(analysed(1, noisy=0.3), analysed(2, noisy=0.3, last=1.2), [])
    gate = comparison_gate(comparison, ALLOWED)
    assert gate.why.endswith(
        "; earlier runs of this host (--memory) would decide: hockney compare --plan"
    )


def test_a_regression_that_lasts_keeps_failing() -> None:
    """The nights after it are remembered, too."""
    good = analysed(1, started="2026-01-10")
    nights = [
        analysed(seed, slower=1.1, started=f"2026-02-{seed - 30:02}") for seed in range(31, 46)
    ]
    memory = list(PAST)
    statuses = []
    for night in nights:
        statuses.append(comparison_gate(held(good, night, memory), ALLOWED).status)
        memory.append(remembered(night))
    assert PASSED not in statuses
    assert set(statuses[6:]) == {FAILED}  # from then on the change is known
    assert any("2 levels" in note for note in held(good, nights[-1], memory[:-1]).notes)


def test_a_size_that_is_slower_is_said_beside_a_whole_that_is_not() -> None:
    comparison = held(analysed(1), analysed(2, slower=0.95, last=1.4), PAST)
    assert comparison.verdict != "slower"
    assert comparison.is_slower(ALLOWED)
    assert "slower at 1 of 12 points, most at 2 KiB: ratio 1." in overall_words(comparison, ALLOWED)


def test_a_run_and_its_copy_are_not_passed() -> None:
    comparison = held(analysed(1), analysed(1), PAST)
    assert comparison.verdict == "same"
    assert comparison.notes[0] == "A and B are the same run: that they are equal shows nothing"
    gate = comparison_gate(comparison, ALLOWED)
    assert gate.status == NOT_JUDGED
    assert "is the very run of before" in gate.why


def test_what_was_measured_otherwise_is_not_judged() -> None:
    placed = [analysed(seed) for seed in (1, 2)]
    for analysis, place in zip(placed, ("none", "core"), strict=True):
        plan = single(Pingpong(sizes=sizes_of(SIZES)), Placement(place=place), Sampling())
        header = msgspec.structs.replace(analysis.run.header, options=stored(plan))
        analysis.run.header = header
    gate = comparison_gate(held(*placed, PAST), ALLOWED)
    assert gate.status == NOT_JUDGED
    assert "place was none, and is core" in gate.why


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (({}, {"sync": "barrier"}), "sync was clock, and is barrier"),
        (({"root": "rotate"}, {}), "root was rotate, and is first"),
        (({}, {"verify": True}), None),
    ],
)
def test_a_knob_that_is_no_axis_is_another_question(
    settings: tuple[dict[str, Any], dict[str, Any]], words: str | None
) -> None:
    runs = [analysed(seed).run for seed in (1, 2)]
    for run, values in zip(runs, settings, strict=True):
        workload = Collective(sizes=sizes_of(SIZES), collective="bcast", **values)
        plan = single(workload, Placement(), Sampling())
        run.header = msgspec.structs.replace(run.header, options=stored(plan))
    assert unlike_question(*runs) == words


def test_another_definition_is_not_judged() -> None:
    defined = [analysed(seed) for seed in (1, 2)]
    for analysis, words in zip(defined, ("a round trip", "half a round trip"), strict=True):
        launches = analysis.run.launches
        launches[:] = [msgspec.structs.replace(launch, definition=words) for launch in launches]
    gate = comparison_gate(held(*defined, PAST), ALLOWED)
    assert gate.status == NOT_JUDGED
    assert "a time was a round trip, and is half a round trip" in gate.why


@pytest.mark.parametrize(("slower", "status"), [(1.0, PASSED), (1.02, PASSED), (1.2, FAILED)])
def test_simulated_runs_are_judged_by_one_launch(slower: float, status: str) -> None:
    runs = []
    for factor in (1.0, slower):
        run = make_run(lambda *_, of=factor: [of * 1e3], launches=1, sizes=SIZES)
        run.header = msgspec.structs.replace(run.header, id=f"simulated {len(runs)}")
        run.launches[0].simulated = True
        runs.append(Analysis(run))
    gate = comparison_gate(held(runs[0], runs[1], []), ALLOWED)
    assert gate.status == status


def test_the_size_that_is_slower_most_is_named() -> None:
    gate = comparison_gate(held(analysed(1), analysed(2, last=1.4), PAST), ALLOWED)
    assert gate.status == FAILED
    assert gate.why.startswith('"pingpong" takes 1.')
    assert gate.why.endswith(" times as long as before at 2 KiB")
