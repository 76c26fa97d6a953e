"""The text of a batch script. Everything that a user typed is one quoted word in it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from hockney import __version__
from hockney.errors import AskedWronglyError
from hockney.measure.jobs import Job, Scheduler, launches_of
from hockney.measure.launchers import launcher_named
from hockney.measure.mpi import Mpi
from hockney.measure.nodes import private_copy, scripts_of
from hockney.measure.prepare import Asked
from hockney.measure.question import Question

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def job_script(scheduler: Scheduler, job: Job, asked: Asked, header: bytes, result: Path) -> str:
    """A script that appends every launch's records to `result`, after `header`, its first line."""
    engine, broadcast = _broadcast(scheduler, asked)
    lines = [
        # `module` is made by what a login shell reads.
        "#!/bin/bash -l" if job.modules else "#!/bin/sh",
        *scheduler.directives(job),
        f"# Made by hockney {__version__}. The result file can be read at any time.",
        *(f"module load {shlex.quote(module)} || exit" for module in job.modules),
        *_exports(asked.mpi),
        f"result={shlex.quote(str(result.absolute()))}",
        "set -C",
        f"printf '%s\\n' {shlex.quote(header.decode().strip())} >\"$result\" || exit",
        *broadcast,
        "launch=0",
        f"while [ $launch -lt {launches_of(asked)} ]; do",
        *_rest(asked.questions[0]),
        *(
            f'    {_launch(scheduler, asked, engine, question)} >>"$result" || exit\n'
            "    launch=$((launch + 1))"
            for question in asked.questions
        ),
        "done",
    ]
    return "\n".join(lines) + "\n"


def _rest(question: Question) -> list[str]:
    """Between launches that are spread over a time."""
    if question.over_s is None:
        return []
    rest_s = (question.over_s - question.budget_s) / max(question.least_launches - 1, 1)
    return [f"    [ $launch -eq 0 ] || sleep {max(rest_s, 0.0):.1f}"]


def _broadcast(scheduler: Scheduler, asked: Asked) -> tuple[Path, list[str]]:
    """The engine as the nodes see it, and the lines that send it there and take it away."""
    question, engine = asked.questions[0], asked.engine
    if question.broadcast is None:
        return engine.path, []
    copy = private_copy(question.broadcast, engine)
    make, remove = (
        [shlex.join(words) for words in scheduler.reach(asked.mpi, question, script)]
        for script in scripts_of(copy)
    )
    if not make:
        raise AskedWronglyError(
            "--broadcast: this scheduler has no way to send the engine along",
            "let the job run hockney itself, with --broadcast: it goes over ssh then",
        )
    source = shlex.quote(str(engine.path))
    lines = [
        f"trap {shlex.quote('; '.join(remove))} EXIT",
        *(f"{words} <{source} || exit" for words in make),
    ]
    return copy, lines


def _exports(mpi: Mpi) -> list[str]:
    variables = launcher_named(mpi.family).environment(mpi)
    return [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]


def _launch(scheduler: Scheduler, asked: Asked, engine: Path, question: Question) -> str:
    """One start for one question, with the variables that are its own."""
    seconds = question.budget_s / launches_of(asked)
    arguments = question.engine_arguments(0, seconds)
    words = scheduler.launch(asked.mpi, question, [str(engine), *arguments])
    # The shell counts the launches: two words of the engine's are its own.
    counted = {"--launch=0": '"--launch=$launch"', "--seed=1": '"--seed=$((launch + 1))"'}
    for fixed, own in counted.items():
        before, _, after = words.partition(f" {fixed} ")
        words = f"{before} {own} {after}"
    for name, value in question.env:
        if not VARIABLE.fullmatch(name):
            raise AskedWronglyError(f"{name!r} is not the name of a variable")
        words = f"{name}={shlex.quote(value)} {words}"
    return words
