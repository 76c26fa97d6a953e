"""The MPI that a run would use, tried out: found, built with, and two ranks really started."""

from __future__ import annotations

import stat
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from hockney.errors import HockneyError
from hockney.measure.build import build_engine, library_of
from hockney.measure.doctor.finding import Finding
from hockney.measure.launch import Outcome
from hockney.measure.mpi import ask_command, find_mpi
from hockney.measure.start import ENGINE_SAYS
from hockney.measure.trial import attempt
from hockney.mpis import Engine, Mpi, family_of
from hockney.records import End, LaunchRecord

SECONDS, TIMEOUT_S = 0.05, 20.0
"""That the two ranks measure for, and that a launcher may be silent for: some of them look up
hosts for many seconds before they give up."""
SLOW_READING_S, COARSE_STEP_S = 200e-9, 1e-6
"""A reading that costs more is a system call: the kernel does not trust the CPU's counter. Steps
that are longer could not tell a small message's time."""


@dataclass(frozen=True)
class Trial:
    """How far it got: each of mpi, engine and launch is None where it failed before."""

    mpi: Mpi | None = None
    engine: Engine | None = None
    launch: LaunchRecord | None = None
    wall_s: float | None = None
    failure: HockneyError | None = None
    """Why it got no further."""


def try_mpi(mpicc: str | None) -> Trial:
    """Finds, builds and starts as a run would, and stops at the first failure."""
    mpi = engine = None
    try:
        mpi = find_mpi(mpicc)
        engine = build_engine(mpi)
        if mpi.family == "smpi":
            return Trial(mpi, engine)
        launch, wall_s = _start_two_ranks(mpi, engine)
    except HockneyError as error:
        return Trial(mpi, engine, failure=error)
    return Trial(mpi, engine, launch, wall_s)


def _start_two_ranks(mpi: Mpi, engine: Engine) -> tuple[LaunchRecord, float]:
    tried = attempt(mpi, engine, SECONDS, TIMEOUT_S)
    if tried.outcome.exit_status == 0 and tried.launch is not None and tried.ends:
        return tried.launch, tried.outcome.wall_s
    failure = _what_it_said(tried.outcome, tried.ends)
    raise HockneyError(failure, _what_to_do(mpi, engine, failure))


def _what_it_said(outcome: Outcome, ends: Sequence[End]) -> str:
    """The engine's own words if it has any, else the launcher's last ones."""
    told = [end.message for end in ends if end.message]
    told += [
        line.removeprefix(ENGINE_SAYS)
        for line in outcome.last_lines
        if line.startswith(ENGINE_SAYS)
    ]
    if told:
        return told[0]
    ended = f"exit status {outcome.exit_status}"
    if outcome.silent_s is not None:
        ended = f"the launcher said nothing for {outcome.silent_s:.0f} s and was ended"
    elif outcome.exit_status < 0:
        ended = f"killed by signal {-outcome.exit_status}"
    elif outcome.exit_status == 0:
        ended = "it ended without a measurement"
    return "\n".join([ended, *outcome.last_lines])


def _what_to_do(mpi: Mpi, engine: Engine, failure: str) -> str:
    library = library_of(engine)
    belongs = library is None or library in family_of(mpi).STARTS
    if "a world of 1 rank" in failure or not belongs:
        return (
            f"{mpi.mpiexec} ({mpi.launcher_version}) does not belong to the MPI library of "
            f"{mpi.mpicc} ({library or 'unknown'}): put both from one MPI on PATH, or name the "
            "wrapper of a whole MPI with --mpicc"
        )
    return f"first make `{mpi.mpiexec} -n 2 hostname` work here, then run hockney doctor again"


def found_mpi(trial: Trial) -> Finding:
    if trial.mpi is None:
        assert trial.failure is not None
        return Finding("MPI", "bad", trial.failure.message, trial.failure.advice)
    mpi = trial.mpi
    fact = f"{mpi.mpicc}, started by {mpi.mpiexec} ({mpi.launcher_version})"
    if mpi.family == "smpi":
        return Finding(
            "MPI",
            "warn",
            fact,
            "SimGrid measures a simulated machine; name a real MPI with --mpicc to look at this "
            "one",
        )
    return Finding("MPI", "ok", fact)


def compiler(trial: Trial) -> Finding:
    """The compiler that the wrapper calls, asked through the wrapper."""
    if trial.mpi is None:
        return Finding("compiler", "unknown", "there is no mpicc to ask")
    wrapper = trial.mpi.mpicc
    try:
        done = ask_command(wrapper, "--version")
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding(
            "compiler", "bad", f"{wrapper} cannot be run: {error}", "name another with --mpicc"
        )
    lines = (done.stdout + done.stderr).splitlines()
    # Open MPI's wrapper frames what it says in dashes.
    told = [line.strip() for line in lines if line.strip(" -")]
    if done.returncode == 0:
        return Finding("compiler", "ok", told[0] if told else f"{wrapper} does not name it")
    return Finding(
        "compiler",
        "bad",
        " ".join(told[:2]) or f"{wrapper} --version: exit status {done.returncode}",
        "load the compiler's module, or name one that is here: MPICH_CC, I_MPI_CC or OMPI_CC",
    )


def engine_built(trial: Trial) -> Finding:
    """The measuring program, and whose the directory is that keeps it."""
    name = "engine"
    if trial.mpi is None:
        return Finding(name, "unknown", "nothing could be built without an MPI")
    if trial.engine is None:
        assert trial.failure is not None
        return Finding(name, "bad", trial.failure.message, trial.failure.advice)
    if trial.engine.notes:
        return Finding(
            name,
            "warn",
            trial.engine.notes[0],
            "make that directory yours alone (chown, chmod 700), or name one that is with "
            "XDG_CACHE_HOME: until then each run builds anew",
        )
    # CACHE/KEY/hockney-engine
    cache = trial.engine.path.parent.parent
    return Finding(name, "ok", f"{cache}, yours, mode {stat.S_IMODE(cache.stat().st_mode):o}")


def launch_of_two_ranks(trial: Trial) -> Finding:
    """Whether launcher and library belong together: two ranks were started and met."""
    name = "launch of two ranks"
    if trial.launch is not None:
        library = " ".join(filter(None, (trial.launch.mpi.library, trial.launch.mpi.version)))
        took = "" if trial.wall_s is None else f", in {trial.wall_s:.2f} s"
        return Finding(name, "ok", f"{library or 'an unknown MPI'}{took}")
    if trial.engine is None:
        return Finding(name, "unknown", "not tried: there is no engine to start")
    if trial.failure is None:
        return Finding(name, "unknown", "not tried: smpirun starts none on this machine")
    return Finding(name, "bad", trial.failure.message, trial.failure.advice)


def rank_places(trial: Trial) -> Finding:
    """Where the two ranks were, by their own words."""
    name = "places of ranks"
    if trial.launch is None or not trial.launch.places:
        return Finding(name, "unknown", "no ranks were started")
    places = trial.launch.places
    fact = ", ".join(f"rank {place.rank} on {place.host} CPU {place.pu}" for place in places)
    if not all(place.pinned for place in places):
        refused = next((place.refused for place in places if place.refused), None)
        return Finding(
            name,
            "bad",
            f"{fact}, not pinned" + (f" ({refused})" if refused else ""),
            "ranks may move while they are measured: allow sched_setaffinity in the container or "
            "job",
        )
    if len({(place.host, place.pu) for place in places}) < len(places):
        return Finding(
            name,
            "bad",
            f"{fact}: they share it",
            "ranks that spin in turn on one CPU measure the scheduler: ask for two CPUs",
        )
    return Finding(name, "ok", f"{fact}, pinned")


def clock_cost(trial: Trial) -> Finding:
    """What the engine found its clock to cost, and its smallest step."""
    name = "clock cost"
    clock = trial.launch.clock if trial.launch else None
    if clock is None or clock.cost_s is None:
        return Finding(name, "unknown", "no rank measured it")
    # A step that was never seen is stored as 0 by the engine.
    step_s = clock.resolution_s or None
    step = "" if step_s is None else f", in steps of {step_s * 1e9:.0f} ns"
    fact = f"{clock.cost_s * 1e9:.0f} ns a reading{step}"
    if clock.cost_s > SLOW_READING_S or (step_s is not None and step_s > COARSE_STEP_S):
        return Finding(
            name,
            "warn",
            fact,
            "batches get longer to hide it, but do not trust --every-iteration here; see the "
            "clock source",
        )
    return Finding(name, "ok", fact)
