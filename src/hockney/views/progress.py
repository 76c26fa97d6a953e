"""How far a run is: one line that renews itself, or plain lines where there is no terminal."""

from __future__ import annotations

import sys
import time

from hockney.records import Progress
from hockney.units import format_size

PLAIN_EVERY_S = 5.0
"""Between two lines where there is no terminal."""


class ProgressLine:
    """Writes to stderr. Called between batches, never by a thread of its own: on a small node
    that would take a core from the ranks."""

    def __init__(self, quiet: bool, precision: float) -> None:
        self._quiet = quiet
        self._precision = precision
        self._terminal = sys.stderr.isatty()
        self._said_at = 0.0
        self._width = 0

    def __call__(self, title: str | None, launch: int, progress: Progress | None) -> None:
        """title: which question of a cycle is asked."""
        now = time.monotonic()
        if self._quiet or not (self._terminal or now - self._said_at >= PLAIN_EVERY_S):
            return
        self._said_at = now
        text = f"launch {launch + 1}" + (f" ({title})" if title else "")
        text += f": {self._words(progress)}" if progress else ""
        if self._terminal:
            sys.stderr.write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            sys.stderr.write(text + "\n")
        sys.stderr.flush()

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

    def clear(self) -> None:
        if self._terminal and self._width and not self._quiet:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
