"""Batch jobs: a script that needs a shell, the engine and a launcher, but no Python.

One file a scheduler, found by its name, with `directives(job)`, the lines that ask for resources,
`launch(mpi, case, program)`, the shell's words for one start of the MPI program, `reach`, as
launchers have it, and for --submit: `SUBMIT`, a command that reads a script and prints the job's
number, `CANCEL`, `state(number)` and `log(number, job)`.
"""

from __future__ import annotations

import math
import pkgutil
import re
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import msgspec

from hockney.errors import AskedWronglyError, HockneyError
from hockney.measure.launchers import launcher_named
from hockney.measure.mpi import Mpi
from hockney.registry import module_named
from hockney.spec import Case, Placement, Plan

START_S = 20.0
"""A launch may take so long to start on a cold file system; it does not cost measuring time."""
MARGIN_S = 60.0
COMMAND_TIMEOUT_S = 60.0
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:,+@/-]*")
"""What accounts and partitions are called. Directives are not shell: nothing in them is quoted."""
NUMBER = re.compile(r"(?:Job <)?([^;<>\s]+)")
"""How a job is called in what was said when it was submitted: "12", "12;cluster", "Job <12> is"."""


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
    SUBMIT: Sequence[str]
    CANCEL: Sequence[str]

    def directives(self, job: Job) -> list[str]: ...

    def launch(self, mpi: Mpi, case: Case, program: Sequence[str]) -> str: ...

    def reach(self, mpi: Mpi, placement: Placement, script: str) -> list[list[str]]: ...

    def state(self, number: str) -> State: ...

    def log(self, number: str, job: Job) -> Path: ...


def scheduler_named(name: str) -> Scheduler:
    return module_named(__name__, name, Scheduler)


def scheduler_names() -> list[str]:
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return [name for name in names if name != "script"]


def launches_of(plan: Plan) -> int:
    """How many launches a job makes: it cannot decide on more."""
    return plan.sampling.least_launches * len(plan.cases)


def minutes_for(plan: Plan) -> int:
    """The time limit that the budget needs."""
    measuring_s = max(plan.sampling.budget_s, plan.sampling.over_s or 0.0)
    needed = measuring_s + launches_of(plan) * START_S + MARGIN_S
    return math.ceil(needed / 60.0)


def tell(command: Sequence[str], said: str = "") -> subprocess.CompletedProcess[str]:
    """Runs one of the scheduler's commands with `said` on its stdin."""
    try:
        return subprocess.run(
            command, input=said, capture_output=True, text=True, timeout=COMMAND_TIMEOUT_S
        )
    except FileNotFoundError as error:
        raise AskedWronglyError(
            f"no {command[0]}: is this a login node of such a cluster?",
            "without --submit the script is printed; take it there",
        ) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HockneyError(f"{command[0]}: {error}") from error


def as_asked(job: Job, **words: str) -> list[str]:
    """Of the words of each field of a job those whose field was asked for."""
    return [word for field, word in words.items() if getattr(job, field)]


def by_mpiexec(hosts: str, mpi: Mpi, case: Case, program: Sequence[str]) -> str:
    """MPI's own launcher, which is told of its hosts by those words of the shell."""
    family = launcher_named(mpi.family)
    placement = msgspec.structs.replace(case.placement, hosts=())
    case = msgspec.structs.replace(case, placement=placement)
    mpiexec, *words = family.command(mpi, case, program)
    return f"{shlex.quote(mpiexec)} {hosts} {shlex.join(words)}"


def submit(scheduler: Scheduler, script: str) -> str:
    """The job's number."""
    done = tell(scheduler.SUBMIT, script)
    number = NUMBER.match(done.stdout.strip())
    if done.returncode != 0 or number is None:
        raise HockneyError(f"{scheduler.SUBMIT[0]} refused the job: {done.stderr.strip()}")
    return number[1]
