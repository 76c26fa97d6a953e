"""Messages past 2 GiB, which no int counts: in every mode the time is that of a whole message."""

from __future__ import annotations

import pytest

from conftest import NeedMemory, RunEngine

SIZE = 2**31 + 4096
FASTEST_BPS = 100e9
"""No two cores of a node copy faster."""
ASKED = {
    "standard": "pairs",
    "synchronous": "pairs --mode=synchronous",
    "nonblocking": "pairs --mode=nonblocking",
    "persistent": "pairs --mode=persistent",
    "exchange": "pairs --operation=exchange",
    "stream": "pairs --operation=stream --window=1",
    "bidirectional": "pairs --operation=bidirectional --window=1",
    "pingpong": "pingpong --sweep",
    "pingpong stream": "pingpong --sweep --operation=stream --window=1",
}
pytestmark = pytest.mark.long


def check_times(run_engine: RunEngine, *asked: str) -> None:
    count = "" if "collective" in asked else "@1"
    done = run_engine(*asked, f"--sizes={SIZE}{count}", "--seconds=0.01")
    assert done.status == 0, done.stderr
    # Of a collective there is a start of every visit, also where its ranks did not start in time.
    visits = done.of("samples" if count else "start")
    assert {visit["bytes"] for visit in visits} == {SIZE}
    assert all(ns > SIZE / FASTEST_BPS * 1e9 for s in done.of("samples") for ns in s["ns"])


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_the_whole_message_arrives(
    run_engine: RunEngine, need_memory: NeedMemory, asked: str
) -> None:
    need_memory(10 * 2**30)
    check_times(run_engine, *asked.split(), "--verify")


def test_as_much_is_reduced(run_engine: RunEngine, need_memory: NeedMemory) -> None:
    """Elements are counted, not bytes. The library may need as much again as the buffer received
    into."""
    need_memory(16 * 2**30)
    check_times(run_engine, "collective", "allreduce", "--verify")
