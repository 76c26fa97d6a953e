"""Compiles C sources with an MPI's compiler wrapper, on all CPUs that this process may use."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import hockney
from hockney.base import building
from hockney.base.allowed import allowed_count
from hockney.base.endings import AtEnd
from hockney.base.errors import HockneyError, UsageError
from hockney.base.limits import explained, explained_text
from hockney.base.temporary import temporary_directory
from hockney.run.measure.toolchain.mpi import missing_in
from hockney.run.mpis import Mpi, ask_command, family_of

FLAGS = (
    "-std=c11",
    "-O2",
    "-pthread",
    "-D_GNU_SOURCE",
    f'-DHOCKNEY_VERSION="{hockney.__version__}"',
)
BUILD_TIMEOUT_S = 300.0
"""Timeout of each call of the compiler."""
LAST_LINES = 20
"""Lines of a compiler's output that the user sees."""
INTEL_PLACEHOLDER = "I_MPI_SUBSTITUTE_INSTALLDIR"
"""Intel MPI's wrapper prints this in place of its directory while I_MPI_ROOT is not set."""


@dataclass(frozen=True)
class Product:
    """A file built from C sources with an MPI's compiler wrapper."""

    name: str
    folder: str
    """The directory of its sources, in the package."""
    file: str
    """Its name in the cache."""
    flags: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    is_program: bool = True

    @property
    def directory(self) -> Path:
        """The path of the directory of its sources."""
        return Path(hockney.__file__).parent / self.folder

    @property
    def sources(self) -> list[Path]:
        return sorted(self.directory.rglob("*.c"))

    @property
    def all_flags(self) -> tuple[str, ...]:
        """Our compiler flags and those that the user adds."""
        return (*FLAGS, *self.flags, *os.environ.get("HOCKNEY_CFLAGS", "").split())


def compile_product(mpi: Mpi, product: Product, output: Path) -> None:
    """Compiles and links a product. Raises UsageError with the compiler's message, OSError where
    the disk is full."""
    with (
        temporary_directory(".objects-", output.parent) as directory,
        temporary_directory("hockney-") as scratch,
        ThreadPoolExecutor(allowed_count()) as pool,
    ):
        # In the order of the sources: the engine is the same whichever was compiled first.
        objects = [f"{directory}/{number}.o" for number in range(len(product.sources))]
        compiled = [
            pool.submit(_run, mpi, product, ["-c", "-o", made, str(source)], scratch)
            for made, source in zip(objects, product.sources, strict=True)
        ]
        what = f"the {product.name} for {mpi.mpicc}"
        building.compiled(what, 0, len(compiled))
        try:
            for number, future in enumerate(compiled, start=1):
                future.result()
                building.compiled(what, number, len(compiled))
        except BaseException:  # Control-C too: no further compilation begins
            pool.shutdown(cancel_futures=True)
            raise
        _run(mpi, product, ["-o", str(output), *objects, *product.libraries], scratch)


def _run(mpi: Mpi, product: Product, words: list[str], scratch: Path) -> None:
    """Calls the compiler. Temporary files that it leaves when it is killed lie in `scratch`."""
    if AtEnd.has_begun:
        return
    try:
        done = subprocess.run(
            [str(mpi.mpicc), *product.all_flags, *words],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=BUILD_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": str(scratch)},
        )
    except subprocess.TimeoutExpired as error:
        raise UsageError(f"{mpi.mpicc} did not finish in {BUILD_TIMEOUT_S:.0f} s") from error
    except OSError as error:
        message = f"{mpi.mpicc} cannot be run: {error.strerror}"
        raise UsageError(message, explained(error)) from error
    if done.returncode != 0:
        _refuse(mpi, product, done)


def _refuse(mpi: Mpi, product: Product, done: subprocess.CompletedProcess[str]) -> None:
    output = done.stderr + done.stdout
    missing = missing_in(output)
    if missing:
        raise UsageError(
            f"{mpi.mpicc} cannot compile MPI programs: {missing} is missing",
            _to_install(mpi, missing),
        )
    limit = explained_text(output)
    if limit is not None:
        raise HockneyError(f"{mpi.mpicc} could not build the {product.name}: {limit}")
    if "No space left on device" in done.stderr:
        raise OSError(28, "no space left on device")
    shown = [f"    {line}" for line in output.strip().splitlines()[-LAST_LINES:]]
    said = "its output:\n" + "\n".join(shown) if shown else "it printed nothing"
    raise UsageError(
        f"{mpi.mpicc} could not build the {product.name} (exit status {done.returncode}); {said}",
        "set I_MPI_ROOT to where Intel MPI is installed, as its vars.sh does"
        if INTEL_PLACEHOLDER in shown_by(mpi.mpicc)
        else "check that this mpicc can compile a C program, name another with --mpicc, or an "
        "engine that was built elsewhere with --engine",
    )


def shown_by(mpicc: Path) -> str:
    """The compiler and flags behind a wrapper."""
    try:
        done = ask_command(mpicc, "-show")
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"{mpicc} cannot be run: {error}", explained(error)) from error
    return done.stdout.strip()


def _to_install(mpi: Mpi, missing: str) -> str:
    """The package that has what the compiler did not find."""
    if missing.startswith(("mpi", "-lmpi")):
        packages = family_of(mpi).PACKAGES
        return f"install its headers and libraries ({packages}), or name another with --mpicc"
    return f"install what has {missing} (of the C library: Debian: libc6-dev, Fedora: glibc-devel)"
