"""Flux: flux run inside one of its instances, and flux batch."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from hockney.mpis import Mpi, family_of
from hockney.schedulers import Allocation, Job, State, answer, as_asked, our_name
from hockney.spec import Case, Placement

LAUNCHER = "flux"
SUBMIT = ("flux", "batch")
CANCEL = ("flux", "cancel")
WELL, BADLY = {"COMPLETED"}, {"FAILED", "CANCELED", "TIMEOUT"}


def allocation() -> Allocation | None:
    instance = os.environ.get("FLUX_URI")
    return _allocation(instance) if instance and shutil.which("flux") else None


@cache
def _allocation(instance: str) -> Allocation:  # noqa: ARG001
    """Flux tells the size of an instance by its own commands only. It gives every rank a core."""
    options = ["--no-header", "--states=up", "--format={nnodes} {ncores}"]
    words = answer(["flux", "resource", "list", *options]).stdout.split()
    return Allocation(int(words[0]), int(words[1])) if len(words) == 2 else Allocation()


def command(mpi: Mpi, case: Case, program: Sequence[str]) -> list[str]:
    """Unbound, because the engine pins; a rank that is gone takes the others with it, but not at
    once (exit-on-error): what it said would be lost. A library that has PMIx alone needs the
    plug-in of Flux's shell."""
    placement = case.placement
    options = [f"--job-name={our_name()}", "-o", "cpu-affinity=off", "-o", "exit-timeout=5s"]
    if tuple(family_of(mpi).PMI) == ("pmix",):
        options += ["-o", "pmi=pmix"]
    if placement.hosts:
        options.append("--requires=hosts:" + ",".join(placement.hosts))
    nodes = _nodes(placement)
    if nodes:
        options.append(f"--nodes={nodes}")
    if placement.place == "node":
        options.append("--taskmap=cyclic")
    return ["flux", "run", *options, f"--ntasks={placement.ranks}", *program]


def _nodes(placement: Placement) -> int | None:
    """Flux fills a node before it takes another, unless it is told how many to take."""
    if placement.node_count or placement.place != "node":
        return placement.node_count
    found = allocation()
    return min(found.nodes, placement.ranks) if found and found.nodes else None


def end_strays() -> None:
    """Flux lets a job go on, or wait, whose flux run was killed: ends those that this process
    started."""
    listed = answer(["flux", "jobs", "--no-header", "--format={id}", f"--name={our_name()}"])
    for job in listed.stdout.split():
        answer(["flux", "cancel", job])
        # That asks first, and kills seconds later.
        answer(["flux", "job", "kill", "--signal=KILL", job])


def reach(mpi: Mpi, placement: Placement, script: str) -> list[list[str]]:  # noqa: ARG001
    return [["flux", "exec", "--rank=all", "sh", "-c", script]]


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
    return shlex.join(command(mpi, case, program))


def state(number: str) -> State:
    """Its word, and why it could not start or go on, where Flux tells."""
    told = ["flux", "jobs", "--no-header", "--format={status} {exception.note}", number]
    word, _, note = answer(told).stdout.strip().partition(" ")
    said = f"{word}: {note}" if note else word
    return State(said or "UNKNOWN", ended=word in WELL | BADLY, well=word in WELL)


def log(number: str, job: Job) -> Path:  # noqa: ARG001
    return Path(f"flux-{number.replace('ƒ', 'f')}.out")
