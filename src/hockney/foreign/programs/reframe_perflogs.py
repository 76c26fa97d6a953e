"""ReFrame's performance logs: of version 3, a line for each variable, and of version 4, a heading
and a line for each run, or with perflog_compat for each variable. A row is a run; the message size
is in the test's name, in a column, in the variable's name with its unit, or given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import LONGEST_NUMBER, LogTable
from hockney.foreign.programs._reframe_values import LAYOUT, SIZE_NAME, Value, table_of

HEADED = True

_VERSION_3 = re.compile(r"(?:^|\|)reframe (?P<version>\d[\w.+-]{0,30})\|")
_CHECK = re.compile(
    r"^(?P<test>.{1,200}?) on (?P<system>[^\s|]{1,80}) using (?P<environment>[^\s|]{1,80})$"
)
_VALUE = re.compile(r"^(?P<name>[\w .%/-]{1,80}?)=(?P<value>[-+\w.]{1,40})$")
_FIELD = re.compile(r"^(jobid|num_tasks|num_tasks_per_node|num_cpus_per_task)=(.*)$")
_HEADING = re.compile(r"(?:^|[|,;])(\w[\w .-]{0,80})_value[|,;].*?\1_unit(?:[|,;]|$)")
_SEPARATORS = "|,;"
COMPAT = "perf"
"""What stands for the variable in a heading with perflog_compat, whose column perf_var names it."""
OF_SYSTEM = ("system", "partition", "environ")
RUNS = ("jobid", "job_completion_time")
NOTHING = frozenset({"", "null", "none"})


def recognise(log: Log) -> int | None:
    version_3 = (n for n, text in log.numbered() if _VERSION_3.search(text) and "|ref=" in text)
    return next(version_3, log.find(_HEADING))


def read(log: Log) -> list[LogTable]:
    """A table for each row and variable. A test is an experiment, and so is each of its variables
    of another unit."""
    is_version_3 = any(_VERSION_3.search(text) for text in log.lines)
    values = _of_version_3(log) if is_version_3 else _of_version_4(log)
    return [table_of(log, value) for value in values]


def _unreadable(line: int, text: str) -> Value:
    """A value that is refused, for a row that cannot be read."""
    return Value(line, "unknown", "row", text[:LONGEST_NUMBER], "s", None, (), str(line))


def _of_version_3(log: Log) -> Iterator[Value]:
    for line, text in log.numbered():
        version = _VERSION_3.search(text)
        if not version:
            continue
        cells = [cell.strip() for cell in text.split("|")]
        check = next(filter(None, map(_CHECK.match, cells)), None)
        fields = {found[1]: found[2] for cell in cells if (found := _FIELD.match(cell))}
        refs = [place for place, cell in enumerate(cells) if cell.startswith("ref=")]
        value = _VALUE.match(cells[refs[0] - 1]) if refs and refs[0] else None
        if check is None or value is None or refs[0] + 1 >= len(cells):
            yield _unreadable(line, text)
            continue
        yield Value(
            line,
            check["test"],
            value["name"],
            value["value"],
            cells[refs[0] + 1],
            version[1],
            (
                ("system", check["system"]),
                ("environ", check["environment"]),
                *((name, fields[name]) for name in LAYOUT if name in fields),
            ),
            fields.get("jobid") or str(line),
            fields.get("num_tasks"),
        )


def _of_version_4(log: Log) -> Iterator[Value]:
    titles: Sequence[str] = ()
    separator = "|"
    for line, text in log.numbered():
        if _HEADING.search(text):
            separator = max(_SEPARATORS, key=text.count)
            titles = [title.strip() for title in text.split(separator)]
        elif titles and text.strip():
            cells = [cell.strip() for cell in text.split(separator)]
            if len(cells) == len(titles) - 1 and titles[0].endswith("time"):
                cells = ["", *cells]  # the time of the row was taken for that of a logger
            if len(cells) != len(titles):
                yield _unreadable(line, text)
            else:
                yield from _values(line, dict(zip(titles, cells, strict=True)))


def _values(line: int, row: dict[str, str]) -> Iterator[Value]:
    setting = tuple((name, row[name]) for name in (*OF_SYSTEM, *LAYOUT) if _is_known(row, name))
    sizes = [text for name, text in row.items() if SIZE_NAME.fullmatch(name) and text.isdigit()]
    names = ("display_name", "name", "unique_name", "short_name")
    for title, text in row.items():
        name = title.removesuffix("_value")
        unit = row.get(f"{name}_unit")
        if name != title and unit is not None and text.lower() not in NOTHING:
            variable = row.get(f"{name}_var", name) if name == COMPAT else name
            results = (row.get("result", ""), row.get(f"{name}_result", ""))
            yield Value(
                line,
                next((row[one] for one in names if _is_known(row, one)), "unknown"),
                variable,
                text,
                unit,
                row.get("version") or None,
                setting,
                next((row[of] for of in RUNS if _is_known(row, of)), str(line)),
                row["num_tasks"] if _is_known(row, "num_tasks") else None,
                int(sizes[0]) if len(sizes) == 1 else None,
                any(result.startswith("fail") for result in results),
            )


def _is_known(row: dict[str, str], name: str) -> bool:
    return row.get(name, "").lower() not in NOTHING
