"""Advice of `compare` on unknown verdicts: once, and on the side that lacks launches."""

from __future__ import annotations

import re

import numpy as np
import pytest

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.compare import RunComparison, compare
from hockney.infer.estimate.differences import Unseen, two_samples
from hockney.records import Run
from hockney.show.comparison.comparison_lines import (
    against_lines,
    deciding_words,
    overall_words,
    plan_lines,
    show_comparison,
)
from samples import make_run

SIZES = tuple(8 << place for place in range(9))


def run_of(launches: int, seed: int, scatter: float, is_simulated: bool = False) -> Run:
    levels = np.random.default_rng(seed).lognormal(sigma=scatter, size=launches)
    run = make_run(lambda launch, *_: [1000.0 * levels[launch]] * 4, launches=launches, sizes=SIZES)
    run.launches[0].simulated = is_simulated
    return run


def compared(*launches: int, scatter: float = 0.05, is_simulated: bool = False) -> RunComparison:
    first, second = (
        Analysis(run_of(count, seed, scatter, is_simulated)) for seed, count in enumerate(launches)
    )
    return compare(first, second, 0.03)


@pytest.mark.parametrize(
    ("launches", "words"),
    [
        ((3, 12), "an interval takes at least 5 launches of A (A has 3; B has enough, 12)"),
        ((12, 3), "an interval takes at least 5 launches of B (B has 3; A has enough, 12)"),
        ((3, 4), "an interval takes at least 5 launches of each (A has 3, B 4)"),
    ],
)
def test_what_an_interval_takes_is_said_once_and_of_the_side_that_lacks_it(
    launches: tuple[int, int], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    comparison = compared(*launches, is_simulated=True)
    assert deciding_words(comparison) == f"9 of 9 points are unknown: {words}"
    show_comparison(comparison, 0.03)
    shown = capsys.readouterr().out
    assert shown.count("an interval takes") == 1
    assert "between equal runs" not in shown  # nothing is judged by it
    assert "assumed" not in shown
    assert "no difference could have been shown" in overall_words(comparison, 0.03)


def test_one_launch_of_each_assumes_nothing_of_other_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_comparison(compared(1, 1), 0.03)
    assert "assumed" not in capsys.readouterr().out


def test_what_would_decide_is_said_of_points_with_an_interval() -> None:
    words = deciding_words(compared(12, 12, is_simulated=True))
    assert re.fullmatch(
        r"\d of 9 points are unknown: about .* of each would decide \(A has 12, B 12\)", words
    )


def test_where_no_number_of_launches_decides_it_says_what_does() -> None:
    comparison = compared(12, 12, scatter=0.02)
    assert "no number of launches decides them: measure both in one run" in deciding_words(
        comparison
    )
    assert "would be found in 80 of 100 comparisons" in overall_words(comparison, 0.03)


def test_the_smallest_difference_is_half_the_interval() -> None:
    rng = np.random.default_rng(1)
    first, second = 0.02 * rng.standard_normal((2, 10))
    alone, unseen = (two_samples(first, second, 0.03, part) for part in (None, Unseen.of(0.04)))
    for judged in (alone, unseen):
        assert judged.interval is not None
        assert judged.smallest_difference is not None
        half = np.log(judged.interval.high / judged.interval.low) / 2.0
        assert judged.smallest_difference == pytest.approx(np.expm1(half))
    assert (unseen.smallest_difference or 0.0) > 0.078
    assert two_samples(first[:3], second, 0.03).smallest_difference is None


def test_many_launches_of_one_side_are_not_asked_for_again() -> None:
    """The harmonic mean counts: 6 and 200 launches are worth no more than 12 and 12."""
    rng = np.random.default_rng(5)
    few, many = 0.05 * rng.standard_normal(6), 0.05 * rng.standard_normal(200)
    needed = two_samples(few, many, 0.03).needed
    assert needed is not None
    assert 12 <= needed < 120


def test_simulated_runs_of_one_launch_ask_for_no_launches(
    capsys: pytest.CaptureFixture[str],
) -> None:
    comparison = compared(1, 1, scatter=0.3, is_simulated=True)
    show_comparison(comparison, 0.03)
    shown = capsys.readouterr().out
    assert comparison.overall is not None
    assert f"(ratio {comparison.overall.ratio:.3f}, exact)" in shown
    assert not [
        words for words in ("would decide", "80 of 100", "%  ", "unknown") if words in shown
    ]
    assert f"{comparison.overall.ratio:.3f}, exact" in "\n".join(against_lines([comparison], 0.03))
    assert plan_lines(comparison, None) == [
        "simulated runs repeat exactly: any difference is shown"
    ]
