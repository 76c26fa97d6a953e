from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import msgspec
import numpy as np
import pytest

from hockney.base.errors import UsageError
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.compare import RunComparison, compare
from hockney.infer.analysis.comparison.explanation import explanation
from hockney.records import MpiFacts, Run
from hockney.show.comparison.comparison_lines import deciding_words
from samples import make_run

SIZES = (8, 1024, 65536)


def compared(base: Run, other: Run, tolerance: float, others: Sequence[Run] = ()) -> RunComparison:
    return compare(Analysis(base), Analysis(other), tolerance, [Analysis(run) for run in others])


def noisy_run(seed: int, factor: float = 1.0, launches: int = 8, scatter: float = 0.01) -> Run:
    random = np.random.default_rng(seed)
    level = factor * random.lognormal(sigma=scatter, size=launches)

    def ns(launch: int, _round: int, size: int) -> list[float]:
        return (level[launch] * (100.0 + size) * random.lognormal(sigma=0.05, size=4)).tolist()

    return make_run(ns, launches=launches, sizes=SIZES, handover_ns=lambda *_: 53.0)


def numbered(runs: Iterable[Run]) -> list[Run]:
    runs = list(runs)
    for number, run in enumerate(runs):
        run.header = msgspec.structs.replace(run.header, id=f"run {number}")
    return runs


def day_of_runs(
    seed: int, count: int, drift: float, scatter: float = 0.02, launches: int = 6
) -> list[Run]:
    """Equal runs, whose levels drift with a standard deviation of `drift`."""
    random = np.random.default_rng(seed)
    return numbered(
        noisy_run(1000 * seed + number, random.lognormal(sigma=drift), launches, scatter)
        for number in range(count)
    )


def test_launches_of_an_earlier_run_that_scatter_are_no_difference_between_runs() -> None:
    """An earlier run on a busy machine scatters as a whole, too, by its own launches."""
    for seed in range(4):
        earlier = numbered(noisy_run(100 * seed + n, launches=20, scatter=0.2) for n in range(3))
        base, other = (noisy_run(seed + n, 1.0 + 0.1 * n, launches=20) for n in (0, 1))
        other.header = msgspec.structs.replace(other.header, id="other")
        comparison = compared(base, other, 0.03, earlier)
        assert comparison.overall is not None
        assert comparison.overall.verdict == "slower"


@pytest.mark.parametrize(("factor", "verdict"), [(1.3, "slower"), (0.7, "faster"), (1.0, "same")])
def test_the_verdict_says_what_is_true(factor: float, verdict: str) -> None:
    earlier = numbered(noisy_run(seed, scatter=0.01) for seed in range(10, 22))
    base, other = noisy_run(1), noisy_run(2, factor)
    other.header = msgspec.structs.replace(other.header, id="other")
    comparison = compared(base, other, 0.05, earlier)
    assert comparison.verdict == verdict
    assert {point.difference.verdict for point in comparison.points} == {verdict}
    assert comparison.overall is not None
    assert comparison.overall.ratio == pytest.approx(factor, rel=0.03)
    assert comparison.is_slower(0.05) is (verdict == "slower")
    assert comparison.between is not None
    assert comparison.between.runs == 13  # A and the 12 earlier ones


def test_a_difference_shown_within_the_tolerance_is_not_called_the_same() -> None:
    runs = [noisy_run(1, scatter=0.002, launches=20), noisy_run(2, 1.02, 20, 0.002)]
    for run in runs:
        run.launches[0].simulated = True
    comparison = compared(*runs, tolerance=0.05)
    assert comparison.verdict == "slower"
    assert comparison.overall is not None
    assert comparison.overall.within_tolerance
    assert not comparison.is_slower(0.05)


def test_a_difference_that_drift_can_make_is_unknown_without_other_runs() -> None:
    """Launches alone would call it slower, p = 0.0002."""
    comparison = compared(noisy_run(1), noisy_run(2, 1.05), tolerance=0.03)
    assert comparison.verdict == "unknown"
    assert not comparison.is_slower(0.03)
    assert comparison.overall is not None
    assert comparison.overall.needed is None
    assert comparison.between is not None
    assert comparison.between.runs == 0
    least, most = comparison.between.limits
    assert least < 0.01 < 0.02 < most
    assert compared(noisy_run(1), noisy_run(2, 1.3), tolerance=0.03).verdict == "slower"


def test_simulated_runs_do_not_drift() -> None:
    runs = [noisy_run(1), noisy_run(2, 1.05)]
    for run in runs:
        run.launches[0].simulated = True
    comparison = compared(*runs, tolerance=0.03)
    assert (comparison.verdict, comparison.between) == ("slower", None)


def test_runs_of_another_question_are_no_history() -> None:
    base, other = noisy_run(1), noisy_run(2)
    other.header = msgspec.structs.replace(other.header, id="other")
    elsewhere = numbered(noisy_run(seed) for seed in range(10, 20))
    for run in elsewhere:
        run.launches[0].mpi = MpiFacts(library="another", version="1")
    comparison = compared(base, other, 0.05, elsewhere)
    assert comparison.between is not None
    assert comparison.between.runs == 0


@pytest.mark.long
@pytest.mark.parametrize("drift", [0.0, 0.01, 0.02, 0.04])
@pytest.mark.parametrize("known", [True, False])
def test_equal_runs_are_seldom_called_different(drift: float, known: bool) -> None:
    """Drift up to twice what launches scatter, as measured (conditions/between.py)."""
    called = count = 0
    for seed in range(8):
        runs = day_of_runs(seed, 20, drift)
        analyses = [Analysis(run) for run in runs]
        for a, b in pairwise(analyses):
            comparison = compare(a, b, 0.01, analyses if known else ())
            called += comparison.verdict in ("faster", "slower")
            count += 1
    assert called <= 0.085 * count


def bimodal(seed: int, slow: int, launches: int = 20) -> Run:
    """Launches of which `slow` are 35 % slower."""
    random = np.random.default_rng(seed)
    level = random.permutation(np.where(np.arange(launches) < slow, 1.35, 1.0))
    level = level * random.lognormal(sigma=0.003, size=launches)
    run = make_run(lambda launch, *_: [1000.0 * level[launch]] * 4, launches=launches, sizes=SIZES)
    run.launches[0].simulated = True  # launches alone are judged
    return run


def test_modes_are_compared_as_they_are() -> None:
    """Excluding slow launches gave 1.34 [1.001 .. 1.351], p = 0.008: slower."""
    comparison = compared(bimodal(1, 9), bimodal(2, 11), tolerance=0.03)
    assert comparison.overall is not None
    assert comparison.verdict == "unknown"
    assert comparison.overall.p is not None
    assert comparison.overall.p > 0.2
    assert comparison.overall.ratio == pytest.approx(1.0, abs=0.01)
    assert sum("launches have 2 modes" in note for note in comparison.notes) == 2


@pytest.mark.long
def test_the_ratio_of_modes_lies_in_its_interval() -> None:
    for seed in range(40):
        comparison = compared(bimodal(seed, 8), bimodal(seed + 100, 12), tolerance=0.03)
        for each in (*(point.difference for point in comparison.points), comparison.overall):
            assert each is not None
            assert each.interval is not None
            assert each.interval.low <= each.ratio <= each.interval.high


def test_exclusions_are_printed_and_compared_all_the_same() -> None:
    def ns(launch: int, _round: int, size: int) -> list[float]:
        return [(2.5 if launch == 3 else 1.0 + 0.001 * launch) * (100.0 + size)]

    run = make_run(ns, launches=12, sizes=SIZES)
    comparison = compared(run, run, 0.03)
    assert any("launches 3 are compared as all others" in note for note in comparison.notes)
    assert {point.base.launches for point in comparison.points} == {12}


def test_a_difference_inside_the_tolerance_is_none() -> None:
    assert not compared(noisy_run(1), noisy_run(2, 1.05), tolerance=0.10).is_slower(0.10)


def test_too_few_launches_cannot_tell_and_say_how_many_would() -> None:
    comparison = compared(noisy_run(1, launches=3), noisy_run(2, 1.2, launches=3), tolerance=0.03)
    assert comparison.verdict == "unknown"
    assert comparison.overall is not None
    assert (comparison.overall.interval, comparison.overall.needed) == (None, 5)
    noisy = [noisy_run(seed, 1.05 if seed == 2 else 1.0, scatter=0.2) for seed in range(1, 8)]
    for run in noisy:
        run.launches[0].simulated = True
    alone = compared(noisy[0], noisy[1], tolerance=0.03)
    assert alone.verdict == "unknown"
    assert alone.overall is not None
    assert (alone.overall.needed or 0) > 8


def in_state(handover_ns: Callable[[int, int], float]) -> Run:
    return make_run(lambda *_: [100.0], handover_ns=handover_ns)


def test_runs_in_different_states_are_not_compared() -> None:
    comparison = compared(in_state(lambda *_: 53.0), in_state(lambda *_: 245.0), tolerance=0.03)
    assert comparison.verdict == "unknown"
    assert comparison.points == ()
    assert "different states" in comparison.notes[0]


def test_the_state_that_both_were_in_is_compared() -> None:
    mostly_far = in_state(lambda launch, _: 53.0 if launch == 0 else 245.0)
    comparison = compared(in_state(lambda *_: 53.0), mostly_far, tolerance=0.03)
    assert comparison.points
    assert "the state that both runs were in" in comparison.notes[0]


def test_across_hosts_each_headline_is_taken() -> None:
    other = in_state(lambda *_: 245.0)
    other.header = type(other.header)(
        schema=1,
        hockney="",
        id="",
        started="",
        experiment="pingpong",
        environment={"host": "there"},
    )
    assert compared(in_state(lambda *_: 53.0), other, tolerance=0.03).points


def test_unlike_definitions_are_noted_and_experiments_refused() -> None:
    first, second = noisy_run(1), noisy_run(2)
    second.launches[0].definition = "whole loop over 2n"
    assert "unlike definitions" in compared(first, second, 0.03).notes[0]
    second.launches[0].definition = None
    assert compared(first, second, 0.03).notes[0].endswith(": unknown")
    assert compared(first, Run(second.header), 0.03).notes == ("B measured nothing",)
    second.header = type(second.header)(
        schema=1, hockney="", id="", started="", experiment="bcast", environment={}
    )
    with pytest.raises(UsageError, match="different experiments"):
        compared(first, second, 0.03)


def test_each_of_several_pairs_is_compared_with_itself() -> None:
    first, second = (make_run(lambda launch, _, __: [1000.0 + launch]) for _ in range(2))
    for run, slow in ((first, 1.0), (second, 2.0)):
        for visit in list(run.samples):
            ns = [slow * value for value in visit.ns]
            run.add(msgspec.structs.replace(visit, peers=(0, 2), ns=ns))
    comparison = compared(first, second, 0.03)
    assert {point.base.peers: point.difference.verdict for point in comparison.points} == {
        (0, 1): "same",
        (0, 2): "slower",
    }


def test_a_launch_of_no_time_is_compared_with_nothing() -> None:
    run = make_run(lambda launch, _, size: [1000.0 if launch or size else 0.0], sizes=(0, 8))
    comparison = compared(run, run, 0.03)
    assert [point.base.bytes for point in comparison.points] == [8]
    of_each = [f"some of {label}'s times at 0 B are 0: its clock was too coarse" for label in "AB"]
    assert [note for note in comparison.notes if "clock" in note] == of_each


def with_zeros(zeros: tuple[int, ...], sizes: tuple[int, ...] = SIZES) -> Run:
    """A run whose clock is too coarse for these sizes."""
    run = make_run(
        lambda _launch, _round, size: [0.0 if size in zeros else 100.0 + size],
        launches=8,
        sizes=sizes,
    )
    run.header = msgspec.structs.replace(run.header, id="with zeros")
    return run


@pytest.mark.parametrize(("zeros", "named"), [((8,), "8 B"), (SIZES, "8 B, 1 KiB, 64 KiB")])
def test_times_of_zero_are_named_instead_of_called_those_of_one_run(
    zeros: tuple[int, ...], named: str
) -> None:
    base, other = noisy_run(1), with_zeros(zeros)
    comparison = compared(base, other, 0.03)
    assert {point.base.bytes for point in comparison.points} == {*SIZES} - {*zeros}
    why = f"B's times at {named} are 0: its clock was too coarse"
    assert why in comparison.notes
    assert not [note for note in comparison.notes if "only" in note or "in common" in note]
    explained = explanation(Analysis(base), Analysis(other), 0.03)
    assert why in explained.notes or (explained.gate and why in explained.gate.why)


def test_a_point_that_only_one_run_has_stays_named_beside_times_of_zero() -> None:
    notes = compared(noisy_run(1), with_zeros((8,), (8, 1024)), 0.03).notes
    assert "not compared, as only A has them: 64 KiB" in notes
    assert not [note for note in notes if "only B" in note]


@pytest.mark.parametrize(("slower", "verdict"), [(1.0, "same"), (1.2, "slower")])
def test_launches_with_one_point_each_are_taken_together_in_turn(
    slower: float, verdict: str
) -> None:
    """As of collectives by algorithm: the first launch of each, then the second."""
    first, second = (
        make_run(
            lambda launch, _, size: [factor * (1000.0 + size) * (1.0 + 0.001 * (launch // 2))],  # noqa: B023
            launches=12,
            sizes=(0, 8),
        )
        for factor in (1.0, slower)
    )
    for run in (first, second):
        run.samples = [visit for visit in run.samples if visit.launch % 2 == (visit.bytes == 8)]
    comparison = compared(first, second, 0.03)
    assert comparison.verdict == verdict
    assert [len(mean) for mean in comparison.means] == [6, 6]
    assert comparison.overall is not None
    assert comparison.overall.ratio == pytest.approx(slower, rel=1e-9)


def one_launch(factor: float, is_simulated: bool = True, latency_ns: float = 1e3) -> Run:
    def ns(_launch: int, _round: int, size: int) -> list[float]:
        return [factor * (latency_ns + size)]

    run = make_run(ns, launches=1, sizes=SIZES)
    run.header = msgspec.structs.replace(run.header, id=str(factor))
    run.launches[0].simulated = is_simulated
    return run


@pytest.mark.parametrize(
    ("factor", "verdict"), [(1.344, "slower"), (1.0, "same"), (1.02, "same"), (0.7, "faster")]
)
def test_simulated_runs_of_one_launch_are_judged_exactly(factor: float, verdict: str) -> None:
    comparison = compared(one_launch(1.0), one_launch(factor), tolerance=0.03)
    assert comparison.overall is not None
    assert comparison.is_exact
    for judged in (comparison.overall, *(point.difference for point in comparison.points)):
        assert judged.verdict == verdict
        assert judged.interval is not None
        assert judged.interval.is_exact
        assert judged.ratio == pytest.approx(factor)
        assert judged.smallest_difference is None
    assert comparison.is_slower(0.03) is (verdict == "slower")


@pytest.mark.parametrize(("factor", "verdict"), [(1.5, "slower"), (0.6, "faster")])
@pytest.mark.parametrize("simulated_first", [True, False])
def test_a_measured_run_is_tested_against_the_exact_times_of_a_simulated_one(
    factor: float, verdict: str, simulated_first: bool
) -> None:
    simulated = one_launch(1.0, latency_ns=100.0)
    measured = noisy_run(2, factor if simulated_first else 1.0 / factor)
    runs = [simulated, measured] if simulated_first else [measured, simulated]
    comparison = compared(*runs, tolerance=0.03)
    assert comparison.constant == (0 if simulated_first else 1)
    assert not comparison.is_exact
    for judged in (comparison.overall, *(point.difference for point in comparison.points)):
        assert judged is not None
        assert judged.verdict == verdict
        assert judged.interval is not None
        assert judged.interval.holds(factor)
    assert any("alone is simulated" in note for note in comparison.notes)


def test_too_few_launches_beside_a_simulated_run_are_said() -> None:
    comparison = compared(one_launch(1.0), noisy_run(2, 1.5, launches=3), tolerance=0.03)
    assert comparison.verdict == "unknown"
    assert "an interval takes at least 6 launches of B (B has 3)" in deciding_words(comparison)


def test_a_note_that_both_runs_of_one_label_have_is_given_once() -> None:
    runs = [noisy_run(2, 1.0), noisy_run(3, 1.0)]
    for run in runs:
        run.notes.append("what was left out of it")
    notes = compared(*runs, tolerance=0.03).notes
    assert [note for note in notes if "left out of it" in note] == [
        f"{runs[0].label}: what was left out of it"
    ]


def test_an_unknown_verdict_on_the_whole_alone_is_none() -> None:
    few = [Analysis(noisy_run(seed, 1.0, launches=3)) for seed in (2, 3)]
    comparison = compare(*few, 0.03, each_point=False)
    assert comparison.verdict == "unknown"
    assert not comparison.is_judged
