"""The fakes do to MPI libraries what accelerators do: those that are aware of them send
their memory, the others die of it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Done, RunEngine
from fake_libraries import FAKES, FakeLibrary
from hockney.run.mpis import Mpi

RIGHT = "".join(f"{size} bytes: 0 wrong\n" for size in (8, 65536, 4 << 20))
MEMORIES = [("device", "device"), ("device", "host"), ("managed", "pinned")]


@pytest.fixture(scope="session")
def pingpong(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("programs") / "device_pingpong"
    source = FAKES / "device_pingpong.c"
    subprocess.run([mpi.mpicc, "-std=gnu11", "-O1", "-o", path, source, "-ldl"], check=True)
    return path


Run = Callable[..., Done]


@pytest.fixture
def run(run_engine: RunEngine, mpi: Mpi, fake_cuda: FakeLibrary, pingpong: Path) -> Run:
    def run(mode: str, *words: str, **how: bool) -> Done:
        return run_engine(*words, path=pingpong, env=fake_cuda.environment(mpi, mode, **how))

    return run


@pytest.mark.long
@pytest.mark.parametrize("memories", MEMORIES, ids="-".join)
def test_memory_that_the_host_reaches_is_sent_by_every_mpi(
    run: Run, memories: tuple[str, str]
) -> None:
    done = run("plain", *memories)
    assert (done.status, done.stdout) == (0, RIGHT), done.stderr


@pytest.mark.parametrize("memories", MEMORIES, ids="-".join)
@pytest.mark.parametrize("mode", ["strict", "strict,async"])
def test_memory_of_devices_is_sent_by_an_aware_mpi_only(
    mpi: Mpi, run: Run, memories: tuple[str, str], mode: str
) -> None:
    done = run(mode, *memories)
    if mpi.family == "intel" or "device" not in memories:
        assert (done.status, done.stdout) == (0, RIGHT), done.stderr
    else:
        assert done.status != 0
        assert done.stdout != RIGHT


def test_a_missing_wait_shows(run: Run) -> None:
    """Copies that were begun have not happened where nobody waits."""
    done = run("async", "device", "device", "hasty", use=False)
    assert "8 bytes: 0 wrong" not in done.stdout
    assert "8 bytes:" in done.stdout, done.stderr


REFUSED = {
    "none": "cuInit: 100",
    "no-managed": "cuMemAllocManaged: 801",
    "memory=1000": "cuMemAllocManaged: 2",
    "gone=1": ": 46",
}


@pytest.mark.parametrize("mode", list(REFUSED))
def test_what_a_driver_refuses(run: Run, mode: str) -> None:
    assert REFUSED[mode] in run(mode, "managed", "managed", use=False).stderr


def test_memory_that_processes_share(mpi: Mpi, run: Run) -> None:
    """An MPI that maps the memory of another process's device finds it, or is refused."""
    if mpi.family != "intel":
        assert run("plain,no-ipc", "device", "device").stdout == RIGHT  # neither asks for it
        return
    assert run("strict,ipc", "device", "device", ipc=True).stdout == RIGHT
    refused = run("strict,no-ipc", "device", "device", ipc=True)
    assert "failure in cuIpcGetMemHandle" in refused.stdout + refused.stderr
