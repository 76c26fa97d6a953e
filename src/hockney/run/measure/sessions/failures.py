"""What went wrong in a launch of a session: what its ranks, the launcher and the nodes report."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.base.errors import UsageError
from hockney.base.units import format_seconds
from hockney.plan import Case
from hockney.records import End, LeftOutNode
from hockney.run.measure.launches.causes import cause_of
from hockney.run.measure.launches.launch import NodeFinding, Outcome
from hockney.run.measure.launches.node_faults import find_faults
from hockney.run.measure.launches.signals import exit_words
from hockney.run.measure.launches.start import engine_messages, wrong_launcher
from hockney.run.measure.preparation.setup import Setup
from hockney.run.measure.sessions.answer import Answer, Problem
from hockney.run.measure.sessions.session import Session
from hockney.run.measure.toolchain.mpi import library_of
from hockney.run.schedulers import find_requested, find_starter

ENGINE_ASKED_WRONGLY = 2
SIMULATOR_REFUSES = "Parse error at "
"""Precedes SimGrid's message about a platform file, which begins with the line number."""


def problem_of(session: Session, answer: Answer, number: int, outcome: Outcome) -> Problem | None:
    """The problem of a launch, None if there was none. Writes an end record if the launch could
    not. Raises UsageError where the engine refuses the question itself."""
    ends = session.ends(number)
    failures = _reported(outcome, ends)
    failure = failure_of(number, outcome, failures, ends, session.file.can_resume)
    if failure is None:
        return None
    message, without_options = failure.sentence, failure.without_options
    setup = session.setups.of(answer.case)
    findings = outcome.findings
    if not (outcome.interrupted or findings) and answer.case.placement.platform is None:
        timeout_s = session.plan.sampling.timeout_s
        findings = find_faults(setup.mpi, setup.engine, answer.case.placement, timeout_s)
        message = "; ".join([message, *(finding.text for finding in findings)])
    mixed = None if session.run.is_measured else _mixed_up(setup, answer.case, message)
    if mixed is not None:
        message, without_options = mixed, None
    if answer.case.placement.without_bad_nodes and not (outcome.interrupted or mixed):
        began = session.run.launches and session.run.launches[-1].launch == number
        is_explained = failures and (began or outcome.exit_status == ENGINE_ASKED_WRONGLY)
        session.bad_nodes = [] if is_explained else _bad_nodes(findings, number)
        if not (session.bad_nodes or is_explained):
            message += "; no node is surely the cause, so none is left out"
    if not ends:
        reason = "interrupted" if outcome.interrupted else "failed"
        end = End(launch=number, reason=reason, wall_s=outcome.wall_s, message=message)
        session.add(end)
        answer.run.add(end)
    printed = () if outcome.interrupted or failures or mixed else tuple(outcome.last_lines)
    is_first = not session.run.is_measured and answer.case.variant is None  # other variants go on
    if failures and outcome.exit_status == ENGINE_ASKED_WRONGLY and is_first:
        raise UsageError(message)
    return Problem(message, printed=printed, without_options=without_options)


def _bad_nodes(findings: list[NodeFinding], number: int) -> list[LeftOutNode]:
    """The nodes that are the cause, each with all findings about it."""
    reasons: dict[str, list[str]] = {}
    for finding in findings:
        if finding.host is not None:
            reasons.setdefault(finding.host, []).append(finding.text)
    return [
        LeftOutNode(host=host, why="; ".join(each), launch=number) for host, each in reasons.items()
    ]


def _reported(outcome: Outcome, ends: Sequence[End]) -> list[str]:
    """What the engine or the simulator reported as a failure."""
    failures = [end.message for end in ends if end.reason == "failed" and end.message]
    refused = [line.partition(SIMULATOR_REFUSES) for line in outcome.last_lines]
    return [
        *failures,
        *engine_messages(outcome),
        *(f"SimGrid: {which}{what}" for _, which, what in refused if which),
    ]


def failure_of(
    number: int, outcome: Outcome, failures: Sequence[str], ends: Sequence[End], can_resume: bool
) -> Problem | None:
    """The failure of a launch in words; None without one. failures: what the engine or the
    simulator reported."""
    if outcome.interrupted:
        return Problem("interrupted; all rounds before are kept")
    if outcome.silent_s is not None:
        ended = (
            f"launch {number} reported nothing for {format_seconds(outcome.silent_s, 3)} and was "
            "ended"
        )
        # What ranks printed may say why, where the launcher did not end with them.
        cause = cause_of(outcome) if outcome.last_lines else None
        parts = [
            f"{ended} (--timeout sets how long to wait)",
            *(finding.text for finding in outcome.findings),
            cause,
        ]
        return Problem("; ".join(filter(None, parts)), without_options=ended)
    if failures:
        cause = cause_of(outcome, failures)
        return Problem(f"{cause}; {failures[0]}" if cause else failures[0])
    if any(end.reason == "interrupted" for end in ends):
        more = ", and --resume continues the run" if can_resume else ""
        return Problem(
            f"launch {number} was cut short by a signal that another process sent; its rounds up "
            f"to then are kept{more}"
        )
    if outcome.exit_status != 0 or not ends:
        cause = cause_of(outcome)
        words = f"launch {number} failed: {_exit_words(outcome)}"
        return Problem(f"{words}; {cause}" if cause else words)
    return None


def _exit_words(outcome: Outcome) -> str:
    failed = outcome.failed_starts
    words = exit_words(outcome.exit_status, [*outcome.last_lines, *outcome.printed])
    if outcome.exit_status == 0:
        words = "its launcher ended well, but no rank reported its end"
    again = f"; the launcher failed {failed + 1} times before any rank reported"
    return words + (again if failed else "")


def _mixed_up(setup: Setup, case: Case, failure: str) -> str | None:
    """Explains a failure by a launcher that does not belong to the MPI library, else None."""
    wrong = wrong_launcher(setup.mpi, setup.engine, failure)
    if wrong is None or find_requested(case.placement):
        return None  # who names a launcher knows it: the failure itself says enough
    starter = find_starter(setup.mpi, case.placement)
    if starter.program == str(setup.mpi.mpiexec):
        return wrong
    return (
        f"{starter.launcher.name} does not wire up the ranks of {setup.mpi.mpicc} "
        f"({library_of(setup.engine) or 'unknown'}): start them with the MPI's own mpiexec "
        "(--launcher mpiexec), or install the plug-in that they need (Open MPI in Flux: flux-pmix)"
    )
