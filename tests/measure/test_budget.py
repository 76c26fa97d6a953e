from __future__ import annotations

from dataclasses import dataclass

import pytest

from hockney.plan import Sampling
from hockney.run.measure.sessions.budget import Budget


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def _no_time_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.process_time", lambda: 0.0)


def spend(start_s: float, cases: int = 1, **options: float | None) -> tuple[list[float], float]:
    """The time for which each launch may measure when a start costs `start_s`, and the wall time of
    all."""
    sampling = Sampling(**options)  # type: ignore[arg-type]
    clock = Clock()
    budget = Budget(sampling, cases, now=clock)
    measured: list[float] = []
    most = sampling.most_launches and cases * sampling.most_launches
    while (seconds := budget.next_seconds()) is not None:
        rest_s = budget.rest_s()
        clock.now += rest_s
        budget.rested(rest_s)
        clock.now += start_s + seconds
        budget.note(start_s + seconds, seconds)
        measured.append(seconds)
        if len(measured) == most:
            break
    return measured, clock.now


@pytest.mark.parametrize("budget_s", [1.5, 10.0, 60.0])
@pytest.mark.parametrize("start_s", [0.05, 0.15, 1.2])
def test_the_budget_is_honoured(budget_s: float, start_s: float) -> None:
    measured, wall_s = spend(start_s, budget_s=budget_s)
    assert measured
    assert wall_s <= max(1.1 * budget_s, start_s + measured[0])


@pytest.mark.parametrize("start_s", [0.05, 0.15, 1.2])
def test_five_launches_fit_where_they_can(start_s: float) -> None:
    measured, _ = spend(start_s, budget_s=5.0 * (start_s + 0.3))
    assert len(measured) >= 5


def test_time_that_is_left_goes_into_more_launches() -> None:
    measured, _ = spend(0.1, budget_s=10.0)
    assert len(measured) > 10


def test_an_exact_number_of_launches_shares_all_of_it() -> None:
    measured, wall_s = spend(0.1, budget_s=10.0, least_launches=5, most_launches=5)
    assert len(measured) == 5
    assert wall_s > 8.0


def test_a_number_that_nobody_asked_for_ends_with_the_budget() -> None:
    limits = {"least_launches": 5, "most_launches": 5, "budget_s": 0.05}
    assert len(spend(0.1, **limits)[0]) == 5
    assert len(spend(0.1, **limits, within_budget=True)[0]) == 1
    assert len(spend(0.1, **{**limits, "budget_s": 10.0}, within_budget=True)[0]) == 5


def test_one_launch_has_it_all() -> None:
    assert spend(0.1, budget_s=3.0, least_launches=1, most_launches=1)[0][0] == pytest.approx(3.0)


@pytest.mark.parametrize("most", [None, 5])
def test_cases_share_it_alike(most: int | None) -> None:
    measured, wall_s = spend(0.1, 10, budget_s=60.0, least_launches=5, most_launches=most)
    assert len(measured) >= 50
    assert min(measured[:50]) > 0.2
    assert wall_s <= 62.0


def test_cases_of_one_launch_each_share_it() -> None:
    measured, wall_s = spend(0.1, 4, budget_s=8.0, least_launches=1, most_launches=1)
    assert len(measured) == 4
    assert measured[0] == pytest.approx(2.0)
    assert wall_s < 9.0


def test_our_own_time_is_part_of_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.process_time", lambda: 0.2)
    assert spend(0.1, budget_s=10.0)[1] < 9.7


@pytest.mark.parametrize("most", [None, 5])
@pytest.mark.parametrize("cases", [1, 3])
def test_launches_are_spread_over_a_time(most: int | None, cases: int) -> None:
    budget_s, over_s = 6.0 * cases, 600.0
    limits = {"budget_s": budget_s, "most_launches": most}
    alone, _ = spend(0.1, cases, **limits)
    measured, wall_s = spend(0.1, cases, over_s=over_s, **limits)
    assert len(measured) == len(alone)
    assert 0.75 * over_s < wall_s < over_s + budget_s


def test_a_resumed_run_is_spread_over_the_time_anew() -> None:
    clock = Clock()
    sampling = Sampling(budget_s=10.0, over_s=100.0)
    budget = Budget(sampling, 1, earlier=2, spent_before_s=5.0, now=clock)
    assert budget.rest_s() == 0.0
    clock.now += 1.0
    budget.note(1.0, 0.9)
    assert budget.rest_s() == pytest.approx(100.0 * 1.0 / 5.0 - 1.0)
