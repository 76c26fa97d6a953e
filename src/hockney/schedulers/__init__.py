"""Schedulers: one file each, with what its jobs were given, how it starts ranks, and batch jobs.

Every module has `allocation`. One that starts ranks itself is a Launcher; where a scheduler has no
launcher, MPI's mpiexec gets the hosts of its jobs. `hockney job` submits to one that is a Batch.
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

from hockney.errors import AskedWronglyError, HockneyError
from hockney.mpis import Mpi, family_of
from hockney.registry import Registry, offers
from hockney.spec import Case, Placement

MPIEXEC = "mpiexec"
"""The MPI's own launcher, whatever its family."""
COMMAND_TIMEOUT_S = 60.0
"""A busy controller answers late."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:,+@/-]*")
"""What accounts and partitions are called. Directives are not shell: nothing in them is quoted."""
NUMBER = re.compile(r"(?:Job <)?([^;<>\s]+)")
"""How a job is called in what was said when it was submitted: "12", "12;cluster", "Job <12> is"."""


@dataclass(frozen=True)
class Allocation:
    """What a scheduler gave this process; None is not known."""

    nodes: int | None = None
    cpus: int | None = None
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Job:
    """What is asked of a scheduler."""

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
                raise AskedWronglyError(
                    f"{option} {value!r} is no name", "letters, digits and . _ - : , + @ / make one"
                )


@dataclass(frozen=True)
class State:
    """How a job is doing, in the scheduler's words."""

    word: str
    ended: bool = False
    well: bool = False


class Scheduler(Protocol):
    def allocation(self) -> Allocation | None:
        """What this process was given; None outside of a job."""


class Launcher(Protocol):
    LAUNCHER: str
    """What records call it: its command."""

    def command(self, mpi: Mpi, case: Case, program: Sequence[str]) -> list[str]:
        """The whole command line that starts `program` on every rank."""

    def reach(self, mpi: Mpi, placement: Placement, script: str) -> list[list[str]]:
        """Commands that together run a shell script once on every node."""

    def end_strays(self) -> None:
        """Ends ranks of ours that outlive a launcher that was killed."""


class Batch(Protocol):
    SUBMIT: Sequence[str]
    """A command that reads a script and prints the job's number."""
    CANCEL: Sequence[str]
    """The command that takes the number behind it."""

    def directives(self, job: Job) -> list[str]:
        """The lines of a script that ask for resources."""

    def launch(self, mpi: Mpi, case: Case, program: Sequence[str]) -> str:
        """The shell's words for one start of the MPI program."""

    def state(self, number: str) -> State: ...

    def log(self, number: str, job: Job) -> Path:
        """Where the scheduler writes what the job prints."""


SCHEDULERS = Registry(__name__, "scheduler", Scheduler, parts=(Scheduler, Launcher, Batch))


def launcher_names() -> list[str]:
    """What --launcher may be: mpiexec, or a scheduler in whose jobs hockney runs."""
    return [MPIEXEC, *SCHEDULERS.names()]


def batch_names() -> list[str]:
    """Schedulers to which jobs can be submitted."""
    return list(SCHEDULERS.offering(Batch))


def batch_named(name: str) -> Batch:
    """The scheduler of that name; raises AskedWronglyError where no jobs can be submitted to it."""
    found: object = SCHEDULERS.find(name)
    if offers(found, Batch):
        return found
    raise AskedWronglyError(
        f"{name} takes no batch jobs of hockney", f"there are {', '.join(batch_names())}"
    )


def find_launcher(placement: Placement) -> tuple[Launcher | None, Placement]:
    """What starts the ranks, and the placement with the hosts that its allocation has. None: the
    MPI's own mpiexec, outside of a job, over named hosts, or when asked for."""
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
    """The scheduler whose job this process runs in, or the one that was asked for."""
    asked = launcher if launcher != MPIEXEC else None
    for name in [asked] if asked else SCHEDULERS.names():
        allocation = SCHEDULERS.find(name).allocation()
        if allocation is not None:
            return name, allocation
    if asked:
        raise AskedWronglyError(
            f"--launcher {launcher}: this is not inside one of its jobs",
            "ask for an allocation first, or submit a job (`hockney job --help`)",
        )
    return None


def submit(batch: Batch, script: str) -> str:
    """The job's number."""
    done = answer(batch.SUBMIT, script)
    number = NUMBER.match(done.stdout.strip())
    if done.returncode != 0 or number is None:
        raise HockneyError(f"{batch.SUBMIT[0]} refused the job: {done.stderr.strip()}")
    return number[1]


def cancel(batch: Batch, number: str) -> None:
    answer([*batch.CANCEL, number])


def our_name() -> str:
    """What this process calls the jobs and steps that it starts, to find those that outlive it."""
    return f"hockney-{os.getpid()}"


def answer(command: Sequence[str], stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Runs one of a scheduler's commands."""
    try:
        return subprocess.run(
            command, input=stdin, capture_output=True, text=True, timeout=COMMAND_TIMEOUT_S
        )
    except FileNotFoundError as error:
        raise AskedWronglyError(
            f"no {command[0]}: is this a login node of such a cluster?",
            "without --submit the script is printed; take it there",
        ) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HockneyError(f"{command[0]}: {error}") from error


def as_asked(job: Job, **words: str) -> list[str]:
    """The words of those fields of a job that were asked for."""
    return [word for field, word in words.items() if getattr(job, field)]


def by_mpiexec(hosts: str, mpi: Mpi, case: Case, program: Sequence[str]) -> str:
    """MPI's own launcher; `hosts` are the shell's words that name its hosts."""
    placement = msgspec.structs.replace(case.placement, hosts=())
    case = msgspec.structs.replace(case, placement=placement)
    mpiexec, *words = family_of(mpi).command(mpi, case, program)
    return f"{shlex.quote(mpiexec)} {hosts} {shlex.join(words)}"
