"""Predictions of what was not measured say so, and have no narrow interval."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from conftest import RunHockney
from hockney.infer.estimate import estimate
from hockney.infer.estimate.estimating import estimate_point
from hockney.infer.predict.answers import answers_of
from hockney.infer.predict.channel import Channel
from hockney.infer.predict.fitted_channel import channel_of
from hockney.infer.predict.patterns import Pattern, predict
from hockney.plan.axes import Point
from samples import make_run, write_run

SWITCH_BYTES = 64 << 10
SPARSE = (8, 1024, 1 << 20)
DENSE = tuple(1 << power for power in range(3, 21))


def ns_of(size: int) -> float:
    """1 us + 0.1 ns/B, from SWITCH_BYTES on 20 us + 0.05 ns/B."""
    return 1000.0 + 0.1 * size if size <= SWITCH_BYTES else 20000.0 + 0.05 * size


def channel(sizes: tuple[int, ...]) -> Channel:
    run = make_run(
        lambda launch, _, size: [ns_of(size) * (1 + 0.005 * (launch % 5 - 2))],
        launches=20,
        sizes=sizes,
    )
    return channel_of(estimate(run).headline)


@pytest.mark.parametrize("size", [4096, SWITCH_BYTES, 128 << 10, 512 << 10])
def test_between_sizes_that_are_far_apart_a_protocol_may_switch(size: int) -> None:
    sparse = predict(channel(SPARSE), Pattern("message", size))
    assert "between 1 KiB and 1 MiB nothing was measured" in (sparse.note or "")
    seconds = sparse.seconds
    assert seconds.interval is not None
    assert seconds.interval.low <= 1e-9 * ns_of(size) <= seconds.interval.high
    assert "nothing was measured" not in (
        predict(channel(DENSE), Pattern("message", 3000)).note or ""
    )


def test_far_beyond_the_largest_size_there_is_no_interval() -> None:
    known = channel(DENSE)
    assert predict(known, Pattern("message", 2 << 20)).seconds.interval is not None
    far = predict(known, Pattern("message", 8 << 20))
    assert far.seconds.interval is None
    assert far.confidence is None


def of_pairs(launches: int) -> Channel:
    """Of 1 to 8 pairs: a node moves 10 GB/s, a pair of it 2 GB/s."""
    return channel_of(
        [
            estimate_point(
                Point(operation="exchange", bytes=size, pairs=count, ranks=2 * count),
                0,
                {n: np.array([ns * (1 + 0.01 * (n % 5)) * 1e-9]) for n in range(launches)},
            )
            for count in (1, 2, 4, 8)
            for size in (8, 1024, 1 << 20)
            for ns in [1000.0 + size * max(0.5, 0.1 * count)]
        ]
    )


def test_far_beyond_the_largest_number_of_pairs_there_is_no_interval(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hockney.infer.predict.fitted_channel.RESAMPLES", 8)
    known = of_pairs(launches=5)
    intervals = [
        predict(known, Pattern("alltoall", 1024, 64, per_node=count)).seconds.interval
        for count in (8, 16, 17, 64)
    ]
    assert [interval is not None for interval in intervals] == [True, True, False, False]


def test_sizes_that_are_far_apart_are_so_for_unmeasured_numbers_of_pairs_too() -> None:
    """4 pairs are nearest."""
    known = of_pairs(launches=1)
    low, high = known.gap_factors(4096, 5)
    assert low < 0.5
    assert high > 50.0
    prediction = predict(known, Pattern("alltoall", 4096, 64, per_node=5))
    assert "between 1 KiB and 1 MiB nothing was measured" in (prediction.note or "")


def test_messages_in_a_row_are_said_to_cost_a_rank_nothing() -> None:
    known = channel(DENSE)
    linear = predict(known, Pattern("bcast", 8, 64, algorithm="basic_linear"))
    assert "what a message costs its ranks was not measured" in (linear.note or "")
    assert predict(known, Pattern("ring", 8, 64)).note is None


def test_launches_of_two_modes_are_warned_of(hockney: RunHockney, tmp_path: Path) -> None:
    run = make_run(
        lambda launch, _, size: [(1000.0 + size) * (1 + launch % 2) * (1 + 0.001 * launch)] * 3,
        launches=20,
        sizes=DENSE,
    )
    write_run(run, tmp_path / "run.jsonl")
    for words in (("fit", "run.jsonl"), ("predict", "run.jsonl", "--bytes", "8")):
        assert "launches have 2 modes" in hockney(*words).stderr


def test_a_changed_machine_was_not_measured() -> None:
    """--what-if leaves no measured neighbours."""
    prediction = predict(channel(SPARSE).scaled({"latency": 0.5}), Pattern("message", 4096))
    assert prediction.seconds.value is not None


def test_a_measured_size_is_answered_without_a_model(hockney: RunHockney, tmp_path: Path) -> None:
    run = make_run(lambda *_: [1000.0], launches=6, sizes=(8,))
    write_run(run, tmp_path / "one.jsonl")
    done = hockney("predict", "one.jsonl", "--bytes", "8,64", "--pattern", "ring:ranks=4,bytes=8")
    assert done.status == 1
    assert "without a model" in done.stdout
    assert "1 us .. 1 us" in done.stdout
    assert "64 B" not in done.stdout
    assert "one.jsonl: 64 B and ring, 4 ranks, 8 B: hockney needs times of" in done.stderr
    (answer,) = hockney("predict", "one.jsonl", "--bytes", "8", "--json").json["predictions"]
    assert (answer["seconds"], answer["measured"]) == (pytest.approx(1e-6), True)
    assert (answer["model"], answer["dominant"], answer["dominant_share"]) == (None, None, None)


@pytest.mark.parametrize(
    "words",
    [
        ("--bytes", "64"),
        ("--bytes", "8", "--what-if", "latency=2x"),
        ("--bytes", "8", "--model", "hockney"),
    ],
)
def test_what_was_not_measured_needs_a_model(
    hockney: RunHockney, tmp_path: Path, words: tuple[str, ...]
) -> None:
    write_run(make_run(lambda *_: [1000.0], launches=6, sizes=(8,)), tmp_path / "one.jsonl")
    done = hockney("predict", "one.jsonl", *words)
    assert (done.status, done.stdout) == (2, "")
    assert "hockney needs times of" in done.stderr


def test_a_time_of_zero_hides_no_other_size() -> None:
    run = make_run(lambda _l, _r, size: [1000.0 if size else 0.0], launches=6, sizes=(0, 8))
    answers = answers_of(estimate(run).headline, [Pattern("message", size) for size in (0, 8)])
    assert [prediction.pattern.bytes for prediction in answers.predictions] == [8]
    assert [pattern.bytes for pattern in answers.refused] == [0]
