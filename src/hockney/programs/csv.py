"""Comma-separated values: tables that users made, and points that hockney exported.

The names in the first row give the columns: a size, a time with its unit, and optionally operation,
algorithm and number of processes.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import msgspec

from hockney.analysis import Analysis
from hockney.analysis.columns import TRAIN_COLUMNS, point_columns
from hockney.logs.log import Log
from hockney.logs.table import Column, RowError, Table, number, whole
from hockney.spec.axes import AXES, Train

HEADED = True

UNITS = {"s": Decimal(1), "ms": Decimal("1e-3"), "us": Decimal("1e-6"), "ns": Decimal("1e-9")}
NAMES = {
    "bytes": ("bytes", "size", "size(bytes)", "message size", "msgsize", "message_size"),
    "ranks": ("ranks", "processes", "processors", "nprocs", "np"),
    "algorithm": ("algorithm", "alg"),
    "operation": ("operation", "collective"),
    **{name: (name,) for name in AXES if name not in ("bytes", "ranks", "algorithm", "operation")},
    **{name: (name.lower(),) for name in TRAIN_COLUMNS},
}
_TIME = re.compile(
    r"(?:(?P<what>avg|average|mean|median|min|max|std|p\d\d?)[ _]?)?(?:latency|time)?[ _]?"
    r"(?:\((?P<unit>s|ms|us|ns)\)|_(?P<ending>s|ms|us|ns)|\[(?P<box>s|ms|us|ns)\])"
)
MEANS = (None, "avg", "average")
DEFINITION = "as the column is called"
LONGEST_NAME = 200


def _heading(cells: list[str]) -> dict[int, str | Column] | None:
    """The meaning of each column, by its index; None without a size or a time."""
    found: dict[int, str | Column] = {}
    for index, cell in enumerate(cells):
        name = cell.strip().lower()
        known = next((key for key, names in NAMES.items() if name in names), None)
        time = _TIME.fullmatch(name)
        if known:
            found[index] = known
        elif time and not name.startswith(("typical", "low", "high")):
            statistic = "mean" if time["what"] in MEANS else time["what"]
            unit = time["unit"] or time["ending"] or time["box"]
            found[index] = Column(statistic, f"{DEFINITION}: {cell.strip()}", factor=UNITS[unit])
    has_time = any(isinstance(column, Column) for column in found.values())
    return found if has_time and "bytes" in found.values() else None


def recognise(log: Log) -> int | None:
    return next((n for n, text in log.numbered() if "," in text and _heading(_split(text))), None)


def read(log: Log) -> list[Table]:
    first = recognise(log)
    if first is None:
        return []
    heading = _heading(_split(log.lines[first - 1])) or {}
    grid = Grid(log, heading)
    for line, text in log.numbered(first + 1):
        if text.strip():
            grid.read(line, _split(text))
    return list(grid.tables.values())


def _split(text: str) -> list[str]:
    try:
        return next(csv.reader([text]))
    except csv.Error:
        return []


class Grid:
    """Rows of many curves in any order. A repeated point belongs to another launch."""

    def __init__(self, log: Log, heading: dict[int, str | Column]) -> None:
        self.log, self.heading = log, heading
        self.tables: dict[tuple[str, int], Table] = {}
        self._times_seen: Counter[tuple[Any, ...]] = Counter()

    def read(self, line: int, cells: list[str]) -> None:
        if len(cells) <= max(self.heading):
            self._refuse(line, f"{len(cells)} columns of {max(self.heading) + 1}")
            return
        named = self.heading.items()
        texts = {what: cells[i].strip() for i, what in named if isinstance(what, str)}
        try:
            size, more = whole(texts["bytes"]), _known(texts)
            table = self._table(line, texts, size, more)
            for index, column in named:
                if isinstance(column, Column) and cells[index].strip():
                    table.add(line, size, column, cells[index].strip(), **more)
        except RowError as error:
            self._refuse(line, str(error))

    def _table(self, line: int, texts: dict[str, str], size: int, more: dict[str, Any]) -> Table:
        operation = texts.get("operation", "")[:LONGEST_NAME] or self.log.operation
        key = (operation, size, *map(str, more.items()))
        launch = self._times_seen[key]
        self._times_seen[key] += 1
        new = Table(operation, "CSV", line)
        return self.tables.setdefault((operation, launch), new)

    def _refuse(self, line: int, words: str) -> None:
        table = next(iter(self.tables.values()), None)
        table = table or self.tables.setdefault(("", 0), Table("", "CSV", line))
        if line >= self.log.last:
            table.cut_in(line)
        else:
            table.note(f"{self.log.at(line)}: {words}; the row is ignored")


def _known(texts: dict[str, str]) -> dict[str, Any]:
    readers: dict[str, Callable[[str], Any]] = {
        **dict.fromkeys(("ranks", "segment_bytes", "window", "pairs"), whole),
        **dict.fromkeys(("algorithm", "mode", "buffers"), lambda text: text[:LONGEST_NAME]),
        "peers": lambda text: tuple(whole(part) for part in text.split()),
        "overlap": lambda text: text == "True",
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
    return text_of(point_columns(analysis.estimates.headline))


def text_of(columns: dict[str, list[Any]]) -> bytes:
    """The columns as CSV; unknown values are empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue().encode()
