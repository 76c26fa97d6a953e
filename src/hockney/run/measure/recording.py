"""Runs a program of the user with the recorder in each of its processes."""

from __future__ import annotations

import mmap
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from types import FrameType

from hockney import __version__
from hockney.base.endings import caught
from hockney.base.errors import HockneyError, UsageError
from hockney.base.limits import of_the_user
from hockney.base.temporary import temporary_directory
from hockney.profiling.collect import collect
from hockney.profiling.kinds import SCHEMA, Profile, Program
from hockney.run.measure.machine import shared_memory
from hockney.run.measure.toolchain.build import build_recorder
from hockney.run.measure.toolchain.mpi import find_mpi
from hockney.run.mpis import Mpi

DIRECTORY = "HOCKNEY_RECORD_DIRECTORY"
"""The variable that names the recorder's directory, as recorder/file.c reads it."""
TRACE = "HOCKNEY_RECORD_TRACE"
"""The variable with the number of calls of a rank whose order is kept (recorder/trace.c)."""
LAUNCHERS = {"mpiexec": "mpicc", "mpirun": "mpicc", "orterun": "mpicc", "prterun": "mpicc"}
"""Launchers beside which their MPI's compiler wrapper is, and its name."""
SPLITTING = frozenset(" :$\t\n\r\v\f")
"""Characters that paths in LD_PRELOAD must not have: ld.so splits at blanks and colons, our own
recorder at the same, and `$ORIGIN`, `$LIB` and `$PLATFORM` are expanded."""
RECORDER_COPY = ".recorder"
"""The copy of the recorder beside the ranks' files; the directory has no other name like it."""
ELF, ELF64_HEADER, PROGRAM_HEADER, DYNAMIC = b"\x7fELF", 64, 56, 2
ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU)
"""Signals that ask a program to end; after SIGUSR1 it may go on."""
FROM_TERMINAL = (signal.SIGINT, signal.SIGQUIT)
"""Signals that a terminal sends to the program as well."""


def mpi_of_command(words: Sequence[str], mpicc: str | None) -> Mpi:
    """The MPI that the command starts: that of `mpicc`, or the one whose launcher the command
    names."""
    if mpicc is None:
        mpicc = _wrapper_beside(words[0])
    mpi = find_mpi(mpicc)
    if mpi.family == "smpi":
        raise UsageError(
            "programs simulated by SimGrid cannot be profiled",
            "profile the program itself, then: hockney replay PROFILE --platform SHAPE",
        )
    return mpi


def _wrapper_beside(launcher: str) -> str | None:
    """The compiler wrapper that belongs to a launcher on PATH; None where none is known."""
    path = shutil.which(launcher)
    if path is None:
        raise UsageError(
            f"{launcher}: no such command", "write the command that starts the program after --"
        )
    if Path(path).name == "smpirun":
        return "smpicc"
    for place in (Path(path), Path(path).resolve()):
        stem, dot, suffix = place.name.partition(".")
        if stem in LAUNCHERS:
            for name in (f"{LAUNCHERS[stem]}{dot}{suffix}", LAUNCHERS[stem]):
                wrapper = place.parent / name
                if os.access(wrapper, os.X_OK):
                    return str(wrapper)
    return None


def record(
    words: Sequence[str],
    mpi: Mpi,
    beside: Path,
    stored: Sequence[str] | None,
    most_acts: int = 0,
) -> Profile:
    """Runs the command to its end, with our input and output, and returns what its ranks recorded.
    `beside`: a directory seen by all nodes, which holds the ranks' files until then. `stored`: the
    command as the profile has it. `most_acts`: how many calls of a rank have their order kept."""
    built, notes = build_recorder(mpi)
    del notes  # they concern how our engine is built, not the user's program
    with (
        temporary_directory(".hockney-profile-", beside) as directory,
        preloadable(built, directory) as recorder,
    ):
        began, begun_utc = time.monotonic(), datetime.now(timezone.utc)
        status = _run(words, environment(recorder, directory, most_acts))
        program = Program(
            schema=SCHEMA,
            hockney=__version__,
            command=None if stored is None else tuple(_shown(word) for word in stored),
            time_utc=begun_utc.isoformat(timespec="seconds"),
            exit_status=status,
            wall_s=time.monotonic() - began,
            mpicc=str(mpi.mpicc),
        )
        return collect(directory, program)


@contextmanager
def preloadable(built: Path, shared: Path) -> Iterator[Path]:
    """The recorder under a path that LD_PRELOAD takes as one word: the loader splits there, and
    loads whatever library a part of it names. It is copied where its own path cannot be used:
    to `shared`, a directory that all nodes see, else to a private one of this node. Raises
    UsageError where neither can be."""
    absolute = built.resolve()
    if not _splits(absolute):
        yield absolute
        return
    with temporary_directory("hockney-") as private:
        for directory in (shared.resolve(), private.resolve()):
            if not _splits(directory):
                copy = directory / f"{RECORDER_COPY}{built.suffix}"
                shutil.copy2(absolute, copy)
                yield copy
                return
    raise UsageError(
        f"{absolute}: the loader splits LD_PRELOAD at blanks and colons and expands $, and so "
        "cannot preload the recorder from there",
        "name a directory without them with XDG_CACHE_HOME, or with TMPDIR",
    )


def _splits(path: Path) -> bool:
    """Whether the loader would split a path or expand it (ld.so(8))."""
    return any(character in SPLITTING for character in str(path))


def _shown(word: str) -> str:
    """A word that may not be UTF-8, as text."""
    return word.encode(errors="surrogateescape").decode(errors="replace")


def environment(recorder: Path, directory: Path, most_acts: int = 0) -> dict[str, str]:
    """Our environment, with the recorder after what the user preloads."""
    before = os.environ.get("LD_PRELOAD")
    return {
        **of_the_user(dict(os.environ)),
        "LD_PRELOAD": f"{before}:{recorder}" if before else str(recorder),
        DIRECTORY: str(directory.resolve()),
        **({TRACE: str(most_acts)} if most_acts else {}),
    }


def _run(words: Sequence[str], env: dict[str, str]) -> int:
    """The exit status of a command, as a shell reports it. Where it ended badly, its MPI library
    may have left shared memory."""
    passing = _PassedOn()
    before = shared_memory.present()
    with caught(passing.note):
        try:
            process = subprocess.Popen(words, env=env)
        except OSError as error:
            raise HockneyError(f"{words[0]} cannot be started: {error.strerror}") from error
        passing.to(process)
        status = passing.status_of(process.wait())
    if status != 0:
        shared_memory.remove_left(before)
    return status


class _PassedOn:
    """Passes signals on to the program while it runs. We live on until it ends, to collect what it
    recorded."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self._process: subprocess.Popen[bytes] | None = None

    def note(self, number: int, _frame: FrameType | None) -> None:
        if number in FROM_TERMINAL and _is_foreground():
            return
        self.numbers.append(number)
        if self._process is not None:
            self._process.send_signal(number)

    def status_of(self, status: int) -> int:
        """The exit status as a shell reports it: 128 plus the signal, also where a launcher returns
        the signal alone, or 0 after a signal that asked it to end."""
        for number in self.numbers:
            if status == number or (status == 0 and number in ENDING):
                return 128 + number
        return status if status >= 0 else 128 - status

    def to(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        for number in self.numbers:
            process.send_signal(number)


def _is_foreground() -> bool:
    """Whether a terminal sends its signals to us and to the program."""
    try:
        with Path("/dev/tty").open("rb") as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:
        return False


def why_nothing(words: Sequence[str]) -> str:
    """The likely reason why the ranks of a command recorded nothing."""
    for word in words:
        reason = _why_not(word, Path(shutil.which(word) or word), is_launcher=word == words[0])
        if reason:
            return reason
    return (
        "none of its processes called MPI_Init of a shared MPI library (on several hosts, the "
        f"launcher must pass on LD_PRELOAD and {DIRECTORY})"
    )


def _why_not(word: str, path: Path, is_launcher: bool) -> str | None:
    """Why nothing is recorded in a program; None where that cannot be seen in its file."""
    try:
        if not path.is_file() or path.stat().st_size < ELF64_HEADER:
            return None
        mode = path.stat().st_mode
        has_rights = bool(mode & 0o6000) or "security.capability" in os.listxattr(path)
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as held:
            if held[:4] != ELF:
                return None
            if has_rights:
                return (
                    f"{word} is a set-user-id program or has capabilities, and nothing is "
                    "preloaded into it"
                )
            is_static = not _is_dynamic(held[: 1 << 16]) and not is_launcher
            # Programs that use the library name MPI_Init; the library itself has PMPI_Init.
            if is_static or held.find(b"\0PMPI_Init\0") >= 0:
                return f"{word} is linked statically: link it with the shared MPI library"
    except (OSError, ValueError):
        return None
    return None


def _is_dynamic(content: bytes) -> bool:
    """Whether a program is linked with shared libraries; True where that cannot be seen."""
    if len(content) < ELF64_HEADER or content[4] != 2:  # of 64 bits
        return True
    table = int.from_bytes(content[32:40], "little")
    entries = int.from_bytes(content[56:58], "little")
    kinds = [content[table + PROGRAM_HEADER * i :][:4] for i in range(min(entries, 64))]
    return any(int.from_bytes(kind, "little") == DYNAMIC for kind in kinds)
