"""LSF: bsub, with jsrun where there is one, else MPI's own mpiexec on $LSB_MCPU_HOSTS."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from hockney.plan import Case
from hockney.plan.bounds import is_whole
from hockney.run.launchers import answer, jsrun, own_launcher
from hockney.run.mpis import Mpi
from hockney.run.schedulers import Allocation, Job, JobState, by_mpiexec, options_of

SUBMIT = ("bsub",)
CANCEL = ("bkill",)


def allocation() -> Allocation | None:
    """The job's nodes and slots, from "nodeA 40 nodeB 40". LSF counts CPUs in slots."""
    words = os.environ.get("LSB_MCPU_HOSTS", "").split()
    names, slots = words[::2], words[1::2]
    if not os.environ.get("LSB_JOBID") or not words or len(names) != len(slots):
        return None
    hosts = tuple(dict.fromkeys(names))  # bsub -hostfile may repeat hosts
    return Allocation(
        len(hosts), sum(map(int, slots)) if all(map(is_whole, slots)) else None, hosts
    )


def launcher() -> str | None:
    return "jsrun" if shutil.which(jsrun.PROGRAM) else None


def directives(job: Job) -> list[str]:
    """A job requests the slots of all CPUs: its launcher is given the ranks of each node."""
    slots = job.per_node * job.cpus_per_rank
    options = [
        f"-J {job.name}",
        f"-n {job.nodes * slots}",
        f'-R "span[ptile={slots}]"',
        f"-W {job.minutes}",
        f"-o {log('%J', job)}",
        *options_of(
            job, exclusive="-x", account=f"-P {job.account}", partition=f"-q {job.partition}"
        ),
    ]
    return [f"#BSUB {words}" for words in options]


def launch(mpi: Mpi, case: Case, engine: Sequence[str]) -> str:
    """The command with the hosts of $LSB_MCPU_HOSTS, which is "nodeA 40 nodeB 40"."""
    if launcher():
        return shlex.join(jsrun.LAUNCHER.command(jsrun.PROGRAM, mpi, case, engine))
    listed = own_launcher(mpi).host_list
    hosts = f"{listed[0]} \"$(printf '{listed[1]}' $LSB_MCPU_HOSTS)\"" if listed else ""
    return by_mpiexec(hosts, mpi, case, engine)


def assumption(mpi: Mpi) -> str | None:  # noqa: ARG001
    return None


def state(number: str) -> JobState:
    done = answer(["bjobs", "-noheader", "-o", "stat", number])
    word = done.stdout.strip()
    if not word:
        # LSF forgets a job some time after its end; an unreachable master comes back.
        gone = "is not found" in done.stderr
        return JobState("UNKNOWN", ended=gone, well=gone)
    return JobState(word, ended=word in ("DONE", "EXIT"), well=word == "DONE")


def log(number: str, job: Job) -> Path:
    return Path(f"{job.name}.{number}.log")
