"""Slurm: srun inside one of its jobs, and sbatch."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from hockney.base.errors import UsageError
from hockney.plan import Case, Placement
from hockney.plan.topology_files import expand
from hockney.run.mpis import Mpi, family_of
from hockney.run.schedulers import Allocation, Job, JobState, answer, as_asked, our_name

LAUNCHER = "srun"
SUBMIT = ("sbatch", "--parsable")
CANCEL = ("scancel",)
TOPOLOGY = ("scontrol", "show", "topology")
GOING = {"PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "SUSPENDED", "REQUEUED", "RESIZING"}


def allocation() -> Allocation | None:
    job = os.environ.get("SLURM_JOB_ID")
    if not job or not shutil.which("srun"):
        return None
    nodes = os.environ.get("SLURM_JOB_NUM_NODES")
    return Allocation(int(nodes) if nodes else None, _cpus(), _hosts())


def _hosts() -> tuple[str, ...]:
    try:
        return expand(os.environ.get("SLURM_JOB_NODELIST", ""))
    except ValueError:
        return ()


def topology() -> str:
    """The switches of the cluster, as Slurm prints them."""
    command, done = " ".join(TOPOLOGY), answer(TOPOLOGY)
    if done.returncode != 0:
        raise UsageError(f"`{command}` failed: {done.stderr.strip()}", "name a file")
    if "Name=" not in done.stdout:
        raise UsageError(f"`{command}` prints no switches: this Slurm knows none", "name a file")
    return done.stdout


def _cpus() -> int | None:
    """The sum of a list such as "36(x2),24"."""
    counts = os.environ.get("SLURM_JOB_CPUS_PER_NODE", "")
    parts = re.findall(r"(\d+)(?:\(x(\d+)\))?", counts)
    return sum(int(cpus) * int(nodes or 1) for cpus, nodes in parts) or None


def command(mpi: Mpi, case: Case, program: Sequence[str]) -> list[str]:
    """The command of srun. It does not bind, because the engine pins. A rank that fails ends the
    others."""
    placement = case.placement
    options = [f"--mpi={_wire_up(mpi)}", "--cpu-bind=none", "--kill-on-bad-exit=1"]
    options.append(f"--job-name={our_name()}")
    if placement.hosts:
        options.append("--nodelist=" + ",".join(placement.hosts))
    if placement.node_count:
        options.append(f"--nodes={placement.node_count}")
    if placement.ranks_per_node:
        options.append(f"--ntasks-per-node={placement.ranks_per_node}")
    if case.workload.threads_of_rank > 1:
        options.append(f"--cpus-per-task={case.workload.threads_of_rank}")
    if placement.place == "node":
        options.append("--distribution=cyclic")
    return ["srun", *options, f"--ntasks={placement.ranks}", *program]


@cache
def _offered() -> tuple[str, ...]:
    listed = answer(["srun", "--mpi=list"])
    words = listed.stdout + listed.stderr
    return tuple(re.findall(r"\b(?:pmi2|pmix|cray_shasta)\b(?! plugin)", words))


def _wire_up(mpi: Mpi) -> str:
    """The interface by which this Slurm starts ranks of the MPI; where there is no srun, for a
    script of another machine, the most reliable one (`unasked`)."""
    supported = family_of(mpi).PMI
    if not shutil.which(LAUNCHER):
        return supported[0]
    offered = _offered()
    for name in supported:
        if name in offered:
            return name
    raise UsageError(
        f"this Slurm supports {', '.join(offered) or 'no known interface'} to start MPI ranks, the "
        f"MPI of {mpi.mpicc} needs {' or '.join(supported)}",
        "start them with the MPI's own mpiexec: --launcher mpiexec",
    )


def end_strays() -> None:
    """Ends the steps of this process: Slurm does not end a step when its srun is killed."""
    job = os.environ["SLURM_JOB_ID"]
    listed = answer(["squeue", "--noheader", "--steps", f"--jobs={job}", "--format=%i %j"])
    for line in listed.stdout.splitlines():
        step, _, name = line.strip().partition(" ")
        if name == our_name():
            answer(["scancel", "--signal=KILL", step])


def reach(mpi: Mpi, placement: Placement, script: str) -> list[list[str]]:  # noqa: ARG001
    nodes = placement.node_count or int(os.environ.get("SLURM_JOB_NUM_NODES", "1"))
    options = [f"--nodes={nodes}", f"--ntasks={nodes}", "--ntasks-per-node=1"]
    return [["srun", *options, "sh", "-c", script]]


def directives(job: Job) -> list[str]:
    asked = [
        f"--job-name={job.name}",
        f"--nodes={job.nodes}",
        f"--ntasks-per-node={job.per_node}",
        f"--time={job.minutes}",
        *as_asked(
            job,
            exclusive="--exclusive",
            account=f"--account={job.account}",
            partition=f"--partition={job.partition}",
        ),
    ]
    return [f"#SBATCH {words}" for words in asked]


def launch(mpi: Mpi, case: Case, program: Sequence[str]) -> str:
    return shlex.join(command(mpi, case, program))


def unasked(mpi: Mpi) -> str | None:
    if shutil.which(LAUNCHER):
        return None
    return (
        f"srun is not on this machine, so the script assumes --mpi={_wire_up(mpi)}: "
        "`srun --mpi=list` on the cluster lists what it supports"
    )


def state(number: str) -> JobState:
    done = answer(["squeue", "--noheader", "--states=all", f"--jobs={number}", "--format=%T"])
    word = done.stdout.strip()
    if not word:
        # Slurm forgets a job some minutes after its end; an unreachable controller comes back.
        gone = done.returncode == 0 or "Invalid job id" in done.stderr
        return JobState("UNKNOWN", ended=gone, well=gone)
    return JobState(word, ended=word not in GOING, well=word == "COMPLETED")


def log(number: str, job: Job) -> Path:  # noqa: ARG001
    return Path(f"slurm-{number}.out")
