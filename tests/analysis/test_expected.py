"""The interval for another run's median: simulated runs that drift are the truth."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from conftest import first_of
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.expected import LEAST_OTHERS, next_run
from hockney.infer.analysis.comparison.run_drift import as_earlier
from hockney.records import Place
from hockney.show.one_run.point_table import point_table
from hockney.show.one_run.run_lines import next_run_lines
from samples import make_run

SCATTER = 0.02


def day(random: np.random.Generator, runs: int, drift: float, launches: int = 6) -> list[Analysis]:
    analyses = []
    for number in range(runs):
        level = random.lognormal(sigma=drift) * random.lognormal(sigma=SCATTER, size=launches)
        run = make_run(
            lambda launch, *_, level=level: [1000.0 * level[launch]], launches=launches, rounds=1
        )
        run.header = msgspec.structs.replace(run.header, id=f"run {number}")
        analyses.append(Analysis(run))
    return analyses


@pytest.mark.parametrize(
    ("earlier", "drift"), first_of([(0, 0.03), (5, 0.03), (1, 0.02), (2, 0.0), (20, 0.02)], 2)
)
def test_the_interval_for_another_run_holds_its_median(earlier: int, drift: float) -> None:
    random = np.random.default_rng(earlier)
    held = 0
    for _ in range(120):
        *others, analysis, following = day(random, earlier + 2, drift)
        prediction = next_run(analysis, as_earlier(others)).at(analysis.estimates.headline[0])
        assert prediction is not None
        assert prediction.runs == earlier + 1
        seconds = following.estimates.headline[0].typical_s
        held += prediction.interval.holds(seconds)
    assert held >= 0.9 * 120


def test_it_holds_medians_of_launches_of_two_kinds() -> None:
    """The median is in either kind; levels in between had an interval that held 3 of 10."""
    random, kinds, held = np.random.default_rng(1), (1.0, 1.05), 0
    for _ in range(30):
        runs = []
        for number in range(8):
            level = random.choice(kinds, 18) * random.lognormal(sigma=0.003, size=18)
            run = make_run(
                lambda launch, *_, level=level: [1000.0 * level[launch]], launches=18, rounds=1
            )
            run.header = msgspec.structs.replace(run.header, id=f"run {number}")
            runs.append(Analysis(run))
        *others, latest, following = runs
        expected = next_run(latest, as_earlier(others)).at(latest.estimates.headline[0])
        assert expected is not None
        held += expected.interval.holds(following.estimates.headline[0].typical_s)
    assert held >= 0.75 * 30


def test_earlier_runs_narrow_it() -> None:
    analysis, *others = day(np.random.default_rng(4), 21, 0.01)
    point, earlier = analysis.estimates.headline[0], as_earlier(others)
    predictions = [next_run(analysis, earlier[:known]).at(point) for known in (0, 2, 20)]
    widths = [np.log(known.interval.high / known.interval.low) for known in predictions if known]
    assert len(widths) == 3
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > 2.0 * widths[-1]


def test_components_of_variance_are_those_that_were_put_in() -> None:
    analysis, *others = day(np.random.default_rng(1), 40, 0.05)
    prediction = next_run(analysis, as_earlier(others)).at(analysis.estimates.headline[0])
    assert prediction is not None
    assert prediction.between_runs == pytest.approx(0.05, rel=0.3)
    assert prediction.between_launches == pytest.approx(SCATTER, rel=0.2)


def test_without_earlier_runs_the_sentence_says_that_it_is_assumed() -> None:
    (analysis,) = day(np.random.default_rng(2), 1, 0.02)
    assert next_run_lines(Analysis(analysis.run).expected) == []
    analysis.earlier = []
    (line,) = next_run_lines(analysis.expected)
    assert "assumed, as no earlier run of this host is known" in line


def test_with_earlier_runs_the_table_has_their_interval() -> None:
    analysis, *others = day(np.random.default_rng(2), 6, 0.02)
    analysis.earlier = as_earlier(others)
    (line,) = next_run_lines(analysis.expected)
    assert line == "interval of other runs: from 5 earlier runs of this host"
    assert "95 % of other runs" in point_table(analysis.estimates.headline, {}, analysis.expected)


def test_what_is_expected_in_one_state_only_says_so() -> None:
    analysis, *others = day(np.random.default_rng(2), 6, 0.02)
    analysis.earlier = as_earlier(others)
    expected = replace(analysis.expected, is_of_state=True)
    assert next_run_lines(expected)[0].startswith("interval of other runs in this state: from 5 ")


def test_runs_of_another_host_are_counted_and_change_nothing() -> None:
    analysis, *others = day(np.random.default_rng(2), 6, 0.02)
    for other in others[:3]:
        for launch in other.run.launches:
            launch.places = [Place(rank=rank, host="there") for rank in (0, 1)]
    point = analysis.estimates.headline[0]
    expected = next_run(analysis, as_earlier(others))
    assert expected.at(point) == next_run(analysis, as_earlier(others[3:])).at(point)
    assert expected.notes == ("earlier runs left out: 3 on other hosts",)


def test_of_single_launches_nothing_is_assumed() -> None:
    analysis, *others = day(np.random.default_rng(3), LEAST_OTHERS + 1, 0.02, launches=1)
    point = analysis.estimates.headline[0]
    assert next_run(analysis, as_earlier(others[1:])).at(point) is None
    prediction = next_run(analysis, as_earlier(others)).at(point)
    assert prediction is not None
    assert np.log(prediction.interval.high / prediction.interval.low) > 0.05


def test_simulated_runs_have_no_other_next_run() -> None:
    analysis, *others = day(np.random.default_rng(3), 6, 0.02)
    for run in (analysis, *others):
        for launch in run.run.launches:
            launch.simulated = True
    assert next_run(analysis, as_earlier(others)).points == {}
