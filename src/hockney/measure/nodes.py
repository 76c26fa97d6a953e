"""The other nodes: whether they answer, and the engine sent to where no file system is shared."""

from __future__ import annotations

import os
import secrets
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from hockney.errors import HockneyError
from hockney.mpis import Engine, Mpi, family_of
from hockney.schedulers import find_launcher
from hockney.spec import Placement

LONGEST_ANSWER_S = 20.0
"""A host that is there starts a shell sooner; or the launch's own time-out, if that is shorter."""
GRACE_S = 1.0


@dataclass(frozen=True)
class Answer:
    """What came of one of the commands that together reach every node."""

    command: list[str]
    status: int | None
    """None: nothing was heard in time."""
    said: str

    @property
    def where(self) -> str:
        """The host, where the command names one: it stands before the script."""
        return self.command[-2] if self.command[-2] != "-c" else " ".join(self.command[:1])


def ask_nodes(
    mpi: Mpi, placement: Placement, script: str, timeout_s: float, stdin: Path | None = None
) -> list[Answer]:
    """Runs a shell script once on every node, all at a time."""
    launcher, placement = find_launcher(placement)
    commands = (launcher or family_of(mpi)).reach(mpi, placement, script)
    deadline = time.monotonic() + min(timeout_s, LONGEST_ANSWER_S)
    started = [(command, _start(command, stdin)) for command in commands]
    return [_answer(command, process, deadline) for command, process in started]


def _start(command: list[str], stdin: Path | None) -> subprocess.Popen[str]:
    try:
        with (stdin or Path("/dev/null")).open("rb") as source:
            return subprocess.Popen(
                command,
                stdin=source,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
            )
    except OSError as error:
        raise HockneyError(f"{command[0]} cannot be started: {error.strerror}") from error


def _answer(command: list[str], process: subprocess.Popen[str], deadline: float) -> Answer:
    try:
        said = process.communicate(timeout=max(deadline - time.monotonic(), 0.0))[1]
        return Answer(command, process.returncode, said.strip())
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)
        return Answer(command, None, "")
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def silent_hosts(mpi: Mpi, placement: Placement, timeout_s: float) -> list[str]:
    """Hosts of a placement that do not answer, each with what was said instead."""
    if not placement.hosts:
        return []
    answers = ask_nodes(mpi, placement, ":", timeout_s)
    return [_words(answer) for answer in answers if answer.status != 0]


def _words(answer: Answer) -> str:
    if answer.status is None:
        return f"{answer.where} does not answer"
    return f"{answer.where} does not answer ({answer.said or f'exit status {answer.status}'})"


def check_hosts(mpi: Mpi, placement: Placement, timeout_s: float) -> None:
    silent = silent_hosts(mpi, placement, timeout_s)
    if silent:
        raise HockneyError(
            "; ".join(silent), "nothing was started; leave it out of --hosts, or see to it"
        )


@contextmanager
def engine_on_nodes(
    mpi: Mpi, placement: Placement, engine: Engine, timeout_s: float
) -> Iterator[Engine]:
    """The engine, copied into a private directory of every node where the placement says so."""
    if placement.broadcast is None:
        yield engine
        return
    copy = private_copy(placement.broadcast, engine)
    make, remove = scripts_of(copy)
    try:
        answers = ask_nodes(mpi, placement, make, timeout_s, stdin=engine.path)
        failed = [_words(answer) for answer in answers if answer.status != 0]
        if failed or not answers:
            reason = "; ".join(failed) or "there are no other nodes to send it to"
            raise HockneyError(f"--broadcast: {reason}", "name the nodes with --hosts")
        yield replace(engine, path=copy)
    finally:
        ask_nodes(mpi, placement, remove, timeout_s)


def private_copy(directory: str, engine: Engine) -> Path:
    """A name that nobody can guess: nothing can be planted there before."""
    return Path(directory) / f"hockney-{secrets.token_hex(16)}" / engine.path.name


def scripts_of(copy: Path) -> tuple[str, str]:
    """What makes the copy out of the script's input, and what removes it; for any shell. mkdir
    fails where something is already."""
    directory, file = shlex.quote(str(copy.parent)), shlex.quote(str(copy))
    make = f"umask 077 && mkdir {directory} && cat >{file} && chmod 700 {file}"
    return make, f"rm -rf {directory}"
