"""Messages past 2 GiB, which no int counts: in every mode the time is that of a whole message."""

from __future__ import annotations

import pytest

from conftest import RunEngine
from hockney.measure.checks import available_memory

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


def need_memory(gibibytes: int) -> None:
    if (available_memory() or 0) < gibibytes * 2**30:
        pytest.skip(f"this test needs {gibibytes} GiB of free memory")


def check_times(run_engine: RunEngine, *asked: str) -> None:
    count = "" if "collective" in asked else "@1"
    done = run_engine(*asked, f"--sizes={SIZE}{count}", "--seconds=0.01")
    assert done.status == 0, done.stderr
    assert {s["bytes"] for s in done.of("samples")} == {SIZE}
    assert all(ns > SIZE / FASTEST_BPS * 1e9 for s in done.of("samples") for ns in s["ns"])


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_the_whole_message_arrives(run_engine: RunEngine, asked: str) -> None:
    need_memory(10)
    check_times(run_engine, *asked.split(), "--verify")


def test_as_much_is_reduced(run_engine: RunEngine) -> None:
    """Elements are counted, not bytes. The library may need as much again as the buffer received
    into."""
    need_memory(16)
    check_times(run_engine, "collective", "allreduce", "--verify")
