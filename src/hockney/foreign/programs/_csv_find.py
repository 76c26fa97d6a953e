"""Finds the headings of tables in CSV: the names of columns, one of which is a size."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from hockney.base.errors import UsageError
from hockney.foreign.logs.column_names import LONGEST_NAME, RATES, SIZES, TIMES
from hockney.foreign.logs.log import Log
from hockney.foreign.programs._csv_cells import unit_of
from hockney.foreign.programs._csv_heading import ROLES, Meaning, heading_of, is_size, meaning_of
from hockney.foreign.programs._csv_records import Record, is_comment, record

SEPARATORS = (",", ";", "\t")
_WORD, _LETTER = re.compile(r"[A-Za-z]{2}"), re.compile(r"[A-Za-z]")
"""Patterns of words and letters: rows of numbers have no words, so they are no headings. Columns
that the user named may have one letter."""


@dataclass
class Heading:
    line: int
    separator: str
    cells: list[str]
    columns: dict[int, Meaning]
    """What the columns mean; empty where the heading names a size, but no number with its unit."""
    last: int
    """The heading's last line."""


def find_heading(log: Log) -> Heading | None:
    """The first heading whose columns are known."""
    for line in range(1, len(log.lines) + 1):
        text = log.whole_line(line)
        if not (_LETTER if log.columns else _WORD).search(text):
            continue
        if log.columns and is_comment(text) and not _has_columns(text, log.columns):
            continue
        for separator in SEPARATORS:
            if separator in text or text.startswith('"'):
                row = record(log, line, separator)
                cells = names_of(row)
                columns = heading_of(cells, log.columns, log.bytes is not None)
                if columns is None:
                    columns = heading_of(_with_units_below(log, row, cells, separator))
                if columns:
                    return Heading(line, separator, cells, columns, row.last)
        if log.columns and any(separator in text for separator in SEPARATORS):
            break  # the columns were named for the first heading
    return None


def _has_columns(text: str, given: Mapping[str, str]) -> bool:
    """Whether a line has the names of all columns that the user named."""
    return all((words.rpartition(":")[0] or words) in text for words in given.values())


def names_of(row: Record) -> list[str]:
    """The cells of a heading, whose names may be over several lines."""
    return [" ".join(cell.split("\n")).strip() if "\n" in cell else cell for cell in row.cells]


def _with_units_below(log: Log, row: Record, cells: list[str], separator: str) -> list[str]:
    """The names with the units that follow the numbers of the next line."""
    if not any(is_size(cell) for cell in cells):
        return []
    filled = (line for line, text in log.numbered(row.last + 1) if text.strip())
    line = next(filled, None)  # Markdown's rule leaves an empty line
    below = map(unit_of, record(log, line, separator).cells if line else [])
    return [
        f"{cell} ({unit})" if unit and meaning_of(cell) is None else cell
        for cell, unit in zip(cells, below, strict=False)
    ]


def later_heading(log: Log, row: Record, first: Heading) -> Heading | None:
    """The heading of another table below the first, if this record is one."""
    cells = names_of(row)
    # Digits first: a table has one heading, and thousands of rows.
    if any(cell[:1].isdigit() for cell in cells) or not any(map(is_size, cells)):
        return None
    if cells == first.cells:
        return first
    separator = first.separator
    columns = heading_of(cells) or heading_of(_with_units_below(log, row, cells, separator))
    return Heading(row.line, separator, cells, columns or {}, row.last)


def unknown_heading(log: Log) -> UsageError | None:
    """The refusal of a table whose heading names no size, or no time or bandwidth with a unit; None
    where the log begins with no heading at all."""
    heading = _first_heading(log)
    if heading is None:
        return None
    line, cells = heading
    return UsageError(
        f"{log.at(line)}: the heading {', '.join(cells)[:LONGEST_NAME]} names no size, or no "
        "time or bandwidth with its unit",
        "name the columns: --columns bytes=NAME,time=NAME:us (or bandwidth=NAME:MB/s, "
        f"{', '.join(role for role in ROLES[3:7])}); "
        "give --bytes SIZE where all are of one size (a barrier: 0); known are "
        f"{', '.join(sorted(SIZES)[:6])} ... in B, KiB, MiB or GiB; "
        f"{', '.join(sorted(TIMES - {''}))} with s, ms, us or ns; "
        f"{', '.join(sorted(RATES - {''}))} with MB/s, GB/s, MiB/s, Gbit/s ...",
    )


def _first_heading(log: Log) -> tuple[int, list[str]] | None:
    """The line and the cells of the first heading, whatever it names: the first line that is no
    comment, or where that is a row the last comment above it that has as many cells."""
    commented: list[tuple[int, list[str]]] = []
    for line, text in log.numbered():
        if not text.strip():
            continue
        separator = max(SEPARATORS, key=text.count)
        cells = [cell.strip() for cell in record(log, line, separator).cells]
        has_names = len(cells) > 1 and _WORD.search(text) is not None
        if not is_comment(text):
            above = [each for each in commented if len(each[1]) == len(cells)]
            return (line, cells) if has_names else above[-1] if above else None
        commented += [(line, cells)] if has_names else []
    return None
