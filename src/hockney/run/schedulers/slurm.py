"""Slurm: its allocations, and sbatch."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from hockney.base.errors import UsageError, why_failed
from hockney.plan import Case
from hockney.plan.bounds import is_whole
from hockney.plan.topology_files import expand
from hockney.run.launchers import answer, given, srun
from hockney.run.mpis import Mpi
from hockney.run.schedulers import Allocation, Job, JobState, options_of

SUBMIT = ("sbatch", "--parsable")
CANCEL = ("scancel",)
TOPOLOGY = ("scontrol", "show", "topology")
GOING = {"PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "SUSPENDED", "REQUEUED", "RESIZING"}


def allocation() -> Allocation | None:
    job = os.environ.get("SLURM_JOB_ID")
    if not job or not shutil.which("srun"):
        return None
    nodes = os.environ.get("SLURM_JOB_NUM_NODES", "")
    return Allocation(int(nodes) if is_whole(nodes) else None, _cpus(), _hosts())


def left_over() -> str | None:
    """The variable of a job that is set without a Slurm to start ranks; None where there is
    none."""
    if os.environ.get("SLURM_JOB_ID") and not shutil.which(srun.PROGRAM):
        return "SLURM_JOB_ID is set, but there is no srun: ranks are started on this host"
    return None


def _hosts() -> tuple[str, ...]:
    try:
        return expand(os.environ.get("SLURM_JOB_NODELIST", ""))
    except ValueError:
        return ()


def topology() -> str:
    """The switches of the cluster, as Slurm prints them."""
    command, done = " ".join(TOPOLOGY), answer(TOPOLOGY)
    if done.returncode != 0:
        raise UsageError(f"`{command}` failed: {why_failed(done)}", "name a file")
    if "Name=" not in done.stdout:
        raise UsageError(f"`{command}` prints no switches: this Slurm knows none", "name a file")
    return done.stdout


def _cpus() -> int | None:
    """The sum of a list such as "36(x2),24"."""
    counts = os.environ.get("SLURM_JOB_CPUS_PER_NODE", "")
    parts = re.findall(r"(\d+)(?:\(x(\d+)\))?", counts)
    return sum(int(cpus) * int(nodes or 1) for cpus, nodes in parts) or None


def launcher() -> str:
    return "srun"


def directives(job: Job) -> list[str]:
    size = {
        "--job-name": job.name,
        "--nodes": job.nodes,
        "--ntasks-per-node": job.per_node,
        "--cpus-per-task": job.cpus_per_rank if job.cpus_per_rank > 1 else None,
        "--time": job.minutes,
    }
    where = {"--account": job.account, "--partition": job.partition}
    options = [*given(size), *options_of(job, exclusive="--exclusive"), *given(where)]
    return [f"#SBATCH {words}" for words in options]


def launch(mpi: Mpi, case: Case, engine: Sequence[str]) -> str:
    return shlex.join(srun.LAUNCHER.command(srun.PROGRAM, mpi, case, engine))


def again(wait_s: str) -> str:
    return f'sbatch --begin=now+{wait_s} "$0"'


def assumption(mpi: Mpi) -> str | None:
    if srun.is_here():
        return None
    how = "does not work" if shutil.which(srun.PROGRAM) else "is not"
    return (
        f"srun {how} on this machine, so the script assumes --mpi={srun.wire_up(mpi)}: "
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
