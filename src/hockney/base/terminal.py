"""Emphasis and cursor movement on terminals, by marks that only hockney's own streams interpret.

Escape sequences in foreign text never reach a terminal (printable.py). A mark is a private-use
character, chosen at random for each process, so that no file can contain it on purpose.
Without a terminal, with NO_COLOR or with TERM=dumb there are no marks.
"""

from __future__ import annotations

import os
import sys
from typing import TextIO

EMPHASIS = {
    "bold": "\x1b[1m",
    "dim": "\x1b[2m",
    "red": "\x1b[31m",
    "green": "\x1b[32m",
    "yellow": "\x1b[33m",
    "cyan": "\x1b[36m",
    "plain": "\x1b[0m",
}
MOVES = {"start": "\r", "up": "\x1b[A", "erase": "\x1b[J"}
"""Move to the start of the line; move up one line; erase to the end of the screen."""
_FIRST = 0xF0000 + int.from_bytes(os.urandom(2), "big") % 0xFF00
MARKS = {name: chr(_FIRST + number) for number, name in enumerate((*EMPHASIS, *MOVES))}
_SEQUENCES = str.maketrans({mark: {**EMPHASIS, **MOVES}[name] for name, mark in MARKS.items()})


def obeyed(text: str) -> str:
    """Replaces marks by their escape sequences."""
    return text.translate(_SEQUENCES)


def is_terminal(stream: TextIO) -> bool:
    """True if lines can be redrawn on the stream."""
    return getattr(stream, "obeys_marks", False) and os.environ.get("TERM", "dumb") != "dumb"


def has_emphasis(stream: TextIO) -> bool:
    """True if text may be emphasised; a non-empty NO_COLOR disables it (no-color.org)."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR")


def styled(text: str, *styles: str, stream: TextIO | None = None) -> str:
    """The text with these styles, if the stream (default stdout) has emphasis."""
    if not text or not has_emphasis(stream or sys.stdout):
        return text
    return "".join(MARKS[style] for style in styles) + text + MARKS["plain"]
