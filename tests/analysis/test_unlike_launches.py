"""Launches of several kinds are reported, whether they are modes or too few for that."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.compare import compare
from hockney.infer.analysis.conditions.unlike_launches import unlike_launches
from hockney.records import Run
from hockney.show.tables.as_json import run_json
from samples import make_run


def run_of(launches: int, slow: Collection[int], times: float = 2.0, sizes: int = 2) -> Run:
    """Launches of which some take longer, at the first `sizes` of two sizes."""

    def ns(launch: int, _round: int, size: int) -> list[float]:
        longer = times if launch in slow and size <= (8, 64)[sizes - 1] else 1.0
        return [longer * (1.0 + 0.001 * (launch % 5)) * (100.0 + size)]

    return make_run(ns, launches=launches, sizes=(8, 64))


def texts(run: Run) -> list[str]:
    return [warning.text for warning in unlike_launches(Analysis(run).estimates)]


@pytest.mark.parametrize(
    ("launches", "unlike", "words"),
    [
        (12, (3, 7), "2 of 12 launches take 2.00 times as long as the others"),
        (8, (2, 5), "2 of 8 launches take 2.00 times as long as the others"),
        (6, (3,), "1 of 6 launches takes 2.00 times as long as the others"),
        (5, (0, 2, 4), "2 of 5 launches take 0.50 times as long as the others"),
        (12, range(10), "2 of 12 launches take 0.50 times as long as the others"),
    ],
)
def test_launches_too_many_to_exclude_and_too_few_for_a_mode_are_reported(
    launches: int, unlike: Collection[int], words: str
) -> None:
    run = run_of(launches, unlike)
    estimates = Analysis(run).estimates
    assert (estimates.slow_launches, estimates.modes) == ((), ())
    (text,) = texts(run)
    assert words in text
    (group,) = run_json(Analysis(run))["launches_kept_apart"]
    assert len(group["launches"]) == int(words.split()[0])


@pytest.mark.parametrize(("launches", "slow"), [(12, ()), (12, (3,)), (4, (1,))])
def test_nothing_is_reported_of_launches_that_are_alike_excluded_or_too_few(
    launches: int, slow: Collection[int]
) -> None:
    assert texts(run_of(launches, slow)) == []


def test_a_comparison_notes_them() -> None:
    first, second = run_of(8, ()), run_of(8, (2, 5), times=3.0)
    comparison = compare(Analysis(first), Analysis(second), 0.05)
    assert any(
        note.endswith("2 of 8 launches take 3.00 times as long as the others")
        for note in comparison.notes
    )


@pytest.mark.parametrize(
    ("launches", "sizes", "words"),
    [
        (12, 2, "the median lies between them and describes none."),
        (12, 1, "the median lies between them at 1 of 2 points and describes none."),
        (13, 2, "the median describes one of them."),
    ],
)
def test_a_median_between_modes_is_said_to_describe_none(
    launches: int, sizes: int, words: str
) -> None:
    (text,) = texts(run_of(launches, range(1, launches, 2), sizes=sizes))
    assert words in text
