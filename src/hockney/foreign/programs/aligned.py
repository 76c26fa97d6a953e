"""Tables whose columns are separated by blanks, below a heading with the names that CSV has: data
frames as pandas prints them, with or without their index, and data of gnuplot."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.not_read import refusal
from hockney.foreign.logs.table import LogTable, is_number, is_written_size
from hockney.foreign.programs import csv, durham
from hockney.foreign.programs._csv_heading import heading_of, is_size
from hockney.foreign.programs._csv_records import Record, is_comment

HEADED = False

_CELL = re.compile(r"\S+")
_WORD = re.compile(r"\S+(?: [(\[]\S+[)\]])?")
"""A name with its unit."""
_WIDE = re.compile(r"\s{2,}")
_LETTER = re.compile(r"[A-Za-z]")
_FOOT = re.compile(r"\s*\[\d+ rows x \d+ columns\]")
_LEFT_OUT = re.compile(r"\s*(?:\.{2,3}|\u2026)(?:\s+(?:\.{3}|\u2026))+")
"""The row that stands for those that pandas and polars do not print."""
LEAST = 2
"""Least columns of a table."""
MOST_BETWEEN = 3
"""Most lines below a heading up to its first row: polars prints the types of columns there."""


def recognise(log: Log) -> int | None:
    """The line of the heading; None for what is another program's."""
    heading = _heading(log)
    if heading is None or refusal(log) is not None or durham.recognise(log) is not None:
        return None
    return heading.line


def read(log: Log) -> list[LogTable]:
    heading = _heading(log)
    if heading is None:
        return []
    rows, notes = _rows(log, heading)
    tables = csv.tables_below(log, heading, rows)
    for table in tables:
        table.program = "a table"
    for note in notes:
        tables[0].note(note)
    return tables


def _heading(log: Log) -> csv.Heading | None:
    """The first line with known names above a row of as many cells."""
    lines = _lines(log)
    for place, (line, text) in enumerate(lines):
        # A row of numbers with their units has no names.
        if not _LETTER.search(text) or any(word[:1].isdigit() for word in text.split()):
            continue
        following = [row for _, row in lines[place + 1 : place + 1 + MOST_BETWEEN]]
        below = _usual([row for row in following if any(map(is_number, row.split()))])
        if len(below.split()) < LEAST or is_comment(below):
            continue
        names = _names(text, below)
        columns = heading_of(names)  # with a size of its own: any program's table may have times
        if columns:
            return csv.Heading(line, " ", names, columns, line)
    return None


def _usual(rows: Sequence[str]) -> str:
    """The first row with as many cells as most have: the first of all may be cut."""
    widths = Counter(len(row.split()) for row in rows)
    usual = max(widths, key=lambda width: (widths[width], width), default=0)
    return next((row for row in rows if len(row.split()) == usual), "")


def _lines(log: Log) -> list[tuple[int, str]]:
    """The lines with words or numbers, without the lines between their cells."""
    bare = ((line, text.replace("|", " ").rstrip()) for line, text in log.numbered())
    return [(line, text) for line, text in bare if re.search(r"\w|\.\.\.|\u2026", text)]


def _names(heading: str, row: str) -> list[str]:
    """The names above the cells of a row: what ends where the cells end, a word each, or what
    several blanks separate. Empty where they do not fit."""
    cells = [*_CELL.finditer(row)]
    ends = [0, *(cell.end() for cell in cells)]
    names = [heading[start:end].strip() for start, end in pairwise(ends)]
    is_apart = all(heading[end : end + 1] in ("", " ") for end in ends[1:])
    is_apart = is_apart and all(names[1:]) and not any(map(_WIDE.search, names))
    if is_apart and len(heading) <= ends[-1]:
        return names
    bare = heading.strip("# ")
    words = [match[0] for match in _WORD.finditer(bare)]
    apart = _WIDE.split(bare)
    return next((each for each in (words, apart) if len(each) == len(cells)), [])


def _rows(log: Log, heading: csv.Heading) -> tuple[list[Record], list[str]]:
    """The rows below a heading, and notes about those that are not printed."""
    rows, notes = list[Record](), list[str]()
    first = log.lines[heading.line - 1].replace("|", " ")
    for line, text in _lines(log):
        if line <= heading.line:
            continue
        cells = text.split()
        if _is_other_heading(text, first):
            notes.append(
                f"{log.at(line)}: another heading: the rows below it are not read; import them "
                "from a file of their own"
            )
            break
        if _LEFT_OUT.fullmatch(text):
            notes.append(
                f"{log.at(line)}: rows are left out here, where the data frame was printed"
            )
        elif not (is_comment(text) or _FOOT.fullmatch(text)) and any(map(_is_value, cells)):
            rows.append(_record(line, cells, heading.cells))
    return rows, notes


def _is_other_heading(text: str, first: str) -> bool:
    words, known = text.strip("# ").split(), first.strip("# ").split()
    has_digits = any(word[:1].isdigit() for word in words)
    return (
        len(words) == len(known) and words != known and not has_digits and any(map(is_size, words))
    )


def _is_value(cell: str) -> bool:
    return is_number(cell) or is_written_size(cell)


def _record(line: int, cells: Sequence[str], names: Sequence[str]) -> Record:
    if len(cells) == len(names):
        return Record(line, line, [*cells])
    return Record(line, line, problem=f"{len(cells)} cells, not {len(names)}")
