"""Makes text harmless for terminals: control characters in foreign text are shown, not executed."""

from __future__ import annotations

import io
import os
import re
import sys
from functools import cache
from typing import TYPE_CHECKING, Any, TextIO

from hockney.base.terminal import obeyed

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

CONTROLS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab and newline, DEL, C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # changes of text direction
    "\ud800-\udfff"  # surrogates: bytes of file names that are not UTF-8
)

SUSPICIOUS = re.compile(rb'\\[^"\\/]|\x7f|\xc2[\x80-\x9f]|\xd8\x9c|\xe2[\x80\x81]')
"""Escapes, and the UTF-8 of control characters, in a line of JSON."""


def printable(text: str) -> str:
    """Escapes control characters as \\u001b, as JSON does; newlines and tabs stay."""
    return text if text.replace("\n", "").isprintable() else _escaped(text, CONTROLS)


def one_line(text: str) -> str:
    """The text as printable() has it, with newlines and tabs escaped too: a label cannot imitate
    our own lines."""
    return text if text.isprintable() else _escaped(text, f"\\t\\n{CONTROLS}")


def one_lines(value: Any) -> Any:
    """A value of JSON with all of its text as one_line() has it."""
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, (list, tuple)):
        return [one_lines(item) for item in value]
    if isinstance(value, dict):
        return {one_lines(key): one_lines(item) for key, item in value.items()}
    return value


def _escaped(text: str, controls: str) -> str:
    return _pattern(controls).sub(lambda match: f"\\u{ord(match[0]):04x}", text)


@cache
def _pattern(controls: str) -> re.Pattern[str]:
    """A character class, compiled when text needs it: that takes as long as the rest of our
    start-up."""
    return re.compile(f"[{controls}]")


class Outlet(io.FileIO):
    """A descriptor whose writes never fail: the work is finished even if its reader is gone.
    After the first failure nothing more is written."""

    failure: OSError | None = None

    def write(self, data: ReadableBuffer, /) -> int:
        if self.failure is None:
            try:
                return super().write(data) or 0
            except OSError as error:
                self.failure = error
        return memoryview(data).nbytes


class PrintableStream(io.TextIOWrapper):
    """A text stream that writes only printable text."""

    obeys_marks = False
    """True for a terminal, where our own marks become escape sequences (terminal.py)."""

    def write(self, text: str) -> int:
        shown = printable(text)
        super().write(obeyed(shown) if self.obeys_marks else shown)
        return len(text)


def guard_output() -> None:
    """Filters both output streams of this process."""
    sys.stdout = _guarded(sys.stdout)
    sys.stderr = _guarded(sys.stderr)


def keep_descriptors() -> None:
    """Opens standard descriptors that are closed, read-only on /dev/null: a result file must not
    become stdout."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, os.O_RDONLY), number)
            setattr(sys, name, open(number, closefd=False, encoding="utf-8"))  # noqa: SIM115


def lost_output() -> OSError | None:
    """The error that kept stdout from being written whole; None without one, or if its reader
    left."""
    sys.stdout.flush()
    raw = getattr(sys.stdout.buffer, "raw", None)
    failure = raw.failure if isinstance(raw, Outlet) else None
    return None if isinstance(failure, BrokenPipeError) else failure


def _guarded(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):
        return stream  # replaced by a test
    options = {"encoding": stream.encoding, "line_buffering": stream.line_buffering}
    buffer = stream.detach()
    if isinstance(getattr(buffer, "raw", buffer), io.FileIO):
        buffer = io.BufferedWriter(Outlet(buffer.fileno(), "w", closefd=False))
    guarded = PrintableStream(buffer, errors="backslashreplace", **options)  # type: ignore[arg-type]
    guarded.obeys_marks = guarded.isatty()
    return guarded
