"""Comma-separated values: tables that users made, and points that hockney exported.

The names in the first row give the columns (_csv_heading.py): a size, a time or a bandwidth with
its unit, and optionally operation, algorithm, number of processes and others. Semicolons and tabs
separate as well.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from hockney.analysis import Analysis
from hockney.analysis.columns import NOTES_APART, TRAIN_COLUMNS, noted_columns
from hockney.errors import AskedWronglyError
from hockney.estimate.summaries import FROM_BANDWIDTH
from hockney.logs.log import Log
from hockney.logs.table import (
    MOST_NOTES,
    REPEATED,
    UNRELATED,
    Column,
    RowError,
    Table,
    number,
    whole,
)
from hockney.programs._csv_cells import decimal_mark, plain, size_factor, size_of, unit_of
from hockney.programs._csv_heading import (
    RATES,
    ROLES,
    SIZES,
    TIMES,
    Meaning,
    factor_of,
    heading_of,
    is_size,
    meaning_of,
    role_of,
)
from hockney.programs._csv_heading import parse_columns as parse_columns
from hockney.spec.trains import Train

HEADED = True

SEPARATORS = (",", ";", "\t")
LONGEST_NAME = 200
_WORD, _LETTER = re.compile(r"[A-Za-z]{2}"), re.compile(r"[A-Za-z]")
"""Rows of numbers have no words: they are no headings. Columns that the user named may have one
letter."""


def recognise(log: Log) -> int | None:
    found = _find_heading(log)
    return found.line if found else None


@dataclass
class Heading:
    line: int
    separator: str
    cells: list[str]
    columns: dict[int, Meaning]
    """What the columns mean; empty where the heading names a size, but no number with its unit."""


def _find_heading(log: Log, first: int = 1) -> Heading | None:
    """The first heading whose columns are known, from a line on."""
    for line, text in log.numbered(first):
        if not (_LETTER if log.columns else _WORD).search(text):
            continue
        for separator in SEPARATORS:
            if separator in text:
                cells = _split(text, separator)
                columns = heading_of(cells, log.columns)
                if columns is None:
                    columns = heading_of(_with_units_below(log, line, cells, separator))
                if columns:
                    return Heading(line, separator, cells, columns)
        if log.columns and any(separator in text for separator in SEPARATORS):
            break  # the columns were named for the first heading
    return None


def _with_units_below(log: Log, line: int, cells: list[str], separator: str) -> list[str]:
    """The names with the units that stand beside the numbers of the next line."""
    if not any(is_size(cell) for cell in cells) or line >= len(log.lines):
        return []
    below = map(unit_of, _split(log.lines[line], separator))
    return [
        f"{cell} ({unit})" if unit and meaning_of(cell) is None else cell
        for cell, unit in zip(cells, below, strict=False)
    ]


def _later_heading(log: Log, line: int, cells: list[str], first: Heading) -> Heading | None:
    """The heading of another table below the first, if this line is one."""
    # Digits first: a table has one heading, and thousands of rows.
    if any(cell[:1].isdigit() for cell in cells) or not any(map(is_size, cells)):
        return None
    if cells == first.cells:
        return first
    columns = heading_of(cells) or heading_of(_with_units_below(log, line, cells, first.separator))
    return Heading(line, first.separator, cells, columns or {})


def unknown_heading(log: Log) -> AskedWronglyError | None:
    """The refusal of a table whose heading names no size, or no time or bandwidth with a unit; None
    where the log begins with no heading at all."""
    for line, text in log.numbered():
        if not text.strip():
            continue
        separator = max(SEPARATORS, key=text.count)
        cells = [cell.strip() for cell in _split(text, separator)]
        if len(cells) < 2 or not _WORD.search(text):
            return None
        return AskedWronglyError(
            f"{log.at(line)}: the heading {', '.join(cells)[:LONGEST_NAME]} names no size, or no "
            "time or bandwidth with its unit",
            "name the columns: --columns bytes=NAME,time=NAME:us (or bandwidth=NAME:MB/s, "
            f"{', '.join(role for role in ROLES[3:7])}); known are "
            f"{', '.join(sorted(SIZES)[:6])} ... in B, KiB or MiB; "
            f"{', '.join(sorted(TIMES - {''}))} with s, ms, us or ns; "
            f"{', '.join(sorted(RATES - {''}))} with MB/s, GB/s, MiB/s, Gbit/s ...",
        )
    return None


def read(log: Log) -> list[Table]:
    heading = _find_heading(log)
    if heading is None:
        refused = unknown_heading(log)
        if refused:
            raise refused
        return []
    tables: list[Table] = []
    notes = _passed_over(log, heading)
    rows: list[tuple[int, list[str]]] = []
    parts = [(heading, rows)]
    for line, text in log.numbered(heading.line + 1):
        if not text.strip():
            continue
        cells = _split(text, heading.separator)
        later = _later_heading(log, line, cells, parts[-1][0])
        if later is not None and later is not parts[-1][0]:
            rows = []
            parts.append((later, rows))
        elif later is None and not text.lstrip().startswith("#"):
            rows.append((line, cells))
    for place, (part, below) in enumerate(parts, 1):
        if not part.columns:
            notes.append(_left_out(log, part.line, part.cells))
            continue
        found = _grid(log, part, below)
        for table in found if place > 1 else []:
            # No heading says whether it is of the same thing as the table above.
            table.options["table"] = place
            table.note(f"{log.at(part.line)}: another heading: a table of its own")
        tables += found
    for note in notes[: MOST_NOTES if tables else 0]:
        tables[0].note(note)
    return tables


def _passed_over(log: Log, heading: Heading) -> list[str]:
    """Of tables above the first known heading, whose own is not known."""
    found = []
    for line, text in log.numbered():
        if line >= heading.line:
            break
        cells = _split(text, heading.separator) if heading.separator in text else []
        if not any(cell[:1].isdigit() for cell in cells) and any(map(is_size, cells)):
            found.append(_left_out(log, line, cells))
    return found


def _left_out(log: Log, line: int, cells: list[str]) -> str:
    return (
        f"{log.at(line)}: the heading {', '.join(cells)[:LONGEST_NAME]} names no time or bandwidth "
        "with its unit: the rows below it are left out"
    )


def _grid(log: Log, heading: Heading, rows: Sequence[tuple[int, list[str]]]) -> list[Table]:
    _check_alone(log, heading)
    grid = Grid(log, heading.columns, _mark(heading.columns, rows))
    for line, cells in rows:
        grid.read(line, cells)
    return grid.finished()


def _check_alone(log: Log, heading: Heading) -> None:
    """Raises AskedWronglyError where two columns are of the same, and nothing says which counts."""
    seen: dict[tuple[str, ...], str] = {}
    for index, meaning in heading.columns.items():
        role, name = role_of(meaning), heading.cells[index].strip()
        key = (role,) if isinstance(meaning, str) else (role, meaning.statistic)
        if key in seen:
            raise AskedWronglyError(
                f"{log.at(heading.line)}: {seen[key]!r} and {name!r} are both the {key[-1]}",
                f"name one of them: --columns {role}={name} (or {role}=NAME:UNIT)",
            )
        seen[key] = name


def _mark(columns: dict[int, Meaning], rows: Sequence[tuple[int, list[str]]]) -> str | None:
    """The decimal mark of a table, for which all its cells with a comma are looked at."""
    sizes, values = list[str](), list[str]()
    for index, meaning in columns.items():
        kind = values if isinstance(meaning, Column) else sizes
        if isinstance(meaning, Column) or role_of(meaning) == "bytes":
            column = [cells[index] for _, cells in rows if index < len(cells)]
            kind += [cell for cell in column if "," in cell]
    return decimal_mark(sizes, values) if sizes or values else None


def _split(text: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([text], delimiter=separator))
    except csv.Error:
        return []


class Grid:
    """Rows of many curves in any order. What a repeated point is, only the user can know."""

    def __init__(self, log: Log, heading: dict[int, Meaning], mark: str | None) -> None:
        self.log, self.heading, self.mark = log, heading, mark
        self.tables: dict[tuple[str, int], Table] = {}
        self._times_seen: Counter[tuple[Any, ...]] = Counter()
        self._repeated_in: int | None = None

    def read(self, line: int, cells: list[str]) -> None:
        if len(cells) <= max(self.heading):
            self._refuse(line, f"{len(cells)} columns of {max(self.heading) + 1}", is_short=True)
            return
        named = self.heading.items()
        texts = {
            what.partition(":")[0]: cells[i].strip() for i, what in named if isinstance(what, str)
        }
        try:
            size, more = self._size(texts["bytes"]), _known(texts)
            table = self._table(line, texts, size, more)
            for note in filter(None, texts.get("notes", "").split(NOTES_APART)):
                table.note(note)
            for index, column in named:
                if isinstance(column, Column) and _is_own(column, texts):
                    text = cells[index].strip()
                    if text:
                        self._add(table, line, size, column, text, more)
            if not table.rows or table.rows[-1].line != line:
                table.note(f"{self.log.at(line)}: a row without a number")
        except RowError as error:
            self._refuse(line, str(error))

    def _add(
        self,
        table: Table,
        line: int,
        size: int,
        column: Column,
        text: str,
        more: dict[str, Any],
    ) -> None:
        number, unit = plain(text, self.mark)
        if unit is not None and any(char.isdigit() for char in number):
            factor = factor_of(unit, column.field)
            if factor != column.factor:
                table.note(f"{self.log.at(line)}: {text!r} is read in the unit beside it")
            column = replace(column, factor=factor)
        else:
            number = number if unit is None else text
        table.add(line, size, column, number, **more)

    def _size(self, text: str) -> int:
        scaled = next(
            (w for w in self.heading.values() if isinstance(w, str) and w.startswith("bytes:")),
            ":1",
        )
        number, unit = plain(text, self.mark)
        factor = int(scaled.partition(":")[2]) if unit is None else size_factor(unit)
        return size_of(number, factor)

    def _table(self, line: int, texts: dict[str, str], size: int, more: dict[str, Any]) -> Table:
        operation = texts.get("operation", "")[:LONGEST_NAME] or self.log.operation
        axes = (f"{name}={value}" for name, value in more.items() if name != "repetitions")
        key = (operation, size, *axes)
        launch = self._times_seen[key]
        self._times_seen[key] += 1
        if launch and self._repeated_in is None:
            self._repeated_in = line
        new = Table(operation, "CSV", line)
        return self.tables.setdefault((operation, launch), new)

    def finished(self) -> list[Table]:
        """The tables, with what their repeated rows are."""
        tables = list(self.tables.values())
        if self._repeated_in is None:
            return tables
        for table in tables:
            if self.log.repeated != "launches":
                table.options[REPEATED] = self.log.repeated or UNRELATED
        if self.log.repeated is None:
            tables[0].note(
                f"{self.log.at(self._repeated_in)}: the same point again: without --repeated "
                "launches or --repeated samples nobody knows how they relate, and there are no "
                "intervals"
            )
        return tables

    def _refuse(self, line: int, words: str, is_short: bool = False) -> None:
        table = next(iter(self.tables.values()), None)
        table = table or self.tables.setdefault(("", 0), Table("", "CSV", line))
        if line >= self.log.last and (is_short or not self.log.whole):
            table.cut_in(line)
        else:
            table.note(f"{self.log.at(line)}: {words}; the row is ignored")


WORDS = (
    "algorithm",
    "phase",
    "mode",
    "exchange",
    "form",
    "packing",
    "neighbors",
    "buffers",
    "arrival",
)
"""Axes whose values are words."""
LOADS = ("load_bytes", "load_window")


def _is_own(column: Column, texts: dict[str, str]) -> bool:
    """In a table that hockney wrote, the bandwidth follows from the time, but where there is
    none."""
    return column.definition != FROM_BANDWIDTH or texts.get("statistic") == FROM_BANDWIDTH


def _known(texts: dict[str, str]) -> dict[str, Any]:
    readers: dict[str, Callable[[str], Any]] = {
        **dict.fromkeys(
            (
                *("ranks", "segment_bytes", "radix", "requests", "window", "pairs", "groups"),
                *("repetitions", *LOADS),
            ),
            whole,
        ),
        **dict.fromkeys((*WORDS, "aggressor"), lambda text: text[:LONGEST_NAME]),
        **dict.fromkeys(("peers", "grid"), lambda text: tuple(whole(n) for n in text.split())),
        **dict.fromkeys(("overlap", "periodic", "reordered"), lambda text: text == "True"),
        **dict.fromkeys(("skew_s", "skew_times", "burst_s", "gap_s"), number),
    }
    known = {name: take(texts[name]) for name, take in readers.items() if texts.get(name)}
    train = {name: texts[name] for name in TRAIN_COLUMNS if texts.get(name)}
    return {**known, "train": _train(train)} if train else known


def _train(texts: dict[str, str]) -> Train:
    numbers = {name.removeprefix("train_"): number(text) for name, text in texts.items()}
    if not numbers.get("messages"):
        raise RowError("a train without its number of messages")
    plain = {name: float(value or 0) for name, value in numbers.items()}
    return msgspec.convert(plain, Train, strict=False)


def write(analysis: Analysis) -> bytes:
    """One row per point."""
    return text_of([noted_columns(analysis)])


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
