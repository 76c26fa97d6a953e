"""Reaches the other nodes: checks that they answer, and copies the engine to them."""

from __future__ import annotations

import os
import secrets
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from hockney.base.endings import AtEnd
from hockney.base.errors import HockneyError
from hockney.plan import Placement
from hockney.run.measure.launch import open_stdin
from hockney.run.mpis import Engine, Mpi
from hockney.run.schedulers import find_starter

LONGEST_ANSWER_S = 20.0
"""A reachable host starts a shell sooner than this; a launch's timeout counts if shorter."""
GRACE_S = 1.0


@dataclass(frozen=True)
class NodesAnswer:
    """The result of one of the commands that together reach all nodes."""

    command: list[str]
    status: int | None
    """Exit status; None after a timeout."""
    stderr: str
    stdout: str = ""

    @property
    def where(self) -> str:
        """The host if the command names one (before the script), else the command."""
        return self.command[-2] if self.command[-2] != "-c" else " ".join(self.command[:1])


def ask_nodes(
    mpi: Mpi, placement: Placement, script: str, timeout_s: float, stdin: Path | None = None
) -> list[NodesAnswer]:
    """Runs a shell script once on each node, on all nodes at the same time."""
    commands = find_starter(mpi, placement).reach(script)
    deadline = time.monotonic() + min(timeout_s, LONGEST_ANSWER_S)
    with open_stdin() as nothing:
        started = [(command, _start(command, stdin, nothing)) for command in commands]
        return [_answer(command, process, deadline) for command, process in started]


def _start(command: list[str], stdin: Path | None, nothing: int) -> subprocess.Popen[str]:
    """Starts one command, which reads the file `stdin`; without one, `nothing` (open_stdin)."""
    try:
        with stdin.open("rb") if stdin else nullcontext(nothing) as source:
            return subprocess.Popen(
                command,
                stdin=source,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
            )
    except OSError as error:
        raise HockneyError(f"{command[0]} cannot be started: {error.strerror}") from error


def _answer(command: list[str], process: subprocess.Popen[str], deadline: float) -> NodesAnswer:
    try:
        stdout, stderr = process.communicate(timeout=max(deadline - time.monotonic(), 0.0))
        return NodesAnswer(command, process.returncode, stderr.strip(), stdout)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)
        return NodesAnswer(command, None, "")
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def silent_hosts(mpi: Mpi, placement: Placement, timeout_s: float) -> list[str]:
    """A message for each host of a placement that does not answer."""
    if not placement.hosts:
        return []
    answers = ask_nodes(mpi, placement, ":", timeout_s)
    return [_words(answer) for answer in answers if answer.status != 0]


def _words(answer: NodesAnswer) -> str:
    if answer.status is None:
        return f"{answer.where} does not answer"
    return f"{answer.where} does not answer ({answer.stderr or f'exit status {answer.status}'})"


def check_hosts(mpi: Mpi, placement: Placement, timeout_s: float) -> None:
    silent = silent_hosts(mpi, placement, timeout_s)
    if silent:
        raise HockneyError(
            "; ".join(silent),
            "nothing was started; repair the connection, or remove the host from --hosts",
        )


@contextmanager
def engine_on_nodes(
    mpi: Mpi, placement: Placement, engine: Engine, timeout_s: float
) -> Iterator[Engine]:
    """The engine, copied into a private directory of each node if the placement asks for it."""
    if placement.broadcast is None:
        yield engine
        return
    copy = private_copy(placement.broadcast, engine)
    make, remove = scripts_of(copy)
    at_end = AtEnd(lambda: ask_nodes(mpi, placement, remove, timeout_s))
    try:
        answers = ask_nodes(mpi, placement, make, timeout_s, stdin=engine.path)
        failed = [_words(answer) for answer in answers if answer.status != 0]
        if failed or not answers:
            reason = "; ".join(failed) or "there are no other nodes to copy the engine to"
            raise HockneyError(f"--broadcast: {reason}", "name the nodes with --hosts")
        yield replace(engine, path=copy)
    finally:
        at_end.now()


def private_copy(directory: str, engine: Engine) -> Path:
    """A path that nobody can guess, so that nobody can put a file there in advance."""
    return Path(directory) / f"hockney-{secrets.token_hex(16)}" / engine.path.name


def scripts_of(copy: Path) -> tuple[str, str]:
    """Shell scripts that make the copy from standard input, and that remove it. mkdir fails if the
    directory exists."""
    directory, file = shlex.quote(str(copy.parent)), shlex.quote(str(copy))
    make = f"umask 077 && mkdir {directory} && cat >{file} && chmod 700 {file}"
    return make, f"rm -rf {directory}"
