"""The algorithm that loses least over patterns of arrival."""

from __future__ import annotations

from collective_samples import collective_run
from hockney.infer.analysis import Analysis

ALGORITHMS: dict[str, dict[str, str]] = {name: {} for name in ("default", "binomial", "chain")}


def test_the_least_of_the_largest_losses() -> None:
    run = collective_run(
        lambda *_: 1e-6,
        algorithms=ALGORITHMS,
        sizes=(8,),
        arrivals={
            "none": {"default": 1.0, "binomial": 1.3, "chain": 2.0},
            "ascending": {"default": 4.0, "binomial": 1.2, "chain": 1.0},
        },
    )
    [regret] = Analysis(run).regrets
    assert (regret.collective, regret.ranks, regret.bytes) == ("bcast", 4, 8)
    assert regret.patterns == ("none", "ascending")
    assert regret.algorithm == "binomial"
    assert round(regret.worst, 6) == 1.3
    assert regret.worst_pattern == "none"
    assert regret.own_worst is not None
    assert round(regret.own_worst, 6) == 4.0


def test_one_pattern_has_no_least_loss() -> None:
    run = collective_run(lambda *_: 1e-6, algorithms=ALGORITHMS, arrivals={"none": {}})
    assert Analysis(run).regrets == []
    assert Analysis(collective_run(lambda *_: 1e-6, algorithms=ALGORITHMS)).regrets == []
