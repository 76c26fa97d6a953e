"""ReFrame's performance logs: of version 3, a line for each variable, and of version 4, a heading
and a line for each run, or with perflog_compat for each variable. A row is a run; the message size
is in the test's name, in a column, in the variable's name with its unit, or given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from hockney.foreign.logs.log import UNKNOWN, Log
from hockney.foreign.logs.table import LogTable
from hockney.foreign.programs._reframe_values import LAYOUT, NO_SIZE, SIZE_NAME, Value, table_of

HEADED = True

_VERSION = re.compile(
    r"(?:^|\|)reframe (?P<version>\d[\w.+-]{0,30})(?: \(rev: \w{1,40}\))?(?:\||$)"
)
_CHECKS = (
    re.compile(
        r"^(?P<test>.{1,200}?) on (?P<system>[^\s|]{1,80}) using (?P<environment>[^\s|]{1,80})$"
    ),
    re.compile(  # since version 4
        r"^(?P<test>\S.{0,200}?) /(?P<hash>[0-9a-f]{4,40}) @(?P<system>[^\s|+]{1,80})"
        r"\+(?P<environment>[^\s|]{1,80})$"
    ),
)
"""What ReFrame calls the info of a test."""
_REFERENCE = re.compile(r"\|\s*ref=")
_LIMIT = re.compile(r"^(?:l|u|lower\w*|upper\w*)=")
_UNIT = re.compile(r"^units?=\s*")
_VALUE = re.compile(r"^(?P<name>[\w .%/-]{1,80}?)=(?P<value>[-+\w.]{1,40})$")
_FIELD = re.compile(r"^(jobid|num_tasks|num_tasks_per_node|num_cpus_per_task)=(.*)$")
_HEADING = re.compile(r"(?:^|[|,;])(\w[\w .-]{0,80})_value[|,;].*?\1_unit(?:[|,;]|$)")
_SEPARATORS = "|,;"
COMPAT = "perf"
"""What stands for the variable in a heading with perflog_compat, whose column perf_var names it."""
OF_SYSTEM = ("system", "partition", "environ")
_JOINED = re.compile(r"[^\w\s.]")
"""What a site puts between names within a title: system:partition."""
RUNS = ("jobid", "job_completion_time")
NOTHING = frozenset({"", "null", "none"})


def recognise(log: Log) -> int | None:
    described = (n for n, text in log.numbered() if _describes_itself(text))
    return next(described, log.find(_HEADING))


def read(log: Log) -> list[LogTable]:
    """A table for each row and variable. A test is an experiment, and so is each of its variables
    of another unit."""
    tables = [table_of(log, value) for value in _values_of(log)]
    _note_once(log, tables)
    return tables


def _note_once(log: Log, tables: Sequence[LogTable]) -> None:
    """Leaves the note about a missing size to the first run of a test: a log has many."""
    known: set[str] = set()
    for table in tables:
        reason = "".join(table.notes).removeprefix(log.at(table.line))
        if NO_SIZE in reason and reason in known:
            table.notes = []
        known.add(reason)


def _describes_itself(text: str) -> bool:
    """True if a line has the names of what it holds: one variable of a run, without a heading."""
    return bool(_VERSION.search(text) and _REFERENCE.search(text))


def _values_of(log: Log) -> Iterator[Value]:
    titles: Sequence[str] = ()
    separator = "|"
    for line, text in log.numbered():
        if _HEADING.search(text):
            separator = max(_SEPARATORS, key=text.count)
            titles = [title.strip() for title in text.split(separator)]
        elif _describes_itself(text):
            yield _of_line(line, text)
        elif titles and text.strip():
            yield from _of_row(line, titles, [cell.strip() for cell in text.split(separator)])


def _unreadable(line: int, reason: str) -> Value:
    """A value that stands for a line that cannot be read."""
    return Value(line, "unknown", "row", "", "s", None, (), str(line), unreadable=reason)


def _of_line(line: int, text: str) -> Value:
    """The value of a line that describes itself."""
    cells = [cell.strip() for cell in text.split("|")]
    fields = {field[1]: field[2] for cell in cells if (field := _FIELD.match(cell))}
    place = next(place for place, cell in enumerate(cells) if cell.startswith("ref="))
    value, version = _VALUE.match(cells[place - 1]), _VERSION.search(text)
    units = [cell for cell in cells[place + 1 :] if not _LIMIT.match(cell)]
    if value is None or not units:
        what = "NAME=NUMBER before" if value is None else "unit after"
        return _unreadable(line, f"there is no {what} ref=")
    test, setting = _test(cells)
    layout = tuple((name, fields[name]) for name in LAYOUT if name in fields)
    job = fields.get("jobid", "")
    return Value(
        line,
        test,
        value["name"],
        value["value"],
        _UNIT.sub("", units[0]),
        version["version"] if version else None,
        (*setting, *layout),
        job if job.lower() not in NOTHING else str(line),
        fields.get("num_tasks"),
        has_failed="fail" in units[1:],
    )


def _test(cells: Sequence[str]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The test and its system and environment; the cell behind the version is the test's name
    where a site has it alone."""
    for cell in cells:
        for pattern in _CHECKS:
            if check := pattern.match(cell):
                where = (("system", check["system"]), ("environ", check["environment"]))
                return check["test"], where
    behind = [name for cell, name in pairwise(cells) if _VERSION.search(cell) and "=" not in name]
    name = next(iter(behind), UNKNOWN)
    plain = name.partition(" %")[0]
    return name, ((("test", plain),) if " " in plain else ())  # it may have the system


def _of_row(line: int, titles: Sequence[str], cells: list[str]) -> Iterator[Value]:
    """The values of a row below a heading."""
    if len(cells) == len(titles) - 1 and titles[0].endswith("time"):
        cells = ["", *cells]  # the time of the row was taken for that of a logger
    if len(cells) != len(titles):
        reason = f"{len(cells)} cells below a heading of {len(titles)}"
        yield _unreadable(line, reason)
        return
    yield from _values(line, dict(map(_named, titles, cells)))


def _named(title: str, cell: str) -> tuple[str, str]:
    """The name and the text of a cell, where both have the same words of the site before them:
    1 of "num_tasks=num_tasks" and "num_tasks=1"."""
    words, equals, name = title.partition("=")
    is_joined = equals and cell.startswith(f"{words}=")
    return (name, cell.partition("=")[2]) if is_joined else (title, cell)


def _setting(row: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The system, the partition, the environment and the layout of a run, also where a site joins
    them in one column: system:partition."""
    names = (*OF_SYSTEM, *LAYOUT)
    for title, text in row.items():
        parts = [part.strip() for part in _JOINED.split(title)]
        if not set(parts) & set(names) or text.lower() in NOTHING:
            continue
        mark = _JOINED.search(title)
        texts = text.split(mark[0], len(parts) - 1) if mark else [text]
        if len(texts) == len(parts):
            yield from ((name, cell) for name, cell in zip(parts, texts, strict=True) if cell)
        else:
            yield title, text


def _values(line: int, row: dict[str, str]) -> Iterator[Value]:
    sizes = [text for name, text in row.items() if SIZE_NAME.fullmatch(name) and text.isdigit()]
    names = ("display_name", "name", "unique_name", "short_name")
    test, where = _test([row.get("info", "")])
    for title, text in row.items():
        name = title.removesuffix("_value")
        unit = row.get(f"{name}_unit")
        if name != title and unit is not None and text.lower() not in NOTHING:
            variable = row.get(f"{name}_var", name) if name == COMPAT else name
            results = (row.get("result", ""), row.get(f"{name}_result", ""))
            yield Value(
                line,
                next((row[of] for of in names if _is_known(row, of)), test),
                variable,
                text,
                unit,
                row.get("version", "").removeprefix("reframe ") or None,
                tuple((dict(where) | dict(_setting(row))).items()),
                next((row[of] for of in RUNS if _is_known(row, of)), str(line)),
                row["num_tasks"] if _is_known(row, "num_tasks") else None,
                int(sizes[0]) if len(sizes) == 1 else None,
                any(result.startswith("fail") for result in results),
            )


def _is_known(row: dict[str, str], name: str) -> bool:
    return row.get(name, "").lower() not in NOTHING
