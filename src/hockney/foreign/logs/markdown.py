"""Logs that were pasted into Markdown: escapes and pipe tables become the lines that were pasted.

A pipe table is known by the rule below its first row (GitHub Flavored Markdown, section 4.10).
Its cells are joined by tabs, so that a reader sees columns. Nothing else is changed, and every line
keeps its number."""

from __future__ import annotations

import re
from collections.abc import Sequence

_RULE = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?\s*")
_ESCAPED = re.compile(r"^(\s*(?:>\s*)?)\\(#+)")
_PUNCTUATION = re.compile(r"\\([!-/:-@\[-`{-~])")
_EMPHASIS = re.compile(r"^(\*\*|__|`|\*)(.*)\1$")
"""Cells in bold, italics or code."""
_PIPE = re.compile(r"(?<!\\)\|")


def plain(lines: Sequence[str]) -> list[str]:
    """The lines without Markdown's escapes and pipes."""
    pasted = [_unescaped(line) for line in lines]
    is_table = False
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
    return pasted


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
