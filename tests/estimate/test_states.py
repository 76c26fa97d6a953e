from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from hockney.infer.analysis.conditions.state_changes import StateChanges
from hockney.infer.analysis.warnings import warnings
from hockney.infer.estimate import estimate
from hockney.infer.estimate.states import cluster, find_states
from hockney.plan import sizes_of
from hockney.plan.workloads.pingpong import Pingpong
from hockney.records import SCHEMA, Noise
from samples import make_run, options_of

SAME_CORE, SAME_CACHE, FAR = 26.0, 53.0, 245.0


@pytest.mark.parametrize(
    "centres",
    [(SAME_CACHE,), (SAME_CACHE, FAR), (SAME_CORE, SAME_CACHE), (SAME_CORE, SAME_CACHE, FAR)],
)
@pytest.mark.parametrize("scatter", [0.01, 0.03, 0.04, 0.05])
def test_the_number_of_states_is_found(centres: tuple[float, ...], scatter: float) -> None:
    random = np.random.default_rng(3)
    truth = random.integers(len(centres), size=600)
    values = np.array(centres)[truth] * random.lognormal(sigma=scatter, size=600)
    assert (cluster(values) == truth).all()


def test_a_state_of_a_few_per_cent_is_found() -> None:
    random = np.random.default_rng(4)
    values = np.concatenate([np.full(970, SAME_CACHE), np.full(30, FAR)])
    labels = cluster(values * random.lognormal(sigma=0.03, size=1000))
    assert set(labels.tolist()) == {0, 1}
    assert (labels == 1).sum() == 30


def test_lone_outliers_are_no_state() -> None:
    random = np.random.default_rng(5)
    values = SAME_CACHE * random.lognormal(sigma=0.03, size=500)
    values[[10, 400]] = 5000.0
    labels = cluster(values)
    assert set(labels.tolist()) == {-1, 0}
    assert (labels == -1).sum() == 2


def flips_in_round_six(launch: int, round_: int) -> float:
    return SAME_CACHE if (launch + (round_ >= 6)) % 2 else FAR


def test_rounds_in_which_the_state_changed_are_set_aside_and_counted() -> None:
    run = make_run(lambda *_: [1.0], launches=6, handover_ns=flips_in_round_six)
    states = find_states(run)
    assert len(states.states) == 2
    assert states.changed == 6
    assert all(states.of(launch, 5) is None for launch in range(6))
    assert len(states.rounds) == 6 * 9


def test_each_state_has_its_own_estimate_and_the_headline_is_the_commonest() -> None:
    def ns(launch: int, round_: int, _: int) -> list[float]:
        return [900.0 if flips_in_round_six(launch, round_) == SAME_CACHE else 2700.0]

    run = make_run(ns, launches=5, rounds=11, handover_ns=flips_in_round_six)
    estimates = estimate(run)
    by_handover = {
        round(1e9 * (estimates.state(p.state).handover_s or 0.0)): p.median_s
        for p in estimates.points
    }
    assert by_handover == {53: pytest.approx(900e-9), 245: pytest.approx(2700e-9)}
    shares = [state.fraction for state in estimates.states.states]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1.0)


def test_where_no_memory_is_shared_the_fixed_work_tells_the_states() -> None:
    """The slower rank's work counts; a round is between the probe before it and the probe after
    it."""
    run = make_run(lambda *_: [1.0], launches=6)
    for launch in range(6):
        for round_ in range(10):
            for rank, seconds in ((0, 2e-6), (1, 4e-6 if round_ >= 5 else 2e-6)):
                run.add(Noise(launch=launch, round=round_, rank=rank, probe_s=seconds))
    states = find_states(run)
    assert states.probe == "work"
    assert len(states.states) == 2
    assert states.changed == 6
    assert {states.of(launch, 5) for launch in range(6)} == {None}
    assert states.of(0, 4) != states.of(0, 6)
    assert states.states[0].handover_s is None


def in_turn(_launch: int, round_: int) -> float:
    return SAME_CACHE if round_ % 2 else FAR


def two_left(_launch: int, round_: int) -> float:
    """All but rounds 0 and 1, of FAR, and 3 and 4, of SAME_CACHE, change."""
    return FAR if round_ in (0, 1, 2, 6, 8) else SAME_CACHE if round_ < 6 else in_turn(0, round_)


@pytest.mark.parametrize(("probes", "changed"), [(in_turn, 10), (two_left, 6)])
def test_where_no_state_has_rounds_enough_the_numbers_are_said_to_mix_them(
    probes: Callable[[int, int], float], changed: int
) -> None:
    def ns(launch: int, round_: int, _: int) -> list[float]:
        return [900.0 if probes(launch, round_) == SAME_CACHE else 2700.0]

    run = make_run(ns, launches=6, rounds=10, handover_ns=probes)
    states = find_states(run)
    assert (states.changed, states.probe) == (6 * changed, "handover")
    assert {round(1e9 * (state.handover_s or 0.0)) for state in states.mixed} == {53, 245}
    assert sum(state.fraction for state in states.mixed) == pytest.approx(1.0)
    assert [state.handover_s for state in states.states] == [None]
    (point,) = estimate(run).points
    assert (point.state, point.samples) == (0, 60)
    changes = StateChanges.of(states)
    assert changes in warnings(run, estimate(run))
    assert changes is not None
    others = "" if changed == 10 else ", and too few others are of one state"
    count = "all" if changed == 10 else "36 of"
    assert changes.fact == (f"the state changed in {count} 60 rounds{others}: numbers mix 2 states")


def test_where_few_rounds_are_left_they_are_counted() -> None:
    def flips(_launch: int, round_: int) -> float:
        return FAR if round_ < 4 else in_turn(0, round_ + 1)

    states = find_states(make_run(lambda *_: [1.0], launches=6, rounds=10, handover_ns=flips))
    changes = StateChanges.of(states)
    assert (states.mixed, states.changed) == ((), 6 * 7)
    assert changes is not None
    assert changes.fact == (
        "the state changed in 42 of 60 rounds, which are excluded: numbers are of the others"
    )
    few = make_run(lambda *_: [1.0], launches=6, handover_ns=flips_in_round_six)
    assert StateChanges.of(find_states(few)) is None


def test_a_state_without_rounds_enough_is_not_the_headline() -> None:
    """Most rounds are of FAR, but no launch has three; one launch has three of SAME_CACHE."""

    def probes(launch: int, round_: int) -> float:
        if launch == 0:
            return SAME_CACHE if round_ in (1, 3, 5, 6, 7, 8) else FAR
        return FAR if round_ in (0, 1, 2, 4, 6, 8) else SAME_CACHE

    run = make_run(lambda *_: [1.0], launches=6, handover_ns=probes)
    same_cache, far = find_states(run).states
    assert same_cache.fraction < far.fraction
    assert round(1e9 * (same_cache.handover_s or 0.0)) == 53
    assert len(estimate(run).headline) == 1


def test_launches_without_probes_have_no_change() -> None:
    run = make_run(lambda *_: [1.0], launches=6, handover_ns=flips_in_round_six)
    for launch in make_run(lambda *_: [1.0], launches=8).samples:
        if launch.launch >= 6:
            run.add(launch)
    states = find_states(run)
    assert (states.changed, len(states.rounds)) == (6, 6 * 9 + 2 * 10)


def test_without_probes_there_is_one_state() -> None:
    states = find_states(make_run(lambda *_: [1.0]))
    assert states.probe is None
    assert states.of(0, 0) == 0


def test_nothing_of_a_sweep_is_set_aside() -> None:
    """Its sizes are visited once: a round whose state changed is all there is of a size."""
    run = make_run(lambda *_: [1.0], launches=1, rounds=20)
    run.header = type(run.header)(
        schema=SCHEMA,
        hockney="",
        id="",
        started="",
        experiment="pingpong",
        options=options_of(Pingpong(sizes=sizes_of([8]), sweep=True)),
    )
    for round_ in range(20):
        run.add(Noise(launch=0, round=round_, rank=0, probe_s=2e-6 if round_ % 3 else 4e-6))
    states = find_states(run)
    assert states.changed == 0
    assert all(states.of(0, round_) == 0 for round_ in range(20))


def test_steps_of_a_coarse_clock_are_no_states() -> None:
    """One latency of 40 ns, in steps of 10 ns: a time of four passes, less a reading of 20 ns."""
    chance = np.random.default_rng(3)
    ns = chance.choice([35.0, 45.0], (12, 11))
    run = make_run(
        lambda *_: [1000.0] * 4,
        launches=12,
        handover_ns=lambda launch, round_: float(ns[launch, round_]),
        step_ns=40.0,
    )
    states = find_states(run)
    assert len(states.states) == 1
    assert not states.changed
    assert not states.mixed
