"""Makes text harmless for terminals: control characters from strangers are shown, not executed."""

from __future__ import annotations

import io
import re
import sys
from functools import cache
from typing import TextIO

from hockney.terminal import obeyed

CONTROLS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab and newline, DEL, C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # changes of text direction
    "\ud800-\udfff"  # surrogates: bytes of file names that are not UTF-8
)


def printable(text: str) -> str:
    """Escapes control characters as \\u001b, as JSON does; newlines and tabs stay."""
    return text if text.replace("\n", "").isprintable() else _escaped(text, CONTROLS)


def one_line(text: str) -> str:
    """As printable(), but escapes newlines and tabs too: a label cannot imitate our own lines."""
    return text if text.isprintable() else _escaped(text, f"\\t\\n{CONTROLS}")


def _escaped(text: str, controls: str) -> str:
    return _pattern(controls).sub(lambda found: f"\\u{ord(found[0]):04x}", text)


@cache
def _pattern(controls: str) -> re.Pattern[str]:
    """Compiled for text that needs it: it takes as long as the rest of a start of ours."""
    return re.compile(f"[{controls}]")


class ReaderGoneError(Exception):
    """The reader of our output has closed it, as `| head` does."""


class PrintableStream(io.TextIOWrapper):
    """A text stream that writes only printable text."""

    obeys_marks = False
    """Whether it is a terminal, where our own marks become escape sequences (terminal.py)."""

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
    """Filters both output streams of this process."""
    sys.stdout = _guarded(sys.stdout)
    sys.stderr = _guarded(sys.stderr)


def _guarded(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):
        return stream  # replaced by a test
    options = {"encoding": stream.encoding, "line_buffering": stream.line_buffering}
    errors = "backslashreplace"
    guarded = PrintableStream(stream.detach(), errors=errors, **options)  # type: ignore[arg-type]
    guarded.obeys_marks = guarded.isatty()
    return guarded
