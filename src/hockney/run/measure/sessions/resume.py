"""Continues a run that was cut short, without repeating launches or mixing different plans."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from hockney import records
from hockney.base.errors import UsageError
from hockney.plan import Case, Plan, difference, plan_of
from hockney.records import End, Run
from hockney.run.measure.toolchain.mpi import library_of
from hockney.run.mpis import Engine

WHOLE = frozenset({"precision", "budget", "complete"})
"""Reasons of the end of complete launches."""
FINISHED = frozenset({"precision", "budget", "launches", "steps", "decided"})
"""Reasons of the end of complete runs."""


def run_to_resume(path: Path, plan: Plan, engines: Sequence[Engine]) -> Run:
    """The run in a file. Raises UsageError unless it has the same plan and MPI."""
    run = records.read(path)
    if run.header.experiment != plan.experiment:
        raise UsageError(f"{path} is a run of {run.header.experiment}, not of {plan.experiment}")
    before = plan_of(run.header.options)
    if before is None:
        raise UsageError(f"{path} does not record its plan", "start a new file with -o")
    words = difference(before, plan)
    if words is not None:
        raise UsageError(
            f"{path} holds another plan: {words}",
            "repeat the original command, or start a new file with -o",
        )
    libraries = [library_of(engine) for engine in engines]
    others = {launch.mpi.library for launch in run.launches} - {None, *libraries}
    if None not in libraries and others:
        raise UsageError(
            f"{path} was measured with {others.pop()}, not with {' and '.join(map(str, libraries))}"
        )
    return run


def part_of(case: Case, run: Run, plan: Plan) -> Run:
    """The launches of one case: all if the plan has one case, else those with its samples."""
    if len(plan.cases) == 1:
        return run.of_launches({launch.launch for launch in run.launches})
    return run.of_launches({sample.launch for sample in run.samples if case.is_measured_by(sample)})


def whole_launches(run: Run) -> list[End]:
    """The ends of complete launches."""
    return [end for end in run.ends if end.reason in WHOLE]


def is_finished(run: Run, plan: Plan) -> bool:
    """True if a run ended by itself when it was asked for as much as `plan` asks for."""
    last = run.finish
    return (
        last is not None
        and last.reason in FINISHED
        and last.sampling == msgspec.to_builtins(plan.sampling)
    )


def spent_s(run: Run) -> float:
    """The budget that a run has used; where it was killed, the time of its launches."""
    measured_s = sum(end.wall_s or 0.0 for end in whole_launches(run))
    return max(measured_s, run.finish.spent_s if run.finish else 0.0)


def next_number(run: Run) -> int:
    """The number of the next launch; numbers are never reused."""
    used = [launch.launch for launch in run.launches] + [end.launch for end in run.ends]
    return 1 + max(used, default=-1)


def missing_ends(run: Run) -> list[End]:
    """End records for launches that were cut short with hockney itself, so that nobody wrote one:
    that is no failure of theirs."""
    ended = {end.launch for end in run.ends}
    message = "killed; all rounds before are kept"
    return [
        End(launch=launch.launch, reason="interrupted", message=message)
        for launch in run.launches
        if launch.launch not in ended
    ]
