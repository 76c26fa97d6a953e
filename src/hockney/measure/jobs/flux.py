"""Flux: flux batch, with flux run starting the ranks."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from hockney.measure.jobs import Job, State, as_asked, tell
from hockney.measure.launchers import flux
from hockney.measure.mpi import Mpi
from hockney.spec import Case, Placement

SUBMIT = ("flux", "batch")
CANCEL = ("flux", "cancel")
WELL, BADLY = {"COMPLETED"}, {"FAILED", "CANCELED", "TIMEOUT"}


def directives(job: Job) -> list[str]:
    asked = [
        f"--job-name={job.name}",
        f"--nodes={job.nodes}",
        f"--nslots={job.nodes * job.per_node}",
        f"--time-limit={job.minutes}m",
        # By itself Flux writes the first letter of a number in two ways, as the locale is.
        "--output=flux-{{id.f58plain}}.out",
        *as_asked(
            job,
            exclusive="--exclusive",
            account=f"--bank={job.account}",
            partition=f"--queue={job.partition}",
        ),
    ]
    return [f"#flux: {words}" for words in asked]


def launch(mpi: Mpi, case: Case, program: Sequence[str]) -> str:
    return shlex.join(flux.command(mpi, case, program))


def reach(mpi: Mpi, placement: Placement, script: str) -> list[list[str]]:
    return flux.reach(mpi, placement, script)


def state(number: str) -> State:
    """Its word, and why it could not start or go on, where Flux tells."""
    told = ["flux", "jobs", "--no-header", "--format={status} {exception.note}", number]
    word, _, note = tell(told).stdout.strip().partition(" ")
    said = f"{word}: {note}" if note else word
    return State(said or "UNKNOWN", ended=word in WELL | BADLY, well=word in WELL)


def log(number: str, job: Job) -> Path:  # noqa: ARG001
    return Path(f"flux-{number.replace('ƒ', 'f')}.out")
