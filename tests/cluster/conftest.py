"""Two real hosts and a real Slurm, made by `up` and removed by `down`."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

import hockney
from conftest import TEST_TIMEOUT_S, Done
from hockney.run.mpis import Mpi

HERE = Path(__file__).parent
ASKED = "HOCKNEY_TEST_ALL"
NEEDED = ("ip", "nsenter", "unshare", "tc", "taskset", "slurmctld", "slurmd", "munged")


def why_not() -> str | None:
    if os.getuid() != 0:
        return "two hosts and a Slurm need root"
    if not os.environ.get(ASKED):
        return "two hosts and a Slurm are made by `make test-all`"
    missing = [name for name in NEEDED if not shutil.which(name)]
    return f"not installed: {', '.join(missing)}" if missing else None


@dataclass(frozen=True)
class Cluster:
    """Hosts hA and hB, a shared directory `work`, and a directory `local` of each."""

    state: Path
    work: Path

    @property
    def local(self) -> Path:
        """Under this name each host has a directory of its own."""
        return self.state / "local"

    @property
    def env(self) -> dict[str, str]:
        rsh = str(self.state / "rsh")
        return {
            **os.environ,
            "PYTHONPATH": str(Path(hockney.__file__).parents[1]),
            "SLURM_CONF": str(self.state / "slurm.conf"),
            "HOCKNEY_SYS": str(self.local / "sys"),
            # Both libraries over TCP: UCX would read interfaces from a /sys that is not the host's.
            "MPIR_CVAR_CH4_NETMOD": "ofi",
            "FI_PROVIDER": "tcp",
            "HYDRA_LAUNCHER": "ssh",
            "HYDRA_LAUNCHER_EXEC": rsh,
            "OMPI_MCA_btl": "tcp,self",
            "OMPI_MCA_btl_tcp_if_include": "10.77.0.0/24",
            "OMPI_MCA_plm_rsh_agent": rsh,
            "PRTE_MCA_plm_ssh_agent": rsh,
        }

    def start(self, *words: str, host: str = "hA") -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(self.state / "rsh"), host, f"cd {self.work} && exec {shlex.join(words)}"],
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *words: str, host: str = "hA") -> Done:
        process = self.start(*words, host=host)
        try:
            stdout, stderr = process.communicate(timeout=TEST_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        assert "Traceback" not in stderr, stderr
        return Done(process.returncode, stdout, stderr)

    def mend(self) -> None:
        """Waits until Slurm has its nodes back. It takes one out of use whose step does not end
        soon, as may happen when srun was killed."""
        for _ in range(5 * TEST_TIMEOUT_S):
            listed = self.run("sinfo", "--noheader", "--Node", "--format=%T").stdout.split()
            if listed == ["idle", "idle"]:
                return
            self.run("scontrol", "update", "nodename=hA,hB", "state=resume")
            time.sleep(0.2)
        raise AssertionError(f"Slurm's nodes are {listed}")

    def link(self, host: str, word: str) -> None:
        """Takes a host's network `up` or `down`."""
        interface = "v" + host[1]
        network = f"--net=/run/netns/{host}"
        subprocess.run(["nsenter", network, "ip", "link", "set", interface, word], check=True)

    def engines(self, host: str) -> list[int]:
        """Process ids of engines on a host; a zombie does not count."""
        pids = subprocess.run(
            ["ip", "netns", "pids", host], capture_output=True, text=True, check=True
        ).stdout.split()
        return [int(pid) for pid in pids if _is_engine(Path("/proc") / pid)]

    def nothing_left(self) -> bool:
        for _ in range(600):
            if not self.engines("hA") and not self.engines("hB"):
                return True
            time.sleep(0.1)
        return False


def _is_engine(process: Path) -> bool:
    try:
        name, state = (process / "stat").read_text().split(" (", 1)[1].rsplit(") ", 1)
    except (OSError, IndexError):
        return False
    return name.startswith("hockney-engine") and not state.startswith("Z")


@contextmanager
def two_hosts() -> Iterator[Path]:
    """Makes them, and removes them whatever happens."""
    # Not pytest's own directory: munge's and Slurm's daemons must reach it under any user.
    state = Path(tempfile.mkdtemp(prefix="hockney-cluster-"))
    try:
        subprocess.run([HERE / "up", state], check=True, timeout=TEST_TIMEOUT_S)
        yield state
    finally:
        subprocess.run([HERE / "down", state], check=True, timeout=TEST_TIMEOUT_S)


@pytest.fixture(scope="session")
def _hosts() -> Iterator[Path]:
    reason = why_not()
    if reason:
        pytest.skip(reason)
    with two_hosts() as state:
        yield state


@pytest.fixture
def cluster(_hosts: Path, mpi: Mpi, tmp_path: Path) -> Cluster:  # noqa: ARG001
    made = Cluster(_hosts, tmp_path)
    made.mend()
    return made
