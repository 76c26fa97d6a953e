"""Tests whether the library uses a file of rules, by starting it with the file and with a fault.

Libraries silently ignore a file that they do not understand. A library that starts with the file,
but fails with a fault at the end of the same file, has read all of it.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from hockney.base.errors import HockneyError, UsageError
from hockney.base.outputs import write_outputs
from hockney.base.printable import one_line
from hockney.base.temporary import temporary_directory
from hockney.plan import Placement, plan_of
from hockney.records import MpiFacts, Run
from hockney.run.measure.launches.launch import Outcome
from hockney.run.measure.launches.trial import attempt
from hockney.run.measure.preparation.setup import mpi_of
from hockney.run.measure.toolchain.mpi import find_mpi
from hockney.run.mpis import Engine, Mpi, Rule, RulesFormat, ask_command
from hockney.tuning.rule_files import WRITTEN_FOR, version_text

TRIAL_S, TIMEOUT_S = 0.01, 30.0
"""Duration and timeout of a trial. Its ranks only call collectives; their times are ignored."""


def write_tried(
    form: RulesFormat,
    rules: Sequence[Rule],
    path: Path,
    measured: MpiFacts,
    mpi: Mpi,
    engine: Engine,
) -> bool | None:
    """Writes files of rules after `try_files` accepts them; returns its result."""
    files = _signed(form, form.render(rules, engine), measured)
    proved = try_files(form, files, mpi, engine)
    write_outputs([(path.with_name(path.name + end), text) for end, text in files.items()], True)
    for suffix in set(form.suffixes) - set(files):  # of earlier rules, which would still hold
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    return proved


def _signed(form: RulesFormat, files: Mapping[str, str], measured: MpiFacts) -> dict[str, str]:
    """The files with the library and version that they are for, where the format has comments: in
    the second line, because the first may give the version of the format."""
    if form.comment is None:
        return dict(files)
    second = f"{form.comment} {WRITTEN_FOR}{version_text(measured)}"
    parts = {suffix: text.partition("\n") for suffix, text in files.items()}
    return {suffix: f"{first}\n{second}\n{rest}" for suffix, (first, _, rest) in parts.items()}


def try_written(form: RulesFormat, path: Path, mpi: Mpi, engine: Engine) -> bool | None:
    """Tests existing files of rules, by any program, as `try_files` does."""
    texts = {suffix: path.with_name(path.name + suffix) for suffix in form.suffixes}
    if form.with_fault is None:
        _check_starts(mpi, engine, form.environment(path))
        return None
    files = {suffix: file.read_text() for suffix, file in texts.items() if file.exists()}
    return try_files(form, files, mpi, engine)


def try_files(form: RulesFormat, files: Mapping[str, str], mpi: Mpi, engine: Engine) -> bool | None:
    """True if faulty copies prove that the library reads each file; None if that cannot be tested.
    Raises HockneyError if the library does not start with them, or ignores them."""
    with temporary_directory("hockney-") as directory:
        good = _write(files, directory / "rules")
        _check_starts(mpi, engine, form.environment(good))
        if form.with_fault is None:
            return None
        faulty = form.with_fault(files)
        for suffix in files:  # each alone: the fault in one may hide that another is not read
            bad = _write({**files, suffix: faulty[suffix]}, directory / "faulty")
            outcome, _ = start(mpi, engine, form.environment(bad))
            if outcome.exit_status == 0:
                raise HockneyError(
                    "the library ignores these rules: a fault in them has no effect",
                    "check whether the environment or a parameter file sets other rules",
                )
    return True


def _check_starts(mpi: Mpi, engine: Engine, env: Mapping[str, str]) -> None:
    outcome, _ = start(mpi, engine, env)
    if outcome.silent_s is not None:
        raise HockneyError(
            f"the library hangs with these rules: two ranks reported nothing for "
            f"{outcome.silent_s:.0f} s and were ended",
            "leave rules out until it starts",
        )
    if outcome.exit_status != 0:
        raise HockneyError(
            "the library does not start with these rules; its output:\n"
            + "\n".join(f"    {line}" for line in outcome.last_lines)
        )


def _write(files: Mapping[str, str], path: Path) -> Path:
    for suffix, text in files.items():
        path.with_name(path.name + suffix).write_text(text)
    return path


SAYS = re.compile(r"(?:for (MPICH) version |(Open MPI) )(\d[\w.]*)")
"""What a wrapper reports of its library. Vendors' wrappers may keep these words: only a measured
library of these two names is compared with it."""
COMPARED = frozenset({"MPICH", "Open MPI"})


def measured_mpi(measured: MpiFacts, run: Run, placement: Placement) -> tuple[Mpi, Engine]:
    """The MPI of a placement, and its engine, which is built. Raises UsageError before that where
    the wrapper is surely of another library or version than the measured one."""
    if placement.engine is None and measured.library in COMPARED:
        mpicc = find_mpi(placement.mpicc).mpicc
        here = reported_by(mpicc)
        if here is not None and here != (measured.library, measured.version):
            raise UsageError(
                f"{mpicc} is {' '.join(here)}, the files are of {version_text(measured)}",
                f"name the wrapper of the measured MPI with --mpicc{_wrapper_of(run)}",
            )
    mpi, engine = mpi_of(placement)
    check_library(measured, mpi, engine)
    return mpi, engine


def reported_by(mpicc: Path) -> tuple[str, str] | None:
    """The library and the version that a compiler wrapper reports; None if it reports none."""
    for option in ("--showme:version", "-v"):
        with suppress(OSError, subprocess.TimeoutExpired):
            done = ask_command(mpicc, option)
            if match := SAYS.search(done.stdout + done.stderr):
                return match[1] or match[2], match[3]
    return None


def _wrapper_of(run: Run) -> str:
    """The wrapper that a run names, or the place of its launcher; empty where it has neither."""
    plan = plan_of(run.header.options)
    if plan is not None and plan.first.placement.mpicc:
        return f": it was measured with --mpicc {one_line(plan.first.placement.mpicc)}"
    command = next((launch.command for launch in run.launches if launch.command), None)
    return f": it was started by {one_line(command[0])}" if command else ""


def check_library(measured: MpiFacts, mpi: Mpi, engine: Engine) -> None:
    """Raises UsageError unless this MPI is the measured library in the measured version."""
    _, facts = start(mpi, engine, {})
    if facts is None or (facts.library, facts.version) != (measured.library, measured.version):
        here = f"{facts.library} {facts.version or ''}" if facts else "no MPI that starts"
        raise UsageError(
            f"{mpi.mpicc} is {here.strip()}, the files are of {measured.library} "
            f"{measured.version or ''}: rules are tested before they are written",
            "name the wrapper of the measured MPI with --mpicc",
        )


def start(mpi: Mpi, engine: Engine, env: Mapping[str, str]) -> tuple[Outcome, MpiFacts | None]:
    """Makes a short launch with these variables; returns its outcome, and the library that it
    reports. A library that refuses the window of the probe has failed, though the engine can do
    without: a fault in rules shows there first (Open MPI 4)."""
    tried = attempt(mpi, engine, TRIAL_S, TIMEOUT_S, place="none", env=env)
    outcome, launch = tried.outcome, tried.launch
    if launch is not None and launch.probe_refused is not None and outcome.exit_status == 0:
        outcome = replace(outcome, exit_status=1, last_lines=[launch.probe_refused])
    return outcome, launch.mpi if launch else None
