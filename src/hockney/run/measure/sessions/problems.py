"""Describes what a session could not measure."""

from __future__ import annotations

from hockney.base.errors import HockneyError
from hockney.run.measure.sessions.session import Answer, Session

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
        if REFUSAL in (answer.problem or "")
        or (answer.case.name and not answer.launches and not answer.problem)
    ]


def problems_of(session: Session) -> list[str]:
    """One problem per case, except algorithms that the library refuses."""
    if session.reason == "interrupted":
        return []
    wrong = [a for a in session.answers if a.problem and REFUSAL not in a.problem]
    if session.reason == "failed" and not wrong:
        return ["nothing could be measured: the MPI library refuses every algorithm"]
    return [_problem_text(answer) for answer in wrong]


def raise_problems(session: Session) -> None:
    """Raises what went wrong; call it after the results are shown."""
    problems = problems_of(session)
    if problems:
        raise HockneyError("\n".join(problems))


def _problem_text(answer: Answer) -> str:
    """The problem of a case: whole if it is the only case. Among several each gets one line: the
    first line of its problem, and the last line of the library's output."""
    problem, title = answer.problem or "", answer.case.name
    if title is None:
        return problem
    first, *_, last = (problem + "\n" + problem.rpartition("\n")[2]).splitlines()
    return f"{title}: {first}" + ("" if last == first else f" {last.strip()}")
