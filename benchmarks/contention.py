"""Whether `profile` names contention that was planted in a real program: other connections on the
link. As root: python benchmarks/contention.py [--streams N] [--mpicc MPICC]

Two ranks exchange messages through the loopback of a network namespace of their own, which is
limited to a fraction of what a core can send. Whoever else sends there needs hardly any CPU, so
that two cores are enough: more ranks than cores would wait for their CPU instead. Needs unshare,
ip, tc and chrt."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hockney.profiling.causes import BANDWIDTH, CONTENTION
from hockney.run.measure.toolchain.mpi import find_mpi
from hockney.run.mpis import Mpi, family_of

HERE = Path(__file__).parent
PROGRAM = HERE.parent / "tests" / "profiles" / "planted.c"
STREAMS = 12
"""Number of streams that take most of the link: each gets at least as much as the messages."""
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
"""Priorities of ranks, which never give their CPU away, and of streams, which need it for
moments."""


def decided(mpi: Mpi, program: Path, streams: int) -> dict[str, Any]:
    """The finding on what decides the time of large messages, beside so many streams. Times of
    messages alone are measured through the same link, and kept in a cache of its own."""
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
    [deciding] = [
        finding for finding in json.loads(shown.stdout)["findings"] if finding["kind"] == "decides"
    ]
    return dict(deciding)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--streams", type=int, default=STREAMS)
    parser.add_argument("--mpicc", default="mpicc")
    args = parser.parse_args()
    mpi = find_mpi(args.mpicc)
    with tempfile.TemporaryDirectory() as directory:
        program = Path(directory) / "planted"
        subprocess.run([mpi.mpicc, "-O2", "-o", program, PROGRAM], check=True)
        causes = {}
        for streams in (0, args.streams):
            causes[streams] = decided(mpi, program, streams)
            print(streams, "streams:", causes[streams]["text"])
    alone, beside = causes[0]["cause"], causes[args.streams]["cause"]
    return 0 if (alone, beside) == (BANDWIDTH, CONTENTION) else 1


if __name__ == "__main__":
    sys.exit(main())
