"""Whether others may read, change or replace a directory of this user, such as the cache."""

from __future__ import annotations

import grp
import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from hockney.base.home import user_directory

MOST_LINKS = 40
"""Symbolic links that the kernel follows on one way (path_resolution(7))."""


class UntrustedError(Exception):
    """Another user owns a directory, or may change it."""


def cache_directory() -> Path:
    """This user's directory of reproducible files; UntrustedError if others may change it, OSError
    if it cannot be made."""
    cache = user_directory("XDG_CACHE_HOME", ".cache") / "hockney"
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    check_private(cache)
    return cache


def check_private(directory: Path) -> None:
    """Raises UntrustedError unless this user alone may write into a directory, and nobody else may
    put another in its place: owner and mode of every directory and link on the way to it."""
    real = directory.resolve()
    status = real.lstat()
    if status.st_uid != os.getuid():
        raise UntrustedError(f"the cache {directory} belongs to another user")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise UntrustedError(f"the cache {directory} is writable by other users")
    if status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        real.chmod(0o700)  # what is in it is nobody else's business
    for place in _on_the_way(directory.absolute(), MOST_LINKS):
        if place != real:
            _check_above(place)


def _check_above(place: Path) -> None:
    status = place.lstat()
    if status.st_uid not in _trusted():
        owner = f"belongs to user {status.st_uid}"
        raise UntrustedError(f"{place} {owner}, who may replace the cache")
    if stat.S_ISLNK(status.st_mode) or status.st_mode & stat.S_ISVTX:
        return  # a link has no mode; in a sticky directory only owners replace their own
    if status.st_mode & stat.S_IWOTH:
        raise UntrustedError(f"{place} is writable by all users, who may replace the cache")
    if status.st_mode & stat.S_IWGRP and not _is_own_group(status.st_gid):
        raise UntrustedError(f"{place} is writable by its group, who may replace the cache")


def _on_the_way(path: Path, links: int) -> Iterator[Path]:
    """All directories and links that the kernel goes through to a path, itself included."""
    place = Path(path.anchor)
    yield place
    for part in path.parts[1:]:
        place = place / part
        yield place
        if place.is_symlink():
            if links == 0:
                raise UntrustedError(f"{path}: too many symbolic links")
            target = Path(os.path.normpath(place.parent / place.readlink()))
            yield from _on_the_way(target, links - 1)
            place = place.resolve()


@cache
def _trusted() -> frozenset[int]:
    """This user, root, and where the kernel cannot show root (in a container's user namespace) the
    number that it shows instead."""
    users = {0, os.getuid()}
    with suppress(OSError, ValueError):
        if int(Path("/proc/self/uid_map").read_text().split()[2]) < 2**32 - 1:
            users.add(int(Path("/proc/sys/kernel/overflowuid").read_text()))
    return frozenset(users)


@cache
def _is_own_group(group: int) -> bool:
    """Whether this user is the only one of a group: many systems give each one."""
    try:
        user, entry = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
    except KeyError:
        return False
    is_alone = set(entry.gr_mem) <= {user.pw_name}
    return is_alone and user.pw_gid == group and entry.gr_name == user.pw_name
