"""Finds the MPI: the compiler wrapper, and the launcher that belongs to it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from hockney.errors import AskedWronglyError
from hockney.mpis import COMMAND_TIMEOUT_S, FAMILIES, Mpi


def find_mpi(mpicc: str | None = None, simulated: bool = False) -> Mpi:
    """The MPI of `mpicc`, $MPICC, PATH or the embedded package, in that order; SimGrid's SMPI if
    `simulated`."""
    wrapper = _find_smpicc() if simulated and not mpicc else _find_mpicc(mpicc)
    mpiexec, family, version = _find_launcher(wrapper)
    return Mpi(wrapper, mpiexec, family, version)


def _find_smpicc() -> Path:
    found = shutil.which("smpicc")
    if not found:
        raise AskedWronglyError(
            "no smpicc: SimGrid is not installed or not on PATH",
            "install SimGrid (Debian: libsimgrid-dev) to simulate a platform",
        )
    return Path(found)


def _find_mpicc(asked: str | None) -> Path:
    for name, source in ((asked, "--mpicc"), (os.environ.get("MPICC"), "$MPICC")):
        if not name:
            continue
        found = shutil.which(name)
        if not found:
            raise AskedWronglyError(
                f"{source} {name}: no such command", "give the path of an MPI compiler wrapper"
            )
        return Path(found)
    on_path = shutil.which("mpicc")
    embedded = Path(sys.prefix) / "bin" / "mpicc"
    if on_path:
        return Path(on_path)
    if embedded.exists():
        return embedded
    raise AskedWronglyError(
        "no MPI found: no --mpicc, no $MPICC, no mpicc on PATH and no embedded MPI",
        "load your MPI's module, or install one: pip install 'hockney[mpich]'",
    )


def _candidates(wrapper: Path) -> list[Path]:
    """Possible launchers next to the wrapper, with its suffix (mpicc.mpich) first; also next to the
    target of its symbolic links (Debian's alternatives)."""
    found = []
    names = ("smpirun",) if wrapper.name.startswith("smpicc") else ("mpiexec", "mpirun")
    for place in (wrapper, wrapper.resolve()):
        suffix = place.name.partition(".")[2]
        for name in names:
            if suffix and suffix != "sh":
                found.append(place.parent / f"{name}.{suffix}")
        found += [place.parent / name for name in names]
    return list(dict.fromkeys(found))


def _find_launcher(wrapper: Path) -> tuple[Path, str, str]:
    for candidate in _candidates(wrapper):
        if not os.access(candidate, os.X_OK):
            continue
        family, version = launcher_family(candidate)
        if family:
            return candidate, family, version
    raise AskedWronglyError(
        f"{wrapper} has no mpiexec or mpirun beside it",
        "name the wrapper of a complete MPI installation with --mpicc",
    )


def launcher_family(launcher: Path) -> tuple[str | None, str]:
    """The MPI family of a launcher and its version; the family is None if none recognises it."""
    words = _words(launcher, "--version")
    for name, family in FAMILIES.all().items():
        version = family.launcher_version(launcher, words)
        if version is not None:
            return name, version
    return None, words.partition("\n")[0].strip()


def _words(command: Path, *arguments: str) -> str:
    try:
        done = ask_command(command, *arguments)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return done.stdout + done.stderr


def ask_command(command: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a wrapper or launcher that only prints something. Raises OSError or TimeoutExpired."""
    return subprocess.run(
        [str(command), *arguments],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=COMMAND_TIMEOUT_S,
        stdin=subprocess.DEVNULL,
    )
