"""What the engine records of the ways that messages take: sizes, pairs, counters of ports."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from conftest import RunEngine
from hockney.run.mpis import Mpi

QUICK = ("--seconds=0.01", "--rounds=1:1")
PAUSE_S = 0.1
"""Longer than a reader needs to close what it read."""


def sizes_of(paths: Sequence[Mapping[str, Any]], reach: str) -> set[int]:
    return {path["bytes"] for path in paths if path["reach"] == reach}


@pytest.mark.parametrize(
    ("asked", "tried"),
    [
        ("8", {8}),
        ("0", {1}),
        ("0,8,64KiB", {8, 65536}),
        ("64..4MiB", {64, 1 << 20}),
    ],
)
def test_only_sizes_that_are_measured_are_tried(
    run_engine: RunEngine, asked: str, tried: set[int]
) -> None:
    paths = run_engine("pingpong", f"--sizes={asked}", *QUICK).of("path")
    assert sizes_of(paths, "node") == tried
    assert [path["peers"] for path in paths if path["reach"] == "launch"] == [[0]]


def test_the_ranks_are_those_that_are_measured(run_engine: RunEngine) -> None:
    words = ("pingpong", "--sizes=8", "--peers=2,1", *QUICK)
    paths = run_engine(*words, ranks=3).of("path")
    assert {tuple(path["peers"]) for path in paths} == {(2, 1), (1, 2), (2,)}


def test_nothing_is_tried_when_nothing_is_asked(run_engine: RunEngine) -> None:
    assert run_engine("pingpong", "--sizes=8", "--paths=none", *QUICK).of("path") == []


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_between_nodes_each_node_has_a_turn(run_engine: RunEngine, mpi: Mpi, ranks: int) -> None:
    """MPICH takes each rank for a node when it is told so."""
    if mpi.family != "mpich":
        pytest.skip("only MPICH can be told that each rank is a node")
    alone = {"MPIR_CVAR_NOLOCAL": "1"}
    words = ("collective", "barrier", "--sizes=0", *QUICK)
    paths = run_engine(*words, ranks=ranks, env=alone).of("path")
    assert sizes_of(paths, "node") == set()
    seen = {rank for path in paths if path["reach"] == "network" for rank in path["peers"]}
    assert seen == set(range(ranks))
    assert {path["peers"][0] for path in paths if path["reach"] == "launch"} == set(range(ranks))


@pytest.mark.parametrize("bad", ["", "8,", "x", "8;9", "5GiB", ",".join(["8"] * 17)])
def test_sizes_that_are_none_are_refused(run_engine: RunEngine, bad: str) -> None:
    run_engine.refused(
        "pingpong", "--sizes=8", f"--paths={bad}", *QUICK, because="hockney-engine: "
    )


def sysfs(root: Path, counters: Mapping[str, Sequence[object]]) -> Path:
    """A sysfs whose counters each give their next value whenever they are read."""

    def serve(path: Path, values: Sequence[object]) -> None:
        for value in values:
            with path.open("w") as file:  # waits for a reader
                file.write(f"{value}\n")
            time.sleep(PAUSE_S)

    for name, values in counters.items():
        path = root / "class" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if len(values) == 1:
            path.write_text(f"{values[0]}\n")
        else:
            os.mkfifo(path)
            threading.Thread(target=serve, args=(path, values), daemon=True).start()
    return root


IB = "infiniband/mlx5_0/ports/1"
FULL = 2**32 - 1


def test_counters_are_read_before_and_after(run_engine: RunEngine, tmp_path: Path) -> None:
    # Before and after the messages of one size, before and after the launch.
    counters: dict[str, Sequence[object]] = {
        f"{IB}/counters/port_xmit_data": [1000, 2000, 3000, 7000],
        f"{IB}/counters/port_rcv_data": [5, 5, 5, 5],
        f"{IB}/counters/symbol_error": [0, 0, 0, 2],
        f"{IB}/hw_counters/out_of_sequence": [1, 1, 1, 4],
        f"{IB}/hw_counters/lifespan": ["10"],
        f"{IB}/state": ["4: ACTIVE"],
        f"{IB}/rate": ["200 Gb/sec (4X HDR)"],
        f"{IB}/link_layer": ["InfiniBand"],
        "infiniband/mlx5_1/ports/1/counters/port_xmit_data": [FULL, FULL, FULL, FULL],
        "cxi/cxi0/device/telemetry/hni_sts_tx_ok_octets": [
            f"{value}@1760000000.000000123" for value in (10, 20, 30, 40)
        ],
        "net/lo/operstate": ["unknown"],
    }
    root = sysfs(tmp_path, counters)
    paths = run_engine("pingpong", "--sizes=8", f"--sys={root}", *QUICK).of("path")
    [size] = [path["ports"] for path in paths if path["bytes"] and path["ports"] is not None]
    assert {port["port"]: port["counters"] for port in size if port["class"] != "net"} == {
        "mlx5_0/ports/1": {"port_xmit_data": [1000, 2000]},
        "mlx5_1/ports/1": {"port_xmit_data": [FULL, FULL]},
        "cxi0": {"hni_sts_tx_ok_octets": [10, 20]},
    }
    [launch] = [path["ports"] for path in paths if path["reach"] == "launch"]
    by_port = {port["port"]: port for port in launch}
    assert by_port["mlx5_0/ports/1"]["counters"] == {
        "out_of_sequence": [1, 4],
        "port_xmit_data": [3000, 7000],
        "symbol_error": [0, 2],
    }
    assert by_port["mlx5_0/ports/1"]["state"] == "4: ACTIVE"
    assert by_port["mlx5_0/ports/1"]["rate"] == "200 Gb/sec (4X HDR)"
    assert by_port["lo"]["operstate"] == "unknown"


def test_without_sysfs_interfaces_are_there_and_nothing_is_known_of_them(
    run_engine: RunEngine, tmp_path: Path
) -> None:
    done = run_engine.ok("pingpong", "--sizes=8", f"--sys={tmp_path}", *QUICK)
    [ports] = [path["ports"] for path in done.of("path") if path["reach"] == "launch"]
    assert "lo" in {port["port"] for port in ports}
    assert {port["operstate"] for port in ports} == {None}
