"""Builds the engine with the user's mpicc, once for each MPI library, compiler and source."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import subprocess
from contextlib import suppress
from pathlib import Path

from hockney.base.endings import AtEnd
from hockney.base.errors import HockneyError, UsageError
from hockney.base.file_lock import locked
from hockney.base.temporary import new_name, temporary_directory
from hockney.base.trust import UntrustedError, cache_directory
from hockney.run.measure.toolchain.compiler import Product, compile_product, shown_by
from hockney.run.measure.toolchain.prebuilt import prebuilt_engine
from hockney.run.mpis import Engine, Mpi, ask_command

ENGINE = Product("engine", "engine", "hockney-engine", libraries=("-lm", "-ldl"))
RECORDER = Product(
    "recorder",
    "profiling/recorder",
    "hockney-recorder.so",
    # It must not bring an MPI library into programs that use none, or another one.
    flags=(
        *("-shared", "-fPIC", "-fvisibility=hidden", "-ftls-model=initial-exec"),
        "-Wl,--as-needed",
    ),
    libraries=("-ldl",),
    is_program=False,
)
BEHIND = (
    *("LOADEDMODULES", "MPICH_CC", "OMPI_CC", "I_MPI_CC", "I_MPI_ROOT"),
    *("CRAY_MPICH_DIR", "PE_ENV"),
)
"""Variables that choose the compiler or the library behind a wrapper."""
BUILDING = ".building-"
"""Prefix of the cache's directories in which a product is being compiled."""
REPLAYER = Product("replayer", "profiling/replayer", "hockney-replayer")


def build_engine(mpi: Mpi) -> Engine:
    """The engine for this MPI, from the cache or newly built into it; the prebuilt one where the
    MPI comes with that. It is built into a private temporary directory if the cache cannot be
    trusted or written."""
    if mpi.prebuilt:
        return prebuilt_engine(mpi, mpi.prebuilt)
    return Engine(*_build(mpi, ENGINE))


def build_recorder(mpi: Mpi) -> tuple[Path, tuple[str, ...]]:
    """The library that is preloaded into programs of this MPI, built like the engine
    (build_engine), and warnings about where it was built."""
    return _build(mpi, RECORDER)


def build_replayer(mpi: Mpi) -> tuple[Path, tuple[str, ...]]:
    """The program that replays profiles, built like the engine (build_engine)."""
    return _build(mpi, REPLAYER)


def _build(mpi: Mpi, product: Product) -> tuple[Path, tuple[str, ...]]:
    key = _key(mpi, product)
    try:
        cache = cache_directory()
    except OSError as error:
        return _build_privately(mpi, product, f"the cache cannot be used ({error})")
    except UntrustedError as error:
        return _build_privately(mpi, product, str(error))
    built = cache / key / product.file
    if _is_ours(built) and _is_whole(built):
        return built, ()

    notes: tuple[str, ...] = ()
    try:
        with locked(cache / f"{key}.lock"):
            if not (_is_ours(built) and _is_whole(built)):
                if _digest_file(built).exists():
                    notes = (f"{built} was damaged, and was built again",)
                _compile_into(mpi, product, built)
        return built, notes
    except OSError as error:
        reason = f"the cache {cache} cannot be written ({error.strerror})"
        return _build_privately(mpi, product, reason)


def _is_ours(engine: Path) -> bool:
    """True if only this user can have written the engine: nothing else is ever run."""
    try:
        places = [engine.parent.lstat(), engine.lstat()]
    except OSError:
        return False
    return all(
        place.st_uid == os.getuid()
        and not place.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        and not stat.S_ISLNK(place.st_mode)
        for place in places
    )


def _digest_file(engine: Path) -> Path:
    return engine.with_suffix(".sha256")


def _digest(engine: Path) -> str:
    return hashlib.sha256(engine.read_bytes()).hexdigest()


def _is_whole(engine: Path) -> bool:
    """True if the file is as it was built: a full disk or a crash may have left half of it."""
    try:
        return _digest_file(engine).read_text() == _digest(engine)
    except (OSError, UnicodeDecodeError):
        return False


def _build_privately(mpi: Mpi, product: Product, reason: str) -> tuple[Path, tuple[str, ...]]:
    directory = new_name("hockney-", "", None)
    AtEnd(lambda: shutil.rmtree(directory, ignore_errors=True))
    built = directory / product.name / product.file
    try:
        directory.mkdir(mode=0o700)
        _compile_into(mpi, product, built)
    except OSError as error:
        raise HockneyError(
            f"{reason}, and {directory} cannot be written either: {error.strerror}"
        ) from error
    return built, (f"{reason}: the {product.name} was built into {directory} for this run only",)


def _key(mpi: Mpi, product: Product) -> str:
    """The cache key. It covers everything that the product depends on: sources, flags, wrapper, the
    compiler and library behind the wrapper, and loaded modules."""
    digest = hashlib.sha256()

    def add(*words: object) -> None:
        digest.update(("\0".join(str(word) for word in words) + "\n").encode())

    for source in sorted(
        [*product.sources, *product.directory.rglob("*.h"), *product.directory.rglob("*.def")]
    ):
        digest.update(source.read_bytes())
    add(*product.all_flags)
    add(mpi.mpicc, *_identity(mpi.mpicc))
    shown = shown_by(mpi.mpicc)
    add(shown)
    words = shown.split()
    compiler = shutil.which(words[0]) if words else None
    if compiler:
        add(*_identity(Path(compiler)))
    for directory in re.findall(r"(?:^|\s)-L(\S+)", shown):
        for library in sorted(Path(directory).glob("libmpi*.so*")):
            add(library, *_identity(library))
    for name in BEHIND:
        add(name, os.environ.get(name))
    return digest.hexdigest()[:24]


def _identity(path: Path) -> tuple[object, ...]:
    try:
        real = path.resolve()
        status = real.stat()
    except OSError:
        return ("gone",)
    return (real, status.st_mtime_ns, status.st_size)


def _compile_into(mpi: Mpi, product: Product, built: Path) -> None:
    """Compiles beside the target's directory, then renames: no process ever sees an incomplete
    one. What a killed process left of an earlier try is removed."""
    for left in built.parent.parent.glob(f"{BUILDING}{built.parent.name}-*"):
        shutil.rmtree(left, ignore_errors=True)
    with temporary_directory(f"{BUILDING}{built.parent.name}-", built.parent.parent) as directory:
        made = directory / product.file
        made.touch(mode=0o700)
        compile_product(mpi, product, made)
        made.chmod(0o700)
        if product.is_program:
            _try(mpi, made)
        _digest_file(made).write_text(_digest(made))
        built.parent.mkdir(mode=0o700, exist_ok=True)
        for file in (_digest_file(made), made):
            file.replace(built.parent / file.name)


def _try(mpi: Mpi, engine: Path) -> None:
    """Raises UsageError where the engine is no program for this machine. Its exit status does not
    matter: one for SimGrid runs under smpirun alone."""
    with suppress(subprocess.TimeoutExpired):
        try:
            ask_command(engine, "--version")
        except OSError as error:
            raise UsageError(
                f"{mpi.mpicc} built no program that runs here: {error.strerror}",
                "name the compiler wrapper of an MPI library with --mpicc",
            ) from error
