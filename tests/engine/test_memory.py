"""Memory of a rank beside its message buffers and its MPI."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import TEST_TIMEOUT_S, RunEngine, kept_short
from hockney.run.mpis import Engine, Mpi, family_of
from preloads import Watch
from starting import mpi_command

BARE = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm node, pair;
    MPI_Win window;
    char *mine, byte = 0;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &pair);
    MPI_Comm_split_type(pair, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Win_allocate_shared(512, 1, MPI_INFO_NULL, pair, &mine, &window);
    for (int i = 0; i < 1000; i++) {
        if (rank == 0) {
            MPI_Send(&byte, 1, MPI_BYTE, 1, 0, pair);
            MPI_Recv(&byte, 1, MPI_BYTE, 1, 0, pair, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&byte, 1, MPI_BYTE, 0, 0, pair, MPI_STATUS_IGNORE);
            MPI_Send(&byte, 1, MPI_BYTE, 0, 0, pair);
        }
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
"""
ACCOUNTANT = """
import os, resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, close_fds=False).returncode
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
os.write(1, f"peak {peak}\\n".encode())  # at once: ranks write into one pipe
sys.exit(status)
"""
LIMIT_KIB = 2560


@pytest.fixture(scope="module")
def bare(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("bare")
    source = directory / "bare.c"
    source.write_text(BARE)
    subprocess.run([mpi.mpicc, "-O2", "-o", directory / "bare", source], check=True)
    return directory / "bare"


def peak_kib(mpi: Mpi, program: list[str], directory: Path, ranks: int = 2) -> int:
    """The largest peak of the ranks, each started by an accountant of its own."""
    accountant = directory / "accountant.py"
    accountant.write_text(f"#!{sys.executable}\n{ACCOUNTANT}")
    accountant.chmod(0o755)
    done = subprocess.run(
        mpi_command(mpi, ranks, [str(accountant), *program]),
        capture_output=True,
        text=True,
        timeout=TEST_TIMEOUT_S,
        check=True,
        env={**os.environ, **family_of(mpi).environment(mpi)},
    )
    peaks = [int(kib) for kib in re.findall(r"peak (\d+)", done.stdout)]
    assert len(peaks) == ranks
    return max(peaks)


@pytest.mark.long
def test_a_rank_needs_under_two_and_a_half_mebibytes_of_its_own(
    mpi: Mpi, engine: Engine, bare: Path, tmp_path: Path
) -> None:
    without = min(peak_kib(mpi, [str(bare)], tmp_path) for _ in range(3))
    words = ["pingpong", "--sizes", "0,1..8", "--seconds", "0.5"]
    peak = min(peak_kib(mpi, [str(engine.path), *words], tmp_path) for _ in range(3))
    assert peak - without < LIMIT_KIB


LARGE = 8 << 20
SMALL = "--sizes=8"
BUFFERS = [
    ("pingpong", 2, 1.0),
    ("pingpong --buffers=separate", 2, 2.0),
    ("pingpong --operation=exchange", 2, 2.0),
    ("pingpong --operation=stream --window=2,4", 2, 5.0),
    ("pingpong --operation=bidirectional --window=4 --buffers=returned", 2, 8.0),
    ("pingpong --operation=bidirectional --window=4", 2, 5.0),
    ("overheads --trains=2:0:0", 2, 1.0),
    ("pairs", 2, 1.0),
    ("cores --buffers=separate", 3, 2.0),
    ("collective bcast", 2, 1.0),
    ("collective allreduce", 2, 2.0),
    ("collective scatter", 2, 3.0),
    ("collective alltoall", 2, 4.0),
    ("collective ialltoall", 2, 4.0),
    ("collective alltoallv", 2, 4.0),
]
"""Sizes of buffers in docs/method.md, in messages; of collectives on the root."""


@pytest.mark.parametrize(("asked", "ranks", "messages"), kept_short(BUFFERS, BUFFERS[1::6]))
def test_buffers_take_what_the_method_states(
    mpi: Mpi, engine: Engine, tmp_path: Path, asked: str, ranks: int, messages: float
) -> None:
    """A rank's peak memory grows by its buffers from small messages to large ones. The MPI library
    takes room for a message of its own in some collectives, Intel's for up to two in all, and at
    times for more, if a rank is late: the least of three launches counts."""
    program = [str(engine.path), *asked.split(), "--seconds=0.01", "--oversubscribe"]
    small = min(peak_kib(mpi, [*program, SMALL], tmp_path, ranks) for _ in range(3))
    most = messages + ("collective" in asked) + 2 * (mpi.family == "intel") + 0.5
    for _ in range(3):
        large = peak_kib(mpi, [*program, f"--sizes={LARGE}"], tmp_path, ranks)
        grown = (large - small) * 1024 / LARGE
        if messages - 0.5 < grown < most:
            break
    assert messages - 0.5 < grown < most


def test_small_blocks_of_many_ranks_take_no_page_each(watch: Watch) -> None:
    ranks, page = 8, os.sysconf("SC_PAGESIZE")
    _, calls = watch("collective", "alltoall", SMALL, "--seconds=0.01", ranks=ranks)
    for rank in range(ranks):
        (allocated,) = (call.root for call in calls[rank] if call.name == "allocated")
        assert 2 * 8 * ranks <= allocated <= 2 * (8 * ranks + page)


def test_room_for_blocks_is_what_they_are(run_engine: RunEngine) -> None:
    """More than any machine has, so that it is refused, with what it would take."""
    run_engine.refused(
        "collective",
        "alltoall",
        "--sizes=8192GiB",
        because=f"need {2 * 2 * 2 * 8192 * 1024:.0f} MiB on a node",
    )


def limited(root: Path, limit: str, group: str = "/job/step") -> dict[str, str]:
    """A machine where this process's control group, /job, has a limit and 1 MiB in use."""
    at = root / "sys/fs/cgroup" / group.strip("/")
    at.mkdir(parents=True)
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text(f"1:cpuset:/other\n0::{group}\n")
    (at / "memory.max").write_text("max\n")
    (at / "memory.current").write_text("0\n")
    (at.parent / "memory.max").write_text(f"{limit}\n")
    (at.parent / "memory.current").write_text(f"{1 << 20}\n")
    return {"HOCKNEY_FAULT_ROOT": str(root)}


@pytest.mark.parametrize(
    ("limit", "asked", "ranks", "needed"),
    [
        ("max", "pingpong --sizes=8MiB", 2, None),
        (f"{21 << 20}", "pingpong --sizes=8MiB", 2, None),
        (f"{16 << 20}", "pingpong --sizes=8MiB", 2, 16),
        # The root needs 3 MiB more than the others: no rank by itself exceeds a third of 12 MiB.
        (f"{11 << 20}", "collective gather --sizes=1MiB", 4, 11),
        # Victims of 8 bytes, and aggressors that receive 16 messages of 1 MiB at once.
        (
            f"{9 << 20}",
            "congestion pingpong --sizes=8 --loads=ring:1048576:16:0:0 --roles=random:2",
            4,
            34,
        ),
    ],
    ids=["no limit", "fits", "too large", "the root's blocks", "aggressors"],
)
def test_limits_of_control_groups_count(
    run_engine: RunEngine,
    faulty_engine: Engine,
    tmp_path: Path,
    limit: str,
    asked: str,
    ranks: int,
    needed: int | None,
) -> None:
    root = limited(tmp_path / "machine", limit)
    words = (*asked.split(), "--seconds=0.01", "--place=none")
    done = run_engine(*words, ranks=ranks, path=faulty_engine.path, env=root)
    assert done.status == (0 if needed is None else 2), done.stderr
    assert (f"need {needed} MiB on a node" in done.stderr) == (needed is not None)


def test_stops_by_a_quota_before_the_launch_are_not_its_own(
    run_engine: RunEngine, faulty_engine: Engine, tmp_path: Path
) -> None:
    root = tmp_path / "machine"
    for group in ("cpu/job/step", "cpuset/job", "cpu"):
        at = root / "sys/fs/cgroup" / group
        at.mkdir(parents=True, exist_ok=True)
        (at / "cpu.stat").write_text("nr_periods 9\nnr_throttled 7\nthrottled_time 5000000\n")
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text("2:cpuset:/job\n1:cpuacct,cpu:/job/step\n")
    env = {"HOCKNEY_FAULT_ROOT": str(root)}
    words = ("pingpong", "--sizes=8", "--seconds=0.01", "--place=none")
    done = run_engine.ok(*words, path=faulty_engine.path, env=env)
    assert [noise["throttled"] for noise in done.of("noise")] == [0.0, 0.0]
    shutil.rmtree(root / "sys/fs/cgroup/cpu")
    done = run_engine(*words, path=faulty_engine.path, env=env)
    assert [noise["throttled"] for noise in done.of("noise")] == [None, None]
