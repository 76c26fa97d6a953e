"""The rows of a table in CSV as tables of one operation and launch each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from hockney.base.units import how_many
from hockney.foreign.logs.column_names import LONGEST_NAME
from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import Column, LogTable, RowError, number, whole
from hockney.foreign.programs._csv_cells import plain, size_factor, size_of
from hockney.foreign.programs._csv_heading import HalvedColumn, Meaning, factor_of
from hockney.foreign.programs._csv_records import Record
from hockney.infer.analysis.columns import NOTES_APART, TRAIN_COLUMNS
from hockney.infer.estimate.summaries import FROM_BANDWIDTH
from hockney.plan.trains import Train
from hockney.records.run import REPEATED, UNRELATED


class Grid:
    """Rows of many curves in any order. Only the user can know what a repeated point is."""

    def __init__(
        self,
        log: Log,
        heading: dict[int, Meaning],
        mark: str | None,
        rows: Sequence[Record],
        width: int | None,
    ) -> None:
        """width: the number of columns, where a decimal comma would make another."""
        self.log, self.heading, self.mark, self.width = log, heading, mark, width
        wide = sum(_has_number(row.cells[width:]) for row in rows if width is not None)
        self.is_even = 2 * wide < len(rows)
        """True if most rows have no number in a column without a name."""
        self.tables: dict[tuple[str, int], LogTable] = {}
        self._notes_in = self._unread = LogTable("", "CSV", 1)
        """Hold the notes of rows that cannot be read: the first table with a row, and before it
        a table without."""
        self.repeated_in: int | None = None
        """The line of the first repeated point."""
        self._times_seen: Counter[tuple[Any, ...]] = Counter()
        self._decimals = set[int]()
        """Numbers of decimals in the last cells of rows."""
        for row in rows:
            self._read(row)

    def _read(self, row: Record) -> None:
        line, cells = row.line, row.cells
        if row.problem is not None:
            self._refuse(line, row.problem)
            return
        is_open = line >= self.log.last and not self.log.whole
        if is_open and cells[-1].rstrip().endswith((".", ",")):
            self._notes_in.cut_in(line)  # in the middle of a number
            return
        may_be_cut = is_open and self._is_shorter(cells[-1])
        self._decimals.add(_decimals(cells[-1]))
        if len(cells) <= max(self.heading):
            self._refuse(
                line, f"{how_many(len(cells), 'column')} of {max(self.heading) + 1}", is_short=True
            )
            return
        named = self.heading.items()
        if self.width is not None and self._is_torn(cells, self.width):
            words = (
                "a number beside another may be its decimals: separate columns by semicolons, or "
                "name each in the heading"
            )
            self._refuse(line, f"{len(cells)} columns of {self.width}: {words}")
            return
        texts = {
            what.partition(":")[0]: cells[i].strip() for i, what in named if isinstance(what, str)
        }
        try:
            size, more = self._size(texts.get("bytes")), _known(texts)
        except RowError as error:
            self._refuse(line, str(error))
            return
        key = self._key(texts, size, more)
        table = self._table(line, key)
        problems = []
        for index, column in named:
            if isinstance(column, Column) and _is_own(column, texts) and cells[index].strip():
                try:
                    self._add(table, line, size, column, cells[index].strip(), more)
                except RowError as error:
                    problems.append(str(error))
        if not table.rows or table.rows[-1].line != line:
            self._refuse(line, *problems or ["a row without a number"])
            return
        if self._notes_in is self._unread:
            self._notes_in = table
        self._count(line, key)
        if may_be_cut:
            table.note(
                f"{self.log.at(line)}: {cells[-1].strip()!r} has fewer decimals than those above "
                "it and ends the file without a newline: it may be cut"
            )
        for note in [*filter(None, texts.get("notes", "").split(NOTES_APART))]:
            table.note(note)
        for problem in problems:
            table.dropped.append(line)
            table.note(f"{self.log.at(line)}: {problem}; the number is ignored")

    def _is_torn(self, cells: list[str], width: int) -> bool:
        """True if a number in a column without a name may be a part of the one beside it, or of
        another row."""
        is_even = self.is_even or self._has_decimals_apart(cells)
        return is_even and _has_number(cells[width:])

    def _has_decimals_apart(self, cells: list[str]) -> bool:
        """True if the cell beside a whole number of a column begins with a digit."""
        columns = (i for i, what in self.heading.items() if isinstance(what, Column))
        beside = ((cells[i], cells[i + 1]) for i in columns if i + 1 < len(cells))
        return any("." not in number and more[:1].isdigit() for number, more in beside)

    def _is_shorter(self, cell: str) -> bool:
        """True if a cell lacks decimals that all above it have: people leave out one of one."""
        usual = max(self._decimals, default=0)
        lacks = _decimals(cell) < usual and len(self._decimals) == 1
        return lacks and usual > 1 and len(self._times_seen) > 1

    def _add(
        self,
        table: LogTable,
        line: int,
        size: int,
        column: Column,
        text: str,
        more: dict[str, Any],
    ) -> None:
        number, unit = plain(text, self.mark)
        if unit is not None and any(char.isdigit() for char in number):
            factor = factor_of(unit, column.field) / (2 if isinstance(column, HalvedColumn) else 1)
            if factor != column.factor:
                table.note(f"{self.log.at(line)}: {text!r} is read in the unit beside it")
            column = replace(column, factor=factor)
        else:
            number = number if unit is None else text
        table.add(line, size, column, number, **more)

    def _size(self, text: str | None) -> int:
        if text is None:  # the user has given the one size of all
            assert self.log.bytes is not None
            return self.log.bytes
        scaled = next(
            (w for w in self.heading.values() if isinstance(w, str) and w.startswith("bytes:")),
            ":1",
        )
        number, unit = plain(text, self.mark, is_whole=True)
        factor = int(scaled.partition(":")[2]) if unit is None else size_factor(unit)
        return size_of(number, factor)

    def _key(self, texts: dict[str, str], size: int, more: dict[str, Any]) -> tuple[str, ...]:
        """The operation and what else identifies a point."""
        operation = texts.get("operation", "")[:LONGEST_NAME] or self.log.operation
        axes = (f"{name}={value}" for name, value in more.items() if name != "repetitions")
        return operation, str(size), *axes

    def _table(self, line: int, key: tuple[str, ...]) -> LogTable:
        """The table of a point, which has each point once."""
        new = LogTable(key[0], "CSV", line, of_samples=self.log.repeated == "samples")
        return self.tables.setdefault((key[0], self._times_seen[key]), new)

    def _count(self, line: int, key: tuple[str, ...]) -> None:
        if self._times_seen[key] and self.repeated_in is None:
            self.repeated_in = line
        self._times_seen[key] += 1

    def finished(self) -> list[LogTable]:
        """The tables, with notes of what their repeated rows are."""
        tables = [table for table in self.tables.values() if table.rows] or [self._unread]
        tables[0].notes[:0] = [] if tables[0] is self._unread else self._unread.notes
        tables[0].dropped += [] if tables[0] is self._unread else self._unread.dropped
        if self.repeated_in is None:
            return tables
        for table in tables:
            if self.log.repeated != "launches":
                table.options[REPEATED] = self.log.repeated or UNRELATED
        if self.log.repeated is None:
            tables[0].note(
                f"{self.log.at(self.repeated_in)}: the same point again: without --repeated "
                "launches or --repeated samples their relation is unknown, and there are no "
                "intervals"
            )
        return tables

    def _refuse(self, line: int, words: str, *others: str, is_short: bool = False) -> None:
        table = self._notes_in
        if line >= self.log.last and (is_short or not self.log.whole):
            table.cut_in(line)
        else:
            table.drop(self.log, line, "; ".join([words, *others]))


def _has_number(cells: Sequence[str]) -> bool:
    return any(cell.strip()[:1].isdigit() for cell in cells)


def _decimals(cell: str) -> int:
    return len(re.split(r"[.,]", cell.strip())[-1]) if re.search(r"\d[.,]\d", cell) else 0


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
    """Whether a column counts: in a table that hockney wrote, the bandwidth follows from the time,
    except where there is none."""
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
