"""An engine that was built elsewhere, for machines without a compiler.

One that is built for the standard ABI runs with every library that has it. Such a library is found
beside the launcher, unless the loader finds it by itself.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from hockney import __version__
from hockney.base.errors import UsageError, why_failed
from hockney.run.mpis import Engine, Mpi, ask_command

STANDARD_LIBRARY = "libmpi_abi.so*"
"""The name that the standard gives to a library with its ABI."""
LOADER = "LD_LIBRARY_PATH"
BUILD = "build it as docs/howto/other-machines.md shows"


def prebuilt_engine(mpi: Mpi, path: Path) -> Engine:
    """The engine in the file `path`, to run with the library of `mpi`. Raises UsageError
    where it does not run here, or is of another version."""
    if not path.is_file():
        raise UsageError(f"--engine {path}: there is no such file", BUILD)
    if not os.access(path, os.X_OK):
        raise UsageError(f"--engine {path}: it may not be executed", f"chmod +x {path}")
    engine = Engine(path.absolute(), env=_library_path(mpi))
    try:
        done = ask_command(engine.path, "--version", env=engine.env)
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = getattr(error, "strerror", None) or "it does not answer"
        raise UsageError(f"--engine {path} does not run here: {reason}", BUILD) from error
    if done.returncode != 0:
        raise UsageError(
            f"--engine {path} does not run with the MPI of {mpi.mpiexec or 'the loader'}: "
            f"{why_failed(done)}",
            "load an MPI library that it was built for: for the standard ABI, one that has "
            "libmpi_abi.so (MPICH 5, Intel MPI 2021.18)",
        )
    if not done.stdout.startswith(f"hockney-engine {__version__} "):
        what = done.stdout.partition(" for ")[0].strip() or "no engine of hockney"
        raise UsageError(f"--engine {path} is {what}, and this is hockney {__version__}", BUILD)
    return engine


def _library_path(mpi: Mpi) -> dict[str, str]:
    """The variable by which the loader prefers the library beside the launcher; empty without
    one."""
    if mpi.mpiexec is None:
        return {}
    for launcher in dict.fromkeys((mpi.mpiexec, mpi.mpiexec.resolve())):
        for name in ("lib", "lib64"):
            directory = launcher.parent.parent / name
            if any(directory.glob(STANDARD_LIBRARY)):
                before = os.environ.get(LOADER)
                return {LOADER: f"{directory}:{before}" if before else str(directory)}
    return {}
