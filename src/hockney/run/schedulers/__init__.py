"""Schedulers, one file each: the allocation of a job, how ranks are started, and batch jobs.

Each module has `allocation`. A scheduler that starts ranks itself is a Launcher; otherwise MPI's
mpiexec starts them on the job's hosts. `hockney job` submits to schedulers that are a Batch.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import msgspec

from hockney.base.errors import HockneyError, UsageError
from hockney.base.registry import Registry, offers
from hockney.plan import Case, Placement
from hockney.run.mpis import Mpi, family_of

MPIEXEC = "mpiexec"
"""The MPI's own launcher, whatever its family."""
COMMAND_TIMEOUT_S = 60.0
"""Long, because a busy controller answers late."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:,+@/-]*")
"""Valid names of accounts and partitions: directives are not shell, so nothing can be quoted."""
NUMBER = re.compile(r"(?:Job <)?([^;<>\s]+)")
"""The number of a job in the output of its submission: "12", "12;cluster", "Job <12> is"."""


@dataclass(frozen=True)
class Allocation:
    """The resources that a scheduler gave this process; None where unknown."""

    nodes: int | None = None
    cpus: int | None = None
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Job:
    """A batch job to request."""

    name: str
    nodes: int
    per_node: int
    minutes: int
    account: str | None = None
    partition: str | None = None
    exclusive: bool = True
    modules: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for option, value in (("--account", self.account), ("--partition", self.partition)):
            if value is not None and not NAME.fullmatch(value):
                raise UsageError(
                    f"{option} {value!r} is not a valid name",
                    "use letters, digits and . _ - : , + @ /",
                )


@dataclass(frozen=True)
class JobState:
    """The state of a job, as the scheduler names it."""

    word: str
    ended: bool = False
    well: bool = False


class Scheduler(Protocol):
    def allocation(self) -> Allocation | None:
        """The allocation of this process; None outside of a job."""


class Launcher(Protocol):
    LAUNCHER: str
    """The command, which is also its name in records."""

    def command(self, mpi: Mpi, case: Case, program: Sequence[str]) -> list[str]:
        """The command line that starts `program` on all ranks."""

    def reach(self, mpi: Mpi, placement: Placement, script: str) -> list[list[str]]:
        """Commands that together run a shell script once on each node."""

    def end_strays(self) -> None:
        """Ends ranks of this process that survive a killed launcher."""


class Batch(Protocol):
    SUBMIT: Sequence[str]
    """A command that reads a script and prints the job's number."""
    CANCEL: Sequence[str]
    """The command to which the job's number is appended."""

    def directives(self, job: Job) -> list[str]:
        """The lines of a script that request resources."""

    def launch(self, mpi: Mpi, case: Case, program: Sequence[str]) -> str:
        """The shell command that starts the MPI program once."""

    def unasked(self, mpi: Mpi) -> str | None:
        """What a script assumes because the scheduler cannot be asked on this machine; None if
        nothing."""

    def state(self, number: str) -> JobState: ...

    def log(self, number: str, job: Job) -> Path:
        """The file with the output of the job."""


SCHEDULERS = Registry(
    __name__,
    "scheduler",
    Scheduler,
    parts=(Scheduler, Launcher, Batch),
    group="hockney.schedulers",
)


def launcher_names() -> list[str]:
    """Values of --launcher: mpiexec, or a scheduler in whose jobs hockney runs."""
    return [MPIEXEC, *SCHEDULERS.names()]


def batch_names() -> list[str]:
    """Schedulers to which jobs can be submitted."""
    return list(SCHEDULERS.offering(Batch))


def batch_named(name: str) -> Batch:
    """The scheduler of that name; raises UsageError if jobs cannot be submitted to it."""
    found: object = SCHEDULERS.find(name)
    if offers(found, Batch):
        return found
    raise UsageError(
        f"hockney cannot submit batch jobs to {name}", f"there are {', '.join(batch_names())}"
    )


def find_launcher(placement: Placement) -> tuple[Launcher | None, Placement]:
    """The launcher, and the placement with the hosts of its allocation. The launcher is None for
    the MPI's own mpiexec: outside of jobs, with named hosts, or by --launcher mpiexec."""
    if placement.platform is not None or placement.launcher == MPIEXEC:
        return None, placement
    if placement.hosts and placement.launcher is None:
        return None, placement
    found = find_allocation(placement.launcher)
    if found is None:
        return None, placement
    name, allocation = found
    scheduler: object = SCHEDULERS.find(name)
    if offers(scheduler, Launcher):
        return scheduler, placement
    hosts = placement.hosts or allocation.hosts
    return None, msgspec.structs.replace(placement, hosts=hosts)


def find_allocation(launcher: str | None = None) -> tuple[str, Allocation] | None:
    """The scheduler in whose job this process runs, or the requested one, with its allocation."""
    asked = launcher if launcher != MPIEXEC else None
    for name in [asked] if asked else SCHEDULERS.names():
        allocation = SCHEDULERS.find(name).allocation()
        if allocation is not None:
            return name, allocation
    if asked:
        raise UsageError(
            f"--launcher {launcher}: this is not inside one of its jobs",
            "ask for an allocation first, or submit a job (`hockney job --help`)",
        )
    return None


def submit(batch: Batch, script: str) -> str:
    """Submits a script; returns the job's number."""
    done = answer(batch.SUBMIT, script)
    number = NUMBER.match(done.stdout.strip())
    if done.returncode != 0 or number is None:
        raise HockneyError(f"{batch.SUBMIT[0]} refused the job: {done.stderr.strip()}")
    return number[1]


def cancel(batch: Batch, number: str) -> None:
    answer([*batch.CANCEL, number])


def our_name() -> str:
    """The name of jobs and steps that this process starts, by which survivors are found."""
    return f"hockney-{os.getpid()}"


def answer(command: Sequence[str], stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Runs one of a scheduler's commands."""
    try:
        return subprocess.run(
            command, input=stdin, capture_output=True, text=True, timeout=COMMAND_TIMEOUT_S
        )
    except FileNotFoundError as error:
        raise UsageError(
            f"{command[0]} not found: is this a login node of such a cluster?",
            "without --submit the script is printed; submit it there",
        ) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HockneyError(f"{command[0]}: {error}") from error


def as_asked(job: Job, **words: str) -> list[str]:
    """The options of those fields of a job that are set."""
    return [word for field, word in words.items() if getattr(job, field)]


def by_mpiexec(hosts: str, mpi: Mpi, case: Case, program: Sequence[str]) -> str:
    """A shell command for MPI's own launcher; `hosts` is shell text that selects the hosts."""
    placement = msgspec.structs.replace(case.placement, hosts=())
    case = msgspec.structs.replace(case, placement=placement)
    mpiexec, *words = family_of(mpi).command(mpi, case, program)
    return f"{shlex.quote(mpiexec)} {hosts} {shlex.join(words)}"
