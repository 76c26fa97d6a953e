"""One-sided over two-sided: the ratio that was put in, launch by launch, and its words."""

from __future__ import annotations

import pytest

from hockney.infer.analysis import Analysis
from hockney.show.experiments import shown_json, view_of
from one_sided_samples import FACTORS, SIZES, one_sided_run


def test_the_ratio_of_each_way_is_found_though_launches_differ_more() -> None:
    ratios = Analysis(one_sided_run()).one_sided
    assert len(ratios) == len(FACTORS) * len(SIZES)
    for ratio in ratios:
        factor = FACTORS[ratio.point.synchronization, ratio.point.window_kind]  # type: ignore[index]
        assert ratio.judged.ratio == pytest.approx(factor, rel=0.004)
        assert ratio.judged.interval is not None
        assert ratio.judged.interval.low <= factor * 1.004
        assert ratio.judged.interval.high < ratio.judged.interval.low * 1.01
        expected = "faster" if factor < 0.9 else "slower" if factor > 1.1 else "same"
        assert ratio.judged.verdict == expected
        assert ratio.two_sided.operation == "pingpong"
        assert ratio.two_sided.bytes == ratio.point.bytes


def test_only_flush_local_is_done_at_the_origin_alone() -> None:
    done_at = {
        ratio.point.synchronization: ratio.done_at for ratio in Analysis(one_sided_run()).one_sided
    }
    assert done_at == {"flush": "target", "fence": "target", "flush-local": "origin"}


def test_too_few_launches_give_a_ratio_without_a_verdict() -> None:
    for ratio in Analysis(one_sided_run(launches=3)).one_sided:
        assert ratio.judged.interval is None
        assert ratio.judged.verdict == "unknown"
        assert ratio.judged.needed


def test_what_takes_as_long_as_its_target_computes_needs_it() -> None:
    slower = {("flush", "allocate"): 1.01, ("flush", "create"): 3.2}
    analysis = Analysis(one_sided_run(overlapped=slower))
    assert len(analysis.one_sided) == len(FACTORS) * len(SIZES)
    needs = {
        (helped.point.window_kind, helped.point.bytes): helped.needs_target
        for helped in analysis.helped
    }
    assert needs == {
        (kind, size): kind == "create" for kind in ("allocate", "create") for size in SIZES
    }
    shown = "\n".join(view_of(analysis).parts(analysis, False))
    assert "put, flush at 8 B does not need the target's help" in shown
    assert "put, flush, create window at 8 B needs the target's help" in shown
    few = Analysis(one_sided_run(launches=3, overlapped=slower)).helped
    assert {helped.needs_target for helped in few} == {None}


def test_the_json_has_both_times_and_the_axes() -> None:
    shown = shown_json(Analysis(one_sided_run()))
    first = shown["one_sided"][0]
    assert {"synchronization", "window_kind", "time_s", "two_sided_s", "ratio", "done_at"} <= set(
        first
    )
    assert {point["synchronization"] for point in shown["points"]} == {
        *(None, "flush", "flush-local", "fence")
    }
