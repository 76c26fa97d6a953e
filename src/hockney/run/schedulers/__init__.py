"""Schedulers, one file each: the allocation of a job, how ranks are started, and batch jobs.

Each module has `allocation`, and names the launcher of its jobs, if that is not the MPI's own on
the job's hosts. `hockney job` submits to schedulers that are a Batch.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from msgspec.structs import replace

from hockney.base.errors import HockneyError, UsageError, why_failed
from hockney.base.registry import Registry, offers
from hockney.plan import Case, Placement
from hockney.run.launchers import LAUNCHERS, Launcher, answer, launcher_named, own_launcher
from hockney.run.mpis import Mpi
from hockney.run.schedulers._template import template_launcher, template_of

MPIEXEC = "mpiexec"
"""The MPI's own launcher, whatever it is."""
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


NO_ALLOCATION = Allocation()


@dataclass(frozen=True)
class Job:
    """A batch job to request."""

    name: str
    nodes: int
    per_node: int
    minutes: int
    cpus_per_rank: int = 1
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

    def launcher(self) -> str | None:
        """The launcher of its jobs (a module of launchers/); None for the MPI's own, which is given
        the hosts of the allocation."""


class Batch(Protocol):
    SUBMIT: Sequence[str]
    """A command that reads a script and prints the job's number."""
    CANCEL: Sequence[str]
    """The command to which the job's number is appended."""

    def directives(self, job: Job) -> list[str]:
        """The lines of a script that request resources."""

    def launch(self, mpi: Mpi, case: Case, engine: Sequence[str]) -> str:
        """The shell command that starts the engine once."""

    def assumption(self, mpi: Mpi) -> str | None:
        """What a script assumes because the scheduler cannot be asked on this machine; None if
        nothing."""

    def state(self, number: str) -> JobState: ...

    def log(self, number: str, job: Job) -> Path:
        """The file with the output of the job."""


class Resubmitting(Protocol):
    def again(self, wait_s: str) -> str:
        """The shell command with which the script of a job submits itself again, to begin after
        so many seconds (a shell word)."""


SCHEDULERS = Registry(
    __name__,
    "scheduler",
    Scheduler,
    parts=(Scheduler, Batch, Resubmitting),
    group="hockney.schedulers",
)


def launcher_names() -> list[str]:
    """Values of --launcher: mpiexec, a scheduler in whose jobs hockney runs, or a launcher."""
    return list(dict.fromkeys([MPIEXEC, *SCHEDULERS.names(), *LAUNCHERS.names()]))


def batch_names() -> list[str]:
    """Schedulers to which jobs can be submitted."""
    return list(SCHEDULERS.offering(Batch))


def resubmitting(name: str) -> Resubmitting:
    """The scheduler of that name; raises UsageError if its jobs cannot submit themselves again."""
    scheduler: object = SCHEDULERS.find(name)
    if offers(scheduler, Resubmitting):
        return scheduler
    raise UsageError(
        f"jobs of {name} cannot submit themselves again",
        f"there is {', '.join(SCHEDULERS.offering(Resubmitting))}; else call hockney watch --once "
        "from cron or an epilog",
    )


def batch_named(name: str) -> Batch:
    """The scheduler of that name; raises UsageError if jobs cannot be submitted to it."""
    scheduler: object = SCHEDULERS.find(name)
    if offers(scheduler, Batch):
        return scheduler
    raise UsageError(
        f"hockney cannot submit batch jobs to {name}", f"there are {', '.join(batch_names())}"
    )


@dataclass(frozen=True)
class Starter:
    """The launcher of a placement."""

    launcher: Launcher
    program: str
    placement: Placement
    """The placement, with the hosts of its allocation where the launcher must be given them."""
    version: str = ""

    @property
    def text(self) -> str:
        """Its name, and its version where that is known."""
        return f"{self.launcher.name} ({self.version})" if self.version else self.launcher.name

    def command(self, mpi: Mpi, case: Case, engine: Sequence[str]) -> list[str]:
        """The command line that starts `engine` on all ranks."""
        placed = replace(case, placement=self.placement)
        return self.launcher.command(self.program, mpi, placed, engine)

    def reach(self, script: str) -> list[list[str]]:
        """Commands that together run a shell script once on each node."""
        return self.launcher.reach(self.program, self.placement, script)


def find_starter(mpi: Mpi, placement: Placement) -> Starter:
    """What starts the ranks of a placement: the user's template, the named launcher, that of the
    job, or the MPI's own. The MPI's own starts them on named hosts, and on the hosts of a job whose
    scheduler starts none. Raises UsageError where there is none."""
    starter = find_requested(placement)
    if starter:
        return starter
    name = placement.launcher
    if placement.platform is not None or name == MPIEXEC or (placement.hosts and name is None):
        return _own(mpi, placement)
    allocated = find_allocation(name)
    if allocated is None:
        return _own(mpi, placement)
    scheduler, allocation = allocated
    started_by = SCHEDULERS.find(scheduler).launcher()
    if started_by is not None:
        return _named(started_by, placement)
    hosts = placement.hosts or allocation.hosts
    return _own(mpi, replace(placement, hosts=hosts))


def job_launcher() -> str | None:
    """The launcher of the job in which this process runs, where it is not the MPI's own."""
    allocated = find_allocation()
    return SCHEDULERS.find(allocated[0]).launcher() if allocated else None


def find_requested(placement: Placement) -> Starter | None:
    """The launcher that the user names or writes as a template; None where neither is the case.
    Raises UsageError where it cannot start the ranks."""
    template, name = template_of(placement), placement.launcher
    if template is None:
        if name in (None, MPIEXEC) or name in SCHEDULERS.names():
            return None
        return _named(name, placement)
    if not placement.hosts:
        placement = replace(placement, hosts=allocation_here().hosts)
    launcher = template_launcher(template, placement)
    return Starter(launcher, launcher.programs[0], placement)


def _own(mpi: Mpi, placement: Placement) -> Starter:
    if mpi.mpiexec is None:
        raise UsageError(
            f"nothing here starts programs of {mpi.mpicc}: no launcher is in its directory or on "
            "PATH, and no job of a scheduler that starts ranks",
            "ask for an allocation, or write the launcher's command: "
            "--launch 'aprun -n {ranks} {command}'",
        )
    return Starter(own_launcher(mpi), str(mpi.mpiexec), placement, mpi.launcher_version)


def _named(name: str, placement: Placement) -> Starter:
    launcher = launcher_named(name)
    program = next(filter(shutil.which, launcher.programs), None)
    if program is None:
        raise UsageError(
            f"--launcher {name}: there is no {' or '.join(launcher.programs)} on PATH",
            "load its module, or leave out --launcher",
        )
    return Starter(launcher, program, placement)


def find_allocation(launcher: str | None = None) -> tuple[str, Allocation] | None:
    """The scheduler in whose job this process runs, or the requested one, with its allocation."""
    requested = launcher if launcher in SCHEDULERS.names() else None
    for name in [requested] if requested else SCHEDULERS.names():
        allocation = SCHEDULERS.find(name).allocation()
        if allocation is not None:
            return name, allocation
    if requested:
        raise UsageError(
            f"--launcher {launcher}: this is not inside one of its jobs",
            "ask for an allocation first, or submit a job (`hockney job --help`)",
        )
    return None


def allocation_here(
    launcher: str | None = None, otherwise: Allocation = NO_ALLOCATION
) -> Allocation:
    """The allocation of find_allocation(); `otherwise` outside of jobs."""
    allocated = find_allocation(launcher)
    return allocated[1] if allocated else otherwise


def submit(batch: Batch, script: str) -> str:
    """Submits a script; returns the job's number."""
    done = answer(batch.SUBMIT, script)
    number = NUMBER.match(done.stdout.strip())
    if done.returncode != 0 or number is None:
        why = done.stderr.strip() or why_failed(done)
        raise HockneyError(f"{batch.SUBMIT[0]} refused the job: {why}")
    return number[1]


def cancel(batch: Batch, number: str) -> None:
    answer([*batch.CANCEL, number])


def options_of(job: Job, **words: str) -> list[str]:
    """The options of those fields of a job that are set."""
    return [word for field, word in words.items() if getattr(job, field)]


def by_mpiexec(hosts: str, mpi: Mpi, case: Case, engine: Sequence[str]) -> str:
    """A shell command for MPI's own launcher; `hosts` is shell text that selects the hosts."""
    placement = replace(case.placement, hosts=())
    mpiexec, *words = _own(mpi, placement).command(mpi, case, engine)
    return " ".join(filter(None, (shlex.quote(mpiexec), hosts, shlex.join(words))))
