from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.floor import floor_ratios
from hockney.infer.estimate import estimate
from hockney.records import Run, Samples
from hockney.show.experiments import pingpong
from samples import make_run


def run_with_floor() -> Run:
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
    return run


def test_the_ratio_is_taken_inside_each_launch_against_the_best_way() -> None:
    ratios = {point.bytes: ratio for point, ratio in Analysis(run_with_floor()).floor.items()}
    assert ratios[0].ratio == pytest.approx(20.0)
    assert ratios[64].ratio == pytest.approx(10.0)
    assert ratios[64].cold_s == pytest.approx(1200e-9)


def test_each_curve_has_ratios_of_its_own(tmp_path: Path) -> None:
    run = run_with_floor()
    run.samples += [
        msgspec.structs.replace(s, datatype="vector:8", ns=[3.0 * ns for ns in s.ns])
        for s in run.samples
        if s.operation == "pingpong"
    ]
    run.path = tmp_path / "run.jsonl"
    analysis = Analysis(run)
    own = [p for p in pingpong.fields(analysis, False)["points"] if p["operation"] == "pingpong"]
    assert {(p["bytes"], p["datatype"]): round(p["floor_ratio"]) for p in own} == {
        **{(0, None): 20, (64, None): 10},
        **{(0, "vector:8"): 60, (64, "vector:8"): 30},
    }


def test_without_a_floor_there_is_no_ratio() -> None:
    assert floor_ratios(estimate(make_run(lambda *_: [1.0]))) == {}
