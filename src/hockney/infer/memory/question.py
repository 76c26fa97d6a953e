"""The question that a run asked: runs of one question differ by chance only."""

from __future__ import annotations

from typing import Any

import msgspec

from hockney.plan import Plan, plan_of
from hockney.plan.plan import difference
from hockney.records import LaunchRecord, Run, RunRecord

OTHER_QUESTION = "of another question"
OTHER_MPI = "under another MPI library or version"
OTHER_HOSTS = "on other hosts"
NEAREST = (OTHER_MPI, OTHER_HOSTS, OTHER_QUESTION)
"""These reasons, the one of the most similar question first."""


class Question(msgspec.Struct, frozen=True):
    """What was measured, of which library, where."""

    experiment: str
    label: str | None
    options: dict[str, Any]
    """The plan, as the run record has it."""
    library: str | None
    version: str | None
    hosts: tuple[str, ...]
    simulated: bool
    definition: str | None


def question_of(run: Run) -> Question:
    header = run.header
    first = run.launches[0] if run.launches else LaunchRecord(launch=0)
    hosts = sorted({place.host or "" for place in first.places})
    return Question(
        header.experiment,
        header.label,
        header.options,
        first.mpi.library,
        first.mpi.version,
        tuple(hosts),
        first.simulated,
        first.definition,
    )


def unlike(first: Question, other: Question) -> str | None:
    """Why two questions are not the same; None if they are, whatever the time and precision."""
    if (first.experiment, first.label) != (other.experiment, other.label):
        return OTHER_QUESTION
    is_unknown = not any(first.hosts) and first.label is None
    if first.hosts != other.hosts or is_unknown:
        return OTHER_HOSTS
    if (first.library, first.version) != (other.library, other.version):
        return OTHER_MPI
    if (first.simulated, first.definition) != (other.simulated, other.definition):
        return OTHER_QUESTION
    if not _same_plan(first.options, other.options):
        return OTHER_QUESTION
    return None


def may_repeat(first: RunRecord, other: RunRecord) -> bool:
    """Whether two runs ask the same question under the same label, by their first lines."""
    words = ((record.experiment, record.label) for record in (first, other))
    return len(set(words)) == 1 and _same_plan(first.options, other.options)


def _same_plan(first: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two runs have the same plan; by their options if one is imported, without a plan."""
    if first == other:
        return True
    plans: list[Plan | None] = [plan_of(first), plan_of(other)]
    if plans[0] is None or plans[1] is None:
        return False
    return difference(plans[0], plans[1]) is None
