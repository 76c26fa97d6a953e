"""What a factor may do to times: the forms of differences, and limits of what hosts do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.effects import (
    FORMS,
    MOST_TRIED,
    Gap,
    Limits,
    best_prediction,
    between,
    form_of,
    span_of,
)
from hockney.infer.analysis.comparison.explanation import _attributed
from hockney.infer.analysis.comparison.factor import DifferingFactor, Kind
from hockney.infer.analysis.comparison.host_effect import host_limits
from hockney.records import Place
from samples import make_run


def test_times_whose_median_is_0_do_not_show_what_hosts_did() -> None:
    run = make_run(lambda launch, *_: [100.0 if launch == 3 else 0.0], launches=8)
    hosts = [("a", "a"), ("b", "b")]
    run.launches[:] = [
        msgspec.structs.replace(
            launch,
            places=[Place(rank=rank, host=host) for rank, host in enumerate(hosts[number % 2])],
        )
        for number, launch in enumerate(run.launches)
    ]
    assert host_limits(Analysis(run), *hosts) == Limits()


def test_a_rank_that_exchanges_no_messages_hides_no_limits_of_hosts() -> None:
    """The third of three ranks is elsewhere in each launch."""
    run = make_run(lambda launch, *_: [100.0 + launch // 2], launches=20)
    run.launches[:] = [
        msgspec.structs.replace(
            launch,
            places=[Place(rank=n, host=host) for n, host in enumerate(("a", "bc"[k % 2], f"d{k}"))],
        )
        for k, launch in enumerate(run.launches)
    ]
    limits = host_limits(Analysis(run), ("a", "b"), ("a", "c"))
    assert limits.least > -0.2
    assert limits.most < 0.2


SIZES = np.array([8.0, 1024.0, 65536.0, 1048576.0])


def gap(log_ratio: list[float], sizes: np.ndarray = SIZES) -> Gap:
    ratios = np.array(log_ratio)
    half = np.full(len(ratios), 0.03)
    return Gap(sizes, 1e-6 + 1e-10 * sizes, ratios, half, np.abs(ratios) > half)


@pytest.mark.parametrize(
    ("form", "log_ratio"),
    [
        ("latency", np.log1p(2e-6 / (1e-6 + 1e-10 * SIZES))),
        ("bandwidth", np.log1p(2e-10 * SIZES / (1e-6 + 1e-10 * SIZES))),
        ("factor", np.full(4, 0.7)),
        ("large", np.array([0.0, 0.0, 0.7, 0.1])),
        ("any", np.array([0.7, 0.0, 0.0, -0.7])),
    ],
)
def test_the_form_of_a_difference(form: str, log_ratio: np.ndarray) -> None:
    assert form_of([gap(log_ratio.tolist())]) == form


@pytest.mark.parametrize("sizes", [MOST_TRIED, 2 * MOST_TRIED - 1, 3 * MOST_TRIED])
def test_no_more_than_the_most_points_are_tried(sizes: int) -> None:
    many = gap([0.7] * sizes, np.arange(1.0, sizes + 1.0))
    assert 0.5 * MOST_TRIED <= len(list(FORMS["latency"](many))) <= MOST_TRIED


def test_sizes_between_which_alone_there_is_a_difference() -> None:
    assert span_of([gap([0.0, 0.5, 0.5, 0.0])]) == (1024, 65536)
    assert span_of([gap([0.0, 0.5, 0.5, 0.5])]) is None
    assert span_of([gap([0.5, 0.0, 0.5, 0.0])]) is None


def test_an_effect_is_no_larger_than_what_was_recorded_of_it() -> None:
    even_gap = gap([0.7, 0.7, 0.7, 0.7])
    limited = best_prediction(even_gap, FORMS["factor"], Limits(0.0, 0.2))
    assert limited.tolist() == [0.2] * 4


def test_a_threshold_of_which_one_end_is_known() -> None:
    middle_gap = gap([0.0, 0.5, 0.5, 0.0])
    assert middle_gap.left(best_prediction(middle_gap, between(1024, None), Limits())) == 0.0
    assert middle_gap.left(best_prediction(middle_gap, between(8 << 20, None), Limits())) > 0.0


def test_what_a_small_setting_leaves_to_traces_is_not_said_to_follow_from_it() -> None:
    def small(differing: Gap) -> Iterator[np.ndarray]:
        yield np.where(differing.bytes <= 1024, differing.log_ratio, 0.0)

    mostly = FORMS["large"]
    ways = [
        DifferingFactor(name, ("a", "b"), Kind.TRACE, forms=(mostly,))
        for name in ("transport", "ports")
    ]
    setting = DifferingFactor("SETTING", ("1", "2"), Kind.SETTING, forms=(small,))
    differing_gap = gap([0.0, 0.2, 0.6, 0.6])
    causes, (cleared,) = _attributed([differing_gap], [*ways, setting])
    assert [cause.factor.name for cause in causes] == ["transport", "SETTING"]
    assert cleared.why == "could explain up to 86 % of it instead"
    larger = replace(setting, name="LARGER", forms=(mostly,))
    causes, cleared_ways = _attributed([differing_gap], [*ways, setting, larger])
    assert [cause.factor.name for cause in causes] == ["LARGER", "SETTING"]
    assert {cleared.why for cleared in cleared_ways} == {
        "changed as well, with LARGER and SETTING, which together explain the difference"
    }
