"""Recognises the format of a log and reads its tables."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping

from hockney.base.addition import AdditionError
from hockney.base.errors import UsageError
from hockney.foreign.logs import folded, prefixes
from hockney.foreign.logs.cut_numbers import note_cut_numbers
from hockney.foreign.logs.damaged_rows import note_damaged_rows
from hockney.foreign.logs.log import Log
from hockney.foreign.logs.not_read import refusal
from hockney.foreign.logs.table import LogTable, TooLargeError
from hockney.foreign.logs.whole_tables import note_points_again, note_rows_left
from hockney.foreign.programs import PROGRAMS, Reader, csv
from hockney.records.reading import has_records

CSV = "csv"
OF_OTHER_LINES = ("benchpress", "hpcc", "mpip", "pair-matrix", "ramble", "smpi-factors")
"""Formats that have other lines like their rows, and note themselves which rows are damaged."""
BY_HAND = ("aligned", CSV, "json-lines")
"""Formats that people write, who leave out decimals."""
MOST_REASONS = 5
"""Most reasons shown if nothing could be read."""


def recognise(log: Log) -> str:
    """The format of a log. Raises UsageError unless there is exactly one."""
    if has_records(log.text):
        raise UsageError(
            f"{log.path}: records of hockney's engine, which need not be imported",
            f"read them as they are: hockney show {shlex.quote(str(log.path))}",
        )
    recognised: dict[bool, dict[str, int]] = {True: {}, False: {}}
    for name, module in PROGRAMS.offering(Reader).items():
        try:
            line = module.recognise(log)
        except AdditionError as error:
            error.warn()
            continue
        if line is not None:
            recognised[module.HEADED][name] = line
    # A heading is stronger evidence than columns that happen to fit.
    formats = recognised[True] or recognised[False]
    if not formats and (joined := log.unfolded()):
        return recognise(joined)
    if not formats:
        refused = refusal(log) or _hidden(log) or csv.unknown_heading(log)
        if refused:
            raise refused
        raise UsageError(
            f"{log.path}: no table of a known format in {len(log.lines)} lines",
            folded.advice(_raw_lines(log))
            or f"known are {', '.join(PROGRAMS.offering(Reader))}; name one with --as",
        )
    if len(formats) > 1 and CSV in formats and _is_known(log, formats):
        del formats[CSV]  # any heading can be of CSV: the program that knows this line knows more
    elif len(formats) > 1 and CSV in formats and not _have_rows(log, formats):
        return CSV  # a spreadsheet that kept the title of the log
    if len(formats) > 1:
        where = ", ".join(f"{name} (line {line})" for name, line in formats.items())
        raise UsageError(
            f"{log.path} could be {where}", "choose with --as; for both, import it twice"
        )
    return next(iter(formats))


def _hidden(log: Log) -> UsageError | None:
    """The refusal of a table whose lines have other text before them; None without one."""
    hidden = prefixes.hidden_title(log.lines)
    return UsageError(*hidden.words(log.path, log.at(hidden.line))) if hidden else None


def _have_rows(log: Log, formats: Iterable[str]) -> bool:
    """True if another format than CSV can read a row."""
    readers = PROGRAMS.offering(Reader)
    try:
        return any(t.rows for name in formats if name != CSV for t in readers[name].read(log))
    except (TooLargeError, UsageError):
        return True


def _is_known(log: Log, formats: Mapping[str, int]) -> bool:
    """True if another program's table has the line that CSV takes for a heading, maybe below its
    own, as that of units."""
    others = [name for name in formats if name != CSV]
    if formats[CSV] in [formats[name] for name in others]:
        return True
    readers = PROGRAMS.offering(Reader)
    try:
        tables = [table for name in others for table in readers[name].read(log)]
    except TooLargeError:
        return False
    return any(
        table.line <= formats[CSV] <= max((row.line or 0 for row in table.rows), default=table.line)
        for table in tables
    )


def read(log: Log, name: str) -> list[LogTable]:
    """All tables that have rows."""
    readers = PROGRAMS.offering(Reader)
    if name not in readers:
        raise UsageError(f"{name} cannot be read", f"known are {', '.join(readers)}")
    try:
        tables = readers[name].read(log)
    except TooLargeError as error:
        raise UsageError(
            f"{log.path}: {error}", "split the log, and import each table separately"
        ) from error
    if name != CSV:  # it keeps the numbers of all of them
        note_points_again(log, tables)
    if any(table.rows for table in tables):
        if readers[name].HEADED:
            note_rows_left(log, tables)
        if name not in OF_OTHER_LINES:
            note_damaged_rows(log, tables)
        if name not in BY_HAND:
            note_cut_numbers(log, tables)
    if any(table.rows for table in tables):
        return tables
    if joined := log.unfolded():
        return read(joined, name)
    notes = [note for table in tables for note in table.notes]
    words = [f"{log.path}: no table of {name} with a row that can be read", *notes[:MOST_REASONS]]
    raise UsageError("\n  ".join(words), folded.advice(_raw_lines(log)))


def _raw_lines(log: Log) -> list[str]:
    """The lines of the file, with what launchers put before them."""
    return log.text.split("\n")
