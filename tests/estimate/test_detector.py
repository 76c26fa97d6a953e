"""The detector: no alarm where nothing changes, and how soon a change is seen."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from conftest import first_of
from hockney.infer.analysis.history.course import Course
from hockney.infer.estimate.alarm import Alarm
from hockney.infer.estimate.detector import Detector, changed_of
from hockney.infer.estimate.recurring import came_once, two_states

HALF_HOUR_S = 1800.0
A_DAY = 48
LIMIT = 20 * 365 * A_DAY
"""Looks per false alarm, if 5 % of years may have one."""
Array = NDArray[np.float64]


def noise(rng: np.random.Generator, looks: int, series: int, correlation: float) -> Array:
    """Noise of 1 %: half its variance wanders, half scatters with heavy tails; shape (looks,
    series). Without correlation all of it scatters."""
    scatter = rng.standard_t(4, (looks, series)) / math.sqrt(2.0)
    if correlation == 0.0:
        return 0.01 * scatter
    wander = rng.standard_normal((looks, series))
    for at in range(1, looks):
        new = math.sqrt(1.0 - correlation**2) * wander[at]
        wander[at] = correlation * wander[at - 1] + new
    return 0.01 * math.sqrt(0.5) * (wander + scatter)


def alarms(values: Array, tolerance: float = 0.01) -> dict[int, tuple[int, Alarm]]:
    """The first alarm of each series, judged for itself, and the look that showed it."""
    detector = Detector(values.shape[1], LIMIT, math.log1p(tolerance), HALF_HOUR_S)
    first_alarms: dict[int, tuple[int, Alarm]] = {}
    for at, row in enumerate(values):
        detector.look(at * HALF_HOUR_S, row)
        for series in np.flatnonzero(detector.evidence >= LIMIT).tolist():
            alarm = detector.alarm(series, LIMIT)
            if alarm is not None:
                first_alarms.setdefault(series, (at, alarm))
    return first_alarms


@pytest.mark.parametrize("correlation", first_of([0.0, 0.9]))
def test_months_without_a_change_have_no_alarm(correlation: float) -> None:
    assert alarms(noise(np.random.default_rng(1), 60 * A_DAY, 8, correlation)) == {}


@pytest.mark.parametrize("correlation", [0.0, 0.9])
def test_a_loss_by_half_is_seen_on_the_first_day_and_a_state_is_none(correlation: float) -> None:
    values = noise(np.random.default_rng(3), 2 * A_DAY, 16, correlation)
    start = 30
    values[start:, :8] += math.log(2.0)
    values[start : start + 24, 8:] += math.log(1.35)
    first_alarms = alarms(values)
    assert sorted(first_alarms) == list(range(8))
    assert all(start <= at < start + 6 for at, _ in first_alarms.values())
    assert all(abs(at - alarm.start - start) <= 1 for at, alarm in first_alarms.values())


@pytest.mark.long
def test_looks_each_minute_are_learnt_too() -> None:
    """Three days of them are more than are kept."""
    detector = Detector(1, LIMIT, 0.01, 60.0)
    values = noise(np.random.default_rng(4), 3 * 24 * 60 + 1, 1, 0.0)
    seen = []
    for at, row in enumerate(values):
        detector.look(60.0 * at, row)
        seen.append(detector.is_learning)
    assert seen[:-2] == [True] * (3 * 24 * 60 - 1)
    assert seen[-1] is False


@pytest.mark.long
@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_a_loss_of_10_percent_is_seen_within_three_hours(correlation: float) -> None:
    values = noise(np.random.default_rng(2), 20 * A_DAY, 8, correlation)
    start = 18 * A_DAY
    values[start:] += math.log(1.1)
    first_alarms = alarms(values)
    delays = [
        first_alarms[series][0] - start + 1 if series in first_alarms else math.inf
        for series in range(8)
    ]
    assert np.median(delays) <= 6
    begun = [at - alarm.start for at, alarm in first_alarms.values()]
    assert np.mean(np.abs(np.array(begun) - start) <= 2) >= 0.75
    assert np.mean([a.interval.holds(math.log(1.1)) for _, a in first_alarms.values()]) >= 0.75


@pytest.mark.long
def test_a_loss_of_2_percent_is_often_seen_within_two_days_although_half_of_the_noise_wanders() -> (
    None
):
    values = noise(np.random.default_rng(8), 44 * A_DAY, 12, 0.9)
    start = 42 * A_DAY
    values[start:] += math.log(1.02)
    first_alarms = alarms(values)
    assert len(first_alarms) >= 4
    assert min(at for at, _ in first_alarms.values()) >= start


@pytest.mark.long
def test_single_wild_looks_are_no_change() -> None:
    rng = np.random.default_rng(3)
    values = noise(rng, 30 * A_DAY, 8, 0.3)
    values += np.where(rng.random(values.shape) < 0.01, 1.0, 0.0)
    assert alarms(values) == {}


@pytest.mark.long
def test_states_that_come_and_go_are_no_change_and_a_loss_in_both_is() -> None:
    rng = np.random.default_rng(4)
    values = noise(rng, 24 * A_DAY, 4, 0.0)
    values += 0.3 * (np.arange(len(values)) // 12 % 3 == 0)[:, None]
    assert alarms(values) == {}
    values[22 * A_DAY :] += math.log(1.1)
    begun = [at - alarm.start for at, alarm in alarms(values).values()]
    assert len(begun) == 4
    assert max(abs(at - 22 * A_DAY) for at in begun) <= 2


def test_a_step_is_no_state() -> None:
    rng = np.random.default_rng(5)
    once = np.repeat([0.0, 0.3], 50) + 0.01 * rng.standard_normal(100)
    often = np.tile(np.repeat([0.0, 0.3], 10), 5) + 0.01 * rng.standard_normal(100)
    offset, boundary = two_states(np.stack([once, often]))
    assert (offset[0], boundary[0]) == (0.0, math.inf)
    assert (offset[1], boundary[1]) == pytest.approx((0.3, 0.15), abs=0.01)


@pytest.mark.parametrize("looks", [0, 8, 20])
def test_no_series_has_no_states(looks: int) -> None:
    offset, boundary = two_states(np.empty((0, looks)))
    assert offset.shape == boundary.shape == (0,)


@pytest.mark.long
def test_a_step_within_the_tolerance_is_none() -> None:
    values = noise(np.random.default_rng(6), 40 * A_DAY, 8, 0.0)
    values[35 * A_DAY :] += math.log(1.04)
    assert alarms(values, 0.05) == {}
    assert len(alarms(values, 0.01)) == 8


def test_missing_days_are_a_gap() -> None:
    """A level that wandered while nobody looked is not a jump; a loss after the gap is seen."""
    values = noise(np.random.default_rng(7), 30 * A_DAY, 1, 0.9)
    followed = Course(1, 0.01)
    seen = []
    for at, row in enumerate(values):
        if not 20 * A_DAY <= at < 24 * A_DAY:
            ratio = 1.2 if at >= 24 * A_DAY else 1.0
            seen += [at] if followed.look(at * HALF_HOUR_S, row + math.log(ratio)) else []
    assert 24 * A_DAY <= seen[0] < 25 * A_DAY


def test_evidence_of_many_series_must_be_larger() -> None:
    for evidence, changed in ((9000.0, []), (10000.0, [0])):
        assert changed_of(np.array([evidence] + [0.0] * 9), 1000.0) == changed


@pytest.mark.parametrize("loss", [0.0, 0.02, 0.05])
def test_a_loss_that_the_level_was_learnt_with_is_seen_once_the_week_is_known(loss: float) -> None:
    values = noise(np.random.default_rng(8), 14 * A_DAY + 2, 1, 0.0)
    values += 0.01 * (np.arange(len(values)) // A_DAY % 7 < 5)[:, None]
    values[5 * A_DAY :] += math.log1p(loss)
    followed = Course(1, 0.01)
    for at, row in enumerate(values):
        followed.look(at * HALF_HOUR_S, row)
    assert [change.seen for change in followed.changes] == [14 * A_DAY] * (loss > 0.0)
    for change in followed.changes:
        assert abs(change.at - 5 * A_DAY) <= 8
        assert change.first <= change.at <= change.last
        assert change.interval.low < 1.0 + loss < change.interval.high
        assert followed.level_start == change.at


def test_states_that_came_once_are_a_step() -> None:
    once = np.arange(200) >= 120
    strays = once ^ np.isin(np.arange(200), [20, 70, 71, 160])
    often = np.arange(200) // 25 % 2 == 1
    assert came_once(np.stack([once, strays, often])).tolist() == [True, True, False]
