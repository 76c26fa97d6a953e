"""Runs one launch of the MPI program: passes on its output as it comes, and always ends it."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import IO

from hockney.base.endings import GRACE_S, AtEnd, caught, die_with_parent
from hockney.base.errors import HockneyError
from hockney.base.limits import explained
from hockney.records.stand_alone import RECORD
from hockney.run.measure.machine import shared_memory
from hockney.run.measure.machine.processes import process_directories

LAST_LINES = 12
"""Lines of stderr that are shown when a launch fails."""
POLL_S = 0.25
"""Interval at which a silent launch is polled; output wakes us at once."""
MARK = "HOCKNEY_MARK"
"""A variable that all processes of a launch inherit, by which its strays are found."""
READ_BYTES = 1 << 16
END_POLL_S = 0.01
"""Interval at which killed processes are looked for."""
HEEDS_EVERY_S = 0.1
"""Longest time that a pause continues after a signal."""


@dataclass(frozen=True)
class NodeFinding:
    """What was found about a launch that fails or hangs."""

    text: str
    host: str | None = None
    """The node that is the cause, as the placement names it; None where it is not one node."""


@dataclass
class Outcome:
    """How a launch ended."""

    exit_status: int
    wall_s: float
    last_lines: list[str] = field(default_factory=list)
    """Last lines of its stderr."""
    printed: list[str] = field(default_factory=list)
    """Last lines of its stdout that are no records: some launchers report there."""
    silent_s: float | None = None
    """How long the launch had been silent when the watchdog ended it; None if it did not."""
    findings: list[NodeFinding] = field(default_factory=list)
    """What was found about a silent launch."""
    interrupted: bool = False
    failed_starts: int = 0
    """Number of earlier starts at which the launcher failed by chance, without a report of any
    rank."""


class Interruption:
    """True once the user or a scheduler asks us to stop, or the terminal closes."""

    def __init__(self) -> None:
        self.signal: int | None = None

    def __bool__(self) -> bool:
        return self.signal is not None

    def rest(self, seconds: float) -> float:
        """Sleeps that long, or until we are asked to stop; returns the time slept."""
        started = time.monotonic()
        while not self and (left_s := started + seconds - time.monotonic()) > 0.0:
            time.sleep(min(left_s, HEEDS_EVERY_S))
        return time.monotonic() - started

    @contextmanager
    def watched(self) -> Iterator[Interruption]:
        """Records the signals instead of ending by them."""

        def note(number: int, _frame: FrameType | None) -> None:
            self.signal = number

        with caught(note):
            yield self


@contextmanager
def open_stdin() -> Iterator[int]:
    """A stdin for launchers that has nothing to read and does not end.

    A launcher forwards the end of its stdin to the first rank. Where the ranks have ended by then,
    as after a refusal, MPICH's hydra writes to a closed socket: it dies of SIGPIPE or, where that
    signal is ignored, may end with 255 instead of the status of the ranks."""
    read, write = os.pipe()
    try:
        yield read
    finally:
        os.close(write)
        os.close(read)


def run_launch(
    command: Sequence[str],
    env: Mapping[str, str],
    on_lines: Callable[[list[bytes]], None],
    timeout_s: float,
    interruption: Interruption,
    kept_lines: int = LAST_LINES,
    on_silence: Callable[[], list[NodeFinding]] = list,
) -> Outcome:
    """Starts `command` in a session of its own and passes on each whole line of its stdout, and no
    lines every POLL_S in which it reports nothing. kept_lines: how many lines of each stream the
    outcome has at most.

    A launch that is silent for `timeout_s` is ended with all its children; before, on_silence()
    looks at it and says what it found.
    """
    started, launch = time.monotonic(), str(uuid.uuid4())
    before = shared_memory.present()
    tail: deque[str] = deque(maxlen=kept_lines)
    printed: deque[str] = deque(maxlen=kept_lines)
    outcome = Outcome(exit_status=-1, wall_s=0.0)
    with open_stdin() as stdin:
        process = _start(command, {**env, MARK: launch}, stdin)
        at_end = AtEnd(lambda: _end_badly(process, launch, before))
        try:
            _listen(process, on_lines, (printed, tail), timeout_s, interruption, outcome)
            if outcome.silent_s is not None:
                outcome.findings = on_silence()
        finally:
            end_session(process)
            end_strays(launch)
            at_end.forget()
            for stream in (process.stdout, process.stderr):
                assert stream is not None
                stream.close()
    outcome.exit_status = process.returncode
    if outcome.exit_status != 0:
        shared_memory.remove_left(before)
    outcome.wall_s = time.monotonic() - started
    outcome.printed, outcome.last_lines = list(printed), list(tail)
    return outcome


def _start(command: Sequence[str], env: Mapping[str, str], stdin: int) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            command,
            env=env,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=die_with_parent,  # no thread of ours runs meanwhile
        )
    except OSError as error:
        message = f"{command[0]} cannot be started: {error.strerror}"
        raise HockneyError(message, explained(error)) from error


def _listen(
    process: subprocess.Popen[bytes],
    on_lines: Callable[[list[bytes]], None],
    tails: tuple[deque[str], deque[str]],
    timeout_s: float,
    interruption: Interruption,
    outcome: Outcome,
) -> None:
    """Reads until both streams are closed and the launcher has ended, the watchdog expires, or an
    interrupted launch has had its time to end. tails: where the last lines of stdout that are no
    records go, and those of stderr."""
    printed, tail = tails
    assert process.stdout is not None
    assert process.stderr is not None
    rest: dict[IO[bytes], bytes] = {process.stdout: b"", process.stderr: b""}
    ended_at_s: float | None = None
    heard = time.monotonic()
    with selectors.DefaultSelector() as selector:
        for stream in rest:
            os.set_blocking(stream.fileno(), False)
            selector.register(stream, selectors.EVENT_READ)
        while selector.get_map() or process.poll() is None:
            ready = selector.select(POLL_S) if selector.get_map() else _await_exit(process)
            now = time.monotonic()
            if interruption and ended_at_s is None:
                ended_at_s = now
                outcome.interrupted = True
                signal_session(process, signal.SIGTERM)
            if ended_at_s is not None and now - ended_at_s > GRACE_S:
                break
            if now - heard > timeout_s:
                outcome.silent_s = now - heard
                break
            if not ready:
                on_lines([])
            for key, _ in ready:
                stream = key.fileobj  # type: ignore[assignment]
                chunk = stream.read(READ_BYTES)
                heard = now
                if not chunk:
                    selector.unregister(stream)
                    continue
                *whole, rest[stream] = (rest[stream] + chunk).split(b"\n")
                if stream is process.stdout:
                    on_lines([line + b"\n" for line in whole])
                    others = (
                        line for line in whole if line.strip() and not line.startswith(RECORD)
                    )
                    printed.extend(other.decode(errors="replace") for other in others)
                else:
                    tail.extend(line.decode(errors="replace") for line in whole if line.strip())
    if rest[process.stderr].strip():
        tail.append(rest[process.stderr].decode(errors="replace"))


def _await_exit(process: subprocess.Popen[bytes]) -> list[tuple[selectors.SelectorKey, int]]:
    """Waits a moment for the end of a launcher that has closed its streams, which reports nothing
    more."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(POLL_S)
    return []


def _end_badly(
    process: subprocess.Popen[bytes], launch: str, shared_before: frozenset[str]
) -> None:
    """Ends a launch with all its processes, also in the middle of process.wait(), whose lock is
    held then."""
    if process.returncode is None:
        signal_session(process, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=GRACE_S)
        signal_session(process, signal.SIGKILL)
    end_strays(launch)
    shared_memory.remove_left(shared_before)


def _strays(launch: str) -> Iterator[int]:
    """Processes that have the variable of a launch, whatever session or group they moved to."""
    mark = f"{MARK}={launch}".encode()
    for process in process_directories():
        with suppress(OSError):
            if mark in (process / "environ").read_bytes().split(b"\0"):
                yield int(process.name)


def end_strays(launch: str) -> None:
    """Kills what is left of a launch on this host, and waits for its end: launchers give their
    helpers sessions of their own, which signals to the launcher's session do not reach."""
    deadline = time.monotonic() + GRACE_S
    while strays := list(_strays(launch)):
        for stray in strays:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(stray, signal.SIGKILL)
        if time.monotonic() > deadline:
            return
        time.sleep(END_POLL_S)


def signal_session(process: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def end_session(process: subprocess.Popen[bytes]) -> None:
    """Ends the launcher and all its children by SIGTERM, then SIGKILL. The engine's ranks die with
    their parent, so no process stays on this host."""
    if process.poll() is None:
        signal_session(process, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=GRACE_S)
    signal_session(process, signal.SIGKILL)
    process.wait()
