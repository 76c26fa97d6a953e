"""The gain of rules, from launches that did not choose them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from collective_samples import collective_run
from hockney.infer.analysis import Analysis
from hockney.run.mpis import format_named
from hockney.tuning.crossfit import confirmed
from hockney.tuning.groups import CellGroup
from hockney.tuning.measured import Measured, measured
from hockney.tuning.rules import Tuned, for_group

NAMES = ("default", *(f"number {i}" for i in range(1, 9)))
SIZES = (8, 64, 512, 4096)


def tuned(gain: float, noise: float, seed: int, launches: int, lost: int = 0) -> Tuned:
    """All algorithms beat the library's own decision by `gain`; noise is per launch. lost: after so
    many launches a race ended the last of them, which is slower."""
    chance = np.random.default_rng(seed)

    def seconds(_: str, name: str, *__: int) -> float:
        own = 1.0 if name == "default" else 1.0 - gain
        own *= 2.0 if lost and name == NAMES[-1] else 1.0
        return 1e-5 * own * math.exp(noise * chance.standard_normal())

    run = collective_run(
        seconds,
        algorithms={
            name: {} if name == "default" else {"OMPI_MCA_coll_tuned_bcast_algorithm": name[-1]}
            for name in NAMES
        },
        sizes=SIZES,
        launches=launches,
        spread=0.0,
    )
    if lost:
        run.samples = [
            visit
            for visit in run.samples
            if visit.algorithm != NAMES[-1] or visit.launch < lost * len(NAMES)
        ]
    measurement = measured([Analysis(run)])

    def groups_of(some: Measured) -> list[CellGroup]:
        return some.groups(format_named("openmpi"), None, robust=False)

    rules = Tuned(
        tuple(for_group(group, measurement.settings_of) for group in groups_of(measurement))
    )
    return confirmed(rules, measurement, groups_of)


def test_a_large_gain_is_confirmed() -> None:
    tuning = tuned(0.5, 0.02, 1, 8)
    assert tuning.confirmed == pytest.approx(1.0, abs=0.05)
    assert tuning.reductions[0].times_faster(tuning.rules[0]) == pytest.approx(2.0, rel=0.05)


def test_a_small_gain_is_not_the_luck_of_the_best() -> None:
    """3 % is true. The launches that chose show nearly twice as much."""
    tuning = tuned(0.03, 0.05, 1, 12)
    assert tuning.rules
    assert tuning.confirmed == pytest.approx(0.53, abs=0.02)
    for rule in tuning.rules:
        assert tuning.reductions[0].times_faster(rule) == pytest.approx(1.0 / 0.97, rel=0.01)


def test_five_launches_choose_rules_whose_gain_is_unknown() -> None:
    tuning = tuned(0.5, 0.02, 1, 5)
    assert tuning.rules
    assert tuning.confirmed is None
    assert tuning.reductions[0].times_faster(tuning.rules[0]) is None


def test_an_algorithm_that_a_race_ended_early_hides_no_gain() -> None:
    tuning = tuned(0.5, 0.02, 1, 8, lost=1)
    assert tuning.rules
    assert tuning.confirmed == pytest.approx(1.0, abs=0.05)
