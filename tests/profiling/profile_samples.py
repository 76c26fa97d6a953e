"""Profiles written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hockney.profiling.kinds import Calls, Profile, Program, RankRecord, encode

PROGRAM = Program(
    schema=1,
    hockney="0",
    command=("mpiexec", "-n", "2", "./app"),
    time_utc="2026-01-01T00:00:00+00:00",
    exit_status=0,
    wall_s=2.0,
)


def rank(number: int, ranks: int = 2, **fields: Any) -> RankRecord:
    usual = {"host": "a", "boot": "b", "cpu": number, "cpus": str(number), "cache": "0-1"}
    return RankRecord(
        job=0, rank=number, ranks=ranks, program="/bin/app", end="finalized",
        **{**usual, "wall_s": 1.0, **fields},
    )  # fmt: skip


def calls(rank: int, call: str, count: int, bytes: int = 0, **fields: Any) -> Calls:
    usual = {"communicator_size": 2, "members": "1", "datatype": "basic", "time_s": 0.1}
    return Calls(
        job=0, rank=rank, call=call, count=count, bytes=bytes, bytes_sum=bytes * count, most_s=0.01,
        **{**usual, **fields},
    )  # fmt: skip


def pingpong(count: int, bytes: int) -> list[Calls]:
    """Two ranks that send a message forth and back so many times."""
    return [
        call
        for rank in (0, 1)
        for call in (
            calls(rank, "MPI_Send", count, bytes, peer=1 - rank),
            calls(rank, "MPI_Recv", count, bytes, peer=1 - rank),
        )
    ]


def profile(*of: Calls, ranks: int = 2) -> Profile:
    return Profile(PROGRAM, [rank(number, ranks) for number in range(ranks)], list(of))


def written(path: Path, of: Profile) -> Path:
    path.write_bytes(encode(of))
    return path
