"""Counts of the recorder in programs with known calls, and how these end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from profiled_programs import RANKS, Profiled, build, profiled_by

from conftest import RunHockney, first_of
from hockney.run.mpis import Mpi, family_of

HERE = Path(__file__).parent
N = 20
"""Repetitions in known_calls.c."""


@pytest.fixture(scope="module")
def program(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program with known calls."""
    return build(mpi, tmp_path_factory.mktemp("known"), HERE / "known_calls.c")


@pytest.fixture
def profiled(mpi: Mpi, hockney: RunHockney, tmp_path: Path) -> Profiled:
    return profiled_by(mpi, hockney, tmp_path)


def counts(shown: dict[str, Any]) -> dict[tuple[str, int | None, int], int]:
    return {
        (call["call"], call["communicator_size"], call["bytes"]): call["count"]
        for call in shown["calls"]
        if call["started"] != "MPI_Recv_init"
    }


def test_every_call_is_counted_once_with_its_bytes_and_partner(
    profiled: Profiled, program: Path
) -> None:
    done, shown = profiled(program)
    assert done.status == 0
    assert sorted(done.stdout.splitlines()) == [f"rank {rank} did all" for rank in range(RANKS)]
    each, pairs = N * RANKS, RANKS // 2
    assert counts(shown) == {
        ("MPI_Comm_split", RANKS, 0): RANKS,
        ("MPI_Comm_free", 2, 0): RANKS,
        ("MPI_Send", RANKS, 8): each,
        ("MPI_Recv", RANKS, 8): each,
        ("MPI_Irecv", RANKS, 96): each,
        ("MPI_Irecv", RANKS, 12): each,
        ("MPI_Isend", RANKS, 96): each,
        ("MPI_Isend", RANKS, 12): each,
        ("MPI_Waitall", None, 0): 2 * each,
        ("MPI_Send_init", RANKS, 64): RANKS,
        ("MPI_Recv_init", RANKS, 128): RANKS,
        ("MPI_Startall", RANKS, 64): each,
        ("MPI_Request_free", None, 0): 2 * RANKS,
        ("MPI_Allreduce", RANKS, 8): each,
        ("MPI_Bcast", 2, 1 << 16): each,
        ("MPI_Sendrecv", RANKS, 32): each,
        ("MPI_Ibarrier", 2, 0): each,
        ("MPI_Wait", None, 0): each,
        ("MPI_Win_create", RANKS, 0): RANKS,
        ("MPI_Win_fence", RANKS, 0): each + RANKS,
        ("MPI_Put", RANKS, 16): each,
        ("MPI_Win_free", None, 0): RANKS,
        **{("MPI_Allgatherv", RANKS, 4 * (rank + 1)): 1 for rank in range(RANKS)},
    }
    assert pairs * 2 == RANKS
    received = [call for call in shown["calls"] if call["started"] == "MPI_Recv_init"]
    assert [(call["call"], call["bytes"], call["count"]) for call in received] == [
        ("MPI_Startall", 64, each)
    ]
    partners_regions_names_and_datatypes(shown)


def partners_regions_names_and_datatypes(shown: dict[str, Any]) -> None:
    messages, bytes_ = 5 * N, N * (8 + 96 + 12 + 64 + 32) + N * 16
    assert shown["matrix"] == [
        {"job": 0, "rank": rank, "to_rank": rank ^ 1, "messages": messages + N, "bytes": bytes_}
        for rank in range(RANKS)
    ]
    regions = {row["region"]: row["count"] for row in shown["regions"]}
    assert regions["sums"] == 2 * N * RANKS
    named = {row["communicator"] for row in shown["communicators"]}
    assert {"MPI_COMM_WORLD", "pair"} <= named
    strided = {row["datatype"]: row["count"] for row in shown["datatypes"]}["strided"]
    assert strided == N * RANKS


@pytest.mark.long
def test_every_rank_is_described_and_the_library_named(
    profiled: Profiled, program: Path, mpi: Mpi
) -> None:
    _, shown = profiled(program, ranks=2)
    assert [rank["rank"] for rank in shown["ranks"]] == [0, 1]
    for rank in shown["ranks"]:
        assert rank["end"] == "finalized"
        assert 0.0 < rank["mpi_s"] <= rank["wall_s"]
        assert rank["lost_calls"] == rank["unfinished"] == 0
    assert sum(shown["causes"].values()) == pytest.approx(shown["time_s"], rel=0.05)
    name = {"openmpi": "Open MPI", "mpich": "MPICH", "intel": "Intel"}[mpi.family]
    assert name in shown["program"]["library"]


@pytest.mark.parametrize(
    ("how", "kind"),
    first_of([("abort", "rank-aborted"), ("kill", "rank-lost"), ("exit", "rank-lost")]),
)
def test_what_was_recorded_is_kept_however_it_ends(
    profiled: Profiled, program: Path, how: str, kind: str
) -> None:
    done, shown = profiled(program, how, ranks=2)
    assert kind in {finding["kind"] for finding in shown["findings"]}
    assert done.status != 0 or how == "exit"
    if how == "exit":
        assert counts(shown)["MPI_Send", 2, 8] == 2 * N


@pytest.mark.long
def test_the_exit_status_is_the_programs(profiled: Profiled, program: Path) -> None:
    done, shown = profiled(program, "status", ranks=2)
    assert done.status == shown["program"]["exit_status"] == 5


@pytest.mark.long
def test_files_and_partitions_are_counted(mpi: Mpi, profiled: Profiled, tmp_path: Path) -> None:
    path = build(mpi, tmp_path, HERE / "known_io.c")
    done, shown = profiled(path, str(tmp_path / "data"), ranks=2)
    assert done.status == 0, done.stderr
    by_call = {
        (call["call"], call["started"], call["bytes"]): call["count"] for call in shown["calls"]
    }
    assert by_call["MPI_File_open", None, 0] == 2
    assert by_call["MPI_File_write_at", None, 4096] == 20
    assert by_call["MPI_File_read_at_all", None, 100] == 10
    if ("MPI_Psend_init", None, 4096) in by_call:
        assert by_call["MPI_Start", "MPI_Psend_init", 4096] == 6
        assert by_call["MPI_Start", "MPI_Precv_init", 4096] == 6
        assert by_call["MPI_Pready", None, 0] == 24
        traffic = {(row["rank"], row["to_rank"]): row["bytes"] for row in shown["matrix"]}
        assert traffic == {(0, 1): 6 * 4096}


SLOW_SENDER = """
#include <mpi.h>
#include <time.h>
int main(int argc, char **argv)
{
    int rank, number = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5; i++) {
        struct timespec pause = {0, 100000000};
        if (rank == 0) {
            nanosleep(&pause, 0);
            MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        } else if (rank == 1) {
            MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        if (rank == 0)
            nanosleep(&pause, 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"""


@pytest.mark.long
def test_who_waits_for_whom_is_known(mpi: Mpi, profiled: Profiled, tmp_path: Path) -> None:
    """Rank 0 sleeps for 0.1 s before it sends, and again before each barrier, 5 times: rank 1 waits
    for most of the 0.5 s, unless the machine is busy and it comes late itself."""
    source = tmp_path / "slow.c"
    source.write_text(SLOW_SENDER)
    _, shown = profiled(build(mpi, tmp_path, source), ranks=2)
    by_call = {call["call"]: call for call in shown["calls"]}
    assert 0.25 < by_call["MPI_Recv"]["wait_s"] <= by_call["MPI_Recv"]["time_s"]
    assert 0.25 < by_call["MPI_Barrier"]["wait_s"] <= by_call["MPI_Barrier"]["time_s"]
    [decides] = [finding for finding in shown["findings"] if finding["kind"] == "decides"]
    is_busy = any(finding["kind"] == "cpus-busy" for finding in shown["findings"])
    assert decides["cause"] == "late partners" or is_busy
    assert decides.get("rank", 0) == 0 or is_busy


MANY = """
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank;
    static char data[20000], got[20000];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 20000; i++) {
        MPI_Sendrecv(data, i, MPI_CHAR, 0, 0, got, i, MPI_CHAR, 0, 0, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
        MPI_Comm made;
        MPI_Comm_dup(MPI_COMM_SELF, &made);
        MPI_Barrier(made);
        MPI_Comm_free(&made);
    }
    MPI_Finalize();
    return 0;
}
"""


@pytest.mark.long
def test_more_kinds_of_calls_and_communicators_than_the_table_holds(
    mpi: Mpi, profiled: Profiled, tmp_path: Path
) -> None:
    source = tmp_path / "many.c"
    source.write_text(MANY)
    done, shown = profiled(build(mpi, tmp_path, source), ranks=1)
    assert done.status == 0
    calls = {}
    for call in shown["calls"]:
        calls[call["call"]] = calls.get(call["call"], 0) + call["count"]
    assert calls == dict.fromkeys(
        ("MPI_Sendrecv", "MPI_Comm_dup", "MPI_Barrier", "MPI_Comm_free"), 20000
    )
    assert "sizes-rounded" in {finding["kind"] for finding in shown["findings"]}
    assert sum(call["bytes_sum"] for call in shown["calls"]) == sum(range(20000))


@pytest.mark.long
def test_a_program_without_mpi_ends_as_it_would(hockney: RunHockney, tmp_path: Path) -> None:
    done = hockney("profile", "-o", "p.jsonl", "--", "sh", "-c", "echo out; exit 4", process=True)
    assert (done.status, done.stdout) == (4, "out\n")
    assert "nothing was recorded" in done.stderr
    assert not (tmp_path / "p.jsonl").exists()
    assert list(tmp_path.iterdir()) == []


def test_asked_wrongly(hockney: RunHockney, tmp_path: Path) -> None:
    assert hockney("profile", "--", "nonesuch").status == 2
    (tmp_path / "p.jsonl").write_text("mine\n")
    hockney.refused("profile", "-o", "p.jsonl", "--", "true", because="p.jsonl exists")
    assert (tmp_path / "p.jsonl").read_text() == "mine\n"


@pytest.mark.long
def test_arguments_can_be_left_out(hockney: RunHockney, mpi: Mpi, program: Path) -> None:
    words = ("--", str(mpi.mpiexec), "-n", "2", str(program), "status")
    env = {"MPICC": str(mpi.mpicc), **family_of(mpi).environment(mpi)}
    hockney("profile", "-o", "p.jsonl", "--no-arguments", *words, env=env)
    shown = hockney("show", "p.jsonl", "--json").json
    assert shown["program"]["command"] is None
    assert shown["calls"]
