"""PBS: qsub, with MPI's own mpiexec starting the ranks on the hosts of $PBS_NODEFILE."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from hockney.base.allowed import allowed_count
from hockney.plan import Case
from hockney.run.launchers import answer, own_launcher
from hockney.run.mpis import Mpi
from hockney.run.schedulers import Allocation, Job, JobState, by_mpiexec, options_of

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


def allocation() -> Allocation | None:
    """The node file has a line with a host for each slot. It does not show the CPUs of a slot, so
    nodes are assumed to have as many CPUs as this process may use here."""
    file = os.environ.get("PBS_NODEFILE")
    if not file:
        return None
    try:
        slots = Path(file).read_text().split()
    except OSError:
        return None
    hosts = tuple(dict.fromkeys(slots))
    cpus = max(len(slots), len(hosts) * allowed_count())
    return Allocation(len(hosts), cpus, hosts)


def launcher() -> None:
    return None


def directives(job: Job) -> list[str]:
    cpus = job.per_node * job.cpus_per_rank
    place = "scatter:excl" if job.exclusive else "scatter"
    options = [
        "-V",
        f"-N {job.name}",
        "-j oe",
        f"-l select={job.nodes}:ncpus={cpus}:mpiprocs={job.per_node}",
        f"-l place={place}",
        f"-l walltime={job.minutes // 60:02d}:{job.minutes % 60:02d}:00",
        *options_of(job, account=f"-A {job.account}", partition=f"-q {job.partition}"),
    ]
    return [f"#PBS {words}" for words in options]


def launch(mpi: Mpi, case: Case, engine: Sequence[str]) -> str:
    option = own_launcher(mpi).host_file
    hosts = f'{option} "$PBS_NODEFILE"' if option else ""
    return by_mpiexec(hosts, mpi, case, engine)


def assumption(mpi: Mpi) -> str | None:  # noqa: ARG001
    return None


def state(number: str) -> JobState:
    # Without -x PBS reports jobs that have not ended, with it only where it keeps their history.
    going = answer(["qstat", "-f", number])
    output = going.stdout or answer(["qstat", "-x", "-f", number]).stdout
    letter = re.search(r"job_state = (\w)", output)
    if letter is None:
        # An unreachable server comes back.
        gone = "Unknown Job Id" in going.stderr
        return JobState("gone" if gone else "unknown", ended=gone, well=gone)
    failure = re.search(r"Exit_status = (-?[1-9]\d*)", output)
    word = f"failed, exit status {failure[1]}" if failure else WORDS.get(letter[1], letter[1])
    return JobState(word, ended=letter[1] == "F", well=failure is None)


def log(number: str, job: Job) -> Path:
    return Path(f"{job.name}.o{number.partition('.')[0]}")
