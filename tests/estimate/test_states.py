from __future__ import annotations

import numpy as np
import pytest

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
