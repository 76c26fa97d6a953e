"""Messages past 2 GiB, which no int counts: all of it arrives, in the time that all of it takes."""

from __future__ import annotations

import pytest

from conftest import NeedMemory, RunEngine
from hockney.run.measure.toolchain.features import features_of
from hockney.run.mpis import Engine

SIZE = 2**31 + 4096
LONG_TIMEOUT_S = 3600
FASTEST_BPS = 100e9
"""No two cores of a node copy faster."""
SMALL, LARGE = 10 * 2**30, 14 * 2**30
"""Memory for two buffers of two ranks; and a third for each, for packed data."""
ASKED = {
    "synchronous": ("pairs --mode=synchronous", SIZE, SMALL),
    "nonblocking": ("pairs --mode=nonblocking", SIZE, SMALL),
    "exchange": ("pairs --operation=exchange", SIZE, SMALL),
    "bidirectional": ("pairs --operation=bidirectional --window=1", SIZE, SMALL),
    "standard": ("pingpong --sweep", SIZE, SMALL),
    "partitioned, persistent": ("pairs --mode=partitioned --partitions=2", SIZE, SMALL),
    "datatype": ("pairs --datatype=vector:2:2048:2056", SIZE, LARGE),
    "bcast": ("collective bcast", SIZE, SMALL),
}
"""Experiments that need a call or a type of their own, with the size and the memory. Partitions are
measured beside persistent messages."""
pytestmark = pytest.mark.long


@pytest.mark.parametrize(("asked", "size", "needed"), ASKED.values(), ids=ASKED)
def test_the_whole_message_arrives(
    run_engine: RunEngine,
    engine: Engine,
    need_memory: NeedMemory,
    asked: str,
    size: int,
    needed: int,
) -> None:
    if "partitioned" in asked and not features_of(engine, simulated=False).partitioned:
        asked = "pairs --mode=persistent"
    need_memory(needed)
    check_times(run_engine, asked, size)


def check_times(run_engine: RunEngine, words: str, size: int) -> None:
    experiment = words.split()[0]
    counted = "@1" if experiment in ("pairs", "pingpong") else ""
    done = run_engine.ok(
        *words.split(),
        *(f"--sizes={size}{counted}", "--seconds=0.01", "--rounds=1:1", "--verify"),
        timeout_s=LONG_TIMEOUT_S,
    )
    # All at once: there is a start of every visit, also where its ranks did not start in time.
    visits = done.of("start" if experiment == "collective" else "samples")
    assert size in {visit["bytes"] for visit in visits}
    large = [s for s in done.of("samples") if s["bytes"] == size]
    assert all(ns > size / FASTEST_BPS * 1e9 for s in large for ns in s["ns"])


def test_as_much_is_reduced(run_engine: RunEngine, need_memory: NeedMemory) -> None:
    """Elements are counted, not bytes. The library may need as much again as the buffer received
    into."""
    need_memory(LARGE + 2**31)
    check_times(run_engine, "collective allreduce", SIZE)
