"""A node whose network is slow in one direction is named by real messages between hosts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from conftest import TEST_TIMEOUT_S
from hockney.run.mpis import Engine, Mpi
from virtual_hosts import virtual_hosts, why_not

HOSTS = 6
MOST_TIMES = 5
"""How often it is measured where hockney cannot tell, because other processes need the CPUs."""


@pytest.mark.long
@pytest.mark.parametrize(("way", "words"), [("out", "to send"), ("in", "to receive")])
def test_the_direction_in_which_a_node_is_slow_is_named(
    mpi: Mpi,
    engine: Engine,  # noqa: ARG001
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    way: str,
    words: str,
) -> None:
    if (reason := why_not()) is not None:
        pytest.skip(reason)
    monkeypatch.chdir(tmp_path)
    for _ in range(MOST_TIMES):
        stdout = _compared(mpi, way)
        slow = [line for line in stdout.splitlines() if line.startswith("node ")]
        if slow or "not judged: other processes held the CPUs" not in stdout:
            break
    assert [line.partition(":")[0] for line in slow] == [f"node n3 is slow {words}"], stdout


def _compared(mpi: Mpi, way: str) -> str:
    """What `hockney fabric` prints of hosts of which n3 is slow in one direction."""
    with virtual_hosts(HOSTS) as hosts:
        hosts.slow_down("n3", way)
        process = hosts.start(
            *(sys.executable, "-m", "hockney", "fabric", "-n", str(HOSTS), "--nodes", str(HOSTS)),
            *("--ranks-per-node", "1", "--hosts", ",".join(hosts.names), "--oversubscribe"),
            *("--one-way", "--all-pairs", "--sizes", "64KiB", "--budget", "20s", "-q"),
            *("-o", "run.jsonl", "--force"),
            MPICC=str(mpi.mpicc),
        )
        stdout, stderr = process.communicate(timeout=TEST_TIMEOUT_S)
    assert process.returncode == 0, stderr
    return stdout
