"""The story of a run: launch after launch, until the answer is precise enough or time is up."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timezone

from hockney import __version__, records
from hockney.errors import AskedWronglyError, HockneyError
from hockney.estimate import is_precise
from hockney.measure.budget import Budget
from hockney.measure.build import Engine, library_of
from hockney.measure.environment import describe_environment
from hockney.measure.launch import Interruption, Outcome, run_launch
from hockney.measure.launchers import end_strays, find_launcher, launcher_named
from hockney.measure.mpi import Mpi
from hockney.measure.nodes import silent_hosts
from hockney.measure.question import Question
from hockney.measure.result_file import ResultFile
from hockney.measure.resume import missing_ends, next_number, whole_launches
from hockney.records import End, LaunchRecord, Progress, Run, RunRecord

ENGINE_ASKED_WRONGLY = 2
LIBRARIES = {"hydra": ("MPICH", "Intel MPI", "MVAPICH"), "openmpi": ("Open MPI",)}
"""Whose programs each family of launchers starts."""
ENGINE_SAYS = "hockney-engine: "
"""Before what a rank that ends the launch writes to stderr: two ranks may garble their records."""
SIMULATOR_REFUSES = "Parse error at "
"""Before SimGrid's words on a platform file, which begin with its line."""
MEASUREMENTS = tuple(b'{"kind":"%b"' % kind for kind in (b"samples", b"start", b"noise", b"probe"))


@dataclass
class Session:
    """A run being measured: what was asked of which MPI, and all that was answered so far."""

    question: Question
    mpi: Mpi
    engine: Engine
    file: ResultFile
    on_progress: Callable[[int, Progress | None], None]
    run: Run
    problems: list[str] = field(default_factory=list)
    """What went wrong, in the user's words; the run is kept all the same."""
    reason: str = "budget"
    launches_wall_s: float = 0.0
    """What the launches took of the run's wall time; the rest was ours."""


@dataclass(frozen=True)
class Started:
    """How a launch was started, for its record."""

    command: list[str]
    env: dict[str, str]
    launcher: str


def new_run(question: Question, label: str | None) -> Run:
    """A run that has just begun, with its header."""
    return Run(
        RunRecord(
            schema=records.SCHEMA,
            hockney=__version__,
            id=str(uuid.uuid4()),
            started=datetime.now(timezone.utc).isoformat(timespec="seconds"),
            experiment=question.experiment,
            options=question.options(),
            label=label,
            environment=describe_environment(),
        )
    )


def measure(session: Session) -> None:
    """Launches until every point is precise enough over launches, the budget is spent, the asked
    number of launches is reached, or something goes wrong."""
    _begin(session)
    budget = Budget(session.question, whole_launches(session.run))
    with Interruption().watched() as interruption:
        while (reason := _enough(session)) is None:
            seconds = budget.next_seconds()
            if seconds is None:
                reason = "budget"
                break
            number = next_number(session.run)
            session.on_progress(number, None)
            try:
                outcome = _launch(session, number, seconds, interruption)
            except HockneyError as error:
                # The disk is full or gone: what is known is still shown.
                session.reason, session.problems = "failed", [str(error)]
                return
            budget.note(outcome.wall_s, _measured_s(session, number) or 0.0)
            if _went_wrong(session, number, outcome):
                return
    session.reason = reason


def _begin(session: Session) -> None:
    """The header; or, in a file that is gone on with, the ends that its launches lack."""
    if not session.file.has_content:
        session.file.write(records.encode(session.run.header))
    for end in missing_ends(session.run):
        session.run.add(end)
        session.file.write(records.encode(end))


def _enough(session: Session) -> str | None:
    """Why no launch more is needed; None when one is."""
    question, done = session.question, len(whole_launches(session.run))
    if done == question.most_launches:
        return "launches"
    if done >= question.least_launches and is_precise(session.run, question.precision):
        return "precision"
    return None


def _launch(session: Session, number: int, seconds: float, interruption: Interruption) -> Outcome:
    mpi = session.mpi
    name, question = find_launcher(mpi, session.question)
    launcher = launcher_named(name)
    added = {**launcher.environment(mpi), **dict(question.env)}
    program = [str(session.engine.path), *question.engine_arguments(number, seconds)]
    command = launcher.command(mpi, question, program)

    version = f" ({mpi.launcher_version})" if name == mpi.family else ""
    started = Started(command, added, name + version)
    measured: list[bytes] = []

    def keep(lines: list[bytes]) -> None:
        # Measurements go to the file as they are and are decoded when the ranks are gone: on a
        # small node we would take a core from them.
        kept = []
        for line in lines:
            if line.startswith(MEASUREMENTS):
                measured.append(line)
                kept.append(line)
            else:
                kept.append(_kept(session, line, number, started))
        session.file.write(b"".join(kept))

    env = {**os.environ, **added}
    ended_well = False
    try:
        outcome = run_launch(command, env, keep, question.timeout_s, interruption)
        ended_well = outcome.exit_status == 0
    finally:
        if not ended_well:
            end_strays(name)
        for line in measured:
            record = _decoded(line)
            if record is not None:
                session.run.add(record)
    session.launches_wall_s += outcome.wall_s
    return outcome


def _decoded(line: bytes) -> records.Record | None:
    try:
        return records.decode(line)
    except ValueError:
        return None


def _kept(session: Session, line: bytes, number: int, started: Started) -> bytes:
    """What of a line of the engine goes into the file; the run in memory gets it as well."""
    record = _decoded(line)
    if isinstance(record, Progress):
        session.on_progress(number, record)
        return b""
    if record is None:
        return b""
    if isinstance(record, LaunchRecord):
        record.command, record.env = started.command, started.env
        record.launcher = started.launcher
        record.simulated = session.question.platform is not None
    session.run.add(record)
    return records.encode(record)


def _ends(session: Session, number: int) -> list[End]:
    return [end for end in session.run.ends if end.launch == number]


def _measured_s(session: Session, number: int) -> float | None:
    return next((end.wall_s for end in _ends(session, number) if end.wall_s is not None), None)


def _went_wrong(session: Session, number: int, outcome: Outcome) -> bool:
    """Judges how a launch ended; writes its end where it could not do so itself."""
    ends = _ends(session, number)
    failures = [end.message for end in ends if end.reason == "failed" and end.message]
    told = [line for line in outcome.last_lines if line.startswith(ENGINE_SAYS)]
    failures += [line.removeprefix(ENGINE_SAYS) for line in told]
    refused = [line.partition(SIMULATOR_REFUSES) for line in outcome.last_lines]
    failures += [f"SimGrid: {which}{what}" for _, which, what in refused if which]
    if outcome.interrupted:
        session.reason = "interrupted"
        message = "interrupted; all rounds up to then are kept"
    elif outcome.silent_s is not None:
        session.reason = "failed"
        message = (
            f"launch {number} was silent for {outcome.silent_s:.0f} s and was ended "
            "(--timeout sets how long to wait)"
        )
    elif failures:
        session.reason = "failed"
        message = failures[0]
    elif outcome.exit_status != 0 or not ends:
        session.reason = "failed"
        message = f"launch {number} failed: {_exit_words(outcome.exit_status)}"
    else:
        return False
    silent = [] if outcome.interrupted else silent_hosts(session.mpi, session.question)
    message = "; ".join([message, *silent])
    mixed = None if session.run.samples else _mixed_up(session, message)
    message = mixed or message
    if not ends:
        end = End(launch=number, reason=session.reason, wall_s=outcome.wall_s, message=message)
        session.run.add(end)
        session.file.write(records.encode(end))
    if not (outcome.interrupted or failures or mixed) and outcome.last_lines:
        said = "\n".join(f"    {line}" for line in outcome.last_lines)
        message = f"{message}; the last lines it said:\n{said}"
    session.problems.append(message)
    if failures and outcome.exit_status == ENGINE_ASKED_WRONGLY and not session.run.samples:
        raise AskedWronglyError(message)
    return True


def _exit_words(status: int) -> str:
    return f"killed by signal {-status}" if status < 0 else f"exit status {status}"


def _mixed_up(session: Session, failure: str) -> str | None:
    """What is mixed when one library's launcher met another's program: N worlds of one rank, or a
    start that fails in a way of its own."""
    mpi, library = session.mpi, library_of(session.engine)
    belong = LIBRARIES.get(mpi.family, ())
    if "a world of 1 rank" not in failure and (library is None or library in belong):
        return None
    return (
        f"{mpi.mpiexec} ({mpi.launcher_version}) does not belong to the MPI library of {mpi.mpicc} "
        f"({library or 'unknown'}). Put both from the same MPI on PATH, or name the wrapper of a "
        "whole MPI with --mpicc"
    )


def raise_problems(session: Session) -> None:
    """Tells what went wrong, after everything that was measured has been shown."""
    if session.problems and session.reason == "failed":
        raise HockneyError("; ".join(session.problems))
