"""Going on with a run that was cut short: nothing is measured twice, nothing unlike is mixed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from hockney import records
from hockney.errors import AskedWronglyError
from hockney.measure.build import Engine, library_of
from hockney.measure.question import Question, options_of
from hockney.records import End, LaunchRecord, Run

MAY_CHANGE = frozenset(
    {"least_launches", "most_launches", "precision", "budget_s", "over_s", "timeout_s", "broadcast"}
)
"""Options that say how much is measured, not what."""
WHOLE = frozenset({"precision", "budget", "complete"})
"""How a launch ends that was not cut short."""


def run_to_resume(path: Path, questions: Sequence[Question], engine: Engine) -> Run:
    """The run in a file, when it asks what `questions` ask of the same MPI."""
    run = records.read(path)
    if run.header.experiment != questions[0].experiment:
        raise AskedWronglyError(
            f"{path} is a run of {run.header.experiment}, not of {questions[0].experiment}"
        )
    now, before = msgspec.to_builtins(options_of(questions)), run.header.options
    same = set(now) & set(before) - MAY_CHANGE
    other = [name for name in sorted(same) if now[name] != before[name]]
    if other:
        name = other[0]
        raise AskedWronglyError(
            f"{path} was asked otherwise: {name} was {before[name]}, and is {now[name]} now",
            "repeat the command as it was, or begin another file",
        )
    library = library_of(engine)
    mixed = [one.mpi.library for one in run.launches if one.mpi.library not in (None, library)]
    if mixed:
        raise AskedWronglyError(f"{path} was measured with {mixed[0]}, not with {library}")
    return run


def restore(answer: Run, question: Question, run: Run, questions: Sequence[Question]) -> int:
    """Puts into `answer` what a resumed run has of one of its questions; returns how many launches
    that were."""
    whole = {end.launch for end in whole_launches(run)}
    mine = {one.launch for one in run.launches if _asks(one, question, questions)}
    kinds = (
        run.launches, run.samples, run.starts, run.probes, run.rounds, run.noises, run.ends,
    )  # fmt: skip
    for kind in kinds:
        of_kind: Sequence[Any] = kind
        for record in of_kind:
            if record.launch in mine:
                answer.add(record)
    return len(mine & whole)


def _asks(launch: LaunchRecord, question: Question, questions: Sequence[Question]) -> bool:
    """Whether a launch asked this question of several: its command and variables tell."""
    if len(questions) == 1:
        return True
    varying = {"--launch", "--seed", "--seconds", "--precision"}
    asked = question.engine_arguments(launch.launch, 0.0)
    words = [word for word in asked if word.partition("=")[0] not in varying]
    told = [word for word in launch.command[-len(asked) :] if word.partition("=")[0] not in varying]
    forced = {name for each in questions for name, _ in each.env}
    env = {name: value for name, value in launch.env.items() if name in forced}
    cfg = all(f"--cfg={setting}" in launch.command for setting in question.cfg)
    return told == words and env == dict(question.env) and cfg


def whole_launches(run: Run) -> list[End]:
    """The ends of launches that did what they were asked."""
    return [end for end in run.ends if end.reason in WHOLE]


def next_number(run: Run) -> int:
    """The number of the launch to come: no number is given twice."""
    used = [one.launch for one in run.launches] + [end.launch for end in run.ends]
    return 1 + max(used, default=-1)


def missing_ends(run: Run) -> list[End]:
    """For launches that were killed before they could say so."""
    ended = {end.launch for end in run.ends}
    message = "killed; all rounds up to then are kept"
    return [
        End(launch=one.launch, reason="failed", message=message)
        for one in run.launches
        if one.launch not in ended
    ]
