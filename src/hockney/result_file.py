"""Writes result files so that measured data survive failures of the disk."""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from hockney.errors import AskedWronglyError, HockneyError

BLOCK_BYTES = 1 << 20


class ResultFile:
    """A result file with one writer; each line goes to the kernel at once."""

    def __init__(self, path: Path, force: bool = False, resume: bool | None = None) -> None:
        """resume: whether the file is continued; None where it never can be."""
        self.path, self.can_resume = path, resume is not None
        self._saved = ""
        """The file that the content of a deleted one was saved to: it is saved once."""
        continues = " continue it with --resume," if self.can_resume else ""
        # Readable too: the content of a deleted file can still be saved.
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        flags |= 0 if force or resume else os.O_EXCL
        try:
            self._file = os.open(path, flags, 0o666)
        except FileExistsError as error:
            raise AskedWronglyError(
                f"{path} exists",
                f"name another file with -o,{continues} or overwrite it with --force",
            ) from error
        except OSError as error:
            raise AskedWronglyError(
                f"{path} cannot be written: {error.strerror}", "name another file with -o"
            ) from error
        self._lock()
        self._is_plain = stat.S_ISREG(os.fstat(self._file).st_mode)
        if self._is_plain and force and not resume:
            os.ftruncate(self._file, 0)
        elif self._is_plain:
            self._cut_to_whole_lines()
        self.has_content = self._is_plain and os.fstat(self._file).st_size > 0

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._file)
            raise AskedWronglyError(
                f"{self.path} is being written by another run",
                "wait for it, or name another file with -o",
            ) from error
        except OSError:
            pass  # a file system without locks

    def _cut_to_whole_lines(self) -> None:
        """Removes an incomplete last line of a killed writer, which would spoil the next line."""
        size = end = os.fstat(self._file).st_size
        while end > 0:
            start = max(end - BLOCK_BYTES, 0)
            newline = os.pread(self._file, end - start, start).rfind(b"\n")
            if newline >= 0:
                end = start + newline + 1
                break
            end = start
        if end < size:
            os.ftruncate(self._file, end)

    def write(self, lines: bytes) -> None:
        """Appends whole lines."""
        if lines and self._is_plain and not self._is_in_place():
            self._saved = self._saved or self._save_elsewhere()
            raise HockneyError(
                f"{self.path} was removed or replaced, or a directory above it; {self._saved}"
            )
        try:
            while lines:
                lines = lines[os.write(self._file, lines) :]
        except OSError as error:
            raise HockneyError(
                f"{self.path}: {error.strerror}; what was measured before is in the file",
                "free some space, then continue with --resume"
                if self.can_resume
                else "free some space, or name another file with -o",
            ) from error

    def _is_in_place(self) -> bool:
        try:
            return os.path.samestat(self.path.stat(), os.fstat(self._file))
        except OSError:
            return False

    def _save_elsewhere(self) -> str:
        """Copies the content of the deleted file to a writable directory; returns a message."""
        for directory in (".", str(Path.home()), tempfile.gettempdir()):
            with suppress(OSError):
                rescue, name = tempfile.mkstemp(
                    prefix=f"{self.path.stem}-saved-", suffix=".jsonl", dir=directory
                )
                with os.fdopen(rescue, "wb") as copy:
                    at = 0
                    while block := os.pread(self._file, BLOCK_BYTES, at):
                        at += copy.write(block)
                return f"what was measured is in {name}"
        return "what was measured could not be saved anywhere"

    def remove(self) -> None:
        """Takes the file away, where it is one."""
        if self._is_plain and self._is_in_place():
            self.path.unlink()

    def close(self) -> None:
        os.close(self._file)
