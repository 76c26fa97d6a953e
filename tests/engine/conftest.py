"""Common fixtures of the engine's tests: runs watched by watched_mpi.c, and runs to which things
happen."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Done, RunEngine
from hockney.run.mpis import Engine, Mpi, family_of
from long_runs import Running, StartEngine, comes_true, nothing_left
from preloads import MESSAGE, Call, Watch, build_library, read_calls, write_wrapper
from starting import mpi_command


@pytest.fixture(scope="session")
def watched_mpi(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_library(mpi, "watched_mpi", tmp_path_factory.mktemp("watched"))


@pytest.fixture
def watch(run_engine: RunEngine, engine: Engine, watched_mpi: Path, tmp_path: Path) -> Watch:
    """Runs the engine; also returns the calls of each rank for messages of `message` bytes."""

    def run(
        *arguments: str, ranks: int = 2, message: int = MESSAGE
    ) -> tuple[Done, dict[int, list[Call]]]:
        trace = tmp_path / "trace"
        program = write_wrapper(
            tmp_path / "watched",
            engine.path,
            LD_PRELOAD=watched_mpi,
            HOCKNEY_TEST_TRACE=trace,
            HOCKNEY_TEST_BYTES=message,
        )
        # Not the messages that show their way: only what is measured.
        done = run_engine(*arguments, "--paths=none", ranks=ranks, path=program)
        assert done.status == 0, done.stderr
        return done, read_calls(trace)

    return run


@pytest.fixture
def start_engine(mpi: Mpi, engine: Engine, tmp_path: Path) -> Iterator[StartEngine]:
    """Starts the engine as run_engine does, and returns once it has recorded samples."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str, ranks: int = 2) -> Running:
        path = tmp_path / "records"
        with path.open("w") as records:
            process = subprocess.Popen(
                mpi_command(mpi, ranks, [str(engine.path), *arguments, "--oversubscribe"]),
                stdout=records,
                stderr=subprocess.DEVNULL,
                env={**os.environ, **family_of(mpi).environment(mpi)},
            )
        started.append(process)
        running = Running(process, path)
        assert comes_true(lambda: bool(running.done().of("samples"))), "no samples"
        return running

    yield start
    for process in started:
        process.kill()
        process.wait()
    assert nothing_left()
