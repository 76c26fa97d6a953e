"""Places of ranks, and whether they are reported correctly: against the kernel and hwloc."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from conftest import Done, RunEngine
from hockney.run.mpis import Engine, Mpi

QUICK = ("--seconds", "0.05", "--sizes", "0,8")
ALLOWED = sorted(os.sched_getaffinity(0))
CPUS = Path("/sys/devices/system/cpu")
LSTOPO = shutil.which("lstopo-no-graphics") or shutil.which("hwloc-ls")

pytestmark = pytest.mark.skipif(len(ALLOWED) < 2, reason="two ranks need two CPUs to be put on")


def places(run_engine: RunEngine, *options: str) -> list[dict[str, Any]]:
    done = run_engine.ok("pingpong", *QUICK, *options)
    return list(done.of("launch")[0]["places"])


def core_of(pu: int) -> tuple[str, str]:
    topology = CPUS / f"cpu{pu}" / "topology"
    return (topology / "physical_package_id").read_text(), (topology / "core_id").read_text()


def test_ranks_are_pinned_one_to_a_core(run_engine: RunEngine) -> None:
    taken = places(run_engine)
    assert [place["rank"] for place in taken] == [0, 1]
    assert all(place["pinned"] for place in taken)
    assert {place["pu"] for place in taken} <= set(ALLOWED)
    cores = {core_of(pu) for pu in ALLOWED}
    assert len({core_of(place["pu"]) for place in taken}) == min(2, len(cores))
    assert {place["allowed"] for place in taken} == {len(ALLOWED)}


def test_they_say_where_as_the_kernel_does(run_engine: RunEngine) -> None:
    for place in places(run_engine):
        cpu = CPUS / f"cpu{place['pu']}"
        package, core = core_of(place["pu"])
        assert (place["package"], place["core"]) == (int(package), int(core))
        nodes = [int(node.name[4:]) for node in cpu.glob("node[0-9]*")]
        assert place["numa"] == (nodes[0] if nodes else None)
        assert place["host"] == os.uname().nodename


@pytest.mark.skipif(LSTOPO is None, reason="hwloc's lstopo is not installed")
def test_they_say_where_as_hwloc_does(run_engine: RunEngine) -> None:
    """Caches go by the first PU that shares them."""
    described = subprocess.run(
        [str(LSTOPO), "--of", "xml"], capture_output=True, text=True, check=True
    ).stdout
    tree = ElementTree.fromstring(described)
    for place in places(run_engine):
        around = {
            node.get("type"): node
            for node in tree.iter("object")
            if (int(node.get("complete_cpuset", "0").replace(",", ""), 16) >> place["pu"]) & 1
        }
        numbers = {
            "Package": place["package"],
            "NUMANode": place["numa"],
            "Core": place["core"],
            "PU": place["pu"],
        }
        for kind, number in numbers.items():
            if kind in around and number is not None:
                assert int(around[kind].get("os_index", "-1")) == number, kind
        for cache, first in (("L3Cache", place["l3"]), ("L2Cache", place["l2"])):
            if cache in around:
                sharers = int(around[cache].get("complete_cpuset", "0").replace(",", ""), 16)
                assert first == (sharers & -sharers).bit_length() - 1, cache


def test_cpus_are_taken_in_the_order_of_the_ranks(run_engine: RunEngine) -> None:
    for wanted in (ALLOWED[:2], ALLOWED[1::-1]):
        taken = places(run_engine, "--cpus", ",".join(str(cpu) for cpu in wanted))
        assert [place["pu"] for place in taken] == wanted


def test_switches_are_what_slurm_says(run_engine: RunEngine) -> None:
    done = run_engine("pingpong", *QUICK, env={"SLURM_TOPOLOGY_ADDR": "s0.s4.node17"})
    assert {place["topology"] for place in done.of("launch")[0]["places"]} == {"s0.s4.node17"}


def test_unpinned_ranks_say_so(run_engine: RunEngine) -> None:
    assert not any(place["pinned"] for place in places(run_engine, "--place", "none"))


LOCAL_RANKS = (
    "MPI_LOCALRANKID",
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "SLURM_LOCALID",
    "PALS_LOCAL_RANKID",
    "FLUX_TASK_LOCAL_ID",
    "JSM_NAMESPACE_LOCAL_RANK",
)


@pytest.fixture
def masked_engine(engine: Engine, tmp_path: Path) -> Path:
    """The engine behind a launcher that gives each rank a mask of its own: "0,1;1" in $MASKS."""
    path = tmp_path / "masked"
    path.write_text(
        f"#!{sys.executable}\n"
        "import os, sys\n"
        f"known = [os.environ[name] for name in {LOCAL_RANKS} if name in os.environ]\n"
        "mask = os.environ['MASKS'].split(';')[int(known[0])]\n"
        "os.sched_setaffinity(0, {int(pu) for pu in mask.split(',')})\n"
        f"os.execv({str(engine.path)!r}, [{str(engine.path)!r}, *sys.argv[1:]])\n"
    )
    path.chmod(0o755)
    return path


@pytest.fixture
def misled_engine(engine: Engine, tmp_path: Path) -> Path:
    """The engine where nothing but a variable of the batch job claims to know the local rank."""
    path = tmp_path / "misled"
    path.write_text(
        f"#!/bin/sh\nunset {' '.join(LOCAL_RANKS)}\nexport SLURM_LOCALID=0\n"
        f'exec "{engine.path}" "$@"\n'
    )
    path.chmod(0o755)
    return path


def of_launch(done: Done) -> list[dict[str, Any]]:
    assert done.status == 0, done.stderr
    return list(done.of("launch")[0]["places"])


@pytest.mark.parametrize(
    ("masks", "expected"),
    [
        (["0,1", "0,1"], {0: 1, 1: 1}),
        (["1", "0,1"], {0: 1, 1: 1}),
        (["0,1", "0"], {0: 1, 1: 1}),
        (["1", "1"], {1: 2}),
        (["0,1", "0,1", "1"], {0: 2, 1: 1}),
        (["1", "0,1", "0,1", "1", "0"], {0: 3, 1: 2}),
    ],
)
def test_ranks_with_masks_of_their_own_share_no_pu_without_need(
    run_engine: RunEngine, masked_engine: Path, masks: list[str], expected: dict[int, int]
) -> None:
    allowed = [[ALLOWED[int(pu)] for pu in mask.split(",")] for mask in masks]
    words = ";".join(",".join(str(pu) for pu in pus) for pus in allowed)
    taken = of_launch(
        run_engine("pingpong", *QUICK, ranks=len(masks), path=masked_engine, env={"MASKS": words})
    )
    assert Counter(place["pu"] for place in taken) == {
        ALLOWED[pu]: ranks for pu, ranks in expected.items()
    }
    assert all(place["pu"] in pus for place, pus in zip(taken, allowed, strict=True))
    assert [place["allowed"] for place in taken] == [len(pus) for pus in allowed]
    assert all(place["pinned"] and place["refused"] is None for place in taken)


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_a_local_rank_that_a_batch_job_left_behind_misleads_nobody(
    run_engine: RunEngine, misled_engine: Path, ranks: int
) -> None:
    taken = of_launch(run_engine("pingpong", *QUICK, ranks=ranks, path=misled_engine))
    users = Counter(place["pu"] for place in taken)
    assert len(users) == min(ranks, len(ALLOWED))
    assert max(users.values()) - min(users.values()) <= 1
    assert all(place["pinned"] for place in taken)


def test_listed_cpus_are_taken_by_the_true_rank(run_engine: RunEngine, misled_engine: Path) -> None:
    wanted = ALLOWED[1::-1]
    cpus = ",".join(str(cpu) for cpu in wanted)
    taken = of_launch(run_engine("pingpong", *QUICK, "--cpus", cpus, path=misled_engine))
    assert [place["pu"] for place in taken] == wanted


def test_a_node_is_one_where_the_library_shares_no_memory(
    run_engine: RunEngine, misled_engine: Path, mpi: Mpi
) -> None:
    if mpi.family != "mpich":
        pytest.skip("only MPICH and its kin switch their shared memory off by a variable")
    done = run_engine("pingpong", *QUICK, path=misled_engine, env={"MPIR_CVAR_NOLOCAL": "1"})
    assert len({place["pu"] for place in of_launch(done)}) == 2


def test_a_list_with_a_cpu_of_another_rank_is_refused(
    run_engine: RunEngine, masked_engine: Path
) -> None:
    first, second = ALLOWED[:2]
    done = run_engine.refused(
        "pingpong",
        *QUICK,
        "--cpus",
        f"{first},{second}",
        path=masked_engine,
        env={"MASKS": f"{first},{second};{first}"},
        because=f"rank 1 of this node may not run on CPU {second}",
    )
    assert not done.of("launch")


LARGE_MACHINE = """
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
/* A machine of 8,192 CPUs, whose kernel takes no smaller set. */
int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *set)
{
    if (bytes < 1024) {
        errno = EINVAL;
        return -1;
    }
    memset(set, 0, bytes);
    return syscall(SYS_sched_getaffinity, process, bytes, set) < 0 ? -1 : 0;
}
"""
SECRETIVE_MACHINE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
/* A kernel that hides from the engine where it may run; hwloc, in MPI, would ask again for ever. */
int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *set)
{
    Dl_info caller;
    if (dladdr(__builtin_return_address(0), &caller) &&
        strstr(caller.dli_fname, "hockney-engine")) {
        errno = EPERM;
        return -1;
    }
    memset(set, 0, bytes);
    return syscall(SYS_sched_getaffinity, process, bytes, set) < 0 ? -1 : 0;
}
"""
STRICT_MACHINE = """
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
int sched_setaffinity(pid_t process, size_t bytes, const cpu_set_t *set)
{
    (void)process, (void)bytes, (void)set;
    errno = EPERM;
    return -1;
}
"""


def engine_on(machine: str, engine: Engine, directory: Path) -> Path:
    """The engine with functions of its libc replaced, and nothing else of its launch."""
    source, library, path = (directory / name for name in ("machine.c", "machine.so", "engine"))
    source.write_text(machine)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    path.write_text(f'#!/bin/sh\nLD_PRELOAD="{library}" exec "{engine.path}" "$@"\n')
    path.chmod(0o755)
    return path


def test_ranks_are_pinned_on_more_than_1024_cpus(
    run_engine: RunEngine, engine: Engine, tmp_path: Path
) -> None:
    path = engine_on(LARGE_MACHINE, engine, tmp_path)
    taken = of_launch(run_engine("pingpong", *QUICK, path=path))
    assert len({place["pu"] for place in taken}) == 2
    assert all(place["pinned"] and place["refused"] is None for place in taken)
    assert [place["allowed"] for place in taken] == [len(ALLOWED)] * 2


def test_what_the_kernel_hides_is_null_and_recorded(
    run_engine: RunEngine, engine: Engine, tmp_path: Path
) -> None:
    path = engine_on(SECRETIVE_MACHINE, engine, tmp_path)
    for place in of_launch(run_engine("pingpong", *QUICK, path=path)):
        assert not place["pinned"]
        assert place["allowed"] is None
        assert "not known: Operation not permitted" in place["refused"]


def test_what_the_kernel_refuses_is_recorded(
    run_engine: RunEngine, engine: Engine, tmp_path: Path
) -> None:
    path = engine_on(STRICT_MACHINE, engine, tmp_path)
    for rank, place in enumerate(of_launch(run_engine("pingpong", *QUICK, path=path))):
        assert place["refused"] == f"CPU {ALLOWED[rank]}: Operation not permitted"
        assert not place["pinned"]


def test_every_rank_has_its_place_in_the_order_of_the_ranks(run_engine: RunEngine) -> None:
    done = run_engine(
        "pingpong", *QUICK, "--peers", "4,1", ranks=7, env={"SLURM_TOPOLOGY_ADDR": 's"0\\'}
    )
    taken = of_launch(done)
    assert [place["rank"] for place in taken] == list(range(7))
    assert {place["topology"] for place in taken} == {'s"0\\'}
    assert [list(place) for place in taken] == [
        [
            "rank",
            "host",
            "package",
            "numa",
            "l3",
            "l2",
            "core",
            "pu",
            "pinned",
            "allowed",
            "refused",
            "topology",
        ]
    ] * 7


@pytest.mark.parametrize(("ranks", "peers"), [(3, "0,2"), (3, "2,1"), (9, "5,3")])
def test_ranks_without_a_part_end(run_engine: RunEngine, ranks: int, peers: str) -> None:
    done = run_engine.ok("pingpong", *QUICK, "--peers", peers, ranks=ranks)
    assert [end["reason"] for end in done.of("end")] == ["budget"]


@pytest.mark.parametrize("policy", ["core", "socket", "numa", "spread", "node"])
def test_every_policy_gives_two_ranks_different_cpus(run_engine: RunEngine, policy: str) -> None:
    assert len({place["pu"] for place in places(run_engine, "--place", policy)}) == 2
