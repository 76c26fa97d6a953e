"""Slurm: sbatch, with srun starting the ranks."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from hockney.measure.jobs import Job, State, as_asked, tell
from hockney.measure.launchers import srun
from hockney.measure.mpi import Mpi
from hockney.spec import Case, Placement

SUBMIT = ("sbatch", "--parsable")
CANCEL = ("scancel",)
GOING = {"PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "SUSPENDED", "REQUEUED", "RESIZING"}


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
    return shlex.join(srun.command(mpi, case, program))


def reach(mpi: Mpi, placement: Placement, script: str) -> list[list[str]]:
    return srun.reach(mpi, placement, script)


def state(number: str) -> State:
    done = tell(["squeue", "--noheader", "--states=all", f"--jobs={number}", "--format=%T"])
    word = done.stdout.strip()
    if not word:
        # Slurm forgets a job some minutes after its end; a controller that is away comes back.
        gone = done.returncode == 0 or "Invalid job id" in done.stderr
        return State("UNKNOWN", ended=gone, well=gone)
    return State(word, ended=word not in GOING, well=word == "COMPLETED")


def log(number: str, job: Job) -> Path:  # noqa: ARG001
    return Path(f"slurm-{number}.out")
