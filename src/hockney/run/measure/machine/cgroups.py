"""Reads what the control groups of this process allow and count, on all their levels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from hockney.run.measure.machine.environment import text_of

MEMORY_FILES = (
    ("memory.max", "memory.current"),
    ("memory.limit_in_bytes", "memory.usage_in_bytes"),
)
"""Files with a group's limit and its use: of version 2, and of version 1."""
NO_LIMIT = 1 << 60
"""From this number of bytes on, version 1 means no limit."""


def cgroups(controller: str, root: Path = Path("/")) -> Iterator[Path]:
    """Directories of the cgroups that limit this process: its own first, then its parents.

    Version 2 has one tree, version 1 one for each controller. In a container the path may be
    outside of the mounted part; then only the top exists.
    """
    for line in (text_of(root / "proc/self/cgroup") or "").splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:
            trees = ["sys/fs/cgroup", "sys/fs/cgroup/unified"]
        elif controller in controllers.split(","):
            trees = [f"sys/fs/cgroup/{controller}"]
        else:
            continue
        inside = PurePosixPath(path.lstrip("/"))
        for tree in trees:
            levels = [root / tree / level for level in (inside, *inside.parents)]
            yield from (level for level in dict.fromkeys(levels) if level.is_dir())


def memory_limit(root: Path = Path("/")) -> int | None:
    """The least limit on any level (bytes); None without one."""
    return min((most for most, _ in _memory(root)), default=None)


def memory_left(root: Path = Path("/")) -> int | None:
    """The least that any level leaves (bytes); None without a limit."""
    return min((max(most - used, 0) for most, used in _memory(root)), default=None)


def _memory(root: Path) -> Iterator[tuple[int, int]]:
    """The limit and the use of each level that has both."""
    for directory in cgroups("memory", root):
        for names in MEMORY_FILES:
            most, used = (text_of(directory / name) or "" for name in names)
            if most.isdigit() and used.isdigit() and int(most) < NO_LIMIT:
                yield int(most), int(used)
