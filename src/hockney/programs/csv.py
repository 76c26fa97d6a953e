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
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from hockney.analysis import Analysis
from hockney.analysis.columns import NOTES_APART, TRAIN_COLUMNS, noted_columns
from hockney.errors import AskedWronglyError
from hockney.estimate.summaries import FROM_BANDWIDTH
from hockney.logs.log import Log
from hockney.logs.table import (
    REPEATED,
    UNRELATED,
    Column,
    RowError,
    Table,
    number,
    whole,
)
from hockney.programs._csv_heading import RATES, ROLES, SIZES, TIMES, Meaning, heading_of
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
    return found[0] if found else None


def _find_heading(log: Log) -> tuple[int, str, dict[int, Meaning]] | None:
    """The line of the heading, its separator, and the meaning of its columns."""
    for line, text in log.numbered():
        if not (_LETTER if log.columns else _WORD).search(text):
            continue
        for separator in SEPARATORS:
            if separator in text:
                heading = heading_of(_split(text, separator), log.columns)
                if heading:
                    return line, separator, heading
        if log.columns and any(separator in text for separator in SEPARATORS):
            break  # the columns were named for the first heading
    return None


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
            f"{', '.join(sorted(SIZES)[:6])} ...; {', '.join(sorted(TIMES - {''}))} with s, ms, us "
            f"or ns; {', '.join(sorted(RATES - {''}))} with MB/s, GB/s, MiB/s, Gbit/s ...",
        )
    return None


def read(log: Log) -> list[Table]:
    found = _find_heading(log)
    if found is None:
        refused = unknown_heading(log)
        if refused:
            raise refused
        return []
    first, separator, heading = found
    grid = Grid(log, heading)
    for line, text in log.numbered(first + 1):
        if text.strip() and not text.lstrip().startswith("#"):
            grid.read(line, _split(text, separator))
    return grid.finished()


def _split(text: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([text], delimiter=separator))
    except csv.Error:
        return []


class Grid:
    """Rows of many curves in any order. What a repeated point is, only the user can know."""

    def __init__(self, log: Log, heading: dict[int, Meaning]) -> None:
        self.log, self.heading = log, heading
        self.tables: dict[tuple[str, int], Table] = {}
        self._times_seen: Counter[tuple[Any, ...]] = Counter()
        self._repeated_in: int | None = None

    def read(self, line: int, cells: list[str]) -> None:
        if len(cells) <= max(self.heading):
            self._refuse(line, f"{len(cells)} columns of {max(self.heading) + 1}")
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
                        table.add(line, size, column, text, **more)
        except RowError as error:
            self._refuse(line, str(error))

    def _size(self, text: str) -> int:
        scaled = next(
            (w for w in self.heading.values() if isinstance(w, str) and w.startswith("bytes:")),
            ":1",
        )
        return whole(text) * int(scaled.partition(":")[2])

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

    def _refuse(self, line: int, words: str) -> None:
        table = next(iter(self.tables.values()), None)
        table = table or self.tables.setdefault(("", 0), Table("", "CSV", line))
        if line >= self.log.last:
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
