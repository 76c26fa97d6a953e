"""Joins the lines that a terminal, or fold, broke at its width.

They are known by rows: a line of the greatest width that begins with a number, and below it the
rest of its numbers, which are fewer. Rows of numbers may look so by chance: lines are joined only
where the log has no table as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hockney.foreign.logs.wrappers import JOINED

LEAST_WIDTH = 72
MOST_PIECES = 4
"""Most pieces of a line: of 300 characters at 80."""
LEAST_ROWS = 2
LEAST_FULL = 3
"""Least lines of the greatest width in a log that seems to be broken there."""
_WORDS = frozenset({"pass", "fail", "n/a", "nan", "inf", "-nan"})
"""What rows have in place of numbers."""
_CELL = re.compile(r"[^\s,;]+")


def unfolded(lines: Sequence[str]) -> list[str]:
    """The lines with those joined that were broken. The joined one is in the place of its first
    piece, and marks are in those of the others."""
    joined = list(lines)
    width = max(map(len, lines), default=0)
    groups = [*_groups(lines, width)] if width >= LEAST_WIDTH else []
    rows = [(start, end) for start, end in groups if lines[start].lstrip()[:1].isdigit()]
    if len(rows) < LEAST_ROWS or not all(_is_broken(lines[start:end]) for start, end in rows):
        return joined
    for start, end in groups:
        joined[start:end] = ["".join(lines[start:end]), *[JOINED] * (end - start - 1)]
    return joined


def advice(lines: Sequence[str]) -> str | None:
    """What to do about lines that seem to be broken; None where they do not."""
    width = max(map(len, lines), default=0)
    if width < LEAST_WIDTH or sum(len(line) == width for line in lines) < LEAST_FULL:
        return None
    return (
        f"its lines end at {width} columns, where a terminal or an editor may have broken them: "
        "write the program's output to a file (> FILE), and import that, or join the lines"
    )


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


def _is_broken(pieces: Sequence[str]) -> bool:
    """True if all pieces below the first have cells of a row, and fewer of them: they are no rows
    themselves."""
    first, *rests = [_CELL.findall(piece) for piece in pieces]
    return all(len(rest) < len(first) and all(map(_is_of_row, rest)) for rest in rests)


def _is_of_row(cell: str) -> bool:
    is_number = any(map(str.isdigit, cell)) and not any(map(str.isalpha, cell.replace("e", "")))
    return is_number or cell.lower() in _WORDS
