"""Programs whose calls are known exactly."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from profiled_programs import Profiled, build, profiled_by

from conftest import RunHockney, first_of, kept_short
from hockney.profiling.kinds import Profile, read
from hockney.run.mpis import Mpi, family_of

HERE = Path(__file__).parent / "programs"
PRINTED = "as many as the program prints"
Counts = dict[str, dict[int, Any]]

KNOWN: dict[str, tuple[int, Counts]] = {
    "proc_null": (
        4,
        {
            "MPI_Sendrecv": {800: 300, 0: 100},
            "MPI_Isend": {800: 300, 0: 100},
            "MPI_Irecv": {800: 300, 0: 100},
            "MPI_Waitall": {0: 200},
        },
    ),
    "null_requests": (
        2,
        {"MPI_Isend": {800: 100}, "MPI_Irecv": {800: 100}, "MPI_Waitall": {0: 100}},
    ),
    "isendrecv": (
        2,
        {
            "MPI_Isendrecv": {4096: 20},
            "MPI_Isendrecv_replace": {256: 10},
            "MPI_Wait": {0: 30},
        },
    ),
    "imrecv": (
        2,
        {
            "MPI_Send": {1000: 20},
            "MPI_Mprobe": {0: 20},
            "MPI_Imrecv": {1000: 20},
            "MPI_Wait": {0: 20},
        },
    ),
    "pcontrol_thread": (1, {"MPI_Barrier": {0: 100}}),
    "intercomm_gather": (
        4,
        {
            "MPI_Gather": {4: 14, 0: 14},
            "MPI_Comm_split": {0: 4},
            "MPI_Intercomm_create": {0: 4},
            "MPI_Comm_free": {0: 8},
        },
    ),
    "persistent": (
        2,
        {
            "MPI_Allreduce_init": {4: 2},
            "MPI_Bcast_init": {2000: 2},
            "MPI_Psend_init": {4000: 1},
            "MPI_Precv_init": {4000: 1},
            "MPI_Start": {4: 20, 2000: 12, 4000: 10},
            "MPI_Pready": {0: 20},
            "MPI_Wait": {0: 42},
        },
    ),
    "many_sends": (
        2,
        {"MPI_Isend": {8: 40000}, "MPI_Recv": {8: 40000}, "MPI_Waitall": {0: 1}},
    ),
    "communicators": (
        4,
        {
            **{
                f"MPI_{name}": {0: 4}
                for name in (
                    *("Cart_create", "Cart_sub", "Dist_graph_create_adjacent", "Comm_split"),
                    *("Intercomm_create", "Intercomm_merge", "Comm_idup", "Comm_create_group"),
                    "Barrier",
                )
            },
            "MPI_Comm_free": {0: 32},
            "MPI_Neighbor_alltoall": {4: 4},
            "MPI_Allreduce": {4: 4},
        },
    ),
    "get_status": (
        2,
        {
            "MPI_Send": {512: 30},
            "MPI_Irecv": {512: 30},
            "MPI_Wait": {0: 30},
            "MPI_Barrier": {0: 60},
            "MPI_Request_get_status": {0: PRINTED},
        },
    ),
    "windows_c": (
        2,
        {
            **{f"MPI_Win_{name}": {0: 2} for name in ("create", "allocate", "allocate_shared")},
            "MPI_Put": {128: 18},
            "MPI_Win_fence": {0: 12},
            "MPI_Win_free": {0: 6},
        },
    ),
    "io_shared": (
        2,
        {
            **{f"MPI_File_{name}": {0: 2} for name in ("open", "close", "seek_shared")},
            **{
                f"MPI_File_{name}": {256: 8}
                for name in (
                    *("iwrite_shared", "write_at_all_begin", "write_ordered_begin"),
                    *("iread_shared", "read_all_begin"),
                )
            },
        },
    ),
}
"""Ranks, and the calls over all ranks by the bytes of one; other calls may be there."""
SENT_BYTES = {"proc_null": 480_000, "isendrecv": 84_480, "imrecv": 20_000}
ARGUMENTS = {"many_sends": ["40000"]}


@pytest.fixture
def profiled(mpi: Mpi, hockney: RunHockney, tmp_path: Path) -> Profiled:
    return profiled_by(mpi, hockney, tmp_path)


@pytest.mark.parametrize(
    "name",
    kept_short(list(KNOWN), ("proc_null", "pcontrol_thread")),
)
def test_every_call_is_counted(
    name: str, mpi: Mpi, profiled: Profiled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # io_shared writes there
    if name == "windows_c" and mpi.family == "openmpi":
        pytest.skip("no large counts")
    program = build(mpi, tmp_path, HERE / f"{name}.c", "-pthread")
    ranks, calls = KNOWN[name]
    done, shown = profiled(program, *ARGUMENTS.get(name, []), ranks=ranks)
    assert done.status == 0, done.stderr
    profile = read(tmp_path / "p.jsonl")
    assert {rank.end for rank in profile.ranks} == {"finalized"}
    assert [rank.lost_calls + rank.lost_requests for rank in profile.ranks] == [0] * ranks
    counts: dict[str, Counter[int]] = {}
    for row in profile.calls:
        counts.setdefault(row.call, Counter())[row.bytes] += row.count
    printed = re.search(r"\d+", done.stdout)
    for call, expected in calls.items():
        if PRINTED in expected.values():
            assert printed
            expected = dict.fromkeys(expected, int(printed[0]))
        assert dict(counts.get(call, {})) == expected, call
    if name == "pcontrol_thread":
        assert printed
        assert counts.get("MPI_Sendrecv", Counter()).total() <= int(printed[0])
    if name in SENT_BYTES:
        assert sum(row["bytes_sum"] for row in shown["distances"]) == SENT_BYTES[name]
    if name == "proc_null":
        nobody = [row for row in shown["distances"] if row["distance"] == "none"]
        assert [(row["count"], row["bytes_sum"]) for row in nobody] == [(200, 0)]
    if name in ("proc_null", "null_requests"):
        check_shares(profile)


def check_shares(profile: Profile) -> None:
    """The time of MPI_Waitall is that of requests that carry something, whole."""
    waited: Counter[int] = Counter()
    for calls in profile.calls:
        if calls.call == "MPI_Waitall":
            waited[calls.rank] += round(calls.time_s * 1e9)
        elif calls.call in ("MPI_Isend", "MPI_Irecv"):
            assert calls.bytes or calls.completion_s == 0.0
            waited[calls.rank] -= round(calls.completion_s * 1e9)
    assert waited
    assert all(abs(left) < 1000 for left in waited.values()), waited


def launched_apart(mpi: Mpi, program: Path, first: list[str], second: list[str]) -> list[str]:
    """A command of two parts of one rank each, each with its own prefix."""
    launcher = [str(mpi.mpiexec)]
    if mpi.family == "openmpi":
        launcher += ["--oversubscribe", "--allow-run-as-root"]
    parts = [["-n", "1", *prefix, str(program)] for prefix in (first, second)]
    return [*launcher, *parts[0], ":", *parts[1]]


@pytest.mark.parametrize("without", first_of([1, 0]))
def test_ranks_with_and_without_the_recorder_run_together(
    without: int, mpi: Mpi, hockney: RunHockney, tmp_path: Path
) -> None:
    """It makes no communication of its own: the other ranks would wait for it, or take part."""
    program = build(mpi, tmp_path, HERE / "ring.c")
    prefixes: list[list[str]] = [[], []]
    prefixes[without] = ["env", "-u", "LD_PRELOAD"]
    command = ["timeout", "600", *launched_apart(mpi, program, *prefixes)]
    env = {"MPICC": str(mpi.mpicc), **family_of(mpi).environment(mpi)}
    words = ["--mpicc", str(mpi.mpicc), "-o", "p.jsonl", "--", *command]
    done = hockney.ok("profile", *words, env=env)
    assert "1 of 2 ranks left no record" in done.stderr
    profile = read(tmp_path / "p.jsonl")
    assert [rank.rank for rank in profile.ranks] == [1 - without]
    calls = [(call.call, call.count, call.bytes) for call in profile.calls]
    assert calls == [("MPI_Sendrecv", 100, 64)]
