"""Where ranks are put, and whether they say so truly: by the kernel's words and by hwloc's."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from conftest import RunEngine

QUICK = ("--seconds", "0.05", "--sizes", "0,8")
ALLOWED = sorted(os.sched_getaffinity(0))
CPUS = Path("/sys/devices/system/cpu")
LSTOPO = shutil.which("lstopo-no-graphics") or shutil.which("hwloc-ls")

pytestmark = pytest.mark.skipif(len(ALLOWED) < 2, reason="two ranks need two CPUs to be put on")


def places(run_engine: RunEngine, *options: str) -> list[dict[str, Any]]:
    done = run_engine("pingpong", *QUICK, *options)
    assert done.status == 0, done.stderr
    return list(done.of("launch")[0]["places"])


def core_of(pu: int) -> tuple[str, str]:
    topology = CPUS / f"cpu{pu}" / "topology"
    return (topology / "physical_package_id").read_text(), (topology / "core_id").read_text()


def test_ranks_are_pinned_one_to_a_core(run_engine: RunEngine) -> None:
    found = places(run_engine)
    assert [place["rank"] for place in found] == [0, 1]
    assert all(place["pinned"] for place in found)
    assert {place["pu"] for place in found} <= set(ALLOWED)
    cores = {core_of(pu) for pu in ALLOWED}
    assert len({core_of(place["pu"]) for place in found}) == min(2, len(cores))
    assert {place["allowed"] for place in found} == {len(ALLOWED)}


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
            "Package": place["package"], "NUMANode": place["numa"], "Core": place["core"],
            "PU": place["pu"],
        }  # fmt: skip
        for kind, number in numbers.items():
            if kind in around and number is not None:
                assert int(around[kind].get("os_index", "-1")) == number, kind
        for cache, first in (("L3Cache", place["l3"]), ("L2Cache", place["l2"])):
            if cache in around:
                sharers = int(around[cache].get("complete_cpuset", "0").replace(",", ""), 16)
                assert first == (sharers & -sharers).bit_length() - 1, cache


def test_cpus_are_taken_in_the_order_of_the_ranks(run_engine: RunEngine) -> None:
    for wanted in (ALLOWED[:2], ALLOWED[1::-1]):
        found = places(run_engine, "--cpus", ",".join(str(cpu) for cpu in wanted))
        assert [place["pu"] for place in found] == wanted


def test_switches_are_what_slurm_says(run_engine: RunEngine) -> None:
    done = run_engine("pingpong", *QUICK, env={"SLURM_TOPOLOGY_ADDR": "s0.s4.node17"})
    assert {place["topology"] for place in done.of("launch")[0]["places"]} == {"s0.s4.node17"}


def test_unpinned_ranks_say_so(run_engine: RunEngine) -> None:
    assert not any(place["pinned"] for place in places(run_engine, "--place", "none"))


@pytest.mark.parametrize("policy", ["core", "socket", "numa", "spread", "node"])
def test_every_policy_gives_two_ranks_different_cpus(run_engine: RunEngine, policy: str) -> None:
    assert len({place["pu"] for place in places(run_engine, "--place", policy)}) == 2
