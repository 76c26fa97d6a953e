"""Measuring over two hosts: by mpiexec, by srun, by a batch job."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cluster.conftest import Cluster
from conftest import TEST_TIMEOUT_S, Done
from hockney import records
from hockney.run.mpis import Mpi

pytestmark = pytest.mark.long

HOCKNEY = (sys.executable, "-m", "hockney")
SHORT = ("--sizes", "0,1KiB,64KiB", "--budget", "2s", "--launches", "3", "-o", "run.jsonl")
TWO_NODES = ("--nodes", "2", "--ranks-per-node", "1")
ALLOCATED = ("salloc", "--quiet", "--nodes=2")


def by_mpiexec(cluster: Cluster) -> Done:
    return cluster.run(*HOCKNEY, "pingpong", "--hosts", "hA,hB", *SHORT)


def by_srun(cluster: Cluster) -> Done:
    return cluster.run(*ALLOCATED, *HOCKNEY, "pingpong", *TWO_NODES, *SHORT)


def by_mpiexec_in_a_job(cluster: Cluster) -> Done:
    own = ("--launcher", "mpiexec", *TWO_NODES)
    return cluster.run(*ALLOCATED, *HOCKNEY, "pingpong", *own, *SHORT)


def by_job(cluster: Cluster) -> Done:
    words = ("job", "slurm", "--submit", "--", "pingpong", *TWO_NODES, *SHORT)
    return cluster.run(*HOCKNEY, *words)


@pytest.mark.parametrize("way", [by_mpiexec, by_srun, by_mpiexec_in_a_job, by_job])
def test_two_hosts_are_two_nodes_whatever_starts_the_ranks(
    cluster: Cluster, way: Callable[[Cluster], Done]
) -> None:
    done = way(cluster)
    assert done.status == 0, done.stderr
    assert "ranks at hA CPU 0, hB CPU 1" in done.stdout
    run = records.read(cluster.work / "run.jsonl")
    assert run.cut is None
    assert len(run.launches) == 3
    assert {samples.bytes for samples in run.samples} == {0, 1024, 65536}
    # Nodes share no memory: no cache line is handed over between them.
    assert run.probes == []
    assert run.launches[0].probe == "work"
    assert cluster.nothing_left()


def test_srun_is_found_and_wires_ranks_up_as_the_mpi_can(cluster: Cluster, mpi: Mpi) -> None:
    assert by_srun(cluster).status == 0
    command = records.read(cluster.work / "run.jsonl").launches[0].command
    assert command[0] == "srun"
    assert f"--mpi={'pmix' if mpi.family == 'openmpi' else 'pmi2'}" in command


def test_place_node_puts_neighbours_on_different_nodes(cluster: Cluster) -> None:
    ranks = ("-n", "4", "--place", "node", *SHORT)
    done = cluster.run(*HOCKNEY, "pingpong", "--hosts", "hA,hB", *ranks)
    assert done.status == 0, done.stderr
    places = records.read(cluster.work / "run.jsonl").launches[0].places
    assert [place.host for place in places] == ["hA", "hB", "hA", "hB"]


@pytest.mark.parametrize("allocated", [(), ALLOCATED])
def test_the_engine_is_sent_along_and_taken_away(
    cluster: Cluster, allocated: tuple[str, ...]
) -> None:
    """Only the directory `local` is not shared: the engine must have come there."""
    hosts = ("--nodes", "2") if allocated else ("--hosts", "hA,hB")
    sent = ("--broadcast", str(cluster.local), *SHORT)
    done = cluster.run(*allocated, *HOCKNEY, "pingpong", *hosts, *sent)
    assert done.status == 0, done.stderr
    run = records.read(cluster.work / "run.jsonl")
    assert any(word.startswith(f"{cluster.local}/hockney-") for word in run.launches[0].command)
    for host in ("hA", "hB"):
        assert list(Path(f"{cluster.local}-{host}").glob("hockney-*")) == []


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--nodes", "3", "-n", "3"), "this allocation (slurm) has 2 nodes, --nodes 3"),
        (("-n", "64"), "CPUs, -n 64 asks for more"),
        (("--launcher", "flux"), "not inside one of its jobs"),
    ],
)
def test_an_allocation_too_small_is_told_before_anything_starts(
    cluster: Cluster, words: tuple[str, ...], complaint: str
) -> None:
    done = cluster.run(*ALLOCATED, *HOCKNEY, "pingpong", *words, *SHORT)
    assert done.status == 2
    assert complaint in done.stderr
    assert not (cluster.work / "run.jsonl").exists()


def test_a_host_that_does_not_answer_is_named(cluster: Cluster) -> None:
    cluster.link("hB", "down")
    try:
        done = cluster.run(*HOCKNEY, "pingpong", "--hosts", "hA,hB", "--timeout", "5s", *SHORT)
    finally:
        cluster.link("hB", "up")
    assert done.status == 1
    assert "hB does not answer" in done.stderr
    assert "hA" not in done.stderr
    assert not (cluster.work / "run.jsonl").exists()


def test_a_job_that_fails_is_told_in_the_schedulers_words(cluster: Cluster) -> None:
    """A partition that is not there; then a job that is over before it has measured anything."""
    words = ("job", "slurm", "--partition", "attic", "--submit", "--", "pingpong", *SHORT)
    done = cluster.run(*HOCKNEY, *words)
    assert done.status == 1
    assert "invalid partition" in done.stderr


def test_a_job_takes_the_engine_along(cluster: Cluster) -> None:
    sent = (*TWO_NODES, "--broadcast", str(cluster.local))
    words = ("job", "slurm", "--submit", "--", "pingpong", *sent, *SHORT)
    done = cluster.run(*HOCKNEY, *words)
    assert done.status == 0, done.stderr
    assert "ranks at hA CPU 0, hB CPU 1" in done.stdout
    for host in ("hA", "hB"):
        assert list(Path(f"{cluster.local}-{host}").glob("hockney-*")) == []


def test_a_printed_script_measures_when_a_person_submits_it(cluster: Cluster) -> None:
    printed = cluster.run(*HOCKNEY, "job", "slurm", "--", "pingpong", *TWO_NODES, *SHORT)
    assert printed.status == 0, printed.stderr
    (cluster.work / "job.sh").write_text(printed.stdout)
    assert cluster.run("sbatch", "--wait", "job.sh").status == 0
    shown = cluster.run(*HOCKNEY, "show", "run.jsonl", "--json")
    assert {place["host"] for place in json.loads(shown.stdout)["run"]["places"]} == {"hA", "hB"}


def test_looks_come_between_jobs_until_one_is_cancelled(cluster: Cluster) -> None:
    own = ("--sizes", "8", "--budget", "0.2s", "--launches", "1")
    words = ("watch", "--dir", "w", "--duty", "90%", "--", "pingpong", *TWO_NODES, *own)
    done = cluster.run(*HOCKNEY, "job", "slurm", "--submit", "--no-exclusive", "--", *words)
    assert done.status == 0, done.stderr
    named = ("--noheader", "--name=hockney-watch")
    first = done.stdout.split()[1]
    for _ in range(5 * TEST_TIMEOUT_S):
        waiting = cluster.run("squeue", *named, "--format=%i %T %r").stdout.split()
        if waiting[:1] not in ([], [first]) and waiting[1:] == ["PENDING", "BeginTime"]:
            break
        time.sleep(0.2)
    else:
        raise AssertionError(f"no second job waits: {waiting}")
    (look,) = (cluster.work / "w").glob("look-*.jsonl")
    assert len(records.read(look).launches) == 1
    assert (cluster.work / "w" / "looks.jsonl").read_bytes().count(b"\n") == 1
    cluster.run("scancel", "--name=hockney-watch")
    assert cluster.run("squeue", *named).stdout == ""
