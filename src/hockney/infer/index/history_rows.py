"""Rows of the index that a history keeps of each file."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated

import msgspec

from hockney import records
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.history.run_facts import RunFacts, Times
from hockney.infer.index.database import Index, ResultKind, Rows
from hockney.plan.bounds import LARGEST_S


class Known(msgspec.Struct, frozen=True):
    """The facts of one file."""

    cut: str | None
    """What is missing in the file (Run.cut); None if it is complete."""
    facts: RunFacts | None


Time = Annotated[float, msgspec.Meta(gt=0.0, le=LARGEST_S)]
"""Seconds; a time of 0 would have no bandwidth."""


class _Row(msgspec.Struct, frozen=True, array_like=True):
    """A row of `runs`; all but `cut` are null if the file holds no point or no date."""

    cut: str | None
    run: str | None
    started: datetime | None
    label: str | None
    system: str | None
    short_system: str | None
    handover_s: Time | None
    facts: str | None
    curve_names: str | None
    kind: str | None


class _Point(msgspec.Struct, frozen=True, array_like=True):
    """A row of `points`."""

    curve: str
    bytes: Annotated[int, msgspec.Meta(ge=0)]
    time_s: Time
    low_s: Time | None
    high_s: Time | None


_NAMES_AND_VALUES = msgspec.json.Decoder(dict[str, str])


def facts_from(index: Index, path: Path) -> Known:
    """Facts of a file under the name used here, as its entry may have another name of the same
    file."""
    known = index.of(path, FACTS)
    if known.facts is None:
        return known
    return Known(known.cut, replace(known.facts, file=str(path)))


def _worked_out(path: Path) -> Known:
    run = records.read(path)
    return Known(run.cut, Analysis(run).facts)


def _rows(database: sqlite3.Connection, file: int) -> Rows:
    """Rows of the run and of its points."""
    run = f"SELECT {', '.join(_Row.__struct_fields__)} FROM runs WHERE file_id = ?"
    points = (
        f"SELECT {', '.join(_Point.__struct_fields__)} FROM points WHERE file_id = ?"
        " ORDER BY curve, bytes"
    )
    return [row for query in (run, points) for row in database.execute(query, (file,)).fetchall()]


def _read(rows: Rows) -> Known:
    row = msgspec.convert(rows[0], _Row)
    if row.run is None or row.started is None or row.system is None:
        return Known(row.cut, None)
    curves: dict[str, Times] = {}
    for point in msgspec.convert(rows[1:], list[_Point]):
        times = curves.setdefault(point.curve, {})
        times[point.bytes] = point.time_s, point.low_s, point.high_s
    facts = RunFacts(
        row.run,
        row.started,
        row.label or "",
        "",
        row.system,
        row.short_system or row.system,
        curves,
        _NAMES_AND_VALUES.decode(row.facts or "{}"),
        row.cut,
        row.handover_s,
        _NAMES_AND_VALUES.decode(row.curve_names or "{}"),
        row.kind or "",
    )
    return Known(row.cut, facts)


def _write(database: sqlite3.Connection, file: int, known: Known) -> None:
    facts = known.facts
    row: tuple[object, ...] = (None,) * 9
    if facts:
        row = (
            facts.id,
            facts.started.isoformat(),
            facts.label,
            facts.system,
            facts.short_system,
            facts.handover_s,
            msgspec.json.encode(facts.facts).decode(),
            msgspec.json.encode(facts.curve_names).decode(),
            facts.kind,
        )
    database.execute(
        "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (file, known.cut, *row),
    )
    database.execute("DELETE FROM points WHERE file_id = ?", (file,))
    if facts:
        database.executemany(
            "INSERT INTO points VALUES (?, ?, ?, ?, ?, ?)",
            [
                (file, curve, size, *time)
                for curve, times in facts.curves.items()
                for size, time in times.items()
            ],
        )


FACTS = ResultKind("history", _worked_out, _rows, _read, _write)
