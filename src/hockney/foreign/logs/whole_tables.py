"""Notes what only whole tables show: rows that none has, points that one has twice."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import LogTable, again, is_value
from hockney.plan.axes import key_without
from hockney.records.run import REPEATED


def note_rows_left(log: Log, tables: Sequence[LogTable]) -> None:
    """Notes rows that look like those of the table above them, but that no table has: below an
    empty line or a comment, without a heading of their own."""
    known = {row.line for table in tables for row in table.rows}
    known.update(line for table in tables for line in table.named)
    begins = {table.line: table for table in tables}
    table, pattern, end = None, list[bool](), 0
    for line, text in log.numbered():
        if line in begins:
            table = begins[line]
            first = next((row.line for row in table.rows if row.line), None)
            pattern = [*map(is_value, log.whole_line(first).split())] if first else []
            end = max((row.line or 0 for row in table.rows), default=0)
        if (
            table is None
            or len(pattern) < 2
            or line < end
            or line in known
            or (table.cut and line == log.last)
        ):
            continue
        if text.lstrip()[:1].isdigit() and [*map(is_value, text.split())] == pattern:
            table.dropped.append(line)
            table.note(
                f"{log.at(line)}: a row below the end of the table, without a heading: it is left "
                "out; if it is of the table above, remove what is between them"
            )


def note_points_again(log: Log, tables: Sequence[LogTable]) -> None:
    """Notes points that come again in a table, of which the last row counts. Rows below two
    headings are of two programs, and are left out."""
    above: LogTable | None = None
    for table in sorted(tables, key=lambda table: table.line):
        line = None if REPEATED in table.options else _first_again(table)
        if line is not None and above is not None and _share_rows(log, above, table):
            table.dropped += sorted({row.line for row in table.rows if row.line})
            table.rows = []
            table.notes.insert(
                0,
                f"{log.at(table.line)}: these rows have points twice, and are also below the "
                f"heading of line {above.line}: the output of two programs is mixed, and not read",
            )
        elif line is not None:
            size = next(row.bytes for row in table.rows if row.line == line)
            table.note(again(log, line, size))
        above = table


def _share_rows(log: Log, above: LogTable, below: LogTable) -> bool:
    """True if another heading has no row before that of the table below it."""
    first, *between = [text.strip() for text in log.lines[above.line - 1 : below.line - 1]] or [""]
    is_other = first != log.lines[below.line - 1].strip()
    return is_other and not above.rows and not any(text[:1].isdigit() for text in between)


def _first_again(table: LogTable) -> int | None:
    """The line of the first point that comes again."""
    seen: dict[tuple[object, ...], int] = {}
    for row in table.rows:
        point = row.bytes, row.statistic, key_without(row, "bytes")
        if row.line is not None and seen.setdefault(point, row.line) != row.line:
            return row.line
    return None
