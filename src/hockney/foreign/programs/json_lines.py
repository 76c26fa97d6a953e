"""Rows as JSON: an object a line, or one list of objects, with the names that CSV has."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import islice
from typing import Any

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import LogTable
from hockney.foreign.programs import csv
from hockney.foreign.programs._csv_heading import heading_of
from hockney.foreign.programs._csv_records import Record
from hockney.foreign.programs._json import dicts_in, whole_object

HEADED = False

MOST_NAMES = 200
"""Most names that are read: damaged files may have another one in each line."""


def recognise(log: Log) -> int | None:
    heading, _ = _rows(log)
    return heading.line if heading else None


def read(log: Log) -> list[LogTable]:
    heading, rows = _rows(log)
    tables = csv.tables_below(log, heading, rows) if heading else []
    for table in tables:
        table.program = "JSON"
    return tables


def _rows(log: Log) -> tuple[csv.Heading | None, list[Record]]:
    """The names of all objects as a heading, and a row for each; no heading where they name no
    size, or no time or bandwidth with its unit."""
    objects = _objects(log)
    known = [fields for _, fields in objects if fields is not None]
    every = dict.fromkeys(name for fields in known for name in fields)
    names = [*islice(every, MOST_NAMES)]
    columns = heading_of(names, of_one_size=log.bytes is not None)
    if columns is None:
        return None, []
    first = objects[0][0]
    rows = [_row(line, fields, names) for line, fields in objects]
    return csv.Heading(first, ",", names, columns, first), rows


def _row(line: int, fields: dict[str, Any] | None, names: Sequence[str]) -> Record:
    if fields is None:
        return Record(line, line, problem="it is no whole object of JSON")
    if any(isinstance(fields.get(name), list) for name in names):
        return Record(line, line, problem="it has lists: write an object for each row")
    return Record(line, line, [_text(fields.get(name)) for name in names])


def _objects(log: Log) -> list[tuple[int, dict[str, Any] | None]]:
    """The objects with their lines; those of a list have its first. None stands for one that is
    damaged. Empty in a file of another kind."""
    filled = [(n, log.whole_line(n).strip()) for n in range(1, len(log.lines) + 1)]
    lines = [(n, text) for n, text in filled if text]
    first, text = lines[0] if lines else (0, "")
    if text.startswith("["):
        every = _decoded(log.text)
        known = isinstance(every, list) and all(isinstance(fields, dict) for fields in every)
        return [(first, fields) for fields in every] if known else []
    if text.startswith("{") and (whole := _decoded(log.text)) is not None:
        return [(first, fields) for fields in _only_list(whole)]
    if not isinstance(_decoded(text), dict):
        return []
    decoded = [(line, _decoded(text)) for line, text in lines if text.startswith("{")]
    return [(line, of if isinstance(of, dict) else None) for line, of in decoded]


def _only_list(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The objects of the one member that is a list of them; the document itself without one."""
    lists = [rows for rows in map(dicts_in, document.values()) if rows]
    return lists[0] if len(lists) == 1 else [document]


def _decoded(text: str) -> Any:
    """What the text says in JSON; None where it is none, or a message is in a name."""
    try:
        # With the digits that it has.
        return json.loads(text, parse_float=str, object_pairs_hook=whole_object)
    except (ValueError, RecursionError):
        return None


def _text(value: Any) -> str:
    """The cell of a value; empty where it is none, or has parts of its own."""
    return "" if value is None or isinstance(value, (bool, dict, list)) else str(value)
