"""Points of which only statistics are known."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hockney.infer.estimate import estimate
from hockney.infer.estimate.points import PointEstimate, by_curve
from hockney.infer.estimate.summaries import FROM_BANDWIDTH
from hockney.infer.fitting.fit import curve_of
from hockney.infer.models import fit_model
from hockney.records import Run, Summary
from samples import HEADER, make_run


def summary(statistic: str, launch: int = 0, size: int = 8, **value: float) -> Summary:
    return Summary(
        launch=launch,
        operation="pingpong",
        bytes=size,
        statistic=statistic,
        definition="as told",
        ranks=2,
        **value,
    )  # type: ignore[arg-type]


def run_of(*summaries: Summary) -> Run:
    return Run(HEADER, summaries=list(summaries))


def point_of(*summaries: Summary) -> PointEstimate:
    [point] = estimate(run_of(*summaries)).headline
    return point


def test_a_mean_stays_a_mean() -> None:
    point = point_of(summary("mean", value_s=2e-6))
    assert (point.statistic, point.typical_s, point.mean_s) == ("mean", 2e-6, 2e-6)
    assert (point.median_s, point.min_s, point.max_s, point.interval) == (None, None, None, None)
    assert (point.samples, point.launches) == (0, 1)
    assert point.bandwidth_Bps == pytest.approx(4e6)


def test_a_median_comes_before_a_mean() -> None:
    point = point_of(
        summary("mean", value_s=3e-6), summary("median", value_s=2e-6), summary("p99", value_s=9e-6)
    )
    assert (point.statistic, point.median_s, point.mean_s, point.p99_s) == (
        "median",
        2e-6,
        3e-6,
        9e-6,
    )


def test_extremes_of_means_over_ranks_are_none_of_samples() -> None:
    point = point_of(summary("mean", value_s=3e-6), summary("least rank mean", value_s=2e-6))
    assert point.min_s is None


def test_a_bandwidth_alone_is_no_latency() -> None:
    point = point_of(summary("bandwidth", size=1000, value_Bps=1e9))
    assert (point.statistic, point.typical_s, point.bandwidth_Bps) == (FROM_BANDWIDTH, 1e-6, 1e9)
    assert (point.median_s, point.mean_s) == (None, None)


@pytest.mark.parametrize(
    "one",
    [
        summary("bandwidth", size=0, value_Bps=1e9),
        summary("bandwidth", value_Bps=0.0),
        summary("overlap", value=0.5),
        summary("L", value_s=1e-6),
        summary("mean", value_s=-1.0),
        summary("mean", value_s=math.inf),
        summary("mean", value_s=math.nan),
        summary("mean"),
        summary("mean", size=-8, value_s=1.0),
    ],
)
def test_what_stands_for_no_time_makes_no_point(one: Summary) -> None:
    assert estimate(run_of(one)).headline == ()


def test_launches_are_the_units() -> None:
    point = point_of(*(summary("mean", n, value_s=(10 + n) * 1e-6) for n in range(6)))
    assert point.typical_s == pytest.approx(12.5e-6)
    assert point.interval is not None
    assert point.interval.low == pytest.approx(10e-6)
    assert point.interval.high == pytest.approx(15e-6)
    assert point.medians_s == tuple((10 + n) * 1e-6 for n in range(6))


def test_deviations_of_several_launches_are_not_put_together() -> None:
    assert point_of(summary("mean", value_s=1e-6), summary("std", value_s=1e-7)).std_s == 1e-7
    several = [summary(name, n, value_s=1e-6) for name in ("mean", "std") for n in (0, 1)]
    assert point_of(*several).std_s is None


def test_samples_come_before_statistics_of_the_same_point() -> None:
    run = make_run(lambda *_: [1000.0])
    run.add(msgspec.structs.replace(summary("mean", value_s=5.0), peers=(0, 1), mode="standard"))
    [point] = estimate(run).headline
    assert (point.statistic, point.typical_s) == ("median", pytest.approx(1e-6))


def test_a_fit_says_what_it_is_through() -> None:
    means = [summary("mean", size=size, value_s=1e-6 + size * 1e-9) for size in (0, 8, 1000)]
    line = fit_model("hockney", curve_of(estimate(run_of(*means)).headline))
    assert line.parameters["alpha_s"].value == pytest.approx(1e-6)
    assert line.notes[0] == "through each launch's mean"
    rates = [summary("bandwidth", size=size, value_Bps=1e9) for size in (8, 1000)]
    stream = fit_model("hockney", curve_of(estimate(run_of(*rates)).headline))
    assert any("not a latency" in note for note in stream.notes)
    own = fit_model(
        "hockney", curve_of(estimate(make_run(lambda *_: [5.0], sizes=(1, 2))).headline)
    )
    assert not any("through each launch" in note for note in own.notes)


def test_curves_are_told_apart() -> None:
    first, second = summary("mean", value_s=1e-6), summary("mean", value_s=2e-6)
    second = msgspec.structs.replace(second, ranks=None)
    curves = by_curve(estimate(run_of(first, second)).headline).values()
    assert [[point.ranks for point in points] for points in curves] == [[None], [2]]


@given(st.dictionaries(st.integers(0, 9), st.floats(1e-9, 1.0), min_size=1))
def test_the_number_is_the_median_over_launches(values: dict[int, float]) -> None:
    point = point_of(*(summary("mean", n, value_s=value) for n, value in values.items()))
    assert point.typical_s == pytest.approx(float(np.median(list(values.values()))))
    assert point.launches == len(values)
