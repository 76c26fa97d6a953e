"""Times of patterns have intervals that hold what is not known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from line_runs import ALPHA_NS, NS_PER_B, SIZES, line_ns, points_of

from conftest import RunHockney
from hockney.infer.estimate import estimate
from hockney.infer.estimate.estimating import estimate_point
from hockney.infer.fitting.fit import Parameter
from hockney.infer.predict.answers import answers_of
from hockney.infer.predict.fitted_channel import channel_of
from hockney.infer.predict.patterns import (
    Pattern,
    predict,
)
from hockney.plan.axes import Point
from hockney.show.profiles.predictions import prediction_lines
from samples import make_run, write_run


def uneven_ns(launch: int, round_: int, size: int) -> list[float]:
    """Launches with the same latency, of which two take 4 times as long per byte."""
    return [ALPHA_NS + NS_PER_B * size * (1.0, 1.0, 1.0, 4.0, 4.0)[launch] + 1e-6 * round_]


@pytest.mark.parametrize("factors", [{"latency": 0.5}, {"latency": 0.01}, {"bandwidth": 2.0}])
def test_no_end_of_an_interval_rises_on_a_faster_machine(factors: dict[str, float]) -> None:
    """Few launches widen each by a ratio, which is larger for a smaller value."""
    slow = channel_of(points_of(uneven_ns), "hockney")
    for size in (600, 1024, 8192):
        pattern = Pattern("halo2d", size, 64)
        before, after = (predict(machine, pattern) for machine in (slow, slow.scaled(factors)))
        assert after.before == before.seconds
        was, now = before.seconds.interval, after.seconds.interval
        assert was is not None
        assert now is not None
        assert now.high <= was.high
        assert was.low * min(*factors.values(), 0.5) <= now.low <= was.low


def bent_ns(launch: int, round_: int, size: int) -> list[float]:
    """No line: 15 % above it at 8 bytes."""
    return [ns * (1.15 if size == 8 else 1.0) for ns in line_ns(launch, round_, size)]


def test_a_measured_size_is_answered_by_its_measurement() -> None:
    points = points_of(bent_ns)
    for model in ("hockney", "segmented"):
        prediction = predict(channel_of(points, model), Pattern("message", 8))
        (point,) = (point for point in points if point.bytes == 8)
        assert prediction.measured
        assert prediction.seconds == Parameter(point.typical_s, point.interval)


def test_a_measured_size_has_the_interval_and_the_confidence_of_show() -> None:
    """Launches that depend on others count as fewer: no order statistics of all of them."""
    drifting = [1.0, 1.01, 1.02, 1.03, 1.05, 1.06, 1.07, 1.09, 1.1, 1.12]
    points = [
        estimate_point(
            Point(operation="pingpong", bytes=size, ranks=2, peers=(0, 1), mode="standard"),
            0,
            {n: np.array([1e-6 * (1.0 + size) * off]) for n, off in enumerate(drifting)},
        )
        for size in (0, 8, 64)
    ]
    prediction = predict(channel_of(points), Pattern("message", 8))
    assert prediction.seconds.interval == points[1].interval


def test_intervals_that_cannot_reach_95_per_cent_say_so() -> None:
    points = points_of(line_ns)
    answers = answers_of(points, [Pattern("message", size) for size in (8, 16)])
    _, _, measured, between, *_ = prediction_lines(answers)
    confidence = answers.predictions[0].confidence
    assert confidence is not None
    assert confidence < 0.95, "five launches"
    assert f"({100.0 * confidence:.1f} %)" in measured
    assert "(" not in between, "by bootstrap"


@pytest.mark.parametrize("size", [4, 16, 100])
def test_between_sizes_the_interval_contains_what_the_model_is_off(size: int) -> None:
    """15 % at the neighbouring size; the launches alone are 2 % apart."""
    channel = channel_of(points_of(bent_ns), "hockney")
    seconds = predict(channel, Pattern("message", size)).seconds
    assert seconds.value is not None
    assert seconds.interval is not None
    off = np.exp(channel.misfit[8, 1])
    assert off > 1.05
    assert seconds.interval.low <= seconds.value / off
    assert seconds.interval.high >= seconds.value * off


def test_beside_a_size_that_takes_no_time_by_the_model_there_is_no_interval() -> None:
    times_ns = {0: 1070.0, 1: 0.002, 1048576: 103430.0}

    def broken_ns(launch: int, round_: int, size: int) -> list[float]:
        return [times_ns[size] * (1.0 + 0.01 * launch) + 1e-6 * round_]

    channel = channel_of(estimate(make_run(broken_ns, sizes=tuple(times_ns))).headline)
    assert channel.misfit[0, 1] == np.inf
    seconds = predict(channel, Pattern("ring", 0, 4)).seconds
    assert seconds.interval is None


def test_a_pattern_of_measured_sizes_may_take_as_long_as_its_messages_did() -> None:
    channel = channel_of(points_of(bent_ns), "hockney")
    ring = predict(channel, Pattern("ring", 8, 4))
    message_s = predict(channel, Pattern("message", 8)).seconds.value
    assert message_s is not None
    assert ring.seconds.interval is not None
    assert not ring.measured
    assert ring.seconds.interval.low <= 4 * message_s <= ring.seconds.interval.high


def test_fewer_than_five_launches_give_no_interval(hockney: RunHockney, tmp_path: Path) -> None:
    """Bootstrap intervals of two launches hold the truth in half of the cases."""
    write_run(make_run(line_ns, launches=4, sizes=SIZES), tmp_path / "run.jsonl")
    words = ("--bytes", "8,100", "--pattern", "ring:ranks=4,bytes=8")
    for model in ("hockney", "segmented"):
        done = hockney("predict", "run.jsonl", *words, "--model", model, "--json")
        rows = done.json["predictions"]
        assert [(row["low_s"], row["high_s"]) for row in rows] == [(None, None)] * 3
        text = hockney("predict", "run.jsonl", *words, "--model", model).stdout
        assert "no interval from fewer than 5 launches; there are 4" in text
        (fit,) = hockney("fit", "run.jsonl", "--model", model, "--json").json["fits"]
        limits = [limit for part in ("parameters", "derived") for limit in fit[part].values()]
        assert all(limit["low"] is None and limit["high"] is None for limit in limits)
        assert "no interval from fewer than 5 launches; there are 4" in fit["notes"]


def test_inside_an_unknown_switch_the_interval_holds_both_protocols() -> None:
    """The switch is at 16,000 B, and the sizes are powers of two."""

    def truth_ns(size: int) -> float:
        return 1000.0 + 0.2 * size if size < 16000 else 4000.0 + 0.05 * size

    run = make_run(
        lambda launch, round_, size: [
            truth_ns(size) * (1.0 + 0.003 * (launch - 2)) + 1e-6 * round_
        ],
        sizes=[2**n for n in range(21)],
    )
    channel = channel_of(estimate(run).headline, "segmented")
    inside = predict(channel, Pattern("message", 12000))
    assert inside.note == "where between 8 KiB and 16 KiB the protocol switches is not known"
    assert inside.seconds.interval is not None
    assert inside.seconds.interval.low < truth_ns(12000) * 1e-9 < inside.seconds.interval.high
    beyond = predict(channel, Pattern("message", 3000))
    assert beyond.note is None
