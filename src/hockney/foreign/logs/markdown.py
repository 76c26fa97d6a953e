"""Logs that were pasted into Markdown, or that a program framed: escapes, pipe tables and frames
become the lines that were pasted.

A pipe table is known by the rule below its first row (GitHub Flavored Markdown, section 4.10).
Its cells are joined by tabs, so that a reader sees columns. A frame of + - | is taken off tables of
sizes only, as some programs print their own. Nothing else is changed, and every line keeps its
number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

_RULE = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?\s*")
_ESCAPED = re.compile(r"^(\s*(?:>\s*)?)\\(#+)")
_PUNCTUATION = re.compile(r"\\([!-/:-@\[-`{-~])")
_EMPHASIS = re.compile(r"^(\*\*|__|`|\*)(.*)\1$")
"""Cells in bold, italics or code."""
_BORDER = "[\u2502\u2503\u2506\u2507\u250a\u250b\u254e\u254f\u2551]"
"""The vertical lines of frames."""
_FRAMED = re.compile(rf"\s*{_BORDER} ?(?=.*[\w#\u2026])")
_GRID_RULE = re.compile(r"\s*\+(?:[-=]+\+)+")
_GRID_ROW = re.compile(r"\s*\| ?")
_OF_SIZES = re.compile(
    r"\s*\|\s*(?:#(?! iterations)|(?:message |msg )?(?:size|bytes)\b(?!:))", re.IGNORECASE
)
"""The heading of a table of sizes, or the title above it."""
_PIPE = re.compile(r"(?<!\\)\|")


def plain(lines: Sequence[str]) -> list[str]:
    """The lines without Markdown's escapes and pipes, and without frames."""
    lines = [_without_frame(line) for line in lines]
    pasted = [_unescaped(line) for line in lines]
    is_table = is_grid = False
    for number, line in enumerate(lines):
        has_pipes = "|" in line
        if not is_table and has_pipes and number and "|" in lines[number - 1]:
            is_table = _RULE.fullmatch(line) is not None
            if is_table:
                pasted[number - 1], pasted[number] = _cells(lines[number - 1]), ""
        elif is_table and has_pipes:
            pasted[number] = _cells(line)
        else:
            is_table = False
        if _GRID_RULE.fullmatch(line):
            below = (lines[n] for n in range(number + 1, len(lines)))
            is_grid = is_grid or any(map(_OF_SIZES.match, takewhile(_GRID_ROW.match, below)))
        elif is_grid:
            is_grid = _GRID_ROW.match(line) is not None
            if is_grid:
                pasted[number] = _GRID_ROW.sub("", line, count=1).replace("|", " ").rstrip()
    return pasted


def _without_frame(line: str) -> str:
    if line.isascii() or not _FRAMED.match(line):
        return line
    return re.sub(_BORDER, " ", _FRAMED.sub("", line, count=1)).rstrip()


def _unescaped(line: str) -> str:
    """The line without Markdown's escapes. It escapes a # that begins no heading, and with it other
    marks of the line."""
    if not _ESCAPED.match(line):
        return line
    return _PUNCTUATION.sub(r"\1", line)


def _cells(line: str) -> str:
    cells = [cell.strip() for cell in _PIPE.split(line.strip().removeprefix("|").removesuffix("|"))]
    if "\\" in line:
        cells = [_PUNCTUATION.sub(r"\1", cell) for cell in cells]
    if any(mark in line for mark in "*_`"):
        cells = [_EMPHASIS.sub(r"\2", cell) for cell in cells]
    return "\t".join(cells).rstrip("\t")
