"""Joins the lines that a terminal, or fold, broke at its width.

They are known by rows: a line of the greatest width that begins with a number, and below it the
rest of its numbers. A log whose own lines all have that width has none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hockney.foreign.logs.wrappers import JOINED

LEAST_WIDTH = 72
MOST_PIECES = 4
"""Most pieces of a line: of 300 characters at 80."""
LEAST_ROWS = 2
_WORDS = frozenset({"pass", "fail", "n/a", "nan", "inf", "-nan"})
"""What rows have in place of numbers."""


def unfolded(lines: Sequence[str]) -> list[str]:
    """The lines with those joined that were broken. The joined one is in the place of its first
    piece, and marks are in those of the others."""
    joined = list(lines)
    width = max(map(len, lines), default=0)
    groups = [*_groups(lines, width)] if width >= LEAST_WIDTH else []
    rows = [(start, end) for start, end in groups if lines[start].lstrip()[:1].isdigit()]
    rests = [cell for start, end in rows for cell in "".join(lines[start + 1 : end]).split()]
    if len(rows) < LEAST_ROWS or not all(map(_is_of_row, rests)):
        return joined
    for start, end in groups:
        joined[start:end] = ["".join(lines[start:end]), *[JOINED] * (end - start - 1)]
    return joined


def _groups(lines: Sequence[str], width: int) -> Iterator[tuple[int, int]]:
    """Lines of this width with the shorter one that ends them, as the first index and that after
    the last."""
    start: int | None = None
    for number, line in enumerate(lines):
        if len(line) == width:
            start = number if start is None else start
        elif start is not None:
            if line.strip() and line[:1] != "#" and number - start < MOST_PIECES:
                yield start, number + 1
            start = None


def _is_of_row(cell: str) -> bool:
    is_number = any(map(str.isdigit, cell)) and not any(map(str.isalpha, cell.replace("e", "")))
    return is_number or cell.lower() in _WORDS
