"""Finds the MPI: the compiler wrapper, its launcher, and the family of its library."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from hockney.base.errors import UsageError
from hockney.base.limits import explained
from hockney.base.temporary import temporary_directory
from hockney.run.launchers import LAUNCHERS, UNKNOWN, launcher_named, recognised
from hockney.run.measure.machine.processes import why_no_processes
from hockney.run.mpis import OTHER, Engine, Mpi, ask_command, family_of_library
from hockney.run.schedulers import job_launcher

OF_OTHERS = frozenset({"srun", "flux", "prun", "smpirun"})
"""Launchers that start ranks in jobs, or in simulations, only."""
TRIAL = "#include <mpi.h>\nint main(int argc, char **argv) { return MPI_Init(&argc, &argv); }\n"


def find_mpi(mpicc: str | None = None, simulated: bool = False, prebuilt: str | None = None) -> Mpi:
    """The MPI of `mpicc`, $MPICC, PATH or the embedded package, in that order; SimGrid's SMPI if
    `simulated`. An incomplete one on PATH gives way to the embedded one, with a note.
    `prebuilt`: an engine, default $HOCKNEY_ENGINE; its MPI needs no compiler."""
    _check_not_a_rank()
    if simulated and prebuilt:
        raise UsageError(
            f"--engine {prebuilt}: simulations have an engine of their own",
            "leave out --engine or --platform",
        )
    if simulated and not mpicc:
        return _mpi_of(_find_smpicc())
    prebuilt = prebuilt or os.environ.get("HOCKNEY_ENGINE")
    if prebuilt and not simulated:
        return replace(_launching_mpi(mpicc), prebuilt=Path(prebuilt))
    wrapper = _requested_wrapper(mpicc)
    if wrapper:
        return _mpi_of(wrapper)
    on_path, embedded = _wrapper_on_path(), Path(sys.prefix) / "bin" / "mpicc"
    if not embedded.exists():
        return _mpi_of(_on_path(on_path))
    reason = why_not_whole(Path(on_path)) if on_path and Path(on_path) != embedded else None
    if on_path and not reason:
        return _mpi_of(Path(on_path))
    note = f"{on_path} {reason}: the embedded MPI is measured (--mpicc names another)"
    return replace(_mpi_of(embedded), notes=(note,) if reason else ())


def _wrapper_on_path() -> str | None:
    """The compiler wrapper on PATH; Cray's is called cc, as many compilers are."""
    is_cray = "CRAY_MPICH_DIR" in os.environ
    return shutil.which("mpicc") or (shutil.which("cc") if is_cray else None)


WORLDS = (
    *("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_SIZE"),
    *("SLURM_STEP_NUM_TASKS", "JSM_NAMESPACE_SIZE"),
)
"""Variables by which launchers give a process their number of ranks: of MPICH and Intel MPI, Open
MPI, MPICH on one host, MVAPICH, srun and jsrun."""


def _check_not_a_rank() -> None:
    """Refuses to run as a rank: several of us would measure at once, on the same CPUs."""
    for name in WORLDS:
        value = os.environ.get(name, "")
        if value.isdecimal() and value not in ("0", "1"):
            raise UsageError(
                f"this is one of {value[:9]} processes of a launcher ({name}): hockney starts MPI "
                "itself",
                "start it once, without mpiexec; -n, --hosts and --nodes say where ranks run",
            )


def _launching_mpi(mpicc: str | None) -> Mpi:
    """The MPI that starts programs here: the requested one, else that of PATH, else the embedded
    one. It may have no compiler wrapper."""
    wrapper = _requested_wrapper(mpicc)
    if wrapper:
        return _mpi_of(wrapper)
    embedded = Path(sys.prefix) / "bin" / "mpiexec"
    launcher = next(_on_path_all(), embedded if embedded.exists() else None)
    return _with_launcher(launcher.with_name("mpicc") if launcher else Path("mpicc"), launcher)


def _mpi_of(wrapper: Path) -> Mpi:
    return _with_launcher(wrapper, _beside(wrapper) or next(_on_path_all(), None))


def _with_launcher(wrapper: Path, launcher: Path | None) -> Mpi:
    """The MPI of a wrapper, with the family of its launcher's usual library until the library
    itself reports it (of_library)."""
    if launcher is None:
        return Mpi(wrapper, None, OTHER, UNKNOWN, "")
    kind, version = kind_of(launcher)
    starts = launcher_named(kind).starts
    return Mpi(wrapper, launcher, family_of_library(starts[0] if starts else None), kind, version)


@cache
def kind_of(launcher: Path) -> tuple[str, str]:
    """The module of a launcher and its version, by what it prints. Raises UsageError where the
    system keeps it from printing anything."""
    words = _words(launcher, "--version")
    why = None if words.strip() else why_no_processes()
    if why:
        raise UsageError(f"{launcher} does not report its version", why)
    return recognised(launcher, words)


def of_library(mpi: Mpi, engine: Engine) -> Mpi:
    """The MPI with the family that its library reports of itself. Where none is beside its wrapper,
    its launcher is the first of PATH that starts programs of the library."""
    library = library_of(engine)
    if library is None:
        return mpi
    if mpi.mpiexec not in _candidates(mpi.mpicc):
        starting = (launcher for launcher in _on_path_all() if _starts(launcher, library))
        mpi = replace(_with_launcher(mpi.mpicc, next(starting, None)), prebuilt=mpi.prebuilt)
    return replace(mpi, family=family_of_library(library))


def _starts(launcher: Path, library: str) -> bool:
    """Whether a launcher starts programs of a library, as far as is known."""
    starts = launcher_named(kind_of(launcher)[0]).starts
    return not starts or library in starts


def library_of(engine: Engine) -> str | None:
    """The MPI library that an engine reports as its own; None if it reports none."""
    try:
        done = ask_command(engine.path, "--version", env=engine.env)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.partition(" for ")[2].strip() or None


@cache
def why_not_whole(wrapper: Path) -> str | None:
    """What an incomplete installation of an MPI lacks, such as its headers; None where it compiles
    and has a launcher, its own or that of a job."""
    if _beside(wrapper) is None and not job_launcher():
        return "has no mpiexec in its directory"
    with temporary_directory("hockney-") as directory:
        source = directory / "trial.c"
        source.write_text(TRIAL)
        try:
            done = ask_command(
                wrapper, "-o", f"{directory}/trial", str(source), env={"TMPDIR": str(directory)}
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"cannot be run ({error})"
    if done.returncode == 0:
        return None
    missing = missing_in(done.stderr + done.stdout)
    return f"cannot compile, as {missing} is missing" if missing else "cannot compile"


MISSING = re.compile(
    r"fatal error: '?(?P<header>[^\s':]+)(?:: No such file|' file not found)"
    r"|(?:cannot find|unable to find library) (?P<library>-l[^\s:]+)"
)


def missing_in(output: str) -> str | None:
    """The first header or library that a compiler did not find."""
    match = MISSING.search(output)
    return (match["header"] or match["library"]) if match else None


def _find_smpicc() -> Path:
    smpicc = shutil.which("smpicc")
    if not smpicc:
        raise UsageError(
            "no smpicc: SimGrid is not installed or not on PATH",
            "install SimGrid (Debian: libsimgrid-dev) to simulate a platform",
        )
    return Path(smpicc)


def _requested_wrapper(mpicc: str | None) -> Path | None:
    for name, source in ((mpicc, "--mpicc"), (os.environ.get("MPICC"), "$MPICC")):
        if not name:
            continue
        path = shutil.which(name)
        if not path:
            raise UsageError(
                f"{source} {name}: no such command", "give the path of an MPI compiler wrapper"
            )
        # One wrapper has one engine, from whatever directory it is named; links stay, as wrappers
        # look at the name that they are called by.
        return Path(path).absolute()
    return None


def _on_path(wrapper: str | None) -> Path:
    if wrapper:
        return Path(wrapper)
    raise UsageError(
        "no MPI found: no --mpicc, no $MPICC, no mpicc on PATH and no embedded MPI",
        "load your MPI's module, or install one: pip install 'hockney[mpich]'",
    )


def _beside(wrapper: Path) -> Path | None:
    """The launcher that belongs to a wrapper, one of a known kind if there are several."""
    launchers = [candidate for candidate in _candidates(wrapper) if os.access(candidate, os.X_OK)]
    known = (launcher for launcher in launchers if kind_of(launcher)[0] != UNKNOWN)
    return next(known, launchers[0] if launchers else None)


def _candidates(wrapper: Path) -> list[Path]:
    """Possible launchers next to the wrapper, with its suffix (mpicc.mpich) first; also next to the
    target of its symbolic links (Debian's alternatives)."""
    candidates = []
    names = ["smpirun"] if wrapper.name.startswith("smpicc") else _launcher_names()
    for place in (wrapper, wrapper.resolve()):
        suffix = place.name.partition(".")[2]
        for name in names:
            if suffix and suffix != "sh":
                candidates.append(place.parent / f"{name}.{suffix}")
        candidates += [place.parent / name for name in names]
    return list(dict.fromkeys(candidates))


def _on_path_all() -> Iterator[Path]:
    """The launchers on PATH, in the order of _launcher_names."""
    yield from map(Path, filter(None, map(shutil.which, _launcher_names())))


def _launcher_names() -> list[str]:
    """Names of the programs of launchers, first those of MPI's standard."""
    every = [name for module in LAUNCHERS.all().values() for name in module.LAUNCHER.programs]
    return [name for name in dict.fromkeys(["mpiexec", "mpirun", *every]) if name not in OF_OTHERS]


def _words(command: Path, *arguments: str) -> str:
    try:
        done = ask_command(command, *arguments)
    except (OSError, subprocess.TimeoutExpired) as error:
        if explained(error) is not None:
            raise  # this process may start no programs at all
        return str(error)
    return done.stdout + done.stderr
