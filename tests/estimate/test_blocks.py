"""Ratios of variants from made-up launches whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from hockney.infer.estimate.blocks import BlockTimes, variant_ratios
from hockney.plan.variants import Comparison, Variant
from hockney.records import Samples

SIZES = (8, 1024, 1 << 20)


def comparison(*names: str, tolerance: float = 0.01) -> Comparison:
    return Comparison(
        variants=tuple(Variant(name=name, values={}) for name in names), tolerance=tolerance
    )


def samples(bytes_: int, ns: float, **axes: int) -> Samples:
    return Samples(
        operation="pingpong", bytes=bytes_, launch=0, round=0, repetitions=1, ns=[ns], **axes
    )


def drifting(
    blocks: int, effects: dict[str, float], seed: int, scatter: float = 0.01, drift: float = 0.2
) -> BlockTimes:
    """Launches that scatter by 1 %, on a machine that drifts by 20 % between blocks."""
    rng = np.random.default_rng(seed)
    times = BlockTimes()
    for block in range(blocks):
        machine = drift * rng.normal()
        for name, effect in effects.items():
            noise = scatter * rng.normal(size=len(SIZES))
            logs = machine + np.log(effect) + noise
            visits = [samples(s, 1e3 * np.exp(x)) for s, x in zip(SIZES, logs, strict=True)]
            times.add(name, block, visits)
    return times


def test_drift_between_blocks_is_not_in_the_ratio() -> None:
    ratios = variant_ratios(drifting(60, {"a": 1.0, "b": 1.02}, 1), comparison("a", "b"))
    whole, *points = ratios
    assert whole.point is None
    assert [point.point.bytes for point in points if point.point] == [*SIZES]
    assert all(ratio.judged.verdict == "slower" for ratio in ratios)
    assert all(ratio.judged.ratio == pytest.approx(1.02, abs=0.005) for ratio in ratios)
    assert whole.is_slower(0.01)
    assert not whole.is_slower(0.03)
    assert whole.is_decided(None)
    assert whole.is_decided(0.01)


@pytest.mark.long
def test_equal_variants_are_called_different_at_most_as_often_as_stated() -> None:
    wrong = 0
    for seed in range(200):
        ratios = variant_ratios(
            drifting(16, {"a": 1.0, "b": 1.0, "c": 1.0}, seed), comparison("a", "b", "c")
        )
        wrong += any(ratio.judged.verdict in ("faster", "slower") for ratio in ratios)
    assert wrong <= 18  # 10 are expected of 200; more than 18 have a chance of 1 %


def test_the_same_is_shown_not_assumed() -> None:
    few = variant_ratios(drifting(9, {"a": 1.0, "b": 1.0}, 3, scatter=0.05), comparison("a", "b"))
    assert {ratio.judged.verdict for ratio in few} == {"unknown"}
    assert all(ratio.judged.needed for ratio in few)
    many = variant_ratios(
        drifting(150, {"a": 1.0, "b": 1.0}, 3), comparison("a", "b", tolerance=0.01)
    )
    assert {ratio.judged.verdict for ratio in many} == {"same"}


@pytest.mark.parametrize("blocks", [8, 60, 250])
def test_an_early_look_decides_nothing_unclear(blocks: int) -> None:
    names = {"a": 1.0, "b": 1.01, "c": 0.99, "d": 1.0, "e": 1.0}
    times = drifting(blocks, names, 2, scatter=0.05)
    ratios = variant_ratios(times, comparison(*names), looks=(0.13,))
    assert {ratio.judged.verdict for ratio in ratios} == {"unknown"}


def test_an_axis_that_is_varied_does_not_keep_points_apart() -> None:
    times = BlockTimes()
    for block in range(10):
        times.add("window=1", block, [samples(8, 100.0 + block, window=1)])
        times.add("window=64", block, [samples(8, 50.0 + block / 2.0, window=64)])
    [ratio] = variant_ratios(times, comparison("window=1", "window=64"))
    assert ratio.blocks == 10
    assert ratio.judged.ratio == pytest.approx(0.5)
    assert ratio.point is not None
    assert ratio.point.window is None


def test_blocks_that_lack_a_variant_do_not_count() -> None:
    times = drifting(10, {"a": 1.0, "b": 1.0}, 5)
    del times.by_block[3]["b"]
    assert {ratio.blocks for ratio in variant_ratios(times, comparison("a", "b"))} == {9}
    assert variant_ratios(BlockTimes(), comparison("a", "b")) == []
