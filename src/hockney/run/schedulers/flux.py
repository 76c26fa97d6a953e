"""Flux: flux run inside one of its instances, and flux batch."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from hockney.plan import Case, Placement
from hockney.run.mpis import Mpi, family_of
from hockney.run.schedulers import Allocation, Job, JobState, answer, as_asked, our_name

LAUNCHER = "flux"
SUBMIT = ("flux", "batch")
CANCEL = ("flux", "cancel")
WELL, BADLY = {"COMPLETED"}, {"FAILED", "CANCELED", "TIMEOUT"}


def allocation() -> Allocation | None:
    instance = os.environ.get("FLUX_URI")
    return _allocation(instance) if instance and shutil.which("flux") else None


@cache
def _allocation(instance: str) -> Allocation:  # noqa: ARG001
    """The size of an instance, which only Flux's own commands show. Flux gives each rank a core."""
    options = ["--no-header", "--states=up", "--format={nnodes} {ncores}"]
    words = answer(["flux", "resource", "list", *options]).stdout.split()
    return Allocation(int(words[0]), int(words[1])) if len(words) == 2 else Allocation()


def command(mpi: Mpi, case: Case, program: Sequence[str]) -> list[str]:
    """The command of `flux run`. It does not bind, because the engine pins. A rank that exits ends
    the others after a delay: exit-on-error would lose its output. A library that only has PMIx
    needs the plug-in of Flux's shell."""
    placement = case.placement
    options = [f"--job-name={our_name()}", "-o", "cpu-affinity=off", "-o", "exit-timeout=5s"]
    if tuple(family_of(mpi).PMI) == ("pmix",):
        options += ["-o", "pmi=pmix"]
    if placement.hosts:
        options.append("--requires=hosts:" + ",".join(placement.hosts))
    nodes = _nodes(placement)
    if nodes:
        options.append(f"--nodes={nodes}")
    if case.workload.threads_of_rank > 1:
        options.append(f"--cores-per-task={case.workload.threads_of_rank}")
    if placement.place == "node":
        options.append("--taskmap=cyclic")
    return ["flux", "run", *options, f"--ntasks={placement.ranks}", *program]


def _nodes(placement: Placement) -> int | None:
    """Flux fills one node after the other, unless the number of nodes is given."""
    if placement.node_count or placement.place != "node":
        return placement.node_count
    found = allocation()
    return min(found.nodes, placement.ranks) if found and found.nodes else None


def end_strays() -> None:
    """Ends the jobs of this process: Flux does not end a job when its `flux run` is killed."""
    listed = answer(["flux", "jobs", "--no-header", "--format={id}", f"--name={our_name()}"])
    for job in listed.stdout.split():
        answer(["flux", "cancel", job])
        # `cancel` sends SIGTERM first and kills seconds later.
        answer(["flux", "job", "kill", "--signal=KILL", job])


def reach(mpi: Mpi, placement: Placement, script: str) -> list[list[str]]:  # noqa: ARG001
    return [["flux", "exec", "--rank=all", "sh", "-c", script]]


def directives(job: Job) -> list[str]:
    asked = [
        f"--job-name={job.name}",
        f"--nodes={job.nodes}",
        f"--nslots={job.nodes * job.per_node}",
        f"--time-limit={job.minutes}m",
        # By default the first letter of a job number depends on the locale.
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


def unasked(mpi: Mpi) -> str | None:  # noqa: ARG001
    return None


def state(number: str) -> JobState:
    """The status, and the reason of a failure if Flux reports one."""
    command = ["flux", "jobs", "--no-header", "--format={status} {exception.note}", number]
    word, _, note = answer(command).stdout.strip().partition(" ")
    text = f"{word}: {note}" if note else word
    return JobState(text or "UNKNOWN", ended=word in WELL | BADLY, well=word in WELL)


def log(number: str, job: Job) -> Path:  # noqa: ARG001
    return Path(f"flux-{number.replace('ƒ', 'f')}.out")
