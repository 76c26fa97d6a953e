"""A lock between processes, which leaves no file behind."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hockney.base.endings import AtEnd

POLL_S, TRIES = 0.02, 10
FLAGS = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW


@contextmanager
def locked(path: Path, patience_s: float = float("inf")) -> Iterator[None]:
    """Holds the lock of this name. Raises OSError where the file cannot be made, or TimeoutError
    where others hold the lock for longer than `patience_s`. A file system may have no locks."""
    lock = _Lock(path)
    release = AtEnd(lock.release)  # registered first: a signal may come at any point
    try:
        lock.acquire(time.monotonic() + patience_s)
        yield
    finally:
        release.now()


class _Lock:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def acquire(self, deadline: float) -> None:
        while not self._is_held():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{self._path} is held by another process")
            time.sleep(POLL_S)

    def _is_held(self) -> bool:
        self._file = os.open(self._path, FLAGS | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if self._is_in_place(self._file):
                return True
        except BlockingIOError:
            pass
        except OSError:
            return True
        self._close()
        return False

    def _is_in_place(self, file: int) -> bool:
        """False if an earlier holder has removed the file meanwhile."""
        try:
            return os.path.samestat(os.fstat(file), self._path.lstat())
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Removes the file, if no other process holds it. It is locked first, so that whoever waits
        for it notices, and makes a new one."""
        self._close()
        with suppress(OSError):
            file = os.open(self._path, FLAGS)
            try:
                for _ in range(TRIES):  # a child between fork and exec holds it for a moment
                    with suppress(BlockingIOError):
                        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        if self._is_in_place(file):
                            self._path.unlink()
                        break
                    time.sleep(POLL_S / TRIES)
            finally:
                os.close(file)

    def _close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            os.close(file)
