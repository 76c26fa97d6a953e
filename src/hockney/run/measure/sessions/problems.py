"""Describes what a session could not measure."""

from __future__ import annotations

from hockney.base.errors import HockneyError
from hockney.run.measure.sessions.answer import Answer, Problem
from hockney.run.measure.sessions.session import Session

REFUSAL = "User set collective algorithm is not usable for the provided arguments"
"""MPICH's message if an algorithm does not apply to these ranks or sizes; not an error."""


UNMEASURED = {
    "budget": "the budget was spent",
    "failed": "a launch before it failed",
    "interrupted": "the run was interrupted",
}
"""Why a case has no launch, by the reason for which the run ended."""


def unanswered(session: Session) -> list[str]:
    """A line for each case that the MPI library refused, or that no launch measured."""
    refused = "the MPI library refuses this algorithm for these ranks or sizes"
    unmeasured = f"not measured: {UNMEASURED.get(session.reason, UNMEASURED['budget'])}"
    if session.blocks is not None and session.reason == "failed":
        unmeasured = "not measured: after a failure no two variants were left to compare"
    return [
        f"{answer.case.name}: {refused if answer.launches else unmeasured}"
        for answer in session.answers
        if _is_refused(answer) or (answer.case.name and not answer.launches and not answer.problem)
    ]


def _is_refused(answer: Answer) -> bool:
    return answer.problem is not None and REFUSAL in str(answer.problem)


def problems_of(session: Session) -> list[Problem]:
    """One problem per case, except algorithms that the library refuses. Among several cases each
    gets one line."""
    if session.reason == "interrupted":
        return []
    wrong = [(a.case.name, a.problem) for a in session.answers if a.problem and not _is_refused(a)]
    if session.reason == "failed" and not wrong:
        return [Problem("nothing could be measured: the MPI library refuses every algorithm")]
    return [
        problem if title is None else Problem(f"{title}: {problem.shortened}")
        for title, problem in wrong
    ]


def raise_problems(session: Session) -> None:
    """Raises what went wrong; call it after the results are shown."""
    problems = problems_of(session)
    if problems:
        raise HockneyError("\n".join(map(str, problems)))
