"""Contention planted in a real program: its messages share a link with other connections.

Two ranks exchange messages through the loopback of a network namespace of their own, which is
limited to a fraction of what a core can send. Whoever else sends there needs hardly any CPU, so
that two cores are enough: more ranks than cores would wait for their CPU instead."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from profiled_programs import build

from hockney.mpis import Mpi, family_of
from hockney.profiles.causes import BANDWIDTH, BUSY, CONTENTION

HERE = Path(__file__).parent
TOOLS = ("unshare", "ip", "tc", "chrt")
LINK_BPS = 0.5e9
"""Bytes a second of the loopback: 4 Gbit/s."""
STREAMS = 12
"""They take most of the link: each gets at least as much as the messages."""
LIMITED = (
    "ip link set lo up && tc qdisc add dev lo root tbf rate 4gbit burst 256k latency 50ms "
    '&& exec "$@"'
)
THROUGH_LOOPBACK = {
    "MPIR_CVAR_NOLOCAL": "1",
    "MPIR_CVAR_CH4_NETMOD": "ofi",
    "FI_PROVIDER": "tcp",
    "FI_TCP_IFACE": "lo",
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "tcp,self",
    "OMPI_MCA_btl_tcp_if_include": "lo",
}
PRIORITY, OF_STREAMS = ("chrt", "-r", "5"), ("chrt", "-r", "6")
"""Ranks never give their CPU away, which streams need for moments."""
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        os.geteuid() != 0 or not all(map(shutil.which, TOOLS)),
        reason=f"needs root, to limit the loopback, and {', '.join(TOOLS)}",
    ),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("contention")


@pytest.fixture(scope="module")
def program(mpi: Mpi, place: Path) -> Path:
    return build(mpi, place, HERE / "planted.c")


def decided(mpi: Mpi, program: Path, streams: int) -> dict[str, Any]:
    """The finding that names what decides the time of large messages, beside so many streams. What
    messages take alone is measured through the same link, and kept in a cache of its own."""
    place = program.parent
    env = {**os.environ, **family_of(mpi).environment(mpi), **THROUGH_LOOPBACK}
    env["XDG_CACHE_HOME"] = str(place / "cache")
    hockney = [sys.executable, "-m", "hockney"]
    launch = [*PRIORITY, str(mpi.mpiexec), "-n", "2", str(program), "large"]
    words = [*OF_STREAMS, sys.executable, str(HERE / "streams.py"), str(streams), *launch]
    profile = ["profile", "--force", "-o", "p.jsonl", "--mpicc", str(mpi.mpicc), "--", *words]
    limited = ["unshare", "--net", "sh", "-c", LIMITED, "sh", *PRIORITY, *hockney, *profile]
    subprocess.run(limited, cwd=place, env=env, check=True, capture_output=True)
    shown = subprocess.run(
        [*hockney, "show", "--json", "p.jsonl"],
        cwd=place,
        check=True,
        capture_output=True,
    )
    [found] = [one for one in json.loads(shown.stdout)["findings"] if one["kind"] == "decides"]
    return dict(found)


def test_other_traffic_on_the_link_is_contention(mpi: Mpi, program: Path) -> None:
    alone = decided(mpi, program, 0)
    if alone["cause"] == BUSY:
        pytest.skip("the machine is busy")
    assert alone["cause"] == BANDWIDTH
    if alone["bandwidth_Bps"] > 1.1 * LINK_BPS:
        pytest.skip("messages of this MPI do not go through the loopback")
    beside = decided(mpi, program, STREAMS)
    assert beside["cause"] == CONTENTION
    assert beside["bytes"] == 1 << 20
    assert beside["times"] > 2.0
