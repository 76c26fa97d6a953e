"""PBS: qsub, with MPI's own mpiexec starting the ranks on the hosts of $PBS_NODEFILE."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from hockney.measure.jobs import Job, State, as_asked, by_mpiexec, tell
from hockney.measure.mpi import Mpi
from hockney.spec import Case, Placement

SUBMIT = ("qsub",)
CANCEL = ("qdel",)
WORDS = {
    "Q": "queued",
    "H": "held",
    "W": "waiting",
    "R": "running",
    "S": "suspended",
    "E": "exiting",
    "F": "finished",
}
HOSTS = {"hydra": '-f "$PBS_NODEFILE"', "openmpi": '--hostfile "$PBS_NODEFILE"'}
"""How each family of launchers is told of a file of hosts."""


def directives(job: Job) -> list[str]:
    place = "scatter:excl" if job.exclusive else "scatter"
    asked = [
        "-V",
        f"-N {job.name}",
        "-j oe",
        f"-l select={job.nodes}:ncpus={job.per_node}:mpiprocs={job.per_node}",
        f"-l place={place}",
        f"-l walltime={job.minutes // 60:02d}:{job.minutes % 60:02d}:00",
        *as_asked(job, account=f"-A {job.account}", partition=f"-q {job.partition}"),
    ]
    return [f"#PBS {words}" for words in asked]


def launch(mpi: Mpi, case: Case, program: Sequence[str]) -> str:
    return by_mpiexec(HOSTS[mpi.family], mpi, case, program)


def reach(mpi: Mpi, placement: Placement, script: str) -> list[list[str]]:  # noqa: ARG001
    """PBS has no command that hands its input on to every node."""
    return []


def state(number: str) -> State:
    # Without -x PBS tells of jobs that have not ended, with it only where it keeps their history.
    going = tell(["qstat", "-f", number])
    said = going.stdout or tell(["qstat", "-x", "-f", number]).stdout
    letter = re.search(r"job_state = (\w)", said)
    if letter is None:
        # A server that is away comes back.
        gone = "Unknown Job Id" in going.stderr
        return State("gone" if gone else "unknown", ended=gone, well=gone)
    failure = re.search(r"Exit_status = (-?[1-9]\d*)", said)
    word = f"failed, exit status {failure[1]}" if failure else WORDS.get(letter[1], letter[1])
    return State(word, ended=letter[1] == "F", well=failure is None)


def log(number: str, job: Job) -> Path:
    return Path(f"{job.name}.o{number.partition('.')[0]}")
