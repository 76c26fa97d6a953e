"""Files that are worked out of others: written beside their place, then moved there. A full disk, a
limit or a signal leaves what was there before."""

from __future__ import annotations

import errno
import os
import platform
import stat
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path

from hockney.base.errors import HockneyError, UsageError
from hockney.base.temporary import temporary_file

Content = bytes | str | Iterable[bytes]

WRONG_PLACE = frozenset(
    {
        *(errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EACCES, errno.EPERM, errno.EROFS),
        *(errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL),
    }
)
"""Errors that another -o avoids; all others are of the disk or of a limit."""
WAYS_OUT = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some of your quota",
    errno.EFBIG: "raise the limit of a file's size (ulimit -f)",
}
"""Advice by the error of the system on writing."""


def here_and_now(name: str) -> Path:
    """NAME-HOST-TIME in the current directory."""
    return Path(f"{name}-{platform.node()}-{datetime.now():%Y%m%d-%H%M%S}")


def write_output(path: Path, content: Content, force: bool, mode: int = 0o666) -> None:
    """Writes one file as a whole, or leaves everything as it was."""
    write_outputs([(path, content)], force, mode)


def write_outputs(
    files: Iterable[tuple[Path, Content]], force: bool, mode: int = 0o666
) -> list[Path]:
    """Writes all files, or none if one of them cannot be written. Without `force` no existing file
    or link is replaced. Raises UsageError if the place is wrong, HockneyError if the system
    refuses."""
    with ExitStack() as stack:
        staged = []
        for path, content in files:
            if not force and os.path.lexists(path):
                raise _exists(path)
            with _explained(path):
                staged.append((stack.enter_context(_staged(path, content, mode)), path))
        for beside, path in staged:
            with _explained(path):
                _move(beside, path, force)
    return [path for _, path in staged]


def append_whole(path: Path, content: bytes) -> int:
    """Adds to a file, which it makes if need be, all or nothing; returns where the content begins.
    Raises OSError where the system refuses."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
    size = os.fstat(file).st_size
    try:
        if os.write(file, content) < len(content):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError:
        os.ftruncate(file, size)
        raise
    finally:
        os.close(file)
    return size


def check_place(path: Path, force: bool) -> None:
    """Raises what write_output() would raise for this path, before there is anything to write."""
    if not force and os.path.lexists(path):
        raise _exists(path)
    if not _is_special(path):
        with _explained(path), temporary_file(".hockney-", ".part", path.parent):
            pass


@contextmanager
def _staged(path: Path, content: Content, mode: int) -> Iterator[Path]:
    """The path of a new file with the content, beside its destination; the destination itself if
    that is a device or a pipe."""
    if _is_special(path):
        with path.open("wb") as file:
            file.writelines(_blocks(content))
        yield path
        return
    with temporary_file(".hockney-", ".part", path.parent, mode) as beside:
        with beside.open("wb") as file:
            file.writelines(_blocks(content))
            with suppress(FileNotFoundError):
                os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
        yield beside


def _blocks(content: Content) -> Iterable[bytes]:
    if isinstance(content, str):
        return [content.encode(errors="backslashreplace")]
    return [content] if isinstance(content, bytes) else content


def _is_special(path: Path) -> bool:
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def _move(beside: Path, path: Path, force: bool) -> None:
    """Moves a file into its place. A link in the place is replaced, not followed."""
    if beside == path:
        return
    if force:
        beside.replace(path)
        return
    try:
        path.hardlink_to(beside)
    except FileExistsError:
        raise _exists(path) from None
    except OSError:  # a file system without hard links
        beside.rename(path)


def _exists(path: Path) -> UsageError:
    return UsageError(f"{path} exists", "name another file with -o, or overwrite it with --force")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> HockneyError:
    """The error for a computed file that cannot be written: nothing measured is in it."""
    message = f"{path} cannot be written: {error.strerror or error}"
    kind = UsageError if error.errno in WRONG_PLACE else HockneyError
    way_out = WAYS_OUT.get(error.errno or 0)
    return kind(message, way_out and f"{way_out}, or name another place with -o")
