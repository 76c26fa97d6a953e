"""Writes result files so that measured data survive failures of the disk."""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from hockney.base.errors import HockneyError, UsageError
from hockney.base.home import home_directory
from hockney.base.outputs import WAYS_OUT, write_output

BLOCK_BYTES = 1 << 20


class TakenError(UsageError):
    """A file of this name exists."""


class CutError(HockneyError):
    """Another process truncated the file: part of what was measured is lost."""


class ResultFile:
    """A result file with one writer; each line goes to the kernel at once."""

    def __init__(
        self, path: Path, force: bool = False, resume: bool | None = None, keep: bool = False
    ) -> None:
        """Opens the file. resume: whether to continue it; None if that is impossible. keep: an
        older file's content stays until replace() writes the new one as a whole."""
        self.path, self.can_resume = path, resume is not None
        self._saved: Path | None = None
        """The file to which the content of a deleted one was saved, which is done once."""
        continues = " continue it with --resume," if self.can_resume else ""
        # Readable too: the content of a deleted file can still be saved.
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        flags |= 0 if force or resume else os.O_EXCL
        try:
            self._file = os.open(path, flags, 0o666)
        except FileExistsError as error:
            raise TakenError(
                f"{path} exists",
                f"name another file with -o,{continues} or overwrite it with --force",
            ) from error
        except OSError as error:
            raise UsageError(
                f"{path} cannot be written: {error.strerror}", "name another file with -o"
            ) from error
        self._lock()
        self._is_plain = stat.S_ISREG(os.fstat(self._file).st_mode)
        if self._is_plain and force and not resume and not keep:
            os.ftruncate(self._file, 0)
        elif not keep:
            self._cut_to_whole_lines()
        self._bytes = os.fstat(self._file).st_size
        """Size of the file (bytes), unless another process cuts it."""
        self.has_content = self._is_plain and self._bytes > 0

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._file)
            raise UsageError(
                f"{self.path} is being written by another run",
                "wait for it, or name another file with -o",
            ) from error
        except OSError:
            pass  # a file system without locks

    def _cut_to_whole_lines(self) -> None:
        """Removes an incomplete last line of a killed writer or of a full disk, which would spoil
        the next line."""
        if not self._is_plain:
            return
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
        self._bytes = end

    def replace(self, content: bytes) -> None:
        """Writes the whole content in place of what was there, which stays if that fails."""
        if not self._is_plain:
            self.write(content)
            return
        if self._is_in_place():
            with suppress(HockneyError):
                write_output(self.path.resolve(), content, force=True)
                self.has_content = True
                return
        kept = self.save_elsewhere(lambda: [content])
        if kept is None:
            raise HockneyError(
                f"{self.path} cannot be written, nor a file in any other directory",
                "free some space, or name another file with -o",
            )
        raise HockneyError(
            f"{self.path} cannot be written (a full disk, or it was removed); what was measured is "
            f"in {kept}"
        )

    def write(self, lines: bytes) -> None:
        """Appends whole lines."""
        if lines and self._is_plain and not self._is_in_place():
            self._saved = self._saved or self.save_elsewhere(self._content)
            where = f"is in {self._saved}" if self._saved else "could not be saved anywhere"
            raise HockneyError(
                f"{self.path} was removed or replaced, or a directory above it; what was measured "
                f"{where}"
            )
        if lines and self._is_plain:
            self._check_whole()
        try:
            while lines:
                written = os.write(self._file, lines)
                self._bytes += written
                lines = lines[written:]
        except OSError as error:
            with suppress(OSError):
                self._cut_to_whole_lines()
            way_out = WAYS_OUT.get(error.errno or 0, "free some space")
            more = "continue with --resume" if self.can_resume else "name another file with -o"
            raise HockneyError(
                f"{self.path}: {error.strerror}; what was measured before is in the file",
                f"{way_out}, then {more}",
            ) from error

    def _check_whole(self) -> None:
        missing = self._bytes - os.fstat(self._file).st_size
        if missing > 0:
            raise CutError(
                f"{self.path} was cut by another process: {missing} bytes of what was measured are "
                "gone from it",
                "what is shown now is from all that was measured; measure again for a whole file",
            )

    def _is_in_place(self) -> bool:
        try:
            return os.path.samestat(self.path.stat(), os.fstat(self._file))
        except OSError:
            return False

    def _content(self) -> Iterator[bytes]:
        """The content in blocks, also of a file that was removed."""
        at = 0
        while block := os.pread(self._file, BLOCK_BYTES, at):
            at += len(block)
            yield block

    def save_elsewhere(self, content: Callable[[], Iterable[bytes]]) -> Path | None:
        """A new file with this content in a directory that can be written; None without one."""
        prefix = f"{self.path.stem}-saved-"
        for directory in _places_left():
            with (
                suppress(OSError),
                NamedTemporaryFile(
                    prefix=prefix, suffix=".jsonl", dir=directory, delete=False
                ) as file,
            ):
                path = Path(file.name)
                try:
                    file.writelines(content())
                    file.flush()
                except OSError:
                    path.unlink()
                    raise
                return path
        return None

    def remove(self) -> None:
        """Removes the file, unless it is a device or was replaced."""
        if self._is_plain and self._is_in_place():
            self.path.unlink()

    def remove_empty(self) -> None:
        """Removes the file if nothing was written to it."""
        if os.fstat(self._file).st_size == 0:
            self.remove()

    def close(self) -> None:
        os.close(self._file)


def _places_left() -> Iterator[Path]:
    """Where data are saved that their own place does not take."""
    yield Path()
    for place in (home_directory, tempfile.gettempdir):
        with suppress(OSError):
            yield Path(place())


def opened_first(
    names: Iterable[Path], force: bool, resume: bool | None, keep: bool = False
) -> ResultFile:
    """The first of these names that no file has: another process may take one at any moment.
    Raises TakenError where all are taken."""
    taken: TakenError | None = None
    for path in names:
        try:
            return ResultFile(path, force, resume, keep)
        except TakenError as error:
            taken = error
    assert taken is not None, "no name was given"
    raise taken
