"""Cleans up whatever must not outlive this process, however it ends, from one registry: temporary
files, locks, launches and other children. Signals end the process here."""

from __future__ import annotations

import atexit
import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import ClassVar

INTERRUPTED = 130
"""Exit status after a signal, whichever it was (docs/conventions.md)."""
NAMES = (
    *("HUP", "INT", "QUIT", "USR1", "USR2", "ALRM", "TERM"),
    *("STKFLT", "XCPU", "VTALRM", "PROF", "IO", "PWR"),
)
STOPPING = tuple(
    signal.Signals[f"SIG{name}"] for name in NAMES if f"SIG{name}" in signal.Signals.__members__
)
"""Signals that ask a process to end: by a user, a terminal, a scheduler at its limit (LSF sends
USR2, Slurm what --signal names) or the kernel. SIGXFSZ and SIGPIPE are not among them: the write
fails instead."""
GRACE_S = 2.0
"""Time between SIGTERM and SIGKILL."""
POLL_S = 0.01
PR_SET_PDEATHSIG = 1
"""Option of Linux's prctl(2): a signal at the parent's end."""

Handler = Callable[[int, FrameType | None], object]

_owner = os.getpid()


class AtEnd:
    """An action that is carried out when the process ends. A signal may start it at any point of
    the program, even in the middle of now(), so it must be repeatable."""

    has_begun: ClassVar[bool] = False
    """True once a signal ends the process: other threads begin nothing more."""
    _registered: ClassVar[dict[AtEnd, None]] = {}

    def __init__(self, action: Callable[[], object]) -> None:
        self._action = action
        self._registered[self] = None

    def now(self) -> None:
        """Carries out the action now, and removes it from the registry."""
        self._action()
        self.forget()

    def forget(self) -> None:
        self._registered.pop(self, None)

    @classmethod
    def all(cls) -> None:
        """Carries out all registered actions, the latest first."""
        while cls._registered and os.getpid() == _owner:
            ending, _ = cls._registered.popitem()
            with suppress(Exception):
                ending._action()


def install() -> None:
    """Lets each signal of STOPPING end this process by end_by(), but ignores them at exit: Python
    then removes its handlers, and a signal would change the status of a finished run."""
    for number in _heeded():
        signal.signal(number, end_by)
    atexit.register(_ignore)


def end_by(number: int, _frame: FrameType | None = None) -> None:
    """Ends the process with a one-line message, after all registered actions."""
    if os.getpid() != _owner:  # between fork and exec
        os._exit(INTERRUPTED)
    _ignore()
    with suppress(OSError):
        os.write(2, f"hockney: interrupted by {signal.Signals(number).name}\n".encode())
    AtEnd.has_begun = True
    end_children()  # which may hold what is removed now
    AtEnd.all()
    end_children()
    os._exit(INTERRUPTED)


def _ignore() -> None:
    for each in STOPPING:
        signal.signal(each, signal.SIG_IGN)


@contextmanager
def caught(handler: Handler) -> Iterator[None]:
    """Passes the signals of STOPPING to `handler` until the end of the block."""
    before = {number: signal.signal(number, handler) for number in _heeded()}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


def _heeded() -> list[signal.Signals]:
    """The signals of STOPPING, except SIGHUP under nohup. SIGINT and SIGQUIT count even where a
    shell ignores them for background commands: somebody sent them to us."""
    is_nohup = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    return [number for number in STOPPING if number != signal.SIGHUP or not is_nohup]


def die_with_parent() -> None:
    """Called in a child before it becomes the program (preexec_fn): it gets SIGTERM when the
    thread that started it ends, even if that is killed. Only on Linux."""
    if _prctl is not None:
        _prctl(PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)


def _loaded_prctl() -> Callable[..., int] | None:
    if sys.platform != "linux":
        return None
    with suppress(OSError, AttributeError):
        prctl: Callable[..., int] = ctypes.CDLL(None).prctl
        return prctl
    return None


_prctl = _loaded_prctl()


def end_children() -> None:
    """Ends all descendants by SIGTERM, and after GRACE_S by SIGKILL. A compiler's driver removes
    its temporary files on SIGTERM."""
    children = _descendants()
    for child in children:
        with suppress(OSError):
            os.kill(child, signal.SIGTERM)
    deadline = time.monotonic() + GRACE_S
    while children and time.monotonic() < deadline:
        time.sleep(POLL_S)
        children = [child for child in children if _state(child)[0] not in ("", "Z")]
    for child in {*children, *_descendants()}:
        with suppress(OSError):
            os.kill(child, signal.SIGKILL)


def _descendants() -> list[int]:
    """Children of this process and their descendants, from /proc. It is not read without a child:
    a login node has thousands of processes."""
    children: dict[int, list[int]] = {}
    with suppress(OSError, AttributeError):
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)  # raises without a child
        for name in os.listdir("/proc"):
            if name.isdigit():
                state, parent = _state(int(name))
                if state not in ("", "Z"):
                    children.setdefault(parent, []).append(int(name))
    descendants = children.get(os.getpid(), [])
    for process in descendants:  # which grows
        descendants += children.get(process, [])
    return descendants


def _state(process: int) -> tuple[str, int]:
    """The state of a process and its parent; "" if it is gone. Its name may contain ")"."""
    with suppress(OSError, ValueError, IndexError):
        with open(f"/proc/{process}/stat", "rb") as file:
            words = file.read().rpartition(b")")[2].split()
        return words[0].decode(), int(words[1])
    return "", 0


atexit.register(AtEnd.all)
