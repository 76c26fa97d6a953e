"""The text of a batch script. Everything that a user typed is one quoted word in it."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path

from hockney import __version__
from hockney.errors import AskedWronglyError
from hockney.measure.build import Engine
from hockney.measure.jobs import Job, Scheduler
from hockney.measure.launchers import launcher_named
from hockney.measure.mpi import Mpi
from hockney.measure.nodes import private_copy, scripts_of
from hockney.measure.question import Question

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def job_script(
    scheduler: Scheduler,
    job: Job,
    mpi: Mpi,
    engine: Engine,
    question: Question,
    header: bytes,
    result: Path,
) -> str:
    """A script that appends every launch's records to `result`, after `header`, its first line."""
    engine, broadcast = _broadcast(scheduler, mpi, engine, question)
    lines = [
        # `module` is made by what a login shell reads.
        "#!/bin/bash -l" if job.modules else "#!/bin/sh",
        *scheduler.directives(job),
        f"# Made by hockney {__version__}. The result file can be read at any time.",
        *(f"module load {shlex.quote(module)} || exit" for module in job.modules),
        *_exports(mpi, question),
        f"result={shlex.quote(str(result.absolute()))}",
        "set -C",
        f"printf '%s\\n' {shlex.quote(header.decode().strip())} >\"$result\" || exit",
        *broadcast,
        "launch=0",
        f"while [ $launch -lt {question.least_launches} ]; do",
        f'    {_launch(scheduler, mpi, engine, question)} >>"$result" || exit',
        "    launch=$((launch + 1))",
        "done",
    ]
    return "\n".join(lines) + "\n"


def _broadcast(
    scheduler: Scheduler, mpi: Mpi, engine: Engine, question: Question
) -> tuple[Engine, list[str]]:
    """The engine as the nodes see it, and the lines that send it there and take it away."""
    if question.broadcast is None:
        return engine, []
    copy = private_copy(question.broadcast, engine)
    make, remove = (
        [shlex.join(words) for words in scheduler.reach(mpi, question, script)]
        for script in scripts_of(copy)
    )
    if not make:
        raise AskedWronglyError("--broadcast: this scheduler has no way to send it along")
    source = shlex.quote(str(engine.path))
    lines = [
        f"trap {shlex.quote('; '.join(remove))} EXIT",
        *(f"{words} <{source} || exit" for words in make),
    ]
    return replace(engine, path=copy), lines


def _exports(mpi: Mpi, question: Question) -> list[str]:
    variables = {**launcher_named(mpi.family).environment(mpi), **dict(question.env)}
    for name in variables:
        if not VARIABLE.fullmatch(name):
            raise AskedWronglyError(f"{name!r} is not the name of a variable")
    return [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]


def _launch(scheduler: Scheduler, mpi: Mpi, engine: Engine, question: Question) -> str:
    seconds = question.budget_s / question.least_launches
    arguments = question.engine_arguments(0, seconds)
    words = scheduler.launch(mpi, question, [str(engine.path), *arguments])
    # The shell counts the launches: two words of the engine's are its own.
    counted = {"--launch=0": '"--launch=$launch"', "--seed=1": '"--seed=$((launch + 1))"'}
    for fixed, own in counted.items():
        before, _, after = words.partition(f" {fixed} ")
        words = f"{before} {own} {after}"
    return words
