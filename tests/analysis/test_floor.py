from __future__ import annotations

import pytest

from hockney.infer.analysis.floor import floor_ratios
from hockney.infer.estimate import estimate
from hockney.records import Samples
from samples import make_run


def test_the_ratio_is_taken_inside_each_launch_against_the_best_way() -> None:
    run = make_run(lambda launch, *_: [1000.0 * (1 + launch)], sizes=(0, 64))
    for launch in range(5):
        for round_ in range(10):
            for operation, algorithm, size, ns in (
                ("handover", "one line", 0, 50.0),
                ("handover", "swap", 0, 90.0),
                ("copy", "warm", 64, 100.0),
                ("copy", "cold", 64, 400.0),
            ):
                run.add(
                    Samples(
                        launch=launch,
                        round=round_,
                        operation=operation,
                        bytes=size,
                        algorithm=algorithm,
                        ranks=2,
                        peers=(0, 1),
                        repetitions=1,
                        ns=[ns * (1 + launch)],
                    )
                )
    ratios = floor_ratios(estimate(run))
    assert ratios[0].ratio == pytest.approx(20.0)
    assert ratios[64].ratio == pytest.approx(10.0)
    assert ratios[64].cold_s == pytest.approx(1200e-9)


def test_without_a_floor_there_is_no_ratio() -> None:
    assert floor_ratios(estimate(make_run(lambda *_: [1.0]))) == {}
