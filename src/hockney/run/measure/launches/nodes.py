"""Reaches the other nodes: checks that they answer, and copies the engine to them."""

from __future__ import annotations

import os
import secrets
import shlex
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from hockney.base.endings import AtEnd
from hockney.base.errors import HockneyError
from hockney.plan import Placement
from hockney.run.measure.launches.launch import NodeFinding, open_stdin
from hockney.run.mpis import Engine, Mpi
from hockney.run.schedulers import find_starter

LONGEST_ANSWER_S = 20.0
"""A reachable host starts a shell sooner than this; a launch's timeout counts if shorter."""
GRACE_S = 1.0
OVERLAP = {"SLURM_OVERLAP": "1"}
"""Lets a step of Slurm start on CPUs that another one uses."""


@dataclass(frozen=True)
class NodesAnswer:
    """The result of one of the commands that together reach all nodes."""

    command: list[str]
    status: int | None
    """Exit status; None after a timeout."""
    stderr: str
    stdout: str = ""
    host: str | None = None
    """The host that it reaches, as the placement names it; None where it reaches several."""

    @property
    def where(self) -> str:
        """The host if the command names one, else the command."""
        return self.host or " ".join(self.command[:1])


def ask_nodes(
    mpi: Mpi,
    placement: Placement,
    script: str,
    timeout_s: float,
    stdin: Path | None = None,
    *,
    while_running: bool = False,
) -> list[NodesAnswer]:
    """Runs a shell script once on each node, on all nodes at the same time; beside the ranks of a
    launch, and on this host where no other is named, if `while_running`."""
    starter = find_starter(mpi, placement)
    commands = starter.reach(script)
    if while_running and not commands:
        commands = [["sh", "-c", script]]
    named = starter.placement.hosts[: starter.placement.node_count]
    hosts = named if len(named) == len(commands) else [None] * len(commands)
    longest_s = min(timeout_s, LONGEST_ANSWER_S)
    if placement.without_bad_nodes:  # a node that answers late must not be left out
        longest_s = LONGEST_ANSWER_S
    deadline = time.monotonic() + longest_s
    with open_stdin() as nothing:
        shared = OVERLAP if while_running else {}
        started = [(command, _start(command, stdin, nothing, shared)) for command in commands]
        return [
            replace(_answer(command, process, deadline), host=host)
            for (command, process), host in zip(started, hosts, strict=True)
        ]


def _start(
    command: list[str], stdin: Path | None, nothing: int, env: Mapping[str, str]
) -> subprocess.Popen[str]:
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
                env={**os.environ, **env},
            )
    except OSError as error:
        raise HockneyError(f"{command[0]} cannot be started: {error.strerror}") from error


def _answer(command: list[str], process: subprocess.Popen[str], deadline: float) -> NodesAnswer:
    left_s = max(deadline - time.monotonic(), 0.0)
    if process.poll() is not None:  # it has answered, while others before it did not
        left_s = GRACE_S
    try:
        stdout, stderr = process.communicate(timeout=left_s)
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


class FaultyNodesError(HockneyError):
    """Nothing can be started, because of these nodes."""

    def __init__(self, findings: Sequence[NodeFinding], advice: str, before: str = "") -> None:
        super().__init__(before + "; ".join(finding.text for finding in findings), advice)
        self.findings = findings


def silences(answers: Iterable[NodesAnswer]) -> list[NodeFinding]:
    """The nodes that did not answer."""
    silent = [answer for answer in answers if answer.status != 0]
    return [NodeFinding(_silence(answer), answer.host) for answer in silent]


def _silence(answer: NodesAnswer) -> str:
    if answer.status is None:
        return f"{answer.where} does not answer"
    return f"{answer.where} does not answer ({answer.stderr or f'exit status {answer.status}'})"


def check_hosts(mpi: Mpi, placement: Placement, timeout_s: float) -> None:
    """Raises FaultyNodesError where hosts of a placement do not answer."""
    silent = silences(ask_nodes(mpi, placement, ":", timeout_s)) if placement.hosts else []
    if silent:
        raise FaultyNodesError(
            silent, "nothing was started; repair the connection, or remove the host from --hosts"
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
        advice = "name the nodes with --hosts"
        if not answers:
            raise HockneyError(
                "--broadcast: there are no other nodes to copy the engine to", advice
            )
        if failed := silences(answers):
            raise FaultyNodesError(failed, advice, "--broadcast: ")
        yield replace(engine, path=copy)
    finally:
        at_end.now()


def private_copy(directory: str, engine: Engine, name: str | None = None) -> Path:
    """A path that nobody can guess, so that nobody can put a file there in advance. name: what
    nobody can guess."""
    return Path(directory) / f"hockney-{name or secrets.token_hex(16)}" / engine.path.name


def scripts_of(copy: Path) -> tuple[str, str]:
    """Shell scripts that make the copy from standard input, and that remove it. mkdir fails if the
    directory exists."""
    directory, file = shlex.quote(str(copy.parent)), shlex.quote(str(copy))
    make = f"umask 077 && mkdir {directory} && cat >{file} && chmod 700 {file}"
    return make, f"rm -rf {directory}"
