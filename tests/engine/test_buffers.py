"""The memory that the engine gives MPI: messages in flight never overlap, and cold is cold."""

from __future__ import annotations

import itertools

import pytest

from conftest import kept_short
from preloads import MESSAGE, Call, Watch


def overlaps(calls: list[Call]) -> int:
    """The number of receives that began in memory in use, or of sends in memory that is received
    into."""
    sent: list[int] = []
    received: list[int] = []
    count = 0
    for call in calls:
        if call.name in ("wait", "exchange"):
            sent, received = [], []
        if call.name in ("isend", "exchange"):
            count += any(abs(call.sent - other) < MESSAGE for other in received)
            sent.append(call.sent)
        if call.name in ("irecv", "exchange"):
            count += any(abs(call.received - other) < MESSAGE for other in sent + received)
            received.append(call.received)
    return count


@pytest.mark.parametrize("buffers", ["returned", "separate", "cold"])
@pytest.mark.parametrize("operation", ["exchange", "bidirectional --window=4"])
def test_what_is_sent_never_overlaps_what_is_received(
    watch: Watch, operation: str, buffers: str
) -> None:
    _, calls = watch(
        "pingpong",
        *f"--operation={operation}".split(),
        f"--buffers={buffers}",
        f"--sizes={MESSAGE}@50+2,64@5",
        "--sweep",
    )
    for rank in (0, 1):
        assert sum(call.received > 0 for call in calls[rank]) >= 50
        assert overlaps(calls[rank]) == 0


@pytest.mark.parametrize("operation", ["pingpong", "exchange", "bidirectional --window=4"])
def test_returned_buffers_send_what_was_received(watch: Watch, operation: str) -> None:
    _, calls = watch(
        "pingpong",
        *f"--operation={operation}".split(),
        "--buffers=returned",
        f"--sizes={MESSAGE}@20",
        "--sweep",
    )
    sent = [call.sent for call in calls[0] if call.sent > 0]
    received = [call.received for call in calls[0] if call.received > 0]
    assert set(sent[4:]) <= set(received)


@pytest.mark.parametrize("operation", ["pingpong", "exchange", "stream --window=2"])
def test_separate_buffers_never_send_what_was_received(watch: Watch, operation: str) -> None:
    _, calls = watch(
        "pingpong",
        *f"--operation={operation}".split(),
        "--buffers=separate",
        f"--sizes={MESSAGE}@20",
        "--sweep",
    )
    for rank in (0, 1):
        sent = {call.sent for call in calls[rank]} - {0}
        assert not sent & {call.received for call in calls[rank]}


COLD = {
    "pingpong": "pingpong",
    "synchronous": "pingpong --mode=synchronous",
    "nonblocking": "pingpong --mode=nonblocking",
    "exchange": "pingpong --operation=exchange",
    "stream": "pingpong --operation=stream --window=8",
    "bidirectional": "pingpong --operation=bidirectional --window=8",
    "pairs": "pairs",
    "allreduce": "collective allreduce",
    "alltoall": "collective alltoall",
    "bcast": "collective bcast",
}
COLD_KINDS = ("stream", "allreduce")
"""An experiment of two ranks, and one of all."""


@pytest.mark.parametrize("asked", kept_short(COLD, COLD_KINDS))
def test_cold_visits_go_on_where_the_last_one_ended(watch: Watch, asked: str) -> None:
    """No place is used again before the walk has been through more than the last cache holds."""
    done, calls = watch(
        *COLD[asked].split(), "--buffers=cold", f"--sizes={MESSAGE}", "--seconds=0.1"
    )
    launch = done.of("launch")[0]
    assert launch["cold_bytes"] > 0
    assert done.of("samples")
    addresses = [
        [call.sent for call in calls[0] if call.sent > 0],
        [call.received for call in calls[0] if call.received > 0],
    ]
    if "bcast" in asked:
        addresses = addresses[:1]
    elif "stream" in asked:
        addresses = [addresses[0], [call.received for call in calls[1] if call.received > 0]]
    for walk in addresses:
        assert len(walk) > 5  # where two ranks share a CPU, a visit is one message
        assert walked_before_return(walk) > launch["cold_bytes"] - 64 * 1024


def walked_before_return(walk: list[int]) -> float:
    """The fewest bytes of memory between two uses of an address; infinite where none is used twice,
    0 where only one is used."""
    last: dict[int, int] = {}
    fewest = float("inf")
    for step, address in enumerate(walk):
        if address in last:
            fewest = min(fewest, step - last[address])
        last[address] = step
    steps = [after - before for before, after in itertools.pairwise(sorted(last))]
    return fewest * min(steps, default=0)
