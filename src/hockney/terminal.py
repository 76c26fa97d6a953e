"""Emphasis and movement on a terminal, by marks in the text that only our own streams obey.

What strangers wrote never reaches a terminal as an escape sequence (printable.py). A mark is a
character of a private area, chosen at random for each process: no file can hold it on purpose.
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
"""To the start of the line; to the line above; and all from here on is erased."""
_FIRST = 0xF0000 + int.from_bytes(os.urandom(2), "big") % 0xFF00
MARKS = {name: chr(_FIRST + number) for number, name in enumerate((*EMPHASIS, *MOVES))}
_SEQUENCES = str.maketrans({mark: {**EMPHASIS, **MOVES}[name] for name, mark in MARKS.items()})


def obeyed(text: str) -> str:
    """The text with the escape sequence of each mark."""
    return text.translate(_SEQUENCES)


def is_terminal(stream: TextIO) -> bool:
    """Whether lines on it can be drawn anew."""
    return getattr(stream, "obeys_marks", False) and os.environ.get("TERM", "dumb") != "dumb"


def has_emphasis(stream: TextIO) -> bool:
    """NO_COLOR, when it is not empty, forbids it (no-color.org)."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR")


def styled(text: str, *styles: str, stream: TextIO | None = None) -> str:
    """The text with these styles, as a whole, where the stream (stdout) has them."""
    if not text or not has_emphasis(stream or sys.stdout):
        return text
    return "".join(MARKS[style] for style in styles) + text + MARKS["plain"]
