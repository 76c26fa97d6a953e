"""Clocks of hosts that differ, found from what a program exchanged between them."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from profile_samples import PROGRAM
from profiled_programs import build

from conftest import TEST_TIMEOUT_S
from hockney.profiling.clocks import ClockOffset, Precedence, clocks_of
from hockney.profiling.collect import collect
from hockney.profiling.kinds import Profile
from hockney.profiling.layout import FILE
from hockney.run.measure.recording import environment
from hockney.run.measure.toolchain.build import build_recorder
from hockney.run.mpis import Mpi, family_of
from starting import mpi_command

LATE = """
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, data = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 100; i++) {
        if (rank == 0 && i % 10 == 0)
            usleep(50000);
        if (rank == 0)
            MPI_Send(&data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(&data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"""


def recorded(mpi: Mpi, directory: Path) -> Path:
    """The files of two ranks: rank 0 is late by 10 ms ten times."""
    source, ranks = directory / "late.c", directory / "ranks"
    source.write_text(LATE)
    ranks.mkdir()
    family = family_of(mpi)
    command = mpi_command(mpi, 2, [str(build(mpi, directory, source))])
    env = {**os.environ, **family.environment(mpi)}
    preloaded = environment(build_recorder(mpi)[0], ranks)
    env |= {name: word for name, word in preloaded.items() if os.environ.get(name) != word}
    subprocess.run(command, env=env, check=True, timeout=TEST_TIMEOUT_S)
    return ranks


def move_to_another_host(path: Path, seconds: float, drift: float) -> None:
    """Its clock is ahead by so much, and gains on the others."""
    content = np.memmap(path, dtype=FILE, mode="r+")
    header = content[0]["header"]
    header["boot"] = b"another"
    passed = int(header["last_ns"]) - int(header["first_ns"])
    header["first_ns"] = int(header["first_ns"]) + round(seconds * 1e9)
    header["last_ns"] = int(header["first_ns"]) + round(passed * (1.0 + drift))
    content.flush()


def waits(profile: Profile) -> dict[tuple[int, str], float | None]:
    return {
        (call.rank, call.call): call.wait_s
        for call in profile.calls
        if call.call in ("MPI_Send", "MPI_Recv", "MPI_Barrier")
    }


def test_waits_between_hosts_are_those_of_one_host(mpi: Mpi, tmp_path: Path) -> None:
    """Files of one host, and the same with the clock of rank 1 ahead by 1,000 s and gaining 50 us a
    second."""
    ranks = recorded(mpi, tmp_path)
    before = waits(collect(ranks, PROGRAM))
    [second] = [path for path in ranks.iterdir() if path.name.startswith("1.")]
    move_to_another_host(second, 1000.0, 5e-5)
    profile = collect(ranks, PROGRAM)
    errors = {rank.rank: rank.clock_error_s for rank in profile.ranks}
    assert errors[0] == 0.0
    error = errors[1]
    assert error is not None
    assert error < 25e-3  # half of what rank 0 is late
    after = waits(profile)
    received = after[1, "MPI_Recv"]
    assert received is not None
    assert received > 0.25
    for key, seconds in before.items():
        # 100 calls of each. Any may be off by the error, and what is then no longer than the error
        # counts as none.
        assert after[key] == pytest.approx(seconds, abs=100 * 2 * error + 1e-6), key


def exchange(seconds: float, ahead: float) -> list[Precedence]:
    """A message of 10 us to host b, whose clock is ahead, and one back."""
    b = seconds + ahead
    return [Precedence(0, seconds, 1, b + 10e-6), Precedence(1, b, 0, seconds + 10e-6)]


def test_the_error_is_what_the_messages_leave_open() -> None:
    orders = [
        precedence for n in range(50) for precedence in exchange(1000.0 + n, -7.0 + 20e-6 * n)
    ]
    first, second = clocks_of(["a", "b"], orders)
    assert first == ClockOffset()
    assert second is not None
    assert second.error_s == pytest.approx(10e-6, rel=0.1)
    for n in (0, 25, 49):
        at = 1000.0 + n - 7.0 + 20e-6 * n
        assert second.reference_s(at) == pytest.approx(1000.0 + n, abs=second.error_s)


def test_a_clock_that_was_set_meanwhile_is_unknown() -> None:
    orders = [precedence for n in range(50) for precedence in exchange(n, 5.0 if n < 25 else 6.0)]
    assert clocks_of(["a", "b"], orders) == [ClockOffset(), None]


def test_messages_one_way_leave_the_clock_unknown() -> None:
    assert clocks_of(["a", "b"], [Precedence(0, 1.0, 1, 5.0)]) == [ClockOffset(), None]
    assert clocks_of(["", ""], exchange(0.0, 1.0)) == [None, None]


def test_a_host_is_compared_through_another() -> None:
    through = [
        replace(precedence, first=precedence.first + 1, then=precedence.then + 1)
        for precedence in exchange(9.0, 2.0)
    ]
    orders = [*exchange(1.0, 8.0), *through]
    third = clocks_of(["a", "b", "c"], orders)[2]
    assert third is not None
    assert third.reference_s(11.0) == pytest.approx(1.0, abs=third.error_s)
    assert third.error_s >= 20e-6 - 1e-7
