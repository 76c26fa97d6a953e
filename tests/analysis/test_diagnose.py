from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.diagnose import Diagnosis, VisitSeries, drift, periodic
from hockney.infer.analysis.noise import Disturbance, disturbances
from hockney.records import Noise
from samples import make_run

random = np.random.default_rng(7)


def healthy(*_: int) -> list[float]:
    return (1000.0 * random.lognormal(sigma=0.02, size=4)).tolist()


def cold(_launch: int, round_: int, _bytes: int) -> list[float]:
    return [(1.5 if round_ < 3 else 1.0) * ns for ns in healthy()]


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


def test_healthy_samples_are_called_so() -> None:
    assert Analysis(make_run(healthy, rounds=100)).diagnosis == Diagnosis([])


@pytest.mark.parametrize(
    ("ns", "what", "words"),
    [
        (cold, "cold start", "1.5"),
        (two_modes, "modes", "2 modes"),
        (drifting, "drift", "over a launch, in 8 of 8 launches"),
        (drifting_in_some_launches, "drift", "over a launch, in 4 of 8 launches"),
        (drifting_over_launches, "drift", "to the last"),
        (disturbed_every_eighty_ms, "periodic", "every 8"),
        (in_bursts, "bursts", "the longest 0.05 s"),
        (wandering, "autocorrelation", "visits"),
    ],
)
def test_each_illness_is_named(
    ns: Callable[[int, int, int], Sequence[float]], what: str, words: str
) -> None:
    findings = Analysis(make_run(ns, launches=8, rounds=200)).diagnosis.findings
    found = {finding.what: finding.words for finding in findings}
    assert what in found
    assert words in found[what]


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
    (found,) = looked(**fields)
    assert words in found


@pytest.mark.long
def test_a_launch_of_many_visits_is_searched_in_bounded_memory() -> None:
    """All 57,142 visits against all frequencies would take 49 GiB, and all pairs of them 24."""
    at_s = 1e-3 * np.arange(57_142)
    visit_s = 1e-6 * np.where(np.arange(len(at_s)) % 50 < 5, 1.5, 1.0)
    launch = VisitSeries(at_s, visit_s * random.lognormal(sigma=0.02, size=len(at_s)), visit_s)
    found = periodic([launch])
    assert found is not None
    assert "every 50" in found[1]
    rising = VisitSeries(at_s, np.linspace(1.0, 2.0, len(at_s)), visit_s)
    found = drift([rising])
    assert found is not None
    assert found[0] == "drift"
