"""Going on with a run that was cut short: nothing is measured twice, nothing unlike is mixed."""

from __future__ import annotations

from pathlib import Path

import msgspec

from hockney import records
from hockney.errors import AskedWronglyError
from hockney.measure.build import Engine, library_of
from hockney.measure.question import Question
from hockney.records import End, Run

MAY_CHANGE = frozenset(
    {"least_launches", "most_launches", "precision", "budget_s", "timeout_s", "broadcast"}
)
"""Options that say how much is measured, not what."""
WHOLE = frozenset({"precision", "budget", "complete"})
"""How a launch ends that was not cut short."""


def run_to_resume(path: Path, question: Question, engine: Engine) -> Run:
    """The run in a file, when it asks what `question` asks of the same MPI."""
    run = records.read(path)
    if run.header.experiment != question.experiment:
        raise AskedWronglyError(
            f"{path} is a run of {run.header.experiment}, not of {question.experiment}"
        )
    now = msgspec.to_builtins(question.options())
    before = run.header.options
    other = [
        name for name in sorted(set(now) & set(before) - MAY_CHANGE) if now[name] != before[name]
    ]
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
