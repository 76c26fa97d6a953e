"""One performance variable of one run, from ReFrame's perflogs and reports, as a table. The message
size is in the test's name, among its parameters, in the variable's name with its unit, or given."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hockney.foreign.logs.column_names import TIME_UNITS
from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import Column, LogTable, RowError, is_number, whole
from hockney.foreign.programs._csv_cells import UNIT_OF_SIZE, sized
from hockney.foreign.programs._csv_heading import factor_of, statistic_of

_SIZE_NAMES = "size|bytes|nbytes|msg_?size|message_?size|message_?bytes"
SIZE_NAME = re.compile(_SIZE_NAMES)
_SIZED = re.compile(
    rf"%(?:[\w.]*\.)?(?:{_SIZE_NAMES})=(\d{{1,19}})(?:[ \t]{{0,3}}((?i:{UNIT_OF_SIZE})))?(?=\s|$)"
)
_VARIABLE_SIZE = re.compile(r"_(\d{1,19})_?(B|bytes?|KiB|MiB|GiB)$")
_PARAMETER = re.compile(r"%([\w.]{1,80})=(.*?)(?=\s%|$)")
NO_SIZE = "this test does not show its message size"
LAYOUT = ("num_tasks_per_node", "num_cpus_per_task")
"""Fields that separate experiments, like the system."""


@dataclass(frozen=True)
class Value:
    """One performance variable of one run."""

    line: int
    test: str
    name: str
    text: str
    unit: str
    version: str | None
    setting: tuple[tuple[str, str], ...]
    """The system, the partition and the environment."""
    run: str
    ranks: str | None = None
    size: int | None = None
    """The size that a column or a parameter shows."""
    has_failed: bool = False
    """True if the test found that the run failed, by its own references."""
    is_row: bool = True
    """False where the line is that of the test, in JSON."""
    unreadable: str = ""
    """The reason, if the line cannot be read."""


def table_of(log: Log, value: Value) -> LogTable:
    """The table of a value; without rows where the line cannot be read or no size is known."""
    table = _without_rows(log, value)
    try:
        size = _size(log, value)
    except RowError as error:
        table.drop(log, value.line, f"{value.test}: {error}")
        return table
    if value.unreadable:
        table.drop(log, value.line, value.unreadable)
        return table
    if size is None:
        table.note(
            f"{log.at(value.line)}: {NO_SIZE}: {value.name} of {value.test} is not read; give it "
            "with --bytes"
        )
        return table
    if value.has_failed:
        table.note(f"{log.at(value.line)}: the test failed by its own references; read as printed")
    with table.row(log, value.line):
        more = {"ranks": whole(value.ranks)} if value.ranks else {}
        if not is_number(value.text):
            raise RowError(f"{value.name} {value.text!r} is not a number")
        table.add(value.line if value.is_row else None, size, _column(value), value.text, **more)
    return table


def _without_rows(log: Log, value: Value) -> LogTable:
    return LogTable(
        log.operation if log.operation != "unknown" else value.test.split(" ")[0],
        f"ReFrame: {value.test}",
        value.line,
        experiment=f"{value.test.split(' ')[0]}-{value.name}".replace(" ", "-"),
        version=value.version,
        options=dict(value.setting) | _parameters(value.test),
        run=value.run,
    )


def _size(log: Log, value: Value) -> int | None:
    """The message size of a value; None if nothing shows it. Raises RowError where its unit is
    ambiguous."""
    in_test, in_name = _SIZED.search(value.test), _VARIABLE_SIZE.search(value.name)
    if in_name:
        return sized(in_name[1], in_name[2])
    if in_test and (value.size is None or in_test[2] is None):
        return sized(in_test[1], in_test[2])
    return log.bytes if value.size is None else value.size


def _parameters(test: str) -> dict[str, str]:
    """Parameters of a test other than its size: %NAME=VALUE."""
    parameters = _PARAMETER.findall(test)
    return {name: value for name, value in parameters if not _SIZED.search(f"%{name}={value}")}


def _column(value: Value) -> Column:
    statistic = statistic_of(value.name)
    definition = f"as the test reports it: {value.name}"
    if value.unit.lower() in TIME_UNITS:
        return Column(statistic, definition, factor=TIME_UNITS[value.unit.lower()])
    rated = "bandwidth" if statistic == "mean" else f"{statistic} bandwidth"
    return Column(rated, definition, "value_Bps", factor_of(value.unit, "value_Bps"))
