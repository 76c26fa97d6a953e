"""LSF: bsub, with MPI's own mpiexec starting the ranks on the hosts of $LSB_MCPU_HOSTS."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hockney.measure.jobs import Job, State, as_asked, by_mpiexec, tell
from hockney.measure.mpi import Mpi
from hockney.spec import Case, Placement

SUBMIT = ("bsub",)
CANCEL = ("bkill",)
HOSTS = {
    "hydra": "-hosts \"$(printf '%s,%.0s' $LSB_MCPU_HOSTS)\"",
    "openmpi": "--host \"$(printf '%s:%s,' $LSB_MCPU_HOSTS)\"",
}
"""How each family of launchers is told of "nodeA 40 nodeB 40": by names; by names and slots."""


def directives(job: Job) -> list[str]:
    asked = [
        f"-J {job.name}",
        f"-n {job.nodes * job.per_node}",
        f'-R "span[ptile={job.per_node}]"',
        f"-W {job.minutes}",
        f"-o {log('%J', job)}",
        *as_asked(
            job, exclusive="-x", account=f"-P {job.account}", partition=f"-q {job.partition}"
        ),
    ]
    return [f"#BSUB {words}" for words in asked]


def launch(mpi: Mpi, case: Case, program: Sequence[str]) -> str:
    return by_mpiexec(HOSTS[mpi.family], mpi, case, program)


def reach(mpi: Mpi, placement: Placement, script: str) -> list[list[str]]:  # noqa: ARG001
    """LSF's blaunch does not say everywhere how its command ended."""
    return []


def state(number: str) -> State:
    done = tell(["bjobs", "-noheader", "-o", "stat", number])
    word = done.stdout.strip()
    if not word:
        # LSF forgets a job some time after its end; a master that is away comes back.
        gone = "is not found" in done.stderr
        return State("UNKNOWN", ended=gone, well=gone)
    return State(word, ended=word in ("DONE", "EXIT"), well=word == "DONE")


def log(number: str, job: Job) -> Path:
    return Path(f"{job.name}.{number}.log")
