"""The nodes of an allocation, compared by what a shell on each reports."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hockney.run.measure.doctor import every_node
from hockney.run.measure.launches.nodes import NodesAnswer
from hockney.run.mpis import Mpi

SOME_MPI = Mpi(Path("/bin/mpicc"), Path("/bin/mpiexec"), "mpich", "hydra", "4.2")


def answer(*lines: str, status: int | None = 0, stderr: str = "") -> NodesAnswer:
    return NodesAnswer(["srun"], status, stderr, "".join(f"{line}\n" for line in lines))


def test_the_script_reports_this_node() -> None:
    done = subprocess.run(
        ["sh", "-c", every_node.script()], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    facts = every_node.read([answer(*done.stdout.splitlines())])
    assert list(facts) == list(every_node.FACTS)
    [(_, kernel)] = facts["kernel"].items()
    assert kernel == Path("/proc/sys/kernel/osrelease").read_text().strip()


def test_what_differs_comes_first_and_names_the_few() -> None:
    lines = [f"{i}: n{i}\tkernel\t6.1 " for i in range(4)]
    lines += [f"n{i}\tgovernor\t{'powersave' if i == 2 else 'performance'}" for i in range(4)]
    lines += [f"n{i}\tRDMA devices\t" for i in range(4)]
    first, *others = every_node.compared(every_node.read([answer("a banner", *lines)]))
    assert (first.name, first.verdict) == ("nodes: governor", "warn")
    assert first.fact == "n2: powersave; 3 of 4 nodes: performance"
    assert [(other.verdict, other.fact) for other in others] == [
        ("ok", "the same on all 4:\nkernel: 6.1")
    ]


def test_a_busy_node_is_named_and_moments_are_not() -> None:
    lines = [f"n{i}\tload\t{load}" for i, load in enumerate(("0.10", "0.90", "7.50"))]
    [finding] = every_node.compared(every_node.read([answer(*lines)]))
    assert finding.fact == "n2: 7.50; 2 of 3 nodes: up to 1.1"


@pytest.mark.parametrize("nodes", [None, 1])
def test_one_node_is_compared_with_nothing(
    monkeypatch: pytest.MonkeyPatch, nodes: int | None
) -> None:
    for name in ("SLURM_JOB_ID", "FLUX_URI", "PBS_NODEFILE", "LSB_JOBID"):
        monkeypatch.delenv(name, raising=False)
    if nodes:
        monkeypatch.setenv("LSB_JOBID", "1")
        monkeypatch.setenv("LSB_MCPU_HOSTS", f"n1 {nodes}")
    assert every_node.compare_nodes(SOME_MPI) == []


def test_nodes_that_do_not_answer_are_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LSB_JOBID", "1")
    monkeypatch.setenv("LSB_MCPU_HOSTS", "n1 1 n2 1")
    answers = [answer("n1\tkernel\t6.1"), answer(status=255, stderr="n2: no route to host")]
    monkeypatch.setattr(every_node, "ask_nodes", lambda *_: answers)
    findings = every_node.compare_nodes(SOME_MPI)
    assert findings[0].verdict == "bad"
    assert findings[0].fact == "1 of 2 nodes of the allocation answered: n2: no route to host"
