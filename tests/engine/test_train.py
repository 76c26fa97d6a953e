"""Trains of messages: their delays pass where they are asked for."""

from __future__ import annotations

import numpy as np
import pytest

from conftest import Done, RunEngine

DELAY_NS = 30000.0


def medians(done: Done) -> dict[str, float]:
    """Nanoseconds by algorithm."""
    found: dict[str, list[float]] = {}
    for samples in done.of("samples"):
        found.setdefault(samples["algorithm"], []).extend(samples["ns"])
    return {algorithm: float(np.median(ns)) for algorithm, ns in found.items()}


def test_delays_pass_on_the_rank_that_they_are_of(run_engine: RunEngine) -> None:
    done = run_engine("overheads", "--trains", "0:30000:0,1:0:0,5:30000:0,5:0:29000+125", "--sizes",
                      "8", "--seconds", "0.3", "--place", "none")  # fmt: skip
    assert done.status == 0, done.stderr
    by_train = medians(done)
    wait, one, sender, receiver = (
        by_train[f"n {n}, send delay {send} ns, receive delay {receive} ns"]
        for n, send, receive in (
            (0, "30000+0", "0+0"), (1, "0+0", "0+0"), (5, "30000+0", "0+0"), (5, "0+0", "29000+125")
        )
    )  # fmt: skip
    assert wait >= DELAY_NS
    assert one < sender
    # Both ranks' delays are of 30 us at 8 bytes, and none of the five passes beside another.
    assert sender > 5 * DELAY_NS
    assert receiver > 5 * DELAY_NS


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["overheads"], "train needs --trains"),
        (["pingpong", "--trains", "1:0:0"], "pingpong takes no --trains"),
        (["pingpong", "--operation", "late"], "late needs --trains"),
        (["pairs", "--operation", "late", "--trains", "1:0:0"], "between two ranks"),
        (["overheads", "--trains", ""], "an empty list"),
        (["overheads", "--trains", "1:0"], "expected MESSAGES:SEND_DELAY:RECEIVE_DELAY"),
        (["overheads", "--trains", "1:-5:0"], "expected MESSAGES:SEND_DELAY:RECEIVE_DELAY"),
        (["overheads", "--trains", "many:0:0"], "expected MESSAGES:SEND_DELAY:RECEIVE_DELAY"),
        (["overheads", "--trains", "1:0:0;1:0:0"], "expected MESSAGES:SEND_DELAY:RECEIVE_DELAY"),
        (["overheads", "--trains", "1:0:0", "--verify"], "not for trains"),
        (["overheads", "--trains", "1:0:0", "--table"], "not for trains"),
    ],
)
def test_wrong_trains_are_refused(
    run_engine: RunEngine, arguments: list[str], complaint: str
) -> None:
    done = run_engine(*arguments)
    assert done.status == 2
    assert complaint in done.stderr
