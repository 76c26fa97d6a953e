"""Separates tables of different settings, which are not launches of one run.

Two tables of one operation in one log are launches of one run only where nothing shows that they
were measured under different settings: another command, heading or variable above them, another
parameter in them, or numbers that differ by more than launches do. What differs becomes an option
of the table, and so of its experiment."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import median, quantiles
from typing import Any

from hockney.base.units import format_ratio
from hockney.foreign.logs.commands import without_nodes
from hockney.foreign.logs.log import Log
from hockney.foreign.logs.surroundings import Surroundings, surroundings_of
from hockney.foreign.logs.table import LogTable
from hockney.plan.axes import key_without
from hockney.records import Summary
from hockney.records.run import REPEATED

Logged = tuple[Log, LogTable]
"""A table and the log that it is in."""
FARTHEST = 1.5
"""Largest ratio of the middle size between two launches of one run. It reaches 1.32 on shared
clouds and between other pairs of their nodes; other networks and placements differ by more."""
FARTHEST_PART = 2.0
"""Largest ratio where at least a quarter of the sizes differ: a protocol or a bandwidth."""
APART = ("command", "heading", "settings")
"""Options that separate tables by the text above them."""
_COMMENTING = ("OSU ", "Intel MPI Benchmarks", "nccl-tests")
"""Programs that print all their lines but rows as comments: others above a table are from people
and scripts."""
_LABEL = ""
"""The label among values of keys."""
PLACE = "table"
"""The option that separates tables by their numbers only."""


def tell_apart(logged: Sequence[Logged]) -> None:
    """Adds options that separate tables of different settings; notes report tables that only
    numbers separate. Tables that are launches according to the user or the log stay together."""
    for log in dict.fromkeys(id(log) for log, _ in logged):
        of_log = [
            (table_log, table) for table_log, table in logged if id(table_log) == log and table.rows
        ]
        if len(of_log) > 1 and of_log[0][0].repeated is None:
            _tell_apart(of_log[0][0], [table for _, table in of_log])


def apart_text(options: Mapping[str, Any]) -> str:
    """The options that separate an experiment's tables by the text above them; empty without
    any."""
    return ", ".join(f"{name} {options[name]}" for name in APART if name in options)


def _tell_apart(log: Log, tables: Sequence[LogTable]) -> None:
    ends = {table.line: max(row.line or 0 for row in table.rows) for table in tables}
    above = surroundings_of(log, list(ends), ends)
    for group in _groups(tables):
        if any(table.run or REPEATED in table.options for table in group):
            continue
        around = [above.get(table.line, Surroundings()) for table in group]
        known = [_known(table, of) for table, of in zip(group, around, strict=True)]
        names = dict.fromkeys(name for values in known for name in values)
        different = [
            name for name in names if _differ(group, [values.get(name) for values in known])
        ]
        for table, values in zip(group, known, strict=True):
            table.options |= {name: values[name] for name in different if name in values}
        _add_keyed(group, around)
    for group in _groups(tables):
        if not any(table.run or REPEATED in table.options for table in group):
            _by_numbers(log, group)
    for group in _groups(tables):
        _note_commands(log, group, above)
        nodes = {above[table.line].nodes for table in group if table.line in above}
        if len(nodes) > 1:
            group[0].note(
                f"{log.at(group[0].line)}: {len(group)} tables of {len(nodes)} sets of nodes are "
                "read as launches of one run, whose median is over nodes, too"
            )


def _note_commands(log: Log, group: Sequence[LogTable], above: Mapping[int, Surroundings]) -> None:
    """Notes tables of one experiment whose commands differ in more than processes and nodes: those
    of other numbers of processes are points of one launch, whatever their commands are."""
    first: dict[str, tuple[LogTable, str]] = {}
    for table in group:
        command = above[table.line].command if table.line in above else None
        if command is not None:
            first.setdefault(without_nodes(command), (table, command))
    (known, usual), *others = [*first.values()] or [(group[0], "")]
    for table, command in others:
        table.note(
            f"{log.at(table.line)}: {command!r} is another setting than {usual!r} of line "
            f"{known.line}, not only other processes and nodes; both are read as one experiment"
        )


def _groups(tables: Iterable[LogTable]) -> list[list[LogTable]]:
    """Groups of tables of one experiment, which would be its launches."""
    groups: dict[tuple[str, str], list[LogTable]] = {}
    for table in tables:
        key = (table.experiment or table.operation, json.dumps(table.options, sort_keys=True))
        groups.setdefault(key, []).append(table)
    return [group for group in groups.values() if len(group) > 1]


def _known(table: LogTable, above: Surroundings) -> dict[str, str]:
    around = dict(zip(APART, (above.command, above.heading, above.settings), strict=True))
    around |= {"version": table.version, **table.parameters}
    return {name: value for name, value in around.items() if value and name not in table.options}


def _add_keyed(tables: Sequence[LogTable], around: Sequence[Surroundings]) -> None:
    """Adds the values in which these tables differ of keys that two of them have, and labels."""
    known: list[dict[str, str]] = []
    for table, of in zip(tables, around, strict=True):
        prints_comments = table.program.startswith(_COMMENTING)
        known.append({**of.printed, **(of.keyed if prints_comments else {})})
        if prints_comments and of.label:
            known[-1][_LABEL] = of.label
    names = dict.fromkeys(name for of in known for name in of)
    different = [n for n in names if _differ(tables, [of.get(n) for of in known], unknown=True)]
    for table, values in zip(tables, known, strict=True):
        for name in different:
            if name in values:
                is_label = name == _LABEL
                text = values[name] if is_label else f"{name}={values[name]}"
                _append(table, "heading" if is_label else "settings", text)


def _append(table: LogTable, option: str, text: str) -> None:
    before = table.options.get(option)
    table.options[option] = f"{before}; {text}" if before else text


def _differ(
    tables: Sequence[LogTable], values: Sequence[str | None], unknown: bool = False
) -> bool:
    """True if tables of the same curve have different values; unknown: leave out those that have
    none."""
    seen: dict[Any, str | None] = {}
    for table, value in zip(tables, values, strict=True):
        if unknown and value is None:
            continue
        for curve in {key_without(row, "bytes") for row in table.rows}:
            if seen.setdefault(curve, value) != value:
                return True
    return False


def _by_numbers(log: Log, group: Sequence[LogTable]) -> None:
    """Each table joins the first that it agrees with; one that agrees with none begins another
    experiment."""
    kinds: list[list[LogTable]] = []
    for table in group:
        distances = [(_distance(table, kind), place) for place, kind in enumerate(kinds)]
        known = [(far, place) for far, place in distances if far is not None]
        if not known:
            place = 0 if kinds else None
        else:
            nearest, place = min(known)
            if nearest > FARTHEST:
                first = kinds[place][0]
                table.note(
                    f"{log.at(table.line)}: this table differs from that of line {first.line} by "
                    f"more than launches of one run do, {format_ratio(nearest)} times: it is an "
                    "experiment of its own; --repeated launches puts them together"
                )
                place = None
        if place is None:
            kinds.append([])
            place = len(kinds) - 1
        kinds[place].append(table)
    for place, kind in enumerate(kinds[1:], start=2):
        for table in kind:
            table.options[PLACE] = place


def _distance(table: LogTable, kind: Sequence[LogTable]) -> float | None:
    """The ratio by which a table differs from one of another kind, over the points of both: that of
    the middle point, or of the upper quarter over FARTHEST_PART where it exceeds that. None without
    common points."""
    ours = _values(table.rows)
    for other in kind:
        theirs = _values(other.rows)
        logs = [abs(math.log(ours[key] / theirs[key])) for key in ours if key in theirs]
        if logs:
            upper = quantiles(logs, n=4)[2] if len(logs) > 1 else logs[0]
            part = upper - math.log(FARTHEST_PART) + math.log(FARTHEST)
            return math.exp(max(median(logs), part))
    return None


def _values(rows: Iterable[Summary]) -> dict[Any, float]:
    """Times and rates above 0, by point and statistic; spreads and extremes differ by more."""
    typical = ("mean", "median", "bandwidth", "min", "message rate")
    return {
        (row.statistic, row.bytes, key_without(row, "bytes")): value
        for row in rows
        if row.statistic in typical and (value := row.value_s or row.value_Bps or row.value_per_s)
    }
