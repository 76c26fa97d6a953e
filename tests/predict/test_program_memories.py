"""What a program's messages from memory of accelerators take by each way that was measured."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from profile_samples import calls, profile, written

from conftest import RunHockney
from hockney.records import Run
from samples import make_run, write_run

SIZES = (8, 65536)
WAYS = {("host", None): 1.0, ("device", None): 2.0, ("device", 0): 3.0, ("device", 262144): 1.5}
"""How many times as long as from memory of the host: from a device, staged whole, and by blocks."""


def ns_of(launch: int, round_: int, size: int) -> list[float]:
    return [1000.0 + size + 0.01 * (launch + round_)]


@pytest.fixture
def measured(tmp_path: Path) -> Path:
    on_host = make_run(ns_of, sizes=SIZES)
    run = Run(on_host.header)
    for launch in on_host.launches:
        run.add(launch)
    for (memory, staging), factor in WAYS.items():
        for sample in on_host.samples:
            ns = [factor * value for value in sample.ns]
            run.add(replace(sample, memory=memory, staging=staging, ns=ns))
    for end in on_host.ends:
        run.add(end)
    return write_run(run, tmp_path / "device.jsonl")


def test_ways_of_messages_from_a_device(
    hockney: RunHockney, tmp_path: Path, measured: Path
) -> None:
    made = profile(
        calls(0, "MPI_Send", 100, 65536, peer=1, memory="device"),
        calls(0, "MPI_Isend", 1000, 8, peer=1, memory="device"),
        calls(0, "MPI_Send", 5000, 8, peer=1),
        calls(1, "MPI_Recv", 100, 65536, peer=0, memory="device"),
        calls(0, "MPI_Send", 7, 8, memory="device"),
    )
    path = str(written(tmp_path / "p.jsonl", made))
    shown = hockney("show", path, "--model-from", str(measured), "--json")
    ways = {row["way"]: row for row in shown.json["ways"]}
    alone = (100 * (1000.0 + 65536) + 1000 * (1000.0 + 8)) * 1e-9
    expected = {
        "from memory of the host": 1.0,
        "staged by 256 KiB": 1.5,
        "by the library": 2.0,
        "staged whole": 3.0,
    }
    assert list(ways) == list(expected)
    for way, factor in expected.items():
        assert ways[way]["memory"] == "device"
        assert (ways[way]["messages"], ways[way]["bytes"]) == (1100, 6561600)
        assert ways[way]["seconds"] == pytest.approx(factor * alone, rel=1e-3)
        assert ways[way]["ratio"] == pytest.approx(factor / 2.0, rel=1e-3)
    table = hockney("show", path, "--model-from", str(measured)).stdout
    assert "staged by 256 KiB" in table
    assert "ways" not in hockney("show", path, "--json").json


def test_no_messages_from_a_device(hockney: RunHockney, tmp_path: Path, measured: Path) -> None:
    path = str(written(tmp_path / "p.jsonl", profile(calls(0, "MPI_Send", 5, 8, peer=1))))
    shown = hockney("show", path, "--model-from", str(measured), "--json")
    assert shown.json["ways"] == []
    assert "by the library" not in hockney("show", path, "--model-from", str(measured)).stdout
