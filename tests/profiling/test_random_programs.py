"""Programs that make legal calls at random end and print as they do without the recorder."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from profiled_programs import build

from conftest import TEST_TIMEOUT_S, first_of
from hockney.profiling.collect import collect
from hockney.profiling.kinds import Program
from hockney.run.measure.recording import environment
from hockney.run.measure.toolchain.build import build_recorder
from hockney.run.mpis import Mpi, family_of
from starting import mpi_command

HERE = Path(__file__).parent
RANKS, OPERATIONS = 3, 25
NOT_OF_THE_PROGRAM = re.compile(r"^\[\d+\.\d+\] \[.*UCX .*\n", re.MULTILINE)
"""Warnings of UCX at the end, now and then, with the time and addresses."""
ATTEMPTS = 2
"""Without the recorder, too, MPICH crashed in one of some thousand such runs."""


@pytest.fixture(scope="module")
def program(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(mpi, tmp_path_factory.mktemp("random"), HERE / "random_calls.c", "-pthread")


@pytest.mark.parametrize("seed", first_of(range(4, 12)))
def test_a_random_program_ends_and_prints_as_without_the_recorder(
    seed: int, mpi: Mpi, program: Path, tmp_path: Path
) -> None:
    """1 to 4 threads (by the seed), intercommunicators with arguments that are none, MPI_PROC_NULL,
    matched, persistent, partitioned and cancelled messages, windows, recording switched on and
    off."""
    family = family_of(mpi)
    command = mpi_command(mpi, RANKS, [str(program), str(seed), str(OPERATIONS)])
    recorder, _ = build_recorder(mpi)
    for attempt in range(ATTEMPTS):
        records, ended = tmp_path / f"{attempt}", []
        records.mkdir()
        for env in (dict(os.environ), environment(recorder, records, 1000)):
            done = subprocess.run(
                command,
                env={**env, **family.environment(mpi)},
                capture_output=True,
                text=True,
                timeout=TEST_TIMEOUT_S,
            )
            ended.append((done.returncode, NOT_OF_THE_PROGRAM.sub("", done.stdout)))
        if {status for status, _ in ended} == {seed % 3}:
            break
    assert ended[1] == ended[0]
    assert ended[0][0] == seed % 3
    profile = collect(
        records,
        Program(schema=1, hockney="0", command=None, time_utc="", exit_status=0, wall_s=1.0),
    )
    assert [(rank.job, rank.rank, rank.end) for rank in profile.ranks] == [
        (0, rank, "finalized") for rank in range(RANKS)
    ]
