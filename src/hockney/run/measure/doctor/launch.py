"""Tries the MPI that a run would use: finds it, builds the engine and starts two ranks."""

from __future__ import annotations

import stat
import subprocess
from dataclasses import dataclass
from statistics import median

from hockney.base.errors import HockneyError
from hockney.base.units import format_seconds, format_size
from hockney.plan import Size
from hockney.plan.workloads.pingpong import Pingpong
from hockney.records import End, LaunchRecord, Samples
from hockney.run.measure.doctor.finding import Judged, check
from hockney.run.measure.launches.causes import cause_of
from hockney.run.measure.launches.launch import LAST_LINES, Outcome
from hockney.run.measure.launches.signals import exit_words
from hockney.run.measure.launches.start import engine_messages, wrong_launcher
from hockney.run.measure.launches.trial import Attempt, attempt
from hockney.run.measure.toolchain.build import build_engine
from hockney.run.measure.toolchain.mpi import find_mpi, of_library
from hockney.run.mpis import Engine, Mpi, ask_command

SECONDS, TIMEOUT_S = 0.05, 20.0
"""Duration of the trial, and how long a launcher may be silent: some look up hosts for many seconds
before they give up."""
SLOW_READING_S, COARSE_STEP_S = 200e-9, 1e-6
"""A clock reading that costs more is a system call: the kernel does not trust the CPU's counter. A
longer step is too coarse for the time of a small message."""


LARGE_BYTES = 1 << 20
"""Far beyond the sizes up to which libraries copy messages through shared memory."""
WITH_LARGE = Pingpong(sizes=(Size(0), Size(LARGE_BYTES)))


@dataclass(frozen=True)
class Trial:
    """How far the trial got: mpi, engine and launch are None after the first failure."""

    mpi: Mpi | None = None
    engine: Engine | None = None
    launch: LaunchRecord | None = None
    wall_s: float | None = None
    samples: tuple[Samples, ...] = ()
    failure: HockneyError | None = None
    """The error at which the trial ended; None if it succeeded."""
    large_failure: HockneyError | None = None
    """The error with large messages where empty ones arrive; None without one."""


def mpi_to_try(mpicc: str | None) -> Mpi | None:
    """The MPI of the trial, found without building anything; None without one."""
    try:
        return find_mpi(mpicc)
    except HockneyError:
        return None


def try_mpi(mpicc: str | None) -> Trial:
    """Does what a run would do, and stops at the first failure."""
    mpi = engine = None
    try:
        mpi = find_mpi(mpicc)
        engine = build_engine(mpi)
        mpi = of_library(mpi, engine)
        if mpi.family == "smpi":
            return Trial(mpi, engine)
        tried, large_failure = _start_two_ranks(mpi, engine)
    except HockneyError as error:
        return Trial(mpi, engine, failure=error)
    reports = (tried.launch, tried.outcome.wall_s, tuple(tried.of(Samples)))
    return Trial(mpi, engine, *reports, large_failure=large_failure)


def _start_two_ranks(mpi: Mpi, engine: Engine) -> tuple[Attempt, HockneyError | None]:
    """The trial that worked, with empty messages only where large ones fail, and their error."""
    tried = attempt(mpi, engine, SECONDS, TIMEOUT_S, workload=WITH_LARGE)
    if _worked(tried):
        return tried, None
    messages = [end.message for end in tried.of(End) if end.message]
    messages += engine_messages(tried.outcome)
    failure = messages[0] if messages else last_words(tried.outcome)
    cause = wrong_launcher(mpi, engine, failure) or cause_of(tried.outcome, messages)
    if tried.launch is not None:
        again = attempt(mpi, engine, SECONDS, TIMEOUT_S)
        if _worked(again):
            return again, HockneyError(failure, cause)
    starter = mpi.mpiexec or "srun"
    advice = f"first make `{starter} -n 2 hostname` work here, then run hockney doctor again"
    raise HockneyError(failure, cause or advice)


def _worked(tried: Attempt) -> bool:
    return tried.outcome.exit_status == 0 and tried.launch is not None and bool(tried.of(End))


def last_words(outcome: Outcome) -> str:
    """How it ended, and the last output of the launcher."""
    ended = exit_words(outcome.exit_status, [*outcome.last_lines, *outcome.printed])
    if outcome.silent_s is not None:
        ended = f"the launcher was silent for {outcome.silent_s:.0f} s and was ended"
    elif outcome.exit_status == 0:
        ended = "it ended without a measurement"
    return "\n".join([ended, *outcome.last_lines[-LAST_LINES:]])


@check("MPI")
def mpi_in_use(trial: Trial) -> Judged:
    if trial.mpi is None:
        assert trial.failure is not None
        return "bad", trial.failure.message, trial.failure.advice
    mpi = trial.mpi
    fact = f"{mpi.mpicc}, started by {mpi.launcher_text}"
    if mpi.family == "smpi":
        return (
            "warn",
            fact,
            "SimGrid simulates a machine; name a real MPI with --mpicc to examine this machine",
        )
    if mpi.notes:
        return "warn", fact, mpi.notes[0]
    return "ok", fact


@check("compiler")
def compiler(trial: Trial) -> Judged:
    """The compiler that the wrapper calls, as its --version reports."""
    if trial.mpi is None:
        return "unknown", "there is no mpicc to ask"
    if trial.mpi.prebuilt:
        return "ok", "none is needed: the engine was built elsewhere"
    wrapper = trial.mpi.mpicc
    try:
        done = ask_command(wrapper, "--version")
    except (OSError, subprocess.TimeoutExpired) as error:
        return "bad", f"{wrapper} cannot be run: {error}", "name another with --mpicc"
    lines = (done.stdout + done.stderr).splitlines()
    # Open MPI's wrapper prints lines of dashes around its messages.
    words = [line.strip() for line in lines if line.strip(" -")]
    if done.returncode == 0:
        return "ok", words[0] if words else f"{wrapper} does not report it"
    return (
        "bad",
        " ".join(words[:2]) or f"{wrapper} --version: exit status {done.returncode}",
        "load the compiler's module, or set MPICH_CC, I_MPI_CC or OMPI_CC to another compiler",
    )


@check("engine")
def engine_built(trial: Trial) -> Judged:
    """The engine, and the ownership of the directory that holds it."""
    if trial.mpi is None:
        return "unknown", "nothing could be built without an MPI"
    if trial.engine is None:
        assert trial.failure is not None
        return "bad", trial.failure.message, trial.failure.advice
    if trial.engine.notes:
        return (
            "warn",
            trial.engine.notes[0],
            "make that directory private (chown, chmod 700), or name another with XDG_CACHE_HOME: "
            "until then each run builds the engine again",
        )
    if trial.mpi.prebuilt:
        return "ok", f"{trial.engine.path}, built elsewhere"
    # CACHE/KEY/hockney-engine
    cache = trial.engine.path.parent.parent
    return "ok", f"{cache}, yours, mode {stat.S_IMODE(cache.stat().st_mode):o}"


@check("launch of two ranks")
def launch_of_two_ranks(trial: Trial) -> Judged:
    """Launcher and library belong together if two ranks started as one MPI program."""
    if trial.launch is not None:
        library = " ".join(filter(None, (trial.launch.mpi.library, trial.launch.mpi.version)))
        took = "" if trial.wall_s is None else f", in {trial.wall_s:.2f} s"
        return "ok", f"{library or 'an unknown MPI'}{took}"
    if trial.engine is None:
        return "unknown", "not tried: there is no engine to start"
    if trial.failure is None:
        return "unknown", "not tried: smpirun starts no ranks on this machine"
    return "bad", trial.failure.message, trial.failure.advice


@check("large messages")
def large_messages(trial: Trial) -> Judged:
    """Libraries copy large messages in other ways than small ones, which a container may refuse."""
    error = trial.large_failure
    if error is not None:
        return "bad", error.message, error.advice
    times = [ns for sample in trial.samples if sample.bytes == LARGE_BYTES for ns in sample.ns]
    if not times:
        return "unknown", "none was sent"
    fact = f"{format_size(LARGE_BYTES)} in {format_seconds(median(times) * 1e-9, 3)}"
    return "ok", fact


@check("places of ranks")
def rank_places(trial: Trial) -> Judged:
    """The CPUs on which the two ranks ran, as they report."""
    if trial.launch is None or not trial.launch.places:
        return "unknown", "no ranks were started"
    places = trial.launch.places
    fact = ", ".join(f"rank {place.rank} on {place.host} CPU {place.pu}" for place in places)
    if not all(place.pinned for place in places):
        refused = next((place.refused for place in places if place.refused), None)
        return (
            "bad",
            f"{fact}, not pinned" + (f" ({refused})" if refused else ""),
            "ranks may move while they are measured: allow sched_setaffinity in the container or "
            "job",
        )
    if len({(place.host, place.pu) for place in places}) < len(places):
        return (
            "bad",
            f"{fact}: both share one CPU",
            "two ranks that spin on one CPU measure the OS scheduler: ask for two CPUs",
        )
    return "ok", f"{fact}, pinned"


@check("clock cost")
def clock_cost(trial: Trial) -> Judged:
    """The cost and the smallest step of the clock, as the engine measured them."""
    clock = trial.launch.clock if trial.launch else None
    if clock is None or clock.cost_s is None:
        return "unknown", "no rank measured it"
    # The engine stores 0 if it never saw the clock step.
    step_s = clock.resolution_s or None
    step = "" if step_s is None else f", in steps of {step_s * 1e9:.0f} ns"
    fact = f"{clock.cost_s * 1e9:.0f} ns a reading{step}"
    if clock.cost_s > SLOW_READING_S or (step_s is not None and step_s > COARSE_STEP_S):
        return (
            "warn",
            fact,
            "longer batches hide it, but do not trust --every-iteration here; see clock source",
        )
    return "ok", fact
