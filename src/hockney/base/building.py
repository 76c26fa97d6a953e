"""Reports the progress of builds: compiling takes half a minute under SimGrid, and a verb that
prints nothing for so long seems to hang."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Shown = Callable[[str, int, int], None]
"""Takes what is built, the files that are compiled, and how many there are."""
_shown: list[Shown] = []


@contextmanager
def followed_by(shown: Shown) -> Iterator[None]:
    """Calls `shown` with the progress of each build."""
    _shown.append(shown)
    try:
        yield
    finally:
        _shown.remove(shown)


def compiled(what: str, files: int, of: int) -> None:
    """Shows the progress of a build to those that follow it."""
    for shown in _shown:
        shown(what, files, of)
