"""Flux: its instances, and flux batch."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from hockney.plan import Case
from hockney.run.launchers import answer, flux, given
from hockney.run.mpis import Mpi
from hockney.run.schedulers import Allocation, Job, JobState, options_of

SUBMIT = ("flux", "batch")
CANCEL = ("flux", "cancel")
WELL, BADLY = {"COMPLETED"}, {"FAILED", "CANCELED", "TIMEOUT"}


def allocation() -> Allocation | None:
    """The size of an instance. Flux gives each rank a core."""
    instance = flux.instance()
    return Allocation(*(flux.resources(instance) or ())) if instance else None


def launcher() -> str:
    return "flux"


def directives(job: Job) -> list[str]:
    size = {
        "--job-name": job.name,
        "--nodes": job.nodes,
        "--nslots": job.nodes * job.per_node,
        "--cores-per-slot": job.cpus_per_rank if job.cpus_per_rank > 1 else None,
        "--time-limit": f"{job.minutes}m",
        # By default the first letter of a job number depends on the locale.
        "--output": "flux-{{id.f58plain}}.out",
    }
    where = {"--bank": job.account, "--queue": job.partition}
    options = [*given(size), *options_of(job, exclusive="--exclusive"), *given(where)]
    return [f"#flux: {words}" for words in options]


def launch(mpi: Mpi, case: Case, engine: Sequence[str]) -> str:
    return shlex.join(flux.LAUNCHER.command(flux.PROGRAM, mpi, case, engine))


def assumption(mpi: Mpi) -> str | None:  # noqa: ARG001
    return None


def state(number: str) -> JobState:
    """The status, and the reason of a failure if Flux reports one."""
    command = ["flux", "jobs", "--no-header", "--format={status} {exception.note}", number]
    word, _, note = answer(command).stdout.strip().partition(" ")
    text = f"{word}: {note}" if note else word
    return JobState(text or "UNKNOWN", ended=word in WELL | BADLY, well=word in WELL)


def log(number: str, job: Job) -> Path:  # noqa: ARG001
    return Path(f"flux-{number.replace('ƒ', 'f')}.out")
