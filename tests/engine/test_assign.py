"""Assignment of ranks to PUs, on machines that are only described: a tree of files as in /sys."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from conftest import first_of
from engine_checks import build_check
from hockney.run.mpis import Mpi

CHECK = Path(__file__).with_name("assign_check.c")


@pytest.fixture(scope="module")
def program(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_check(mpi.mpicc, CHECK, tmp_path_factory.mktemp("assign") / "assign")


@dataclass(frozen=True)
class Machine:
    """Packages of NUMA nodes of last-level caches of cores of threads. PUs are numbered as Linux
    does on x86: the first threads of all cores, then the second ones."""

    packages: int = 1
    nodes: int = 1
    caches: int = 1
    cores: int = 4
    threads: int = 1

    @property
    def all_cores(self) -> int:
        return self.packages * self.nodes * self.caches * self.cores

    def threads_of(self, cores: range) -> str:
        return ",".join(
            str(core + thread * self.all_cores) for thread in range(self.threads) for core in cores
        )

    def build(self, root: Path) -> Path:
        """Caches of level 1 and 2 belong to a core, of level 3 to `cores` of them."""
        system = root / "sys" / "devices" / "system"
        in_node = self.caches * self.cores
        for node in range(self.packages * self.nodes):
            cores = range(node * in_node, (node + 1) * in_node)
            write(system / "node" / f"node{node}" / "cpulist", self.threads_of(cores))
        write(system / "node" / "online", f"0-{self.packages * self.nodes - 1}")
        for pu in range(self.all_cores * self.threads):
            core = pu % self.all_cores
            cpu = system / "cpu" / f"cpu{pu}"
            write(cpu / "topology" / "core_id", str(core % (self.nodes * in_node)))
            write(cpu / "topology" / "physical_package_id", str(core // (self.nodes * in_node)))
            first = core // self.cores * self.cores
            own, shared = range(core, core + 1), range(first, first + self.cores)
            for index, (level, cores) in enumerate([(1, own), (1, own), (2, own), (3, shared)]):
                write(cpu / "cache" / f"index{index}" / "level", str(level))
                write(cpu / "cache" / f"index{index}" / "shared_cpu_list", self.threads_of(cores))
        return root


def write(path: Path, line: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(line + "\n")


def assigned(program: Path, root: Path, policy: str, *masks: str) -> str:
    done = subprocess.run(
        [program, policy, *masks],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "HOCKNEY_FAULT_ROOT": str(root)},
    )
    assert done.returncode in (0, 2), done.stderr
    return done.stdout.strip()


TWO_SOCKETS = Machine(packages=2, nodes=2, caches=1, cores=2, threads=2)
"""16 PUs: cores 0 to 3 in socket 0, 4 to 7 in socket 1, second threads 8 above the first."""
CHIPLETS = Machine(packages=1, nodes=1, caches=3, cores=2)


@pytest.mark.long
@pytest.mark.parametrize(
    ("machine", "policy", "masks", "expected"),
    [
        (TWO_SOCKETS, "core", ["0-15"] * 4, "0 1 2 3 alone"),
        (TWO_SOCKETS, "core", ["0-15"] * 10, "0 1 2 3 4 5 6 7 8 9 alone"),
        (TWO_SOCKETS, "node", ["0-15"] * 2, "0 1 alone"),
        (TWO_SOCKETS, "socket", ["0-15"] * 4, "0 4 1 5 alone"),
        (TWO_SOCKETS, "numa", ["0-15"] * 5, "0 2 4 6 1 alone"),
        (CHIPLETS, "spread", ["0-5"] * 4, "0 2 4 1 alone"),
        # A launcher's mask of a socket for each two ranks.
        (TWO_SOCKETS, "core", ["0-3,8-11"] * 2 + ["4-7,12-15"] * 2, "0 1 4 5 alone"),
        (TWO_SOCKETS, "core", ["0-3,8-11", "4-7,12-15"] * 3, "0 4 1 5 2 6 alone"),
        (TWO_SOCKETS, "socket", ["0-3,8-11", "4-7,12-15"] * 2, "0 4 1 5 alone"),
        # A mask of a core, or of a PU.
        (TWO_SOCKETS, "core", ["0,8", "1,9", "2,10"], "0 1 2 alone"),
        (TWO_SOCKETS, "core", ["8,9", "0,8"], "9 0 alone"),
        (TWO_SOCKETS, "core", ["5", "3"], "5 3 alone"),
        # Who may go elsewhere leaves the PU to those who may not.
        (Machine(cores=2), "core", ["0-1", "0"], "1 0 alone"),
        (Machine(cores=2), "core", ["1", "0-1"], "1 0 alone"),
        (Machine(cores=2), "core", ["0-1", "0-1", "0"], "1 0 0 shared"),
        # More ranks than PUs.
        (Machine(cores=3), "core", ["0-2"] * 7, "0 1 2 0 1 2 0 shared"),
        (Machine(cores=4), "core", ["0-1", "0-1", "0-1", "0-3"], "0 1 0 2 shared"),
        # A rank of which nobody knows where it may run.
        (Machine(cores=2), "core", ["", "0-1", "0-1"], "-1 0 1 alone"),
        # Numbers that no cpu_set_t holds.
        (Machine(cores=4), "core", ["2000-2001"] * 2, "2000 2001 alone"),
        (TWO_SOCKETS, "=3,1", ["0-15"] * 2, "3 1 alone"),
        (TWO_SOCKETS, "=4-6", ["0-15"] * 3, "4 5 6 alone"),
        (TWO_SOCKETS, "=4,4", ["0-15"] * 2, "4 4 shared"),
        (
            TWO_SOCKETS,
            "=0-1",
            ["0-15"] * 3,
            "--cpus 0-1 names too few CPUs: 2, and this node has 3 ranks",
        ),
        (TWO_SOCKETS, "=0,5", ["0-3"] * 2, "--cpus 0,5: rank 1 of this node may not run on CPU 5"),
        (TWO_SOCKETS, "=0,x", ["0-3"], "--cpus 0,x: not a list of CPU numbers such as 0,3 or 0-3"),
    ],
)
def test_every_rank_gets_the_best_pu_that_is_free(
    program: Path, tmp_path: Path, machine: Machine, policy: str, masks: list[str], expected: str
) -> None:
    assert assigned(program, machine.build(tmp_path), policy, *masks) == expected


@pytest.mark.parametrize("policy", first_of(["core", "spread", "node", "socket", "numa"], 2))
def test_a_large_node_is_filled_before_a_pu_is_shared(
    program: Path, tmp_path: Path, policy: str
) -> None:
    machine = Machine(packages=2, nodes=4, caches=2, cores=8, threads=2)
    *pus, shared = assigned(program, machine.build(tmp_path), policy, *["0-255"] * 256).split()
    assert sorted(map(int, pus)) == list(range(256))
    assert shared == "alone"
    assert {int(pu) for pu in pus[:128]} == set(range(128)), "a thread a core first"


def test_a_machine_that_describes_nothing_is_filled_in_order(program: Path, tmp_path: Path) -> None:
    for policy in ("core", "socket", "numa", "spread"):
        assert assigned(program, tmp_path, policy, *["0-3"] * 3) == "0 1 2 alone"


def test_no_file_is_read_twice(program: Path, tmp_path: Path) -> None:
    """Named pipes in place of the files give their line once; a second reader would wait."""
    root = TWO_SOCKETS.build(tmp_path)
    expected = assigned(program, root, "socket", *["0-15"] * 16)
    pipes = []
    for path in sorted(root.glob("sys/**/*")):
        if path.is_file():
            line = path.read_text()
            path.unlink()
            os.mkfifo(path)
            end = os.open(path, os.O_RDWR | os.O_NONBLOCK)
            os.write(end, line.encode())
            pipes.append(end)
    try:
        assert assigned(program, root, "socket", *["0-15"] * 16) == expected
    finally:
        for end in pipes:
            os.close(end)
