"""Trains of messages: their delays pass where they are asked for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from conftest import Done, RunEngine
from hockney.base.allowed import allowed_count

DELAY_NS = 30000.0


def shortest(launches: Sequence[Done]) -> dict[tuple[int, float, float], float]:
    """Least nanoseconds by messages, send delay and receive delay: on a busy machine a median, and
    at times a whole launch, is of ranks that wait for a CPU."""
    times: dict[tuple[int, float, float], list[float]] = {}
    for samples in (sample for done in launches for sample in done.of("samples")):
        train = samples["train"]
        key = (train["messages"], train["send_delay_ns"], train["receive_delay_ns"])
        times.setdefault(key, []).extend(samples["ns"])
    return {train: min(ns) for train, ns in times.items()}


@pytest.mark.skipif(allowed_count() < 2, reason="ranks that share a CPU wait for it, not by delay")
def test_delays_pass_on_the_rank_that_they_are_of(run_engine: RunEngine) -> None:
    trains = "0:30000:0,1:0:0,5:30000:0,5:0:29000+125"
    words = ["--trains", trains, "--sizes", "8", "--seconds", "0.3", "--place", "none"]
    launches = [run_engine("overheads", *words) for _ in range(3)]
    assert {done.status for done in launches} == {0}, launches[0].stderr
    by_train = shortest(launches)
    wait, single, sender, receiver = (
        by_train[train] for train in ((0, 30000, 0), (1, 0, 0), (5, 30000, 0), (5, 0, 29000))
    )
    received = {s["train"]["receive_delay_ns_per_B"] for s in launches[0].of("samples")}
    assert received == {0.0, 125.0}
    assert wait >= DELAY_NS  # one delay, though 64 pass in a repetition
    assert wait < 32 * DELAY_NS
    assert single < sender
    # Both ranks' delays are of 30 us at 8 bytes, and none of the five passes beside another.
    assert sender > 5 * DELAY_NS
    assert receiver > 5 * DELAY_NS


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["overheads"], "train needs --trains"),
        (["pingpong", "--trains", "1:0:0"], "pingpong takes no --trains"),
        (["pingpong", "--operation", "late"], "late needs --trains"),
        (["pairs", "--operation", "late", "--trains", "1:0:0"], "takes no --trains"),
        (["overheads", "--trains", ""], "an empty list"),
        (["overheads", "--trains", "1:0"], "expected MESSAGES:SEND_DELAY:RECEIVE_DELAY"),
        (["overheads", "--trains", "1:-5:0"], "expected MESSAGES:SEND_DELAY:RECEIVE_DELAY"),
        (["overheads", "--trains", "many:0:0"], "expected MESSAGES:SEND_DELAY:RECEIVE_DELAY"),
        (["overheads", "--trains", "1:0:0;1:0:0"], "expected MESSAGES:SEND_DELAY:RECEIVE_DELAY"),
        (["overheads", "--trains", "1:0:0", "--verify"], "overheads takes no --verify"),
        (["overheads", "--trains", "1:0:0", "--table"], "overheads takes no --table"),
    ],
)
def test_wrong_trains_are_refused(
    run_alone: RunEngine, arguments: list[str], complaint: str
) -> None:
    run_alone.refused(*arguments, because=complaint)
