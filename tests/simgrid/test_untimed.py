"""The engine's untimed work for thousands of ranks does not change the times."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import RunHockney
from hockney import records

pytestmark = pytest.mark.simgrid


def test_how_the_library_reduces_changes_no_simulated_time(hockney: RunHockney) -> None:
    times = []
    for own in ((), ("--cfg", "smpi/gather:default", "--cfg", "smpi/reduce:default")):
        done = hockney.ok(
            *("collective", "bcast", "-n", "12", "--algorithm", "default", "--sizes", "8,1MiB"),
            *("--platform", "cluster:12,lat=1us,bw=1GB/s"),
            *own,
            *("--json", "-q", "-o", f"{len(own)}.jsonl"),
        )
        times.append([point["median_s"] for point in done.json["points"]])
    # Each reading of the simulated clock takes 10 ns, so that ranks begin so far apart.
    assert times[0] == pytest.approx(times[1], abs=40e-9)


def test_simulated_messages_are_checked_in_buffers_of_their_own(hockney: RunHockney) -> None:
    """Unchecked ones lie upon each other, and any pattern would be overwritten by the next rank."""
    hockney.ok(
        *("pingpong", "--platform", "cluster:2,lat=1us,bw=1GB/s", "--verify"),
        *("--sizes", "64KiB,1MiB", "-q", "-o", "run.jsonl"),
    )


def test_untimed_rounds_do_not_repeat_what_was_asked_for(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """A round of fixed repetitions may take the whole budget; each point is warmed up anyway."""
    where = ("-n", "2", "--platform", "cluster:2,lat=1ms,bw=1GB/s")
    hockney.ok("pairs", "--multi", "--sizes", "8", *where, "-q", "-o", "run.jsonl")
    first = records.read(tmp_path / "run.jsonl").samples[0]
    assert first.repetitions == 1000
    assert first.at_s is not None
    assert first.at_s < first.repetitions * first.ns[0] * 1e-9
