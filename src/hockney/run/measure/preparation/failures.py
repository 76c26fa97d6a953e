"""Describes what went wrong in a launch."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.base.units import format_seconds
from hockney.plan import Case
from hockney.records import End
from hockney.run.measure.launches.causes import cause_of
from hockney.run.measure.launches.launch import Outcome
from hockney.run.measure.launches.signals import exit_words
from hockney.run.measure.launches.start import engine_messages, wrong_launcher
from hockney.run.measure.preparation.setup import Setup
from hockney.run.measure.toolchain.mpi import library_of
from hockney.run.schedulers import find_requested, find_starter

SIMULATOR_REFUSES = "Parse error at "
"""Precedes SimGrid's message about a platform file, which begins with the line number."""


def reported(outcome: Outcome, ends: Sequence[End]) -> list[str]:
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
) -> str | None:
    """The failure of a launch in words; None without one. failures: those of reported()."""
    if outcome.interrupted:
        return "interrupted; all rounds before are kept"
    if outcome.silent_s is not None:
        words = (
            f"launch {number} reported nothing for {format_seconds(outcome.silent_s, 3)} and was "
            "ended (--timeout sets how long to wait)"
        )
        # What ranks printed may say why, where the launcher did not end with them.
        cause = cause_of(outcome) if outcome.last_lines else None
        return "; ".join(
            filter(None, [words, *(finding.text for finding in outcome.findings), cause])
        )
    if failures:
        cause = cause_of(outcome, failures)
        return f"{cause}; {failures[0]}" if cause else failures[0]
    if any(end.reason == "interrupted" for end in ends):
        more = ", and --resume continues the run" if can_resume else ""
        return (
            f"launch {number} was cut short by a signal that another process sent; its rounds up "
            f"to then are kept{more}"
        )
    if outcome.exit_status != 0 or not ends:
        cause = cause_of(outcome)
        words = f"launch {number} failed: {_exit_words(outcome)}"
        return f"{words}; {cause}" if cause else words
    return None


def _exit_words(outcome: Outcome) -> str:
    failed = outcome.failed_starts
    words = exit_words(outcome.exit_status, [*outcome.last_lines, *outcome.printed])
    if outcome.exit_status == 0:
        words = "its launcher ended well, but no rank reported its end"
    again = f"; the launcher failed {failed + 1} times before any rank reported"
    return words + (again if failed else "")


def mixed_up(setup: Setup, case: Case, failure: str) -> str | None:
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
