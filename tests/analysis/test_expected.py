"""The interval for another run's median: simulated runs that drift are the truth."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from conftest import first_of
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.expected import next_run
from hockney.show.point_table import point_table
from hockney.show.run_lines import definitions
from samples import make_run


def day(random: np.random.Generator, runs: int, drift: float) -> list[Analysis]:
    found = []
    for number in range(runs):
        level = random.lognormal(sigma=drift) * random.lognormal(sigma=0.02, size=6)
        run = make_run(
            lambda launch, *_, level=level: [1000.0 * level[launch]], launches=6, rounds=1
        )
        run.header = msgspec.structs.replace(run.header, id=f"run {number}")
        found.append(Analysis(run))
    return found


@pytest.mark.parametrize(("runs", "drift"), first_of([(5, 0.0), (5, 0.03), (15, 0.03)], 2))
def test_the_interval_for_another_run_holds_its_median(runs: int, drift: float) -> None:
    random = np.random.default_rng(runs)
    held = 0
    for _ in range(120):
        *others, one, following = day(random, runs + 1, drift)
        interval = next_run(one, others).at(one.estimates.headline[0])
        assert interval is not None
        assert interval.runs == runs
        held += interval.low_s <= following.estimates.headline[0].typical_s <= interval.high_s
    assert held >= 0.9 * 120


def test_components_of_variance_are_those_that_were_put_in() -> None:
    one, *others = day(np.random.default_rng(1), 40, 0.05)
    found = next_run(one, others).at(one.estimates.headline[0])
    assert found is not None
    assert found.between_runs == pytest.approx(0.05, rel=0.3)
    assert found.between_launches == pytest.approx(0.02, rel=0.2)


def test_without_other_runs_one_sentence_says_so() -> None:
    one, *others = day(np.random.default_rng(2), 6, 0.02)
    assert "unknown: needs" not in "\n".join(definitions(Analysis(one.run)))
    one.others = others[:3]
    assert "how far another run would differ is unknown" in "\n".join(definitions(one))
    assert next_run(one, others[:3]).at(one.estimates.headline[0]) is None


def test_with_other_runs_the_table_has_their_interval() -> None:
    one, *others = day(np.random.default_rng(2), 6, 0.02)
    one.others = others
    assert "from 5 of this question" in "\n".join(definitions(one))
    assert "95 % of other runs" in point_table(one.estimates.headline, {}, one.expected)
