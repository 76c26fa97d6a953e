"""How far a run is: one line that renews itself, or plain lines where there is no terminal."""

from __future__ import annotations

import sys
import time

from hockney.records import Progress
from hockney.units import format_size

PLAIN_EVERY_S = 5.0
"""Between two lines where there is no terminal."""


class StatusLine:
    """One line on stderr that is written anew; without a terminal a line every few seconds."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._terminal = sys.stderr.isatty()
        self._said_at = -PLAIN_EVERY_S
        self._width = 0

    @property
    def is_due(self) -> bool:
        late = time.monotonic() - self._said_at >= PLAIN_EVERY_S
        return not self._quiet and (self._terminal or late)

    def __call__(self, text: str) -> None:
        if not self.is_due:
            return
        self._said_at = time.monotonic()
        if self._terminal:
            sys.stderr.write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def clear(self) -> None:
        if self._terminal and self._width and not self._quiet:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()


class ProgressLine:
    """How far a run is. Called between batches, never by a thread of its own: on a small node
    that would take a core from the ranks."""

    def __init__(self, quiet: bool, precision: float, before: str = "") -> None:
        self._status = StatusLine(quiet)
        self._precision = precision
        self._before = before

    def __call__(self, title: str | None, launch: int, progress: Progress | None) -> None:
        """title: which question of a cycle is asked."""
        if self._status.is_due:
            which = f" ({title})" if title else ""
            words = f": {self._words(progress)}" if progress else ""
            self._status(f"{self._before}launch {launch + 1}{which}{words}")

    def clear(self) -> None:
        self._status.clear()

    def _words(self, progress: Progress) -> str:
        words = f"{progress.reached} of {progress.points} sizes done, {progress.samples} samples"
        if progress.worst is not None:
            words += (
                f", {format_size(progress.bytes)} at ±{100.0 * progress.worst:.1f} % "
                f"(wanted ±{100.0 * self._precision:g} %)"
            )
        else:
            words += f", now {format_size(progress.bytes)}"
        return words if progress.left_s is None else f"{words}, {progress.left_s:.1f} s left"
