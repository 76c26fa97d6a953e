"""Records of CSV as RFC 4180 has them: a quoted cell may hold separators, quotes and line breaks.

Python's csv module reads them. What it cannot read is one record with a problem, so that no row is
lost silently."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field

from hockney.foreign.logs.log import Log

MOST_LINES = 1000
"""Most lines of a quoted cell. A quote that is not closed by then is a mistake in its own line."""
UNCLOSED = f"a quote is opened, and no cell of up to {MOST_LINES} lines ends with one"


@dataclass(frozen=True)
class Record:
    line: int
    last: int
    """The record's last line; equal to `line` unless a quoted cell has several."""
    cells: list[str] = field(default_factory=list)
    problem: str | None = None
    """Why the record has no cells; None if it has them."""

    @property
    def is_blank(self) -> bool:
        return self.problem is None and not any(cell.strip() for cell in self.cells)


def records(log: Log, first: int, separator: str) -> Iterator[Record]:
    """The records from a line on."""
    line = first
    while line <= len(log.lines):
        row = record(log, line, separator)
        yield row
        line = row.last + 1


def record(log: Log, line: int, separator: str) -> Record:
    """The record that begins in a line. A comment is one line, whatever quotes it has."""
    text = log.whole_line(line)
    is_one_line = '"' not in text or is_comment(text)
    source = _Lines(log, line, line if is_one_line else line + MOST_LINES)
    try:
        cells = next(csv.reader(source, delimiter=separator), [])
    except csv.Error as error:
        return Record(line, line, problem=str(error))
    if source.is_over and not is_one_line:
        return Record(line, line, problem=UNCLOSED)
    if source.at > line and not _is_strict(_Lines(log, line, source.at), separator):
        return Record(line, line, problem=UNCLOSED)  # a quote of another cell ends it
    return Record(line, source.at, cells)


def _is_strict(source: _Lines, separator: str) -> bool:
    """True if nothing follows a quote that ends a cell."""
    try:
        next(csv.reader(source, delimiter=separator, strict=True), [])
    except csv.Error:
        return False
    return True


def is_comment(text: str) -> bool:
    return text.lstrip().startswith("#")


class _Lines:
    """Lines up to a last one, with their newlines; `at`: the latest one given; `is_over`: another
    was wanted."""

    def __init__(self, log: Log, first: int, last: int) -> None:
        self.log, self.at, self.last = log, first - 1, min(last, len(log.lines))
        self.is_over = False

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        if self.at >= self.last:
            self.is_over = True
            raise StopIteration
        self.at += 1
        return self.log.whole_line(self.at) + "\n"
