"""Comma-separated values: tables that users made, and points that hockney exported.

The names in the first row give the columns (_csv_heading.py): a size, a time or a bandwidth with
its unit, and optionally operation, algorithm, number of processes and others. Semicolons and tabs
separate as well.
"""

from __future__ import annotations

import csv
import io
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hockney.base.errors import UsageError
from hockney.base.units import how_many
from hockney.foreign.logs.column_names import LONGEST_NAME, RATES, SIZES, TIMES
from hockney.foreign.logs.log import Log
from hockney.foreign.logs.surroundings import surroundings_of
from hockney.foreign.logs.table import (
    MOST_NOTES,
    Column,
    LogTable,
)
from hockney.foreign.programs._csv_cells import decimal_mark, unit_of
from hockney.foreign.programs._csv_grid import Grid
from hockney.foreign.programs._csv_heading import (
    OWN,
    ROLES,
    Meaning,
    halved,
    has_unit,
    heading_of,
    is_size,
    meaning_of,
    role_of,
)
from hockney.foreign.programs._csv_heading import parse_columns as parse_columns
from hockney.foreign.programs._csv_records import Record, is_comment, record, records
from hockney.foreign.programs._round_trips import is_round_trip
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.columns import noted_columns

HEADED = True

Rows = list[Record]

SEPARATORS = (",", ";", "\t")
MOST_WORDS = 20
_WORD, _LETTER = re.compile(r"[A-Za-z]{2}"), re.compile(r"[A-Za-z]")
"""Patterns of words and letters: rows of numbers have no words, so they are no headings. Columns
that the user named may have one letter."""


def recognise(log: Log) -> int | None:
    heading = _find_heading(log)
    return heading.line if heading else None


@dataclass
class Heading:
    line: int
    separator: str
    cells: list[str]
    columns: dict[int, Meaning]
    """What the columns mean; empty where the heading names a size, but no number with its unit."""
    last: int
    """The heading's last line."""


def _find_heading(log: Log) -> Heading | None:
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
                cells = _names(row)
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


def _names(row: Record) -> list[str]:
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


def _later_heading(log: Log, row: Record, first: Heading) -> Heading | None:
    """The heading of another table below the first, if this record is one."""
    cells = _names(row)
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


def read(log: Log) -> list[LogTable]:
    heading = _find_heading(log)
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
        later = None if row.is_blank else _later_heading(log, row, last)
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
