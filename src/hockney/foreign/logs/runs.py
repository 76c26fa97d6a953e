"""Turns tables into runs: one for each experiment. Tables of the same points are launches."""

from __future__ import annotations

import itertools
import json
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec

from hockney import __version__, records
from hockney.base.errors import UsageError
from hockney.base.outputs import write_output
from hockney.base.units import how_many, number_ranges
from hockney.foreign.logs.settings_above import Logged, tell_apart
from hockney.foreign.logs.table import LogTable
from hockney.infer.estimate.summaries import CENTRES, RATES
from hockney.plan.axes import AXES, Axes, Point, point_of
from hockney.plan.bounds import LARGEST_NS
from hockney.plan.words import NONBLOCKING, STANDARD
from hockney.plan.workloads.collective import NONBLOCKING as NONBLOCKING_COLLECTIVES
from hockney.records import (
    SCHEMA,
    End,
    LaunchRecord,
    Run,
    RunRecord,
    Samples,
    Source,
)
from hockney.records.reading import LONGEST_FILE
from hockney.records.run import REPEATED

RECORDS_AT_ONCE = 10_000
"""Records written in one block: the largest log has 100 times as many."""
MOST_NOTES = 100
"""Most notes about a run; damaged logs have some for each of 100,000 lines."""
MOST_RANGES = 50
"""Most places in the note that counts ignored rows."""
_SAMPLED = tuple(name for name in AXES if name != "buffers")
_sampled = attrgetter(*_SAMPLED)


def runs_of(logged: Sequence[Logged], format: str, label: str | None = None) -> list[Run]:
    """A run for each operation and its options, in the order of the log. A table with a point of an
    earlier table is another launch, unless something shows another setting (`settings`)."""
    tell_apart(logged)
    experiments: dict[tuple[str, str], list[Logged]] = {}
    for log, table in logged:
        options = json.dumps(table.options, sort_keys=True)
        name = table.experiment or table.operation
        experiments.setdefault((name, options), []).append((log, table))
    read, others = list[list[Logged]](), list[Logged]()
    for group in experiments.values():
        if any(table.rows for _, table in group):
            read.append(group)
        else:
            others += group  # their warnings have no run of their own
    for group in read[:1]:
        group += others
    runs = [_run(group, format, label) for group in read]
    return [run for run in runs if run.summaries or run.samples]


def _run(logged: Sequence[Logged], format: str, label: str | None) -> Run:
    tables = [table for _, table in logged if table.rows] or [logged[0][1]]
    first = tables[0]
    source = Source(
        file=", ".join(dict.fromkeys(log.path.name for log, _ in logged)),
        format=format,
        program=first.program,
        version=first.version,
        notes=[*_unlike_definitions(logged), *_notes(logged)],
    )
    header = RunRecord(
        schema=SCHEMA,
        hockney=__version__,
        id=str(uuid.uuid4()),
        experiment=first.experiment or first.operation,
        options=first.options,
        label=label,
        source=source,
    )
    run = Run(header)
    earlier: Counter[tuple[Point, str]] = Counter()
    if first.options.get(REPEATED) == "samples":
        _add_samples(run, tables)
    else:
        for table in tables:
            _add_table(run, table, earlier)
    return run


def _unlike_definitions(logged: Sequence[Logged]) -> list[str]:
    """A note where the launches of a run are of times that are defined otherwise, as those of other
    versions of a program may be."""
    definitions: dict[str, str] = {}
    for log, table in logged:
        if definition := _definition(table):
            version = f" ({table.program} {table.version})" if table.version else ""
            definitions.setdefault(definition, f"{log.at(table.line)}{version}")
    if len(definitions) < 2:
        return []
    (first, where), (other, there), *_ = definitions.items()
    return [f"unlike definitions of its launches: {where}: {first}; {there}: {other}"]


def _notes(logged: Sequence[Logged]) -> list[str]:
    ends = [f"{log.path}: {table.cut}" for log, table in logged if table.cut and not table.rows]
    notes = list(dict.fromkeys([note for _, table in logged for note in table.notes] + ends))
    dropped: dict[Path, set[int]] = {}
    for log, table in logged:
        dropped.setdefault(log.path, set()).update(table.dropped)
    counted = [_count(path, lines, notes) for path, lines in dropped.items()]
    notes = [*filter(None, counted), *notes]
    more = len(notes) - MOST_NOTES
    return notes if more <= 0 else [*notes[:MOST_NOTES], f"and {more} more warnings about this log"]


def _count(path: Path, lines: set[int], notes: Sequence[str]) -> str | None:
    """The number of rows that were ignored, and where; None if each has a note of its own."""
    # The notes that are shown beside this one.
    named = {note.partition(": ")[0] for note in notes[: MOST_NOTES - 1]}
    if all(f"{path}, line {line}" in named for line in lines):
        return None
    parts = number_ranges(sorted(lines))
    more = len(parts) - MOST_RANGES
    end = f" and {more} more places up to line {max(lines)}" if more > 0 else ""
    are, where = ("is", "line") if len(lines) == 1 else ("are", "lines")
    rows = f"{how_many(len(lines), 'row')} {are} ignored"
    return f"{path}: {rows}: {where} {', '.join(parts[:MOST_RANGES])}{end}"


def _add_table(run: Run, table: LogTable, earlier: Counter[tuple[Point, str]]) -> None:
    points = {(point_of(row), row.statistic) for row in table.rows}
    launch = max((earlier[point] for point in points), default=0)
    earlier.update(points)
    if launch >= len(run.launches):
        launch = len(run.launches)
        run.add(LaunchRecord(launch=launch, definition=_definition(table), places=table.places))
    for row in table.rows:
        run.add(msgspec.structs.replace(row, launch=launch, **_usual(row)))
    reason = "interrupted" if table.cut else "imported"
    run.add(End(launch=launch, reason=reason, message=table.cut))


def _add_samples(run: Run, tables: Sequence[LogTable]) -> None:
    """Adds one launch, in which every table is a round. Raises UsageError unless there is one time
    a row."""
    definition = _definition(tables[0])
    run.add(LaunchRecord(launch=0, definition=definition, places=tables[0].places))
    rows = [(number, row) for number, table in enumerate(tables) for row in table.rows]
    too_long: list[int | None] = []
    for number, row in rows:
        if row.value_s is None or row.statistic != rows[0][1].statistic:
            raise UsageError(
                "--repeated samples needs one column of times, and nothing else",
                "name it with --columns time=NAME:UNIT",
            )
        ns = float(Decimal(repr(row.value_s)).scaleb(9))
        if ns > LARGEST_NS:
            too_long.append(row.line)
            continue
        axes = dict(zip(_SAMPLED, _sampled(row), strict=True)) | _usual(row)
        run.add(Samples(launch=0, round=number, repetitions=row.repetitions or 1, ns=[ns], **axes))
    if too_long and run.header.source is not None:
        run.header.source.notes.append(_ignored(too_long))
    cut = next((table.cut for table in tables if table.cut), None)
    run.add(End(launch=0, reason="interrupted" if cut else "imported", message=cut))


def _usual(row: Axes) -> dict[str, Any]:
    """Axes that a log leaves out because its operation allows only one value."""
    axes: dict[str, Any] = {}
    if row.mode is None and row.operation == "pingpong":
        axes["mode"] = STANDARD
    if row.form is None and row.operation in NONBLOCKING_COLLECTIVES:
        axes["form"] = NONBLOCKING
    if row.pairs is None and row.is_one_pair and row.known_ranks > 2:
        axes["pairs"] = row.known_ranks // 2
    return axes


def _ignored(lines: Sequence[int | None]) -> str:
    """The note about times that no sample can have."""
    which = f"line {lines[0]}" if len(lines) == 1 else f"{len(lines)} lines, the first {lines[0]}"
    return f"{which}: a time of more than 30 years is out of range; ignored"


def _definition(table: LogTable) -> str | None:
    """The definition of the statistic used for each point."""
    named = {row.statistic: row.definition for row in table.rows}
    best = next((name for name in (*CENTRES, *RATES, *named) if name in named), None)
    return f"{best}: {named[best]}" if best else None


def store(run: Run, path: Path, force: bool) -> None:
    """Writes the run as a result file. Raises UsageError where it would be too large."""
    write_output(path, _blocks(run), force)
    run.path = path


def _blocks(run: Run) -> Iterator[bytes]:
    """The lines of the file, in blocks. Raises UsageError where they are more than one may have."""
    parts, size = run.records(), 0
    while some := list(itertools.islice(parts, RECORDS_AT_ONCE)):
        block = b"".join(map(records.encode, some))
        size += len(block)
        if size > LONGEST_FILE:
            source = run.header.source
            raise UsageError(
                f"{source.file if source else 'the log'}: {len(run.summaries)} numbers of "
                f"{run.header.experiment} exceed the limit of a result file, "
                f"{LONGEST_FILE >> 20} MiB",
                "split the log, and import each table separately",
            )
        yield block
