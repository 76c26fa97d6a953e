"""Writes scripts for batch jobs, which need a shell, the engine and a launcher, but no Python.

Everything that a user typed appears in the script as one quoted word.
"""

from __future__ import annotations

import math
import secrets
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from hockney import __version__
from hockney.base.errors import UsageError
from hockney.base.registry import offers
from hockney.plan import Case, Plan, Sampling
from hockney.plan.engine import engine_arguments, launch_arguments
from hockney.plan.variants import VARIABLE
from hockney.run.launchers import launcher_named
from hockney.run.measure.launches.nodes import private_copy, scripts_of
from hockney.run.measure.preparation.files import long_list_of
from hockney.run.mpis import Engine, Mpi, family_of
from hockney.run.schedulers import Batch, Job, Resubmitting, Scheduler, find_requested

START_S = 20.0
"""Allowance for the start of a launch on a cold file system; not part of the measuring time."""
MARGIN_S = 60.0
LEAST_S, FAILED_S = 60, 600
"""Shortest time between looks of jobs, and the time after one that failed."""
WAIT = '"$wait_s"'
_MARK = secrets.token_hex(16)
ID, LIST = f"$id{_MARK}", f"$list{_MARK}"
"""In quoted words, these stand for variables of the script, which differ between two jobs of one
script. Nobody can type them, and because of the $ the words around them are always quoted."""


@dataclass(frozen=True)
class Measurement:
    """The plan of a job, its MPI and engine, and its result file."""

    plan: Plan
    mpi: Mpi
    engine: Engine
    result: Path
    is_dated: bool = False
    """Whether the time at which the job runs is added to the name of the result, so that a script
    can be submitted again."""

    @cached_property
    def long_list(self) -> str | None:
        """A list too long for a command line; making all schedules takes long."""
        return long_list_of(self.plan)


def job_script(scheduler: Batch, job: Job, measurement: Measurement, header: bytes) -> str:
    """The script. It writes `header` to the result file and appends the records of each launch."""
    plan = measurement.plan
    engine, broadcast = _broadcast(scheduler, measurement)
    lines = [
        *_head(scheduler, job, "The result file can be read at any time."),
        *_exports(measurement),
        f"result={_result(measurement)}",
        "id=$(cat /proc/sys/kernel/random/uuid) || exit",
        "started=$(date -u +%Y-%m-%dT%H:%M:%S+00:00)",
        "set -C",
        f"printf '%s\\n' {_header(header.decode().strip())} >\"$result\" || exit",
        *broadcast,
        *_list(measurement),
        "launch=0",
        f"while [ $launch -lt {launches_of(plan)} ]; do",
        *_rest(plan.sampling),
        *(
            f'    {_launch(scheduler, measurement, engine, case)} >>"$result" || exit\n'
            "    launch=$((launch + 1))"
            for case in plan.cases
        ),
        "done",
    ]
    return _with_variables("\n".join(lines) + "\n")


def _with_variables(script: str) -> str:
    """The script with the variables that ID and LIST stand for, outside of the quotes."""
    for mark in (ID, LIST):
        script = script.replace(mark, f"'\"{mark.removesuffix(_MARK)}\"'")
    return script


def _result(measurement: Measurement) -> str:
    """The name of the result file, as a word of the shell."""
    path = measurement.result.absolute()
    if not measurement.is_dated:
        return shlex.quote(str(path))
    return f"{shlex.quote(str(path.with_suffix('')))}-$(date +%Y%m%d-%H%M%S){path.suffix}"


def _header(text: str) -> str:
    """The header of a run as a word of the shell, with the id and the start of the job that runs:
    two jobs of one script are two runs."""
    word = shlex.quote(text)
    for name in ("id", "started"):
        field, now = f'"{name}":"', f"'\"${name}\"'"  # out of the quotes and into them again
        before, begun, after = word.partition(field)
        word = before + begun + now + after[after.index('"') :] if begun else word
    return word


def watch_script(scheduler: Batch, again: Resubmitting, job: Job, words: Sequence[str]) -> str:
    """A script that makes a look and submits itself again, to begin when the next one is due.
    words: the arguments of `hockney watch`. The job runs hockney itself, with this Python."""
    watch = [sys.executable, "-m", "hockney", "watch"]
    lines = [
        *_head(scheduler, job, "Each job makes a look and submits the next one."),
        shlex.join([*watch, "--once", *words]),
        "status=$?",
        "[ $status -ne 2 ] || exit 2  # a wrong command, or another process watches",
        f"wait_s=$({shlex.join([*watch, '--due', *words])}) || wait_s={FAILED_S}",
        f'[ "$wait_s" -ge {LEAST_S} ] || wait_s={LEAST_S}',
        f"{again.again(WAIT)} || exit",
        "[ $status -eq 0 ] || [ $status -eq 3 ]  # slower, or the look failed: so the job fails",
    ]
    return "\n".join(lines) + "\n"


def _head(scheduler: Batch, job: Job, note: str) -> list[str]:
    return [
        # Only a login shell defines `module`.
        "#!/bin/bash -l" if job.modules else "#!/bin/sh",
        *scheduler.directives(job),
        f"# Made by hockney {__version__}. {note}",
        *(f"module load {shlex.quote(module)} || exit" for module in job.modules),
    ]


def _rest(sampling: Sampling) -> list[str]:
    """Script lines that pause between launches which are spread over a time."""
    if sampling.over_s is None:
        return []
    rest_s = (sampling.over_s - sampling.budget_s) / max(sampling.least_launches - 1, 1)
    return [f"    [ $launch -eq 0 ] || sleep {max(rest_s, 0.0):.1f}"]


def _list(measurement: Measurement) -> list[str]:
    """Writes the long list next to the result, with the shell's builtin printf, which has no limit
    on arguments."""
    words = measurement.long_list
    if words is None:
        return []
    return [
        'list="$result.list"',
        f"printf '%s' {shlex.quote(words)} >\"$list\" || exit",
        # Only now: the list of another job must stay.
        *_at_end('rm -f "$list"'),
    ]


def _at_end(command: str) -> list[str]:
    """Lines that run a command when the script ends. A signal that ends dash runs no EXIT trap."""
    return [f"trap {shlex.quote(command)} EXIT", "trap 'exit 143' HUP INT TERM"]


def _broadcast(scheduler: Batch, measurement: Measurement) -> tuple[Path, list[str]]:
    """The engine's path on the nodes, and the lines that copy it there and remove it."""
    placement, engine = measurement.plan.first.placement, measurement.engine
    if placement.broadcast is None:
        return engine.path, []
    copy = private_copy(placement.broadcast, engine, ID)
    name = scheduler.launcher() if offers(scheduler, Scheduler) else None
    if name is None:
        raise UsageError(
            "--broadcast: this scheduler cannot copy the engine to the nodes",
            "let the job run hockney itself, with --broadcast: it then copies over ssh",
        )
    launcher = launcher_named(name)
    make, remove = (
        [shlex.join(words) for words in launcher.reach(launcher.programs[0], placement, script)]
        for script in scripts_of(copy)
    )
    source = shlex.quote(str(engine.path))
    lines = [
        *_at_end("; ".join(remove)),
        *(f"{words} <{source} || exit" for words in make),
    ]
    return copy, lines


def _exports(measurement: Measurement) -> list[str]:
    mpi = measurement.mpi
    variables = {**measurement.engine.env, **family_of(mpi).environment(mpi)}
    return [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]


def _launch(scheduler: Batch, measurement: Measurement, engine: Path, case: Case) -> str:
    """The command of one launch of a case, with its variables. The shell counts the launches."""
    plan, file = measurement.plan, LIST if measurement.long_list else None
    seconds = plan.sampling.budget_s / launches_of(plan)
    arguments = engine_arguments(case, plan.sampling, seconds, file)
    command, starter = [str(engine), *arguments], find_requested(case.placement)
    if starter:
        words = shlex.join(starter.command(measurement.mpi, case, command))
    else:
        words = scheduler.launch(measurement.mpi, case, command)
    counted = (f'"{word}"' for word in launch_arguments("$launch", "$((launch + 1))"))
    words = " ".join([words, *counted])
    for name, value in case.placement.env.items():
        if not VARIABLE.fullmatch(name):
            raise UsageError(f"{name!r} is not a valid name of an environment variable")
        words = f"{name}={shlex.quote(value)} {words}"
    return words


def launches_of(plan: Plan) -> int:
    """Number of launches of a job; a job cannot decide to make more."""
    return plan.sampling.least_launches * len(plan.cases)


def minutes_for(plan: Plan) -> int:
    """The time limit that the budget needs."""
    measuring_s = max(plan.sampling.budget_s, plan.sampling.over_s or 0.0)
    needed = measuring_s + launches_of(plan) * START_S + MARGIN_S
    return math.ceil(needed / 60.0)
