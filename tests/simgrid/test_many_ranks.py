"""Many simulated ranks whose contention and levels are known."""

from __future__ import annotations

import subprocess
from pathlib import Path

import msgspec
import pytest

from conftest import TEST_TIMEOUT_S
from hockney.records import Samples
from hockney.run.measure.toolchain.build import build_engine
from hockney.run.measure.toolchain.mpi import find_mpi
from platforms import two_switches

pytestmark = pytest.mark.simgrid
SETTINGS = [
    f"--cfg={setting}"
    for setting in (
        "network/model:CM02",
        "network/TCP-gamma:0",
        "network/crosstraffic:0",
        "smpi/simulate-computation:no",
    )
]
ENVELOPE_BYTES = 16


def samples_of(tmp_path: Path, platform: str, hosts: list[str], *arguments: str) -> list[Samples]:
    (tmp_path / "platform.xml").write_text(platform)
    (tmp_path / "hosts").write_text("\n".join(hosts) + "\n")
    mpi = find_mpi(simulated=True)
    done = subprocess.run(
        [
            str(mpi.mpiexec),
            "-np",
            str(len(hosts)),
            "-platform",
            "platform.xml",
            "-hostfile",
            "hosts",
            *SETTINGS,
            str(build_engine(mpi).path),
            *arguments,
        ],
        cwd=tmp_path,
        capture_output=True,
        timeout=TEST_TIMEOUT_S,
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    lines = [line for line in done.stdout.splitlines() if b'"samples"' in line[:20]]
    return [msgspec.json.decode(line, type=Samples) for line in lines]


def test_a_shared_uplink_is_shared_by_the_pairs_at_once(tmp_path: Path) -> None:
    hosts, platform = two_switches(8, wire_Bps=1e9, uplink_Bps=4e9, latency_s=1e-6)
    all_samples = samples_of(
        tmp_path,
        platform,
        hosts,
        "pairs",
        "--operation=stream",
        "--window=1",
        "--pairs-active=1,2,4,8",
        "--sizes=16MiB",
    )
    for samples in all_samples:
        rate = min(1e9, 4e9 / (samples.ranks / 2))
        assert samples.bytes / (samples.ns[0] * 1e-9) == pytest.approx(rate, rel=0.02)
    assert {s.ranks for s in all_samples} == {2, 4, 8, 16}


def test_every_two_ranks_see_their_own_level(tmp_path: Path) -> None:
    hosts, platform = two_switches(4, wire_Bps=1e9, uplink_Bps=1e9, latency_s=2e-6)
    for more in ((), ("--parallel",)):
        for samples in samples_of(tmp_path, platform, hosts, "cores", "--sizes=0", *more):
            first, second = samples.peers
            hops = 2 if first // 4 == second // 4 else 3
            expected = hops * 2e-6 + ENVELOPE_BYTES / 1e9
            assert samples.ns[0] * 1e-9 == pytest.approx(expected, rel=0.02)


def test_a_broadcast_completes_when_its_tree_does(tmp_path: Path) -> None:
    """Binomial over one switch: log2(P) messages one after another."""
    hosts, platform = two_switches(16, wire_Bps=1e9, uplink_Bps=1e9, latency_s=10e-6)
    [samples] = samples_of(
        tmp_path,
        platform,
        hosts[:16],
        "collective",
        "bcast",
        "--sizes=8",
    )
    expected = 4 * (2 * 10e-6 + (8 + ENVELOPE_BYTES) / 1e9)
    assert samples.ns[0] * 1e-9 == pytest.approx(expected, rel=0.02)
    assert samples.own_max_ns is not None
    assert samples.own_max_ns[0] <= samples.ns[0]


@pytest.mark.parametrize("words", [("pingpong",), ("pairs",), ("collective", "bcast")])
def test_two_ranks_of_one_host_end(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Simulated ranks take turns: one that waits in memory for the other would wait for ever."""
    hosts, platform = two_switches(1, wire_Bps=1e9, uplink_Bps=1e9, latency_s=1e-6)
    all_samples = samples_of(
        tmp_path, platform, [hosts[0]] * 2, *words, "--sizes=8", "--rounds=1:2"
    )
    assert {s.bytes for s in all_samples} == {8}
