"""Messages in memory of accelerators, of which a fake driver (fakes/) has the memory: data that
arrive, devices that are chosen, and faults that are named."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Done, RunEngine, kept_short
from fake_libraries import FakeLibrary
from hockney.run.mpis import Engine, Mpi

SIZES = "--sizes=8,64KiB,1MiB"
SHORT = ("--seconds=0.05", "--rounds=1:1", "--paths=none")
REACHED = "plain"
"""The mode in which every MPI sends what lies on a device, as the host reaches it as well."""
Run = Callable[..., Done]


@pytest.fixture
def run(run_engine: RunEngine, mpi: Mpi, fake_cuda: FakeLibrary) -> Run:
    def run(*words: str, mode: str = REACHED, devices: str = "", **how: object) -> Done:
        env = fake_cuda.environment(mpi, mode) | {"HOCKNEY_FAKE_DEVICES": devices}
        given = how.pop("env", {})
        assert isinstance(given, dict)
        return run_engine(*words, env=env | given, **how)  # type: ignore[arg-type]

    return run


def aware(mpi: Mpi) -> str:
    """The strictest mode under which the library sends what lies on a device."""
    return "strict" if mpi.family == "intel" else REACHED


VERBS = {
    "cold": ("pingpong", "--memory=host/device", "--buffers=cold"),
    "cold streams": (
        *("pingpong", "--memory=device", "--buffers=cold", "--operation=stream"),
        "--window=4,80",
    ),
    "pingpong": ("pingpong", "--memory=host/pinned/managed/device/device,host/host,device"),
    "staged": ("pingpong", "--memory=device/device,host", "--staged=whole,16KiB", "--wait-each"),
    "stream": ("pingpong", "--memory=device", "--operation=stream", "--window=4"),
    "pairs": ("pairs", "--memory=host/device,host"),
    "threads": ("pairs", "--memory=device", "--threads=1,2"),
    "cores": ("cores", "--memory=device"),
    "bcast": ("collective", "bcast", "--memory=host/device", "--wait-each"),
    "alltoall": ("collective", "alltoall", "--memory=device"),
    "igather": ("collective", "igather", "--memory=device", "--overlap"),
    "halo": ("halo", "--grid=2", "--memory=host/device", "--exchange=waitall,put-fence,neighbor"),
    "overlap": ("overlap", "--memory=host/device"),
    "put": ("rma", "put", "--memory=host/device/device,host", "--window-kind=create,dynamic"),
    "get": ("rma", "get", "--memory=device", "--window-kind=create"),
}
SHORT_VERBS = ("pingpong", "staged", "threads", "alltoall", "halo", "put")
"""One of each way of messages to a device's memory."""


@pytest.mark.parametrize("verb", kept_short(VERBS, SHORT_VERBS))
def test_data_arrive(run: Run, mpi: Mpi, verb: str) -> None:
    done = run(*VERBS[verb], SIZES, "--verify", *SHORT, mode=aware(mpi))
    assert done.status == 0, done.stderr
    option = next(word for word in VERBS[verb] if word.startswith("--memory="))
    memories = {tuple(memory.split(",")) for memory in option.removeprefix("--memory=").split("/")}
    seen = {
        (samples["memory"], *filter(None, [samples.get("peer_memory")]))
        for samples in done.of("samples")
    }
    # A collective whose ranks did not start in time leaves none.
    assert seen == memories or (seen <= memories and len(done.of("start")) >= len(memories))


UNVERIFIED = {
    "fabric": ("fabric", "--memory=device"),
    "congestion": (
        *("congestion", "pingpong", "--memory=device", "--loads=incast:64:2:0:0"),
        "--roles=listed:0,1/2,3",
    ),
    "overheads": ("overheads", "--memory=host/device", "--trains=1:0:0,4:0:0"),
}


@pytest.mark.parametrize("verb", UNVERIFIED)
def test_other_verbs(run: Run, mpi: Mpi, verb: str) -> None:
    ranks = 4 if verb == "congestion" else 2
    named = "--device=0,0,0,0" if ranks > 2 else "--device=near"
    done = run(*UNVERIFIED[verb], named, "--sizes=8", *SHORT, ranks=ranks, mode=aware(mpi))
    assert done.status == 0, done.stderr


def test_a_reduction_on_a_device(run: Run) -> None:
    """Where the host reaches the device, as Intel MPI's kernels need a real one."""
    done = run("collective", "allreduce", "--memory=device", SIZES, "--verify", *SHORT)
    assert done.status == 0 or "GPU" in done.stdout + done.stderr, done.stderr


def test_every_way_of_each_memory(run: Run) -> None:
    done = run("pingpong", "--memory=host/device", "--staged=whole,4KiB", "--sizes=8", *SHORT)
    ways = {(samples["memory"], samples.get("staging")) for samples in done.of("samples")}
    assert ways == {("host", None), ("device", None), ("device", 0), ("device", 4096)}


def test_only_staged(run: Run) -> None:
    done = run("pingpong", "--memory=device", "--staged=whole", "--unaware", "--sizes=8", *SHORT)
    assert {samples.get("staging") for samples in done.of("samples")} == {0}


def test_staged_messages_arrive_with_any_library(run: Run) -> None:
    """Nobody but the driver touches the device: no library needs to know it."""
    words = ("--memory=device", "--staged=whole,3KiB", "--unaware", SIZES, "--verify", *SHORT)
    done = run("pingpong", *words, mode="strict,async")
    assert done.status == 0, done.stderr


def devices(done: Done) -> list[int | None]:
    (launch,) = done.of("launch")
    return [place["device"] and place["device"]["number"] for place in launch["places"]]


def test_each_rank_has_a_device_of_its_own(run: Run) -> None:
    done = run("pingpong", "--memory=device", "--sizes=8", *SHORT)
    assert devices(done) == [0, 1]
    (launch,) = done.of("launch")
    assert launch["accelerator"]["interface"] == "CUDA"
    first = launch["places"][0]["device"]
    assert (first["pci"], first["reaches"]) == ("0000:3b:00.0", [1])
    assert first["uuid"].startswith("fafafafa-")


def test_the_side_that_needs_none_has_none(run: Run) -> None:
    done = run("pingpong", "--memory=host,device", "--sizes=8", *SHORT)
    assert devices(done) == [None, 0]


@pytest.mark.parametrize(
    ("asked", "expected"), [("local", [0, 1]), ("1,0", [1, 0]), ("1,1", [1, 1])]
)
def test_named_devices(run: Run, asked: str, expected: list[int]) -> None:
    done = run("pingpong", "--memory=device", f"--device={asked}", "--sizes=8", *SHORT)
    assert devices(done) == expected


@pytest.fixture
def near(tmp_path: Path) -> Callable[[str, str], str]:
    """Where sysfs has the CPUs near each of the two devices."""

    def write(first: str, second: str) -> str:
        for pci, cpus in zip(("0000:3b:00.0", "0000:af:00.0"), (first, second), strict=True):
            directory = tmp_path / "bus/pci/devices" / pci
            directory.mkdir(parents=True)
            (directory / "local_cpulist").write_text(cpus + "\n")
            (directory / "current_link_speed").write_text("32.0 GT/s PCIe\n")
        return f"--sys={tmp_path}"

    return write


def test_near_devices(run: Run, near: Callable[[str, str], str]) -> None:
    """Each rank has the device near its CPU; ranks go where devices are."""
    done = run("pingpong", "--memory=device", "--sizes=8", *SHORT, near("1", "0"))
    (launch,) = done.of("launch")
    places = [
        (place["pu"], place["device"]["number"], place["device"]["near"])
        for place in launch["places"]
    ]
    expected = [(0, 1, True), (1, 0, True)]
    assert places == expected
    assert launch["places"][0]["device"]["link_speed"] == "32.0 GT/s PCIe"


def test_a_rank_is_pinned_near_its_device(run: Run, near: Callable[[str, str], str]) -> None:
    """Of two ranks one has a device; the only CPU near any device has room for it alone, so that
    both keep theirs: ranks are not crowded for a device."""
    done = run("pingpong", "--memory=device", "--sizes=8", *SHORT, near("1", "1"))
    (launch,) = done.of("launch")
    assert sorted(place["pu"] for place in launch["places"]) == [0, 1]
    assert [place["device"]["near"] for place in launch["places"]] == [False, True]


FAULTS = {
    "no library": (
        *(("--memory=device",), "LIBRARY", 2),
        "there is no accelerator here: CUDA: no libcuda.so.1",
    ),
    "no device": (("--memory=device",), "none", 2, "CUDA: cuInit: no CUDA-capable device"),
    "an old driver": (
        *(("--memory=device",), "old", 2),
        "the driver is for CUDA 10.2, 11.0 is needed",
    ),
    "managed memory refused": (
        *(("--memory=managed",), "no-managed", 2),
        "--memory managed: Fake GPU 0 has no managed memory; use device, or pinned",
    ),
    "too small a device": (
        *(("--memory=device", "--sizes=8,1MiB"), "memory=100000", 2),
        "messages of 1048576 bytes do not fit into the 0 MiB of Fake GPU 0",
    ),
    "a full device": (
        *(("--memory=device", "--sizes=8,1MiB", "--buffers=separate"), "memory=1500000", 2),
        "messages of 1048576 bytes need 2 MiB on Fake GPU",
    ),
    "a lost device": (("--memory=device",), "gone=20", 1, "CUDA: cu"),
    "a device that is not there": (
        *(("--memory=device", "--device=0,7"), REACHED, 2),
        "--device 0,7: there is no device 7 among 2",
    ),
    "too few devices named": (
        *(("--memory=device", "--device=0"), REACHED, 2),
        "--device 0: 2 ranks of a node need one each",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_named(run: Run, run_engine: RunEngine, fault: str) -> None:
    words, mode, status, message = FAULTS[fault]
    command = ("pingpong", *words, *SHORT)
    done = run_engine(*command) if mode == "LIBRARY" else run(*command, mode=mode)
    if fault == "a lost device" and "MPIDI_GPU_init" in done.stderr:
        return  # Intel MPI is the first to lose it, in MPI_Init
    assert message in done.stderr
    assert done.status == status


def test_two_ranks_share_a_device_only_if_asked(run: Run) -> None:
    words = ("pingpong", "--memory=device", "--sizes=8", *SHORT)
    device = "0000:3b:00.0"
    done = run(*words, devices=device)
    assert done.status == 2
    assert "2 ranks of a node would share 1 device: start fewer, or name the device" in done.stderr
    assert devices(run(*words, "--device=0,0", devices=device)) == [0, 0]


def test_a_missing_wait_is_found(run: Run, faulty_engine: Engine) -> None:
    words = ("pingpong", "--memory=device", "--sizes=64", "--verify", *SHORT)
    done = run(*words, mode="async", path=faulty_engine.path, env={"HOCKNEY_FAULT_NO_WAIT": "1"})
    assert done.status == 1
    assert "data check: in a message of 64 bytes" in done.stderr
    assert run(*words, mode="async", path=faulty_engine.path).status == 0


def test_a_wrong_context_is_named(run: Run, faulty_engine: Engine) -> None:
    words = ("pingpong", "--memory=device", "--device=0,0", "--sizes=64", "--verify", *SHORT)
    wrong = {"HOCKNEY_FAULT_DEVICE": "1"}
    done = run(*words, mode="wrong-device", path=faulty_engine.path, env=wrong)
    assert done.status == 1
    assert "CUDA: cuMem" in done.stderr


@pytest.mark.parametrize("buffers", ["separate", "cold"])
def test_a_damaged_byte_on_a_device_is_found(run: Run, faulty_engine: Engine, buffers: str) -> None:
    given = (f"--buffers={buffers}", "--sizes=64", "--verify", *SHORT)
    words = ("pingpong", "--memory=device", *given)
    done = run(*words, path=faulty_engine.path, env={"HOCKNEY_FAULT_CORRUPT": "1"})
    assert done.status == 1
    assert "data check" in done.stderr


REFUSED = {
    "--memory=hots": "--memory hots: name host, pinned, managed or device",
    "--memory=device/device": "--memory device/device: a memory is given twice",
    "--memory=device --device=x": "'x'",
    "--memory=device --floor": "the floor is between memories of the host; leave out --floor",
    "--memory=host --staged=whole": "--staged and --wait-each need --memory device",
    "--staged=whole": "--staged and --wait-each need --memory device",
    "--memory=device --staged=0": "--staged 0: a block has a byte or more",
    "--memory=device --staged=whole --threads=2": "--staged takes no --threads",
    "--memory=device --mode=synchronous --staged=whole": "only the standard pingpong is staged",
    "--memory=device --operation=stream --wait-each": "only the standard pingpong and collectives",
    "--memory=device --unaware": "--unaware needs --staged",
    "--device=near": "--device needs --memory device",
    "--memory=device --datatype=vector:2:1:2 --packing=hand": "the host packs nothing",
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_refused(run: Run, words: str) -> None:
    done = run("pingpong", *words.split())
    assert done.status == 2
    assert REFUSED[words] in done.stderr


def test_windows_and_sides_that_are_refused(run: Run) -> None:
    done = run("rma", "put", "--memory=device", "--sizes=8")
    assert "use --window-kind create or dynamic" in done.stderr
    done = run("collective", "bcast", "--memory=device,host")
    assert "only of two ranks one may be in another memory" in done.stderr
    done = run("collective", "bcast", "--memory=device", "--buffers=cold")
    assert "only messages between two ranks walk through cold allocations" in done.stderr


def test_cold_messages_walk_through_allocations(run: Run) -> None:
    """As many as an eighth of the device has room for: two of 1 MiB in each direction."""
    words = ("pingpong", "--memory=device", "--buffers=cold", "--sizes=1MiB", *SHORT)
    assert run(*words, mode=f"memory={6 << 20}").status == 0
    done = run(*words, mode=f"memory={3 << 20}")
    assert done.status != 0
    assert "Fake GPU" in done.stderr


def test_a_trial_announces_what_it_tries(run: Run) -> None:
    done = run("pingpong", "--memory=host/device", "--sizes=8,16,64KiB,1MiB", "--trial")
    tried = [(trial["bytes"], trial["memory"]) for trial in done.of("trial")]
    assert tried == list(itertools.product((8, 65536, 1 << 20), ("host", "device")))
    assert not done.of("samples")
    assert [end["reason"] for end in done.of("end")] == ["complete"]


@pytest.mark.parametrize("verb", ["pairs", "cores", "fabric"])
def test_a_trial_of_pairs(run: Run, verb: str) -> None:
    done = run(verb, "--memory=device", "--sizes=8,64KiB", "--trial")
    assert [trial["bytes"] for trial in done.of("trial")] == [8, 65536]
