"""Comma-separated values: tables that users made, and points that hockney exported.

The names in the first row give the columns (_csv_heading.py): a size, a time or a bandwidth with
its unit, and optionally operation, algorithm, number of processes and others. Semicolons and tabs
separate as well.
"""

from __future__ import annotations

import csv
import io
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from hockney.base.errors import UsageError
from hockney.base.units import how_many
from hockney.foreign.logs.column_names import LONGEST_NAME
from hockney.foreign.logs.log import Log
from hockney.foreign.logs.surroundings import surroundings_of
from hockney.foreign.logs.table import (
    MOST_NOTES,
    Column,
    LogTable,
)
from hockney.foreign.programs._csv_cells import decimal_mark
from hockney.foreign.programs._csv_find import Heading as Heading
from hockney.foreign.programs._csv_find import find_heading, later_heading
from hockney.foreign.programs._csv_find import unknown_heading as unknown_heading
from hockney.foreign.programs._csv_grid import Grid
from hockney.foreign.programs._csv_heading import (
    OWN,
    Meaning,
    halved,
    has_unit,
    is_size,
    role_of,
)
from hockney.foreign.programs._csv_heading import parse_columns as parse_columns
from hockney.foreign.programs._csv_records import Record, is_comment, records
from hockney.foreign.programs._round_trips import is_round_trip
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.columns import noted_columns

HEADED = True

Rows = list[Record]

MOST_WORDS = 20


def recognise(log: Log) -> int | None:
    heading = find_heading(log)
    return heading.line if heading else None


def read(log: Log) -> list[LogTable]:
    heading = find_heading(log)
    if heading is None:
        refused = unknown_heading(log)
        if refused:
            raise refused
        return []
    tables: list[LogTable] = []
    notes, comments = _passed_over(log, heading), _trip_comments(log)
    cells = heading.cells
    for place, (part, below) in enumerate(_parts(log, heading), 1):
        is_other, cells = part.cells != cells, part.cells
        if not part.columns:
            notes.append(_left_out(log, part.line, part.cells, below))
            continue
        part_tables = _tables(log, part, below, comments)
        for table in part_tables if is_other else []:
            # Nothing shows whether it measures the same as the table above; below the same heading
            # again, it is the text above it that shows another setting.
            table.options["table"] = place
            table.note(f"{log.at(part.line)}: another heading: a table of its own")
        tables += part_tables
    for note in notes[: MOST_NOTES if tables else 0]:
        tables[0].note(note)
    return tables


def tables_below(log: Log, heading: Heading, rows: Rows) -> list[LogTable]:
    """The tables of these rows, which have the columns of a heading."""
    return _tables(log, heading, rows, _trip_comments(log))


def _tables(
    log: Log, heading: Heading, rows: Rows, comments: list[tuple[int, bool]]
) -> list[LogTable]:
    about = [*_halve(log, heading, rows, comments), *_unread(log, heading)]
    tables = _grid(log, heading, rows)
    for note in about:
        tables[0].note(note)
    return tables


def _parts(log: Log, heading: Heading) -> list[tuple[Heading, Rows]]:
    """Each heading, from the first one that is known, with the rows below it."""
    rows: Rows = []
    parts = [(heading, rows)]
    around = _around(log, heading.line)
    for row in records(log, heading.last + 1, heading.separator):
        last = parts[-1][0]
        later = None if row.is_blank else later_heading(log, row, last)
        if later is last and around.get(row.line) != around.get(last.line):
            later = replace(last, line=row.line, last=row.last, columns=dict(last.columns))
        if later is not None and later is not last:
            rows = []
            parts.append((later, rows))
        elif later is None and not row.is_blank and not is_comment(log.whole_line(row.line)):
            rows.append(row)
    return parts


def _around(log: Log, line: int) -> dict[int, tuple[str | None, ...]]:
    """The command, heading and settings above each line that is like this heading."""
    like = [number for number, text in log.numbered(line) if text == log.lines[line - 1]]
    every = surroundings_of(log, like) if len(like) > 1 else {}
    return {number: (of.command, of.heading, of.settings) for number, of in every.items()}


def _trip_comments(log: Log) -> list[tuple[int, bool]]:
    """The lines of comments that say whether times are of round trips or of one way."""
    comments = ((line, text) for line, text in log.numbered() if is_comment(text))
    known = ((line, is_round_trip(text)) for line, text in comments)
    return [(line, is_whole) for line, is_whole in known if is_whole is not None]


def _halve(log: Log, heading: Heading, rows: Rows, comments: list[tuple[int, bool]]) -> list[str]:
    """Halves the columns of whole round trips, which their names show, or the nearest comment above
    the rows. Returns a note about them."""
    if set(heading.cells) >= OWN:
        return []
    place = bisect_left(comments, (rows[0].line if rows else heading.last,))
    names: list[str] = []
    for index, meaning in heading.columns.items():
        is_whole = is_round_trip(heading.cells[index])
        is_whole = comments[place - 1][1] if is_whole is None and place else is_whole
        if is_whole and isinstance(meaning, Column) and meaning.field == "value_s":
            heading.columns[index] = halved(meaning)
            names.append(repr(heading.cells[index].strip()))
    few = ", ".join(names)[:LONGEST_NAME]
    return [f"{log.at(heading.line)}: {few}: half of each round trip is read"] if names else []


def _unread(log: Log, heading: Heading) -> list[str]:
    """A note about columns with times or rates whose names are not known."""
    if log.columns or set(heading.cells) >= OWN:
        return []
    cells = enumerate(heading.cells)
    names = [repr(n.strip()) for i, n in cells if i not in heading.columns and has_unit(n)]
    few = ", ".join(names)[:LONGEST_NAME]
    return (
        [f"{log.at(heading.line)}: times or rates of an unknown kind are not read: {few}"]
        if names
        else []
    )


def _passed_over(log: Log, heading: Heading) -> list[str]:
    """Notes about tables above the first known heading."""
    headings: list[tuple[int, list[str]]] = []
    rows: list[Rows] = []
    for above in records(log, 1, heading.separator):
        if above.line >= heading.line:
            break
        is_row = any(cell[:1].isdigit() for cell in above.cells)
        if not is_row and len(above.cells) > 1 and any(map(is_size, above.cells)):
            headings.append((above.line, above.cells))
            rows.append([])
        elif is_row and rows:
            rows[-1].append(above)
    return [
        _left_out(log, line, cells, of) for (line, cells), of in zip(headings, rows, strict=True)
    ]


def _left_out(log: Log, line: int, cells: list[str], rows: Rows) -> str:
    below = f", with {how_many(len(rows), 'row')} to line {rows[-1].last}" if rows else ""
    return (
        f"{log.at(line)}: the heading {', '.join(cells)[:LONGEST_NAME]} names no time or bandwidth "
        f"with its unit: it is left out{below}"
    )


def _grid(log: Log, heading: Heading, rows: Rows) -> list[LogTable]:
    _check_alone(log, heading)
    mark = _mark(heading.columns, rows)
    named = max(index for index, name in enumerate(heading.cells, 1) if name.strip())
    width = named if heading.separator == "," else None
    whole = Grid(log, heading.columns, mark, rows, width)
    is_unclear = whole.repeated_in is not None and log.repeated is None
    groups = _by_words(heading, rows) if is_unclear else {}
    if len(groups) < 2:
        return whole.finished()
    tables: list[LogTable] = []
    for words, of_group in groups.items():
        group_tables = Grid(log, heading.columns, mark, of_group, width).finished()
        for table in group_tables:
            table.options.update(words)
        tables += group_tables
    names = " and ".join(name for name, _ in next(iter(groups)))
    tables[0].note(
        f"{log.at(heading.line)}: the same points repeat for each {names}: these are separate "
        f"experiments; if {names} numbers launches or samples, give --repeated"
    )
    return tables


def _by_words(heading: Heading, rows: Rows) -> dict[tuple[tuple[str, str], ...], Rows]:
    """The rows of each combination of words in columns without a meaning, such as the name of a
    place or a network. Columns of more words than MOST_WORDS are ignored."""
    named: dict[int, str] = {}
    for index, name in enumerate(heading.cells):
        words = {row.cells[index].strip() for row in rows if index < len(row.cells)}
        are_words = all(word[:1].isalpha() for word in words)
        if index not in heading.columns and are_words and 2 <= len(words) <= MOST_WORDS:
            named[index] = name.strip()[:LONGEST_NAME]
    groups: dict[tuple[tuple[str, str], ...], Rows] = {}
    short: Rows = []
    for row in rows:
        if len(row.cells) > max(named, default=0):
            words_of = tuple((name, row.cells[index].strip()) for index, name in named.items())
            groups.setdefault(words_of, []).append(row)
        else:
            short.append(row)
    for first in list(groups.values())[:1]:
        first += short  # there they are refused with their lines, or read without their words
    return groups


def _check_alone(log: Log, heading: Heading) -> None:
    """Raises UsageError where two columns have the same meaning, and nothing shows which counts."""
    seen: dict[tuple[str, ...], str] = {}
    for index, meaning in heading.columns.items():
        role, name = role_of(meaning), heading.cells[index].strip()
        key = (role,) if isinstance(meaning, str) else (role, meaning.statistic)
        if key in seen:
            raise UsageError(
                f"{log.at(heading.line)}: {seen[key]!r} and {name!r} are both the {key[-1]}",
                f"name one of them: --columns {role}={name} (or {role}=NAME:UNIT)",
            )
        seen[key] = name


def _mark(columns: dict[int, Meaning], rows: Rows) -> str | None:
    """The decimal mark of a table, found from all its cells with a comma."""
    sizes, values = list[str](), list[str]()
    for index, meaning in columns.items():
        kind = values if isinstance(meaning, Column) else sizes
        if isinstance(meaning, Column) or role_of(meaning) == "bytes":
            column = [row.cells[index] for row in rows if index < len(row.cells)]
            kind += [cell for cell in column if "," in cell]
    return decimal_mark(sizes, values) if sizes or values else None


def write(analysis: Analysis) -> bytes:
    """A table with one row per point, of the columns that have a value."""
    columns = noted_columns(analysis)
    return text_of([{n: of for n, of in columns.items() if any(v is not None for v in of)}])


def write_columns(analysis: Analysis, names: Sequence[str] = ()) -> bytes:
    """The table with these columns, or with all, the same ones for every run."""
    known = noted_columns(analysis)
    for name in names:
        if name not in known:
            raise UsageError(f"--columns: no column {name!r}", f"known are {', '.join(known)}")
    return text_of([{name: known[name] for name in names or known}])


def text_of(parts: Iterable[dict[str, list[Any]]]) -> bytes:
    """Parts of the same columns as CSV; unknown values are empty."""
    texts: list[bytes] = []
    for columns in parts:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        if not texts:
            writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
        texts.append(out.getvalue().encode())
    return b"".join(texts)
