"""--memory as users give it, on a fake driver of accelerators: the proof that the MPI sends such
memory, the answer, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Done, RunHockney
from fake_libraries import FakeLibrary
from hockney.records import read
from hockney.run.mpis import Mpi

Hockney = Callable[..., Done]
QUICK = ("--launches", "2", "--budget", "0.4", "--oversubscribe", "-q")
CAN = "plain"


@pytest.fixture
def on_devices(hockney: RunHockney, mpi: Mpi, fake_cuda: FakeLibrary) -> Hockney:
    def run(*words: str, mode: str = CAN) -> Done:
        return hockney(*words, env=fake_cuda.environment(mpi, mode))

    return run


def test_the_answer_is_a_ratio(on_devices: Hockney, tmp_path: Path) -> None:
    result = tmp_path / "r.jsonl"
    words = ("--memory", "host", "device", "device,host", "--sizes", "8,64KiB", *QUICK)
    done = on_devices("pingpong", *words, "-o", str(result))
    assert done.status == 0, done.stderr
    first, second, *_ = done.stdout.splitlines()
    assert first.startswith("from device memory 8 B takes ")
    assert second.startswith("from device to host memory 8 B takes ")
    assert first.endswith("times as long as from the host's")
    points = {(sample.memory, sample.peer_memory) for sample in read(result).samples}
    assert points == {("host", None), ("device", None), ("device", "host")}
    shown = json.loads(on_devices("show", str(result), "--json").stdout)
    assert {
        (comparison["memory"], comparison["over"]["memory"]) for comparison in shown["memories"]
    } == {("device", "host")}


def test_windows_lie_on_the_device_without_a_word_of_their_kind(
    on_devices: Hockney, tmp_path: Path
) -> None:
    result = tmp_path / "r.jsonl"
    done = on_devices("rma", "put", "--memory", "device", "--sizes", "8", *QUICK, "-o", str(result))
    assert done.status == 0, done.stderr
    puts = {
        (sample.memory, sample.window_kind) for sample in read(result).samples if sample.window_kind
    }
    assert puts == {("device", "create")}


def test_osu_latency_between_devices(on_devices: Hockney, tmp_path: Path) -> None:
    words = ("--preset", "osu", "--memory", "device", "--sizes", "8,64", "-q", "--oversubscribe")
    done = on_devices("pingpong", *words, "--format", "osu")
    assert done.status == 0, done.stderr
    first, buffers, *_ = done.stdout.strip().splitlines()
    assert first == "# OSU MPI-CUDA Latency Test v7.4"
    assert buffers == "# Send Buffer on DEVICE (D) and Receive Buffer on DEVICE (D)"
    log = tmp_path / "osu.log"
    log.write_text(done.stdout)
    result = tmp_path / "imported.jsonl"
    assert on_devices("import", str(log), "-o", str(result)).status == 0
    assert {summary.memory for summary in read(result).summaries} == {"device"}


def test_staging_beside_it(on_devices: Hockney) -> None:
    words = ("--memory", "host", "device", "--staged", "whole,16KiB", "--sizes", "64KiB", *QUICK)
    done = on_devices("pingpong", *words)
    assert done.status == 0, done.stderr
    assert "sent by the library from there, 64 KiB takes " in done.stdout
    assert "times as long as staged by 16 KiB" in done.stdout


@pytest.mark.parametrize("verb", ["pingpong", "pairs"])
def test_a_library_that_cannot_is_named(on_devices: Hockney, mpi: Mpi, verb: str) -> None:
    if mpi.family == "intel":
        pytest.skip("Intel MPI sends it")
    done = on_devices(verb, "--memory", "device", "--sizes", "8,64KiB", *QUICK, mode="strict")
    assert done.status == 2
    assert " cannot send device memory (SIGSEGV at 8 B): it was built without CUDA" in done.stderr
    assert "use a library that was built for accelerators (--mpicc)" in done.stderr


def test_only_staged_messages_are_left(on_devices: Hockney, mpi: Mpi) -> None:
    if mpi.family == "intel":
        pytest.skip("Intel MPI sends it")
    words = ("--memory", "host", "device", "--staged", "whole", "--sizes", "8", *QUICK[:-1])
    done = on_devices("pingpong", *words, mode="strict")
    assert done.status == 0, done.stderr
    assert "staged whole" in done.stdout
    assert "it was built without CUDA: only staged messages are measured there" in done.stderr


def test_doctor(on_devices: Hockney, mpi: Mpi) -> None:
    done = on_devices("doctor", "--memory", "device", "pinned")
    assert done.status == 0, done.stderr
    assert " sends device memory\n" in done.stdout
    assert " sends pinned memory\n" in done.stdout
    if mpi.family != "intel":
        done = on_devices("doctor", "--memory", "device", mode="strict")
        assert done.status == 1
        assert " cannot send device memory (SIGSEGV at 8 B)" in done.stdout
    assert "every MPI sends memory of the host" in on_devices("doctor", "--memory", "host").stderr


def test_collectives_are_tried_one_by_one(on_devices: Hockney, mpi: Mpi) -> None:
    words = ("algorithms", "--collective", "bcast,reduce,barrier", "--memory", "device", "pinned")
    done = on_devices(*words)
    assert done.status == 0, done.stderr
    assert "pinned memory works with bcast, reduce\n" in done.stdout
    done = on_devices(*words, "--json", mode="strict")
    tried = {memory["memory"]: memory for memory in json.loads(done.stdout)["memories"]}
    assert tried["pinned"]["able"] == ["bcast", "reduce"]
    if mpi.family != "intel":
        assert done.status == 1
        assert tried["device"]["problems"] == {
            "bcast": "SIGSEGV at bcast of 8 B",
            "reduce": "SIGSEGV at reduce of 8 B",
        }


REFUSED = {
    "algorithms --memory host": "every MPI sends memory of the host",
    "pingpong --memory hots": "'hots': unknown memory",
    "pingpong --memory device device": "name one or more memories, each once",
    "pingpong --memory": "Option '--memory' requires an argument",
    "pingpong --memory device --platform cluster:2": "SimGrid simulates no accelerators",
    "pingpong --memory device --floor": "the floor is between memories of the host",
    "pingpong --memory device --staged 0": "a block has a byte or more",
    "pingpong --memory host --staged whole": "--staged: no message lies on a device",
    "pingpong --memory host --device near": "--device: no message lies on a device",
    "pingpong --memory device --device first": "unknown device",
    "rma put --memory device --window-kind allocate": "use --window-kind create or dynamic",
    "pairs --memory device --datatype vector:2:1:2": "use --packing datatype",
    "startup --memory device": "No such option '--memory'",
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_refused_before_mpi_starts(hockney: RunHockney, words: str) -> None:
    hockney.refused(*words.split(), because=REFUSED[words])


def test_no_driver(hockney: RunHockney) -> None:
    hockney.refused(
        *("pingpong", "--memory", "device"),
        *QUICK,
        because="there is no accelerator here: CUDA: no libcuda.so.1",
    )


def test_an_operation_after_memories_is_its_own_word(on_devices: Hockney) -> None:
    done = on_devices("collective", "--memory", "host", "device", "bcast", "--sizes", "8", *QUICK)
    assert done.status == 0, done.stderr
    assert "from device memory 8 B takes " in done.stdout
