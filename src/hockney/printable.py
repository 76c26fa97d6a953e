"""Text that does nothing to a terminal: what strangers wrote is shown, never obeyed."""

from __future__ import annotations

import io
import os
import re
import sys
from functools import cache
from typing import TYPE_CHECKING, TextIO

from hockney.terminal import obeyed

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

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


class Outlet(io.FileIO):
    """A descriptor that takes everything: what is being done is finished, whoever reads of it.
    Once something could not be written, nothing more is."""

    failure: OSError | None = None

    def write(self, data: ReadableBuffer, /) -> int:
        if self.failure is None:
            try:
                return super().write(data) or 0
            except OSError as error:
                self.failure = error
        return memoryview(data).nbytes


class PrintableStream(io.TextIOWrapper):
    """A text stream that writes nothing but printable text."""

    obeys_marks = False
    """Whether it is a terminal, which gets the escape sequences of our own marks (terminal.py)."""

    def write(self, text: str) -> int:
        shown = printable(text)
        super().write(obeyed(shown) if self.obeys_marks else shown)
        return len(text)


def guard_output() -> None:
    """Puts both of this process's output streams behind the filter."""
    sys.stdout = _guarded(sys.stdout)
    sys.stderr = _guarded(sys.stderr)


def keep_descriptors() -> None:
    """Opens what was closed before we began: a result file must not become stdout. Nothing can be
    written there."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, os.O_RDONLY), number)
            setattr(sys, name, open(number, closefd=False, encoding="utf-8"))  # noqa: SIM115


def lost_output() -> OSError | None:
    """Why not all of stdout was written; None where it was, or where its reader had enough."""
    sys.stdout.flush()
    raw = getattr(sys.stdout.buffer, "raw", None)
    failure = raw.failure if isinstance(raw, Outlet) else None
    return None if isinstance(failure, BrokenPipeError) else failure


def _guarded(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):
        return stream  # a test has put its own in place
    options = {"encoding": stream.encoding, "line_buffering": stream.line_buffering}
    buffer = stream.detach()
    if isinstance(getattr(buffer, "raw", buffer), io.FileIO):
        buffer = io.BufferedWriter(Outlet(buffer.fileno(), "w", closefd=False))
    guarded = PrintableStream(buffer, errors="backslashreplace", **options)  # type: ignore[arg-type]
    guarded.obeys_marks = guarded.isatty()
    return guarded
