"""Reads the rows of a table, line by line, between other text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from hockney.foreign.logs.commands import starts_program
from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import (
    LONGEST_SHOWN,
    Column,
    LogTable,
    RowError,
    RowOrder,
    is_number,
    is_value,
    is_written_size,
)

_COMMA = re.compile(r"\s*\d[\d.]*(?=.*\d,\d)(?:\s+(?:[\d.]+(?:,\d+)?|-?\w+|N/A))+\s*")
"""A row with a decimal comma."""


def read_rows(
    log: Log,
    first: int,
    columns: Sequence[Column],
    table: LogTable,
    ends: Callable[[str], bool] = lambda line: not line.strip() or line.lstrip().startswith("#"),
    **more: Any,
) -> int:
    """Reads rows from line `first` on, and returns the line where the table ends, at the latest
    that of the next command. Other text between rows is skipped; rows that are cut, out of range or
    out of order are noted."""
    order = RowOrder(log, table)
    if twice := _named_twice(columns):
        table.note(
            f"{log.at(table.line)}: the heading has the {twice} twice: tables side by side are not "
            "read; put one below the other"
        )
        below = range(first + 1, len(log.lines) + 1)
        return next((line for line in below if ends(log.whole_line(line))), len(log.lines) + 1)
    for line in range(first, len(log.lines) + 1):
        text = log.whole_line(line)
        cells = text.split()
        if _is_repeated_heading(log, line, table) and order.goes_on(line + 1, len(columns)):
            continue
        if ends(text):
            if table.rows:
                return line
            if text.strip():
                break
            continue
        if not cells or not is_number(cells[0]):
            if (table.rows or table.dropped) and starts_program(text):
                return line
            if is_damaged_row(text, columns):
                table.drop(log, line, f"other text in the row: {text.strip()[:LONGEST_SHOWN]}")
            continue
        if order.is_cut(line, cells, len(columns)):
            break
        with table.row(log, line):
            if len(cells) != len(columns):
                raise RowError(f"not {len(columns)} columns: {text.strip()[:LONGEST_SHOWN]}")
            order.see(line, table.add_row(line, cells, columns, **more))
    else:
        line = len(log.lines) + 1
    if not table.rows:
        _note_empty(log, table)
    return max(line, first)


def _named_twice(columns: Sequence[Column]) -> str | None:
    """A statistic of which a row would have two; None without one."""
    seen = set[tuple[object, ...]]()
    for column in columns:
        key = (column.statistic, column.algorithm, column.window)
        if column.definition and key in seen:
            return column.statistic
        seen.add(key)
    return None


def _is_repeated_heading(log: Log, line: int, table: LogTable) -> bool:
    """True if the heading of a table comes again amid its rows."""
    heading = log.lines[table.line - 1].strip()
    is_heading = heading[:1].isdigit() is False and log.lines[line - 1].strip() == heading
    return is_heading and bool(table.rows)


def _note_empty(log: Log, table: LogTable) -> None:
    """Notes why a table has no rows."""
    if any(_COMMA.match(log.whole_line(line)) for line in table.dropped):
        table.notes.insert(
            0,
            f"{log.at(table.line)}: rows with decimal commas are not read; write points: "
            f"sed '/^ *[0-9].*,[0-9]/{{s/\\.//g;s/,/./g}}' {log.path.name} | hockney import -",
        )
    table.note(f"{log.at(table.line)}: a heading without rows")


def _begins_as_row(cells: Sequence[str], columns: int) -> bool:
    """True if a line has as many cells as a row, and a size in the first, as people write it."""
    return len(cells) == columns > 1 and is_written_size(cells[0])


def is_damaged_row(text: str, columns: Sequence[Column]) -> bool:
    """True if a line begins with a size as people write it, or ends in the numbers of a row, of
    which the first may have other text in it, or right before it."""
    cells = text.split()
    if _begins_as_row(cells, len(columns)):
        return True
    if not 1 < len(columns) <= len(cells):
        return False
    first, *others = cells[-len(columns) :]
    read = [cell for cell, of in zip(others, columns[1:], strict=True) if of.definition] or others
    # A word with a number may end a message; then the numbers after it have no decimals.
    is_glued = first[-1:].isdigit() and any("." in cell for cell in read)
    return (first[:1].isdigit() or is_glued) and all(map(is_value, read))
