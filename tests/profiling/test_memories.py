"""Memories of buffers: those of accelerators by the driver that the program loaded."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from profiled_programs import Profiled, build, profiled_by

from conftest import RunHockney, fake_library, first_of
from fake_libraries import FakeLibrary
from hockney.profiling.kinds import read
from hockney.run.mpis import Mpi

HERE = Path(__file__).parent
REUSED = 64
"""Most messages for which an address is taken for what it was (recorder/memories.c)."""
EXPECTED = {
    ("MPI_Send", 500, "host"): 50,
    ("MPI_Recv", 500, "host"): 50,
    ("MPI_Send", 1000, "device"): 100,
    ("MPI_Recv", 1000, "device"): 100,
    ("MPI_Isend", 2000, "device"): 30,
    ("MPI_Irecv", 2000, "device"): 30,
    ("MPI_Allreduce", 800, "pinned"): 40,
    ("MPI_Bcast", 4096, "managed"): 20,
    ("MPI_Alltoall", 300, "device"): 20,
    ("MPI_Put", 700, "device"): 2,
}


@pytest.fixture
def profiled(mpi: Mpi, hockney: RunHockney, tmp_path: Path) -> Profiled:
    return profiled_by(mpi, hockney, tmp_path)


@pytest.fixture(scope="session")
def program(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(mpi, tmp_path_factory.mktemp("built"), HERE / "device_buffers.c", "-ldl")


def counted(shown: dict[str, Any]) -> dict[tuple[str, str], tuple[int, int]]:
    """Calls and bytes by call and memory."""
    return {
        (row["call"], row["memory"]): (row["count"], row["bytes_sum"])
        for row in shown["memories"]
        if row["call"] is not None
    }


@pytest.mark.parametrize(
    ("interface", "mode"),
    first_of([("cuda", ""), ("hip", ""), ("hip", "old"), ("level_zero", "")]),
    ids=["cuda", "hip", "hip-5", "level-zero"],
)
def test_memories_of_buffers(
    profiled: Profiled,
    program: Path,
    interface: str,
    mode: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(f"HOCKNEY_FAKE_{interface.upper()}", mode)
    done, shown = profiled(program, str(fake_library(interface).path), ranks=2)
    assert done.status == 0, done.stderr
    counts: Counter[tuple[str, int, str]] = Counter()
    for row in read(tmp_path / "p.jsonl").calls:
        counts[row.call, row.bytes, row.memory] += row.count
    for (call, size, memory), count in EXPECTED.items():
        assert counts[call, size, memory] == count
    # The address of device memory is the host's after it was freed.
    for call in ("MPI_Send", "MPI_Recv"):
        assert 1000 - REUSED <= counts[call, 24, "host"] <= 1000
        assert counts[call, 24, "host"] + counts[call, 24, "device"] == 1000
    total = {row["memory"]: row["bytes_sum"] for row in shown["memories"] if row["call"] is None}
    assert total["managed"] == 2 * 10 * 4096
    assert total["pinned"] == 2 * 20 * 800
    assert counted(shown)["MPI_Isend", "device"] == (30, 60000)
    [finding] = [finding for finding in shown["findings"] if finding.get("memory") == "pinned"]
    assert finding["text"].endswith("(32000 B) are sent from or received into pinned memory")


@pytest.mark.long
def test_programs_without_an_accelerator(profiled: Profiled, program: Path) -> None:
    done, shown = profiled(program, ranks=2)
    assert done.status == 0, done.stderr
    assert shown["memories"] == []
    assert not [finding for finding in shown["findings"] if finding["kind"] == "memory"]


@pytest.mark.long
def test_devices_that_are_lost_are_no_end_of_the_program(
    profiled: Profiled,
    program: Path,
    fake_cuda: FakeLibrary,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the driver no longer tells counts as the host's."""
    monkeypatch.setenv("HOCKNEY_FAKE_CUDA", "gone=12")
    done, shown = profiled(program, str(fake_cuda.path), ranks=2)
    assert "cuMemFree_v2" in done.stderr
    assert ("MPI_Send", "host") in counted(shown)
