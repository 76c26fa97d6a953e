"""What doctor says of the nodes of an allocation."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cluster.conftest import Cluster

pytestmark = pytest.mark.long

DOCTOR = ("salloc", "--quiet", "--nodes=2", sys.executable, "-m", "hockney", "doctor", "--json")


@contextmanager
def little_shared_memory(host: str) -> Iterator[None]:
    """The steps that Slurm starts on a host see a /dev/shm of 8 MiB."""
    listed = subprocess.run(
        ["ip", "netns", "pids", host], capture_output=True, text=True, check=True
    )
    [daemon] = [
        pid
        for pid in listed.stdout.split()
        if (Path("/proc") / pid / "comm").read_text().strip() == "slurmd"
    ]
    inside = ("nsenter", f"--target={daemon}", "--mount")
    mount = ("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", "/dev/shm")
    subprocess.run([*inside, *mount], check=True)
    try:
        yield
    finally:
        subprocess.run([*inside, "umount", "--lazy", "/dev/shm"], check=True)


def of_nodes(cluster: Cluster) -> dict[str, dict[str, str]]:
    findings = json.loads(cluster.run(*DOCTOR).stdout)["findings"]
    return {finding["name"]: finding for finding in findings if finding["name"].startswith("nodes")}


def test_nodes_that_are_alike_are_one_row(cluster: Cluster) -> None:
    [finding] = of_nodes(cluster).values()
    assert finding["verdict"] == "ok"
    assert finding["fact"].startswith("the same on all 2:\nkernel: ")


def test_a_node_that_differs_comes_first(cluster: Cluster) -> None:
    with little_shared_memory("hB"):
        first, *_ = of_nodes(cluster).values()
    assert (first["name"], first["verdict"]) == ("nodes: shared memory", "warn")
    assert "8 MiB" in first["fact"]
