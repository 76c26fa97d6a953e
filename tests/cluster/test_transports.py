"""Which way messages take between two hosts: what counted their bytes, and over which interface."""

from __future__ import annotations

import json
import random
import re
import sys
from typing import Any

import pytest

from cluster.conftest import Cluster
from hockney.run.mpis import Mpi

pytestmark = pytest.mark.long

HOCKNEY = (sys.executable, "-m", "hockney")
BETWEEN = ("--hosts", "hA,hB")
LARGE = 1 << 20
NETWORKS = {"vA": "10.77.0.0/24", "second": "10.78.0.0/24"}
"""Networks between the hosts, by the interface of the first one."""


def through(mpi: Mpi, interface: str) -> dict[str, str]:
    """Variables that bring messages to an interface; libfabric's is of one name on both hosts."""
    if mpi.family == "openmpi":
        return {"OMPI_MCA_btl_tcp_if_include": NETWORKS[interface]}
    return {"FI_TCP_IFACE": interface} if interface == "second" else {}


def tried(cluster: Cluster, env: dict[str, str]) -> dict[str, Any]:
    words = [f"{name}={value}" for name, value in env.items()]
    done = cluster.run("env", *words, *HOCKNEY, "doctor", "--transports", "--json", *BETWEEN)
    assert done.status == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def large_path(answer: dict[str, Any], reach: str) -> dict[str, Any]:
    [path] = [
        candidate
        for candidate in answer["paths"]
        if candidate["reach"] == reach
        and candidate["bytes"] == LARGE
        and candidate["hosts"][0] == "hA"
    ]
    result: dict[str, Any] = path
    return result


def test_sockets_and_ports_counted_what_was_sent(cluster: Cluster) -> None:
    between = large_path(tried(cluster, {}), "network")
    [tcp] = between["carriers"]
    assert (tcp["kind"], tcp["name"]) == ("TCP", "vA")
    assert tcp["fraction"] == pytest.approx(1.0, rel=0.03)
    assert between["by_port"] == {"vA": pytest.approx(1.0, rel=0.03)}


def test_the_interface_is_named_whichever_it_is(cluster: Cluster, mpi: Mpi) -> None:
    draw = random.Random(1)
    expected = [draw.choice(list(NETWORKS)) for _ in range(10)]
    named = [
        large_path(tried(cluster, through(mpi, interface)), "network")["carriers"][0]["name"]
        for interface in expected
    ]
    assert named == expected


def test_a_run_says_which_way_its_messages_took(cluster: Cluster) -> None:
    words = ("--sizes", "8,1MiB", "--budget", "1s", "--launches", "1", "-o", "ways.jsonl")
    done = cluster.run(*HOCKNEY, "pingpong", *BETWEEN, *words)
    assert done.status == 0, done.stderr
    assert "messages by TCP over vA" in done.stdout


def test_nodes_of_an_allocation_are_tried(cluster: Cluster) -> None:
    words = ("salloc", "--quiet", "--nodes=2", *HOCKNEY, "doctor", "--transports")
    done = cluster.run(*words)
    assert done.status == 0, done.stderr
    # The last segments may be acknowledged after the count is read.
    assert re.search(r"TCP over vA \((0\.9[7-9]|1\.0[0-3]) times the bytes\)", done.stdout)
