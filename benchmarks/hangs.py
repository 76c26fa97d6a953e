"""Whether what makes a launch hang or fail is located: 20 faults, planted in hosts of namespaces.

Each is planted in a run on three hosts with --without-bad-nodes. It is located where the message
names the host (or the two between which nothing passes) and what is wrong there; where one node is
the cause, the run must go on without it, and answer.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from hockney import records
from hockney.plan import Placement
from hockney.run.measure.preparation.setup import mpi_of
from virtual_hosts import NETWORK, VirtualHosts, virtual_hosts, why_not

LONGEST_S = 300.0
VERBS = {
    "allreduce": ("collective", "allreduce", "-n", "3"),
    "fabric": ("fabric", "-n", "3"),
    "two ranks a node": ("collective", "allreduce", "-n", "6"),
}
Plant = Callable[[VirtualHosts, str], None]


def stopped(hosts: VirtualHosts, host: str) -> None:
    os.kill(hosts.engines(host)[0], signal.SIGSTOP)


def link_down(hosts: VirtualHosts, host: str) -> None:
    hosts.on(host, "ip link set net down")


def route_dropped(hosts: VirtualHosts, host: str) -> None:
    """To the next host alone: logins reach both."""
    following = hosts.names.index(host) % len(hosts.names) + 1
    number = following % len(hosts.names) + 1
    hosts.on(host, f"ip route add blackhole {NETWORK}.{number}/32")


def reaches_nobody(hosts: VirtualHosts, host: str) -> None:
    """Logins reach it, other nodes do not."""
    own = hosts.names.index(host) + 1
    numbers = [number for number in range(1, len(hosts.names) + 1) if number != own]
    hosts.on(host, "; ".join(f"ip route add blackhole {NETWORK}.{number}/32" for number in numbers))


def full(hosts: VirtualHosts, host: str) -> None:
    hosts.on(host, "head -c 63M /dev/zero >/dev/shm/full")


def library_missing(hosts: VirtualHosts, host: str) -> None:
    """The library's directory is empty there."""
    _, engine = mpi_of(Placement())
    hosts.before(host, f"mount -t tmpfs tmpfs {library_of(engine.path).parent}")


def engine_missing(hosts: VirtualHosts, host: str) -> None:
    _, engine = mpi_of(Placement())
    hosts.before(host, f"mount -t tmpfs tmpfs {engine.path.parent}")


def names_slow(hosts: VirtualHosts, host: str) -> None:
    """It asks a server that never answers for the names of hosts."""
    (hosts.state / f"{host}.hosts").write_text("127.0.0.1 localhost\n")
    (hosts.state / f"{host}.resolver").write_text(f"nameserver {NETWORK}.250\n")
    hosts.on(host, f"ip neigh add {NETWORK}.250 lladdr 02:00:00:00:00:fa dev net")


def never_in_init(hosts: VirtualHosts, host: str) -> None:
    """By the engine itself, which hangs there before it calls MPI_Init."""
    hosts.before(host, "export HOCKNEY_FAULT_HANG=0:starting")


def library_of(engine: Path) -> Path:
    done = subprocess.run(["ldd", engine], capture_output=True, text=True, check=True)
    match = re.search(r"libmpi\S* => (\S+)", done.stdout)
    assert match is not None, done.stdout
    return Path(match[1])


@dataclass(frozen=True)
class Hang:
    name: str
    host: str
    plant: Plant
    verb: str
    says: str
    """Regular expression that the message must match."""
    is_of_one: bool = True
    """Whether one node is the cause, without which the run must go on."""
    before: bool = False
    """Whether it is planted before the run."""


def hangs() -> list[Hang]:
    faults = [
        Hang("rank stopped", host, stopped, verb, rf"\({host}, process \d+\) is stopped")
        for host, verb in (("n2", "allreduce"), ("n3", "allreduce"), ("n2", "fabric"))
    ]
    faults += [
        Hang("rank stopped", "n3", stopped, "two ranks a node", r"\(n3, process \d+\) is stopped")
    ]
    faults += [
        Hang("link down", host, link_down, verb, f"{host} does not answer")
        for host, verb in (("n2", "allreduce"), ("n3", "fabric"))
    ]
    faults += [
        Hang("link down before", "n2", link_down, "allreduce", "n2 does not answer", before=True),
        Hang("route dropped", "n2", route_dropped, "fabric", ROUTE, is_of_one=False),
        Hang("route dropped", "n2", route_dropped, "allreduce", ROUTE, is_of_one=False),
    ]
    faults += [
        Hang("reaches no node", host, reaches_nobody, "allreduce", f"{host} reaches no other")
        for host in ("n2", "n3")
    ]
    faults += [
        Hang(
            "full /dev/shm", host, full, "two ranks a node", rf"{host} has .* /dev/shm", before=True
        )
        for host in ("n2", "n3")
    ]
    faults += [
        Hang("no library", host, library_missing, "allreduce", rf"{host} lacks libmpi", before=True)
        for host in ("n2", "n3")
    ]
    faults += [
        Hang("no engine", "n3", engine_missing, "allreduce", "n3 lacks /", before=True),
    ]
    faults += [
        Hang("slow names", host, names_slow, "allreduce", f"{host} takes more than", before=True)
        for host in ("n2", "n3")
    ]
    faults += [
        Hang(
            "never in MPI_Init",
            host,
            never_in_init,
            "allreduce",
            rf"{host}, process \d+\) never reached MPI_Init",
            before=True,
        )
        for host in ("n2", "n3")
    ]
    return faults


ROUTE = "n2 and n3 do not reach each other|rank . .n2, .* and rank . .n3, .* exchange nothing"


def measured(hang: Hang, directory: Path, timeout_s: float) -> tuple[bool, bool, str]:
    """Whether it was located, whether the run went on as it should, and the message."""
    path = directory / "run.jsonl"
    path.unlink(missing_ok=True)
    words = [sys.executable, "-m", "hockney", *VERBS[hang.verb], "--hosts", "n1,n2,n3"]
    words += ["--sizes", "8,1KiB", "--launches", "3", "--budget", "6s", "--oversubscribe"]
    words += ["--timeout", f"{timeout_s:g}s", "--without-bad-nodes", "-q", "-o", str(path)]
    with virtual_hosts() as hosts:
        if hang.before:
            hang.plant(hosts, hang.host)
        process = hosts.start(*words)
        if not hang.before:
            while process.poll() is None and not (
                path.exists() and b'"kind":"launch"' in path.read_bytes()
            ):
                time.sleep(0.02)
            if process.poll() is None:
                hang.plant(hosts, hang.host)
        try:
            _, stderr = process.communicate(timeout=LONGEST_S)
        finally:
            process.kill()
    is_located = re.search(hang.says, stderr) is not None
    run = records.read(path) if path.exists() else None
    without = [node.host for node in run.left_out] if run else []
    expected = [hang.host] if hang.is_of_one else []
    went_on = without == expected and (process.returncode == 0) == hang.is_of_one
    return is_located, went_on, stderr.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--timeout", type=float, default=10.0, help="seconds of silence that are a hang"
    )
    parser.add_argument("--only", nargs="*", type=int, help="numbers of the faults to plant")
    parser.add_argument("--words", action="store_true", help="also print what was said")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the hosts are removed
    os.environ.setdefault("MPICC", str(Path(sys.prefix) / "bin" / "mpicc"))
    os.environ["HOCKNEY_CFLAGS"] = "-DHOCKNEY_FAULTS"
    reason = why_not()
    if reason:
        sys.exit(reason)
    mpi_of(Placement())  # built before any host lacks something
    directory = Path(tempfile.mkdtemp(prefix="hockney-hangs-"))
    located, right, n = 0, 0, 0
    print(f"{'planted':<20} {'at':<4} {'verb':<18} {'located':>8} {'goes on as it should':>21}")
    try:
        for number, hang in enumerate(hangs()):
            if args.only and number not in args.only:
                continue
            is_located, went_on, words = measured(hang, directory, args.timeout)
            located, right, n = located + is_located, right + went_on, n + 1
            each = ["yes" if holds else "no" for holds in (is_located, went_on)]
            row = f"{hang.name:<20} {hang.host:<4} {hang.verb:<18} {each[0]:>8} {each[1]:>21}"
            print(row, flush=True)
            if args.words or not (is_located and went_on):
                print(f"    {words}", flush=True)
    finally:
        shutil.rmtree(directory)
    print(f"{located} of {n} located; {right} of {n} went on as they should")


if __name__ == "__main__":
    main()
