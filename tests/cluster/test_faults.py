"""What clusters do to jobs, done to real ones. In every case: all completed rounds are in the file,
the message says what happened, no rank is left on any host, and --resume goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from cluster.conftest import Cluster
from cluster.test_measure import ALLOCATED, HOCKNEY
from conftest import TEST_TIMEOUT_S, Done
from hockney import records
from hockney.run.measure.sessions.resume import whole_launches

pytestmark = pytest.mark.long

ROUNDS = int(os.environ.get("HOCKNEY_TEST_ROUNDS", "1"))
"""Number of times that each fault is made."""
WAYS = {
    "mpiexec": (*HOCKNEY, "pingpong", "--hosts", "hA,hB"),
    "srun": (*ALLOCATED, *HOCKNEY, "pingpong", "--nodes", "2"),
}
OPTIONS = ("--sizes", "8,1KiB", "--precision", "0.01%", "-o", "run.jsonl")
LONG = ("--launches", "2", "--budget", "40s")


def measuring(cluster: Cluster, way: str, timeout: str = "60s") -> subprocess.Popen[str]:
    """A long run that has written its first rounds."""
    process = cluster.start(*WAYS[way], *OPTIONS, *LONG, "--timeout", timeout)
    path = cluster.work / "run.jsonl"
    while process.poll() is None:
        if path.exists() and path.read_bytes().count(b'"samples"') > 20:
            return process
        time.sleep(0.05)
    raise AssertionError(process.communicate()[1])


def hockneys_pid() -> int:
    listed = ["ip", "netns", "pids", "hA"]
    pids = subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split()
    for pid in pids:
        with suppress(OSError):  # it has ended
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if words[1:4] == [b"-m", b"hockney", b"pingpong"]:
                return int(pid)
    raise AssertionError("no hockney on hA")


def rank_killed(cluster: Cluster) -> None:
    os.kill(cluster.engines("hB")[0], signal.SIGKILL)


def rank_stopped(cluster: Cluster) -> None:
    os.kill(cluster.engines("hB")[0], signal.SIGSTOP)


def launcher_killed(cluster: Cluster) -> None:  # noqa: ARG001
    pid = hockneys_pid()
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        with suppress(ProcessLookupError):
            os.kill(int(child), signal.SIGKILL)


def node_gone(cluster: Cluster) -> None:
    cluster.link("hB", "down")


def interrupted(cluster: Cluster) -> None:  # noqa: ARG001
    os.kill(hockneys_pid(), signal.SIGINT)


def terminated(cluster: Cluster) -> None:  # noqa: ARG001
    os.kill(hockneys_pid(), signal.SIGTERM)


FAULTS: dict[Callable[[Cluster], None], tuple[int, str]] = {
    rank_killed: (1, "launch 0 "),
    rank_stopped: (1, " is stopped, by a signal or a debugger"),
    launcher_killed: (1, "killed by signal 9"),
    node_gone: (1, "launch 0"),
    interrupted: (130, "launch 1 is incomplete: its rounds up to then are kept"),
    terminated: (130, "launch 1 is incomplete: its rounds up to then are kept"),
}


TIMEOUTS = {rank_stopped: "15s", node_gone: "8s"}
"""Faults that show by silence; within this time the nodes are asked what their ranks do."""


@pytest.fixture
def _link_up(cluster: Cluster) -> Iterator[None]:
    yield
    cluster.link("hB", "up")


@pytest.mark.usefixtures("_link_up")
@pytest.mark.parametrize("attempt", range(ROUNDS))
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("fault", FAULTS)
def test_nothing_is_lost_and_nothing_left(
    cluster: Cluster, fault: Callable[[Cluster], None], way: str, attempt: int
) -> None:
    process = measuring(cluster, way, TIMEOUTS.get(fault, "60s"))
    time.sleep(0.1 * (attempt % 7))
    fault(cluster)
    seen = (cluster.work / "run.jsonl").read_bytes()
    _, stderr = process.communicate(timeout=TEST_TIMEOUT_S)
    status, message = FAULTS[fault]
    assert (process.returncode, "Traceback" in stderr) == (status, False), stderr
    assert message in stderr
    if fault is node_gone:
        cluster.link("hB", "up")
        assert way == "srun" or "hB does not answer" in stderr
    assert cluster.nothing_left()
    kept = (cluster.work / "run.jsonl").read_bytes()
    assert kept.startswith(seen)
    assert_rounds_are_whole(cluster.work / "run.jsonl")
    assert_it_goes_on(cluster, way, kept)


def assert_rounds_are_whole(path: Path) -> None:
    run = records.read(path)
    assert run.cut is None
    assert run.ends[-1].reason in ("failed", "interrupted")
    rounds = {samples.round for samples in run.samples}
    assert rounds == set(range(max(rounds) + 1))


def assert_it_goes_on(cluster: Cluster, way: str, kept: bytes) -> None:
    one_more = len(whole_launches(records.read(cluster.work / "run.jsonl"))) + 1
    again = ("--launches", str(one_more), "--budget", "1s", "--resume")
    cluster.mend()
    done: Done = cluster.run(*WAYS[way], *OPTIONS, *again)
    assert done.status == 0, done.stderr
    assert (cluster.work / "run.jsonl").read_bytes().startswith(kept)
    assert len(whole_launches(records.read(cluster.work / "run.jsonl"))) == one_more


def test_a_job_that_is_cancelled_keeps_its_rounds(cluster: Cluster) -> None:
    """A scheduler that takes its nodes back sends SIGTERM, and SIGKILL after the grace period."""
    script = " ".join(("exec", *WAYS["srun"][len(ALLOCATED) :], *OPTIONS, *LONG))
    (cluster.work / "job.sh").write_text(f"#!/bin/sh\n{script}\n")
    submit = ("sbatch", "--parsable", "--nodes=2", "--output=log", "job.sh")
    number = cluster.run(*submit).stdout.strip()
    path = cluster.work / "run.jsonl"
    for _ in range(20 * TEST_TIMEOUT_S):
        if path.exists() and path.read_bytes().count(b'"samples"') > 20:
            break
        time.sleep(0.05)
    assert cluster.run("scancel", "--full", "--signal=TERM", number).status == 0
    log = cluster.work / "log"
    for _ in range(10 * TEST_TIMEOUT_S):
        if "rounds up to then are kept" in log.read_text():
            break
        time.sleep(0.1)
    assert "rounds up to then are kept" in log.read_text()
    assert cluster.nothing_left()
    assert_rounds_are_whole(path)
