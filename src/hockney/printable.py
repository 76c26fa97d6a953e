"""Text that does nothing to a terminal: what strangers wrote is shown, never obeyed."""

from __future__ import annotations

import io
import re
import sys
from functools import cache
from typing import TextIO

from hockney.terminal import obeyed

CONTROLS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab and newline, DEL, C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # what turns the direction of text
    "\ud800-\udfff"  # halves of characters: bytes of file names that are no UTF-8
)


def printable(text: str) -> str:
    """Control characters as \\u001b, which JSON reads back as it was; newlines and tabs stay."""
    return text if text.replace("\n", "").isprintable() else _escaped(text, CONTROLS)


def one_line(text: str) -> str:
    """As printable(), without newlines and tabs: a label that cannot pass for a line of ours."""
    return text if text.isprintable() else _escaped(text, f"\\t\\n{CONTROLS}")


def _escaped(text: str, controls: str) -> str:
    return _pattern(controls).sub(lambda found: f"\\u{ord(found[0]):04x}", text)


@cache
def _pattern(controls: str) -> re.Pattern[str]:
    """Compiled for text that needs it: it takes as long as the rest of a start of ours."""
    return re.compile(f"[{controls}]")


class ReaderGoneError(Exception):
    """Whoever read our output has gone, as with `| head`."""


class PrintableStream(io.TextIOWrapper):
    """A text stream that writes nothing but printable text."""

    obeys_marks = False
    """Whether it is a terminal, which gets the escape sequences of our own marks (terminal.py)."""

    def write(self, text: str) -> int:
        shown = printable(text)
        try:
            super().write(obeyed(shown) if self.obeys_marks else shown)
            return len(text)
        except BrokenPipeError as error:
            raise ReaderGoneError from error

    def flush(self) -> None:
        try:
            super().flush()
        except BrokenPipeError as error:
            raise ReaderGoneError from error


def guard_output() -> None:
    """Puts both of this process's output streams behind the filter."""
    sys.stdout = _guarded(sys.stdout)
    sys.stderr = _guarded(sys.stderr)


def _guarded(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):
        return stream  # a test has put its own in place
    options = {"encoding": stream.encoding, "line_buffering": stream.line_buffering}
    errors = "backslashreplace"
    guarded = PrintableStream(stream.detach(), errors=errors, **options)  # type: ignore[arg-type]
    guarded.obeys_marks = guarded.isatty()
    return guarded
