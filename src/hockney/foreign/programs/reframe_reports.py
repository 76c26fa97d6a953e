"""ReFrame's reports of its runs in JSON (--report-file): of version 3 and of 4 up to 4.6 with a
list `perfvars` for each test case, since then with a table `perfvalues`. A test case is a run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import LogTable
from hockney.foreign.programs._json import dict_in, dicts_in
from hockney.foreign.programs._reframe_values import LAYOUT, SIZE_NAME, Value, table_of

HEADED = True

_CASE = re.compile(r'"(?:perfvalues|perfvars)"\s*:')
VALUE, UNIT, RESULT = 0, 4, 5
"""Places in a row of `perfvalues`: value, reference, lower, upper, unit, result."""


def recognise(log: Log) -> int | None:
    if "testcases" not in log.text:
        return None
    lines = (line for line in range(1, len(log.lines) + 1) if _CASE.search(log.whole_line(line)))
    return next(lines, None)


def read(log: Log) -> list[LogTable]:
    """A table for each variable of each test case. A test is an experiment, and so is each of its
    variables of another unit."""
    report = _document(log)
    if report is None:
        table = LogTable(log.operation, "ReFrame", 1)
        table.note(f"{log.at(table.line)}: the report is not whole, or no JSON: nothing is read")
        return [table]
    version = _text(dict_in(report.get("session_info")).get("version"))
    cases = [
        case for run in dicts_in(report.get("runs")) for case in dicts_in(run.get("testcases"))
    ]
    numbers = range(1, len(log.lines) + 1)
    lines = [line for line in numbers for _ in _CASE.finditer(log.whole_line(line))]
    lines += [1] * (len(cases) - len(lines))
    return [
        table_of(log, value)
        for number, (line, case) in enumerate(zip(lines, cases, strict=False))
        for value in _values(line, number, case, version)
    ]


def _document(log: Log) -> dict[str, Any] | None:
    text = "\n".join(map(log.whole_line, range(1, len(log.lines) + 1)))
    start = text.find("{")
    try:
        decoder = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
        document = decoder.raw_decode(text, start)[0] if start >= 0 else None
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _values(line: int, number: int, case: dict[str, Any], version: str | None) -> Iterator[Value]:
    system, _, partition = _text(case.get("system"), "unknown").partition(":")
    partition = _text(case.get("partition")) or partition
    environment = _text(case.get("environ")) or _text(case.get("environment"))
    setting = {"system": system, "partition": partition, "environ": environment}
    setting |= {name: _text(case.get(name)) for name in LAYOUT}
    parameters = case | dict_in(case.get("check_params"))
    sizes = [
        text
        for name, size in parameters.items()
        if SIZE_NAME.fullmatch(name.rpartition(".")[2]) and (text := _text(size)).isdigit()
    ]
    for name, text, unit, result in _variables(case):
        yield Value(
            line,
            _text(case.get("display_name")) or _text(case.get("name"), "unknown"),
            name,
            text,
            unit,
            version,
            tuple((key, value) for key, value in setting.items() if value),
            _text(case.get("uuid")) or f"{_text(case.get('jobid'))} {number}",
            _text(case.get("num_tasks")) or None,
            int(sizes[0]) if len(set(sizes)) == 1 else None,
            result == "fail" or _text(case.get("result")) in ("fail", "failure"),
            is_row=False,
        )


def _variables(case: dict[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """Name, value, unit and result of each variable. The names of `perfvalues` begin with the
    system and the partition."""
    for name, row in dict_in(case.get("perfvalues")).items():
        cells = [_text(cell) for cell in row] if isinstance(row, list) else []
        if len(cells) > UNIT and cells[VALUE]:
            yield name.rpartition(":")[2], cells[VALUE], cells[UNIT], "".join(cells[RESULT:])
    for row in dicts_in(case.get("perfvars")):
        if value := _text(row.get("value")):
            yield _text(row.get("name"), "unknown"), value, _text(row.get("unit")), ""


def _text(value: Any, unknown: str = "") -> str:
    """A string or number, as the report has it."""
    return value if isinstance(value, str) and value else unknown
