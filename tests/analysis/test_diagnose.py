from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np
import pytest
import scipy.stats

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.conditions.diagnose import (
    MOST_SLOPES,
    Diagnosis,
    VisitSeries,
    drift,
    periodic,
    slope_of,
)
from hockney.infer.analysis.conditions.gaps import visit_times
from hockney.infer.analysis.conditions.noise import Disturbance, disturbances
from hockney.records import Noise
from samples import make_run

random = np.random.default_rng(7)


def healthy(*_: int) -> list[float]:
    return (1000.0 * random.lognormal(sigma=0.02, size=4)).tolist()


def cold(_launch: int, round_: int, _bytes: int) -> list[float]:
    return [(1.5 if round_ < 3 else 1.0) * ns for ns in healthy()]


def cold_at_first(_launch: int, round_: int, _bytes: int) -> list[float]:
    return [(3.0 if round_ == 0 else 1.0) * ns for ns in healthy()]


def two_modes(*_: int) -> list[float]:
    return [1.4 * ns if random.random() < 0.3 else ns for ns in healthy()]


def drifting(_launch: int, round_: int, _bytes: int) -> list[float]:
    return [(1.0 + 0.001 * round_) * ns for ns in healthy()]


def drifting_in_some_launches(launch: int, round_: int, _bytes: int) -> list[float]:
    return [(1.0 + 0.005 * round_ * (launch % 2)) * ns for ns in healthy()]


def drifting_over_launches(launch: int, _round: int, _bytes: int) -> list[float]:
    return [(1.0 + 0.02 * launch) * ns for ns in healthy()]


def disturbed_every_eighty_ms(_launch: int, round_: int, _bytes: int) -> list[float]:
    return [(1.3 if round_ % 8 == 0 else 1.0) * ns for ns in healthy()]


def in_bursts(launch: int, round_: int, _bytes: int) -> list[float]:
    slow = (round_ + 37 * launch) % 90 in range(20, 26)
    return [(1.6 if slow else 1.0) * ns for ns in healthy()]


def wandering(_launch: int, round_: int, _bytes: int) -> list[float]:
    return [(1.0 + 0.03 * np.sign(np.sin(round_ / 11.0))) * ns for ns in healthy()]


def switched_out(launch: int, round_: int, _bytes: int) -> list[float]:
    return [2e5 if (launch, round_, i) == (1, 77, 2) else ns for i, ns in enumerate(healthy())]


def test_healthy_samples_are_called_so() -> None:
    assert Analysis(make_run(healthy, rounds=100)).diagnosis == Diagnosis([])


@pytest.mark.parametrize(
    ("ns", "what", "words"),
    [
        (cold, "cold start", "1.5"),
        (cold_at_first, "cold start", "the first visit is"),
        (two_modes, "modes", "2 modes"),
        (drifting, "drift", "over a launch, in 8 of 8 launches"),
        (drifting_in_some_launches, "drift", "over a launch, in 4 of 8 launches"),
        (drifting_over_launches, "drift", "to the last"),
        (disturbed_every_eighty_ms, "periodic", "every 8"),
        (in_bursts, "bursts", "the longest 0.05 s"),
        (wandering, "autocorrelation", "visits"),
        (switched_out, "long times", "1 of 6400 samples are more than 10 times the median"),
    ],
)
def test_each_illness_is_named(
    ns: Callable[[int, int, int], Sequence[float]], what: str, words: str
) -> None:
    findings = Analysis(make_run(ns, launches=8, rounds=200)).diagnosis.findings
    illnesses = {finding.what: finding.words for finding in findings}
    assert what in illnesses
    assert words in illnesses[what]


def measured(at_s: Callable[[int], float], ns: Callable[[int], float]) -> dict[str, str]:
    """The findings of 8 launches by the time and duration of their rounds."""
    run = make_run(lambda _launch, round_, _bytes: [ns(round_)] * 4, launches=8, rounds=200)
    run.samples[:] = [
        msgspec.structs.replace(visit, at_s=at_s(visit.round or 0)) for visit in run.samples
    ]
    return {finding.what: finding.words for finding in Analysis(run).diagnosis.findings}


def suspended(round_: int) -> float:
    return 0.01 * round_ + (3600.0 if round_ >= 185 else 0.0)


def set_once(round_: int) -> float:
    return 1e9 if round_ == 100 else 0.01 * round_


def running_back(round_: int) -> float:
    return 0.01 * (200 - round_)


@pytest.mark.parametrize(
    ("at_s", "gaps"),
    [
        (suspended, "8 gaps between visits, the longest 3,600 s, in 8 of 8 launches"),
        (set_once, "16 gaps between visits, the longest 1,000,000,000 s, in 8 of 8 launches; the"),
        (running_back, "1592 gaps between visits, the longest 0.01 s, in 8 of 8 launches; the cl"),
    ],
)
def test_a_gap_in_the_clock_is_told_and_changes_nothing_else(
    at_s: Callable[[int], float], gaps: str
) -> None:
    def rising(round_: int) -> float:
        return 1000.0 * (1.0 + 0.002 * round_)

    def with_bursts(round_: int) -> float:
        return (1600.0 if round_ % 60 in range(30, 36) else 1000.0) + round_ % 7

    def every_eighth(round_: int) -> float:
        return (1300.0 if round_ % 8 == 0 else 1000.0) + round_ % 7

    drifts = measured(at_s, rising)
    assert drifts["gaps"].startswith(gaps)
    assert drifts["drift"] == "+33 % over a launch, in 8 of 8 launches"
    if at_s is running_back:
        return
    for what, ns in (("bursts", with_bursts), ("periodic", every_eighth)):
        assert measured(at_s, ns)[what] == measured(lambda round_: 0.01 * round_, ns)[what]


def test_a_short_stop_is_no_gap() -> None:
    assert "gaps" not in measured(lambda n: 0.01 * n + (n >= 100) * 0.9, lambda n: 1000.0 + n % 7)
    assert "gaps" not in measured(lambda n: 1.0 * n + (n >= 100) * 18.0, lambda n: 1000.0 + n % 7)


def test_large_messages_of_a_sweep_are_no_gaps() -> None:
    run = make_run(healthy, launches=2, rounds=20)
    run.samples[:] = [
        msgspec.structs.replace(visit, bytes=1 << round_, at_s=1e-6 * 2.0**round_)
        for visit in run.samples
        for round_ in [1 + (visit.round or 0)]
    ]
    assert visit_times(run, 2).gaps_s == {}


def test_rounds_of_another_state_and_points_at_rest_are_no_gaps() -> None:
    def far(_launch: int, round_: int) -> float:
        return 245.0 if 40 <= round_ < 90 else 53.0

    run = make_run(healthy, sizes=(8, 64), rounds=100, handover_ns=far)
    run.samples[:] = [
        visit for visit in run.samples if visit.bytes == 8 or (visit.round or 0) not in range(5, 40)
    ]
    estimates = Analysis(run).estimates
    assert len(estimates.states.states) == 2
    assert Analysis(run).diagnosis == Diagnosis([])


def test_a_drift_is_no_more_than_what_was_observed() -> None:
    """Visits rise by 1.9 times the first and fall back: the median slope is that of the rise."""
    visits = 1.0 + 0.1 * (np.arange(24) % 20)
    problem = drift([VisitSeries(np.arange(24.0), visits, visits)] * 3)
    assert problem is not None
    assert problem[2] == pytest.approx(1.0 + 1.9 / np.median(visits))


def looked(**fields: float) -> list[str]:
    run = make_run(healthy, launches=1)
    for round_ in range(20):
        quiet = {
            "wall_s": 0.01,
            "cpu_s": 0.0098,
            "waited_s": 0.0002,
            "steal_s": 0.0,
            "switches": 1.0,
            "migrations": 0.0,
            "probe_s": 2e-6,
        }
        busy = {**quiet, **fields} if round_ % 2 else quiet
        run.add(Noise(launch=0, round=round_, rank=1, **busy))
    return [warning.text for warning in Analysis(run).warnings if isinstance(warning, Disturbance)]


def test_a_quiet_run_is_not_called_disturbed() -> None:
    assert looked() == []


def test_work_that_took_longer_in_some_rounds_shows_in_a_launchs_quantiles() -> None:
    run = make_run(healthy, launches=1)
    run.add(Noise(launch=0, rank=1, wall_s=1.0, cpu_s=1.0, probe_low_s=2e-6, probe_high_s=4e-6))
    assert disturbances(run) == [Disturbance("slower work", 2.0)]


def test_a_single_tick_of_stolen_time_is_no_disturbance() -> None:
    run = make_run(healthy, launches=1)
    for round_ in range(20):
        run.add(
            Noise(
                launch=0,
                round=round_,
                rank=0,
                wall_s=0.01,
                cpu_s=0.01,
                steal_s=0.01 if round_ == 7 else 0.0,
            )
        )
    assert disturbances(run) == []


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"waited_s": 0.005, "cpu_s": 0.005}, "other processes held"),
        ({"cpu_s": 0.004}, "quota"),
        (
            {"cpu_s": 0.004, "waited_s": 0.006, "throttled": 2.0, "throttled_s": 0.012},
            "throttled the ranks 20 times, for 0.12 s",
        ),
        ({"steal_s": 0.01}, "hypervisor"),
        ({"migrations": 1.0}, "moved between CPUs 10 times"),
        ({"probe_s": 3e-6}, "clock frequency"),
    ],
)
def test_what_disturbed_is_named(fields: dict[str, float], words: str) -> None:
    (warning,) = looked(**fields)
    assert words in warning


@pytest.mark.long
def test_a_launch_of_many_visits_is_searched_in_bounded_memory() -> None:
    """All 57,142 visits against all frequencies would take 49 GiB, and all pairs of them 24."""
    at_s = 1e-3 * np.arange(57_142)
    visit_s = 1e-6 * np.where(np.arange(len(at_s)) % 50 < 5, 1.5, 1.0)
    launch = VisitSeries(at_s, visit_s * random.lognormal(sigma=0.02, size=len(at_s)), visit_s)
    problem = periodic([launch])
    assert problem is not None
    assert "every 50" in problem[1]
    rising = VisitSeries(at_s, np.linspace(1.0, 2.0, len(at_s)), visit_s)
    problem = drift([rising])
    assert problem is not None
    assert problem[0] == "drift"


@pytest.mark.parametrize("count", [2, 100, MOST_SLOPES, 10 * MOST_SLOPES])
def test_a_line_is_found_whatever_is_thinned(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All pairs of 20,000 visits would take gigabytes."""
    taken = []
    theilslopes = scipy.stats.theilslopes

    def watched(values: np.ndarray, at: np.ndarray) -> object:
        taken.append(len(values))
        return theilslopes(values, at)

    monkeypatch.setattr(scipy.stats, "theilslopes", watched)
    assert slope_of(3.0 * np.arange(count) + 2.0) == pytest.approx(3.0)
    assert taken == [min(count, MOST_SLOPES)]
