"""Results of Ramble, and of Benchpark, which runs on it: results.latest.txt and .json, with figures
of merit by message size. An experiment of Ramble is one here; its repeats are launches."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from hockney.foreign.logs.column_names import TIME_UNITS
from hockney.foreign.logs.log import UNKNOWN, Log
from hockney.foreign.logs.table import Column, LogTable, RowError, is_number, number
from hockney.foreign.programs._csv_cells import sized
from hockney.foreign.programs._csv_heading import factor_of
from hockney.foreign.programs._json import dict_in, dicts_in
from hockney.foreign.programs._ramble_labels import (
    PARTS,
    QUANTILE,
    SIZE,
    WORDS,
    identity_of,
    labels_of,
)

HEADED = True

_EXPERIMENT = re.compile(r"^Experiment (?P<name>\S.{0,250}?) figures of merit:$")
_STATUS = re.compile(r"^\s+(?:Status|RAMBLE_STATUS) = (\S+)$")
_CONTEXT = re.compile(r"^ {1,2}(?P<context>\S.{0,250}?) figures of merit:$")
_FIGURE = re.compile(
    r"^ {3,4}(?P<name>\S(?:(?!: ).){0,120}?) = (?P<value>\S{1,80})(?: (?P<unit>[^\s:][^:]{0,40}))?$"
)
_REPEATED = re.compile(r"^ {3,4}(?P<name>\S.{0,120}?):$")
_SUMMARY = re.compile(
    r"^ {5,6}summary::(?P<of>\w+) = (?P<value>\S{1,80})(?: (?P<unit>\S.{0,40}))?$"
)
_VALUE = re.compile(r"= ?\d[\d.]*(?: \S{1,10})?$")
_SECTION = re.compile(r"^ {1,2}\S")
_JSON = re.compile(r'"RAMBLE_STATUS"\s*:')
_YAML = re.compile(r"^\s+(?:- )?RAMBLE_STATUS: ")
WORKLOADS = {
    "latency": "pingpong",
    "bw": "bandwidth",
    "bibw": "bibandwidth",
    "mbw_mr": "multi-bandwidth",
}
"""Operations by OSU's programs, where these differ."""
RATES = ("messages/s", "msg/s", "1/s")
SWAPPED = ("Latency avg", "Latency max")
"""Figures that Ramble's pattern for IMB swaps, since IMB's columns are min, max, avg."""
OVER_RANKS = {"Latency min": "least rank mean", "Latency max": "largest rank mean"}
"""IMB's figures that are over ranks, of each rank's mean."""
SUMMARIES = ("min", "max", "mean", "median", "stdev")
"""Statistics over repeats that are read."""
NO_SIZE = "without a message size are not read: give it with --bytes"
FIGURE = "figure"
"""The option of figures that would be one statistic: what they measure."""


@dataclass
class RambleFigure:
    line: int | None
    """None in JSON."""
    context: str
    name: str
    value: str
    unit: str
    summary: str | None = None
    """The statistic over repeats, of an experiment that sums them up."""


@dataclass
class RambleExperiment:
    line: int
    name: str
    status: str | None = None
    ranks: int | None = None
    setting: dict[str, str] = field(default_factory=dict)
    figures: list[RambleFigure] = field(default_factory=list)
    damaged: list[int] = field(default_factory=list)
    """Lines of figures that cannot be read."""
    cut_line: int | None = None
    """The last line of the log, where it ends in the middle of a figure."""


def recognise(log: Log) -> int | None:
    line, document = log.find(_EXPERIMENT), _JSON.search(log.text)
    if line is None and document:
        return log.text.count("\n", 0, document.start()) + 1
    return log.find(_YAML) if line is None else line


def read(log: Log) -> list[LogTable]:
    if log.find(_EXPERIMENT) is not None:
        experiments = _of_text(log)
    elif _JSON.search(log.text):
        experiments = _of_json(log)
        if not experiments:
            return [_refused(log, 1, "the results are not whole, or no JSON: nothing is read")]
    else:
        line = log.find(_YAML) or 1
        return [_refused(log, line, "YAML is not read: ramble workspace analyze -f json")]
    names = {experiment.name for experiment in experiments}
    apart = _figures_apart(log, experiments, names)
    return [table for of in experiments for table in _tables(log, of, names, apart)]


def _refused(log: Log, line: int, reason: str) -> LogTable:
    table = LogTable(log.operation, "Ramble", line)
    table.note(f"{log.at(line)}: {reason}")
    return table


def _of_text(log: Log) -> list[RambleExperiment]:
    experiments: list[RambleExperiment] = []
    context = name = ""
    for line, text in log.numbered():
        is_cut = line == log.last and not log.whole
        begins, status, inside = _EXPERIMENT.match(text), _STATUS.match(text), _CONTEXT.match(text)
        repeated = _REPEATED.match(text)
        if begins:
            experiments.append(RambleExperiment(line, begins["name"]))
            context = name = ""
        elif not experiments:
            continue
        elif status and not context:
            experiments[-1].status = status[1]
        elif inside:
            context, name = inside["context"], ""
        elif repeated and context:
            name = repeated["name"]
        elif context and (figure := _figure(line, text, context, name)):
            experiments[-1].figures.append(figure)
        elif _SECTION.match(text) and not _VALUE.search(text):
            context = name = ""
        elif text.strip() and (context or _VALUE.search(text)) and not is_cut:
            experiments[-1].damaged.append(line)
    if context:
        experiments[-1].cut_line = _cut_line(log, experiments[-1])
    return experiments


def _figure(line: int, text: str, context: str, name: str) -> RambleFigure | None:
    """The figure of a line; `name` is that of the figure whose summaries are read."""
    figure, summary = _FIGURE.match(text), _SUMMARY.match(text)
    if figure:
        unit = figure["unit"] or ""
        return RambleFigure(line, context, figure["name"], figure["value"], unit)
    if summary and name:
        unit = summary["unit"] or ""
        return RambleFigure(line, context, name, summary["value"], unit, summary["of"])
    return None


def _cut_line(log: Log, of: RambleExperiment) -> int | None:
    """The last line of a log, where it ends within a figure: without the unit that figures of this
    name have. Ramble ends every line with a newline."""
    last = [figure for figure in of.figures if figure.line == log.last]
    names = {(figure.name, figure.summary) for figure in last}
    units = {figure.unit for figure in of.figures if (figure.name, figure.summary) in names}
    is_whole = len(units) == 1 and any(map(_is_whole, last))
    is_heading = _CONTEXT.match(log.lines[log.last - 1])
    return None if log.whole or is_heading or is_whole else log.last


def _is_whole(figure: RambleFigure) -> bool:
    """True unless a figure lacks its unit; versions and some summaries have none."""
    has_none = figure.summary not in (None, *SUMMARIES) or not is_number(figure.value)
    return has_none or _column(figure, False) is not None


def _of_json(log: Log) -> list[RambleExperiment]:
    start = log.text.find("{")
    try:
        document = json.JSONDecoder(parse_float=str, parse_int=str).raw_decode(log.text, start)[0]
    except (ValueError, RecursionError):
        return []
    return [_experiment(log, entry) for entry in dicts_in(dict_in(document).get("experiments"))]


def _experiment(log: Log, of: dict[str, Any]) -> RambleExperiment:
    name = str(of.get("name", UNKNOWN))
    line = log.text.count("\n", 0, max(log.text.find(f'"{name}"'), 0)) + 1
    variables = dict_in(of.get("RAMBLE_VARIABLES"))
    ranks = str(variables.get("n_ranks", of.get("n_ranks", "")))
    experiment = RambleExperiment(line, name, str(of.get("RAMBLE_STATUS", "")) or None)
    experiment.ranks = int(ranks) if ranks.isdigit() and len(ranks) < 10 and int(ranks) else None
    for context in dicts_in(of.get("CONTEXTS")):
        shown = str(context.get("display_name") or context.get("name") or "")
        for figure in dicts_in(context.get("foms")):
            origin = str(figure.get("origin_type", ""))
            summary = origin.removeprefix("summary::") if origin.startswith("summary::") else None
            value, unit = str(figure.get("value", "")), str(figure.get("units", ""))
            experiment.figures.append(
                RambleFigure(None, shown, str(figure.get("name", "")), value, unit, summary)
            )
    return experiment


def _tables(
    log: Log, of: RambleExperiment, names: set[str], apart: dict[tuple[str, str, str], str]
) -> list[LogTable]:
    """The tables of an experiment, one for each measurement whose figures would replace those of
    another: a repeat is a launch of the experiment whose name it continues."""
    has_repeats = any(name.rpartition(".")[0] == of.name for name in names)
    if has_repeats and any(figure.summary for figure in of.figures):
        # Its numbers are made of those of the repeats, which are in the file.
        return []
    swapped = _swapped(of)
    tables: dict[str, LogTable] = {}
    unsized = Counter[str]()
    for figure in of.figures:
        size, column = _size(log, figure), _column(figure, figure.context in swapped)
        if column is None:
            continue
        if isinstance(size, int):
            label = apart.get((_base(of, names), *identity_of(figure.context, figure.name)), "")
            table = tables.setdefault(label, _table(log, of, names, label))
            _add(log, of, table, figure, size, column)
        else:
            unsized[size] += 1
    all_tables = list(tables.values()) or [_table(log, of, names)]
    for table in all_tables:
        _note_state(log, of, table, bool(swapped))
    for reason, count in unsized.items():
        all_tables[0].note(f"{log.at(of.line)}: {count} figures of {of.name} {reason}")
    return all_tables


def _table(log: Log, of: RambleExperiment, names: set[str], label: str = "") -> LogTable:
    """A table without rows, of the measurement with this label."""
    base = _base(of, names)
    return LogTable(
        _operation(log, of.name),
        f"Ramble: {base}",
        of.line,
        experiment=base.replace("/", "-"),
        ranks=of.ranks,
        options={FIGURE: label} if label else {},
        run=of.name if base != of.name else None,
    )


def _add(
    log: Log,
    of: RambleExperiment,
    table: LogTable,
    figure: RambleFigure,
    size: int,
    column: Column,
) -> None:
    with table.row(log, figure.line or of.line):
        if not is_number(figure.value):
            raise RowError(f"{figure.name} {figure.value!r} is not a number")
        table.add(figure.line, size, column, figure.value)


def _note_state(log: Log, of: RambleExperiment, table: LogTable, is_swapped: bool) -> None:
    """Notes what an experiment's state means for each of its tables."""
    if of.status and of.status.upper() != "SUCCESS":
        table.note(f"{log.at(of.line)}: {of.name} has the status {of.status}; read as printed")
    if is_swapped:
        table.note(
            f"{log.at(of.line)}: the maximum of {of.name} is below its average: Ramble takes IMB's "
            "columns for each other; they are read as IMB prints them"
        )
    for line in of.damaged:
        table.drop(log, line, "no figure of merit can be read")
    if of.cut_line:
        table.cut_in(of.cut_line)


def _base(of: RambleExperiment, names: set[str]) -> str:
    """The name of an experiment without the number of its repeat."""
    base, _, repeat = of.name.rpartition(".")
    return base if repeat.isdigit() and base in names else of.name


def _size(log: Log, figure: RambleFigure) -> int | str:
    """The message size of a figure, or the reason why it is not known."""
    match = SIZE.search(figure.context)
    if match is None:
        return NO_SIZE if log.bytes is None else log.bytes
    try:
        return sized(match[1], match[2])
    except RowError as error:
        return f"are not read: {error}"


def _figures_apart(
    log: Log, experiments: list[RambleExperiment], names: set[str]
) -> dict[tuple[str, str, str], str]:
    """Labels of measurements, by experiment and figure, that would otherwise replace each other:
    several figures of one size and statistic. Repeats of an experiment have the same labels."""
    points: dict[str, dict[tuple[int, str], set[tuple[str, str]]]] = {}
    for of in experiments:
        known = points.setdefault(_base(of, names), {})
        for figure in of.figures:
            size, column = _size(log, figure), _column(figure, False)
            if isinstance(size, int) and column is not None:
                known.setdefault((size, column.statistic), set()).add(
                    identity_of(figure.context, figure.name)
                )
    return {
        (base, *identity): label
        for base, known in points.items()
        for identity, label in labels_of(list(known.values())).items()
    }


def _operation(log: Log, name: str) -> str:
    """The operation: Ramble's names are APPLICATION.WORKLOAD.EXPERIMENT."""
    parts = name.split(".")
    if log.operation != UNKNOWN or len(parts) < 3:
        return log.operation
    workload = parts[1].lower().removeprefix("osu_")
    return WORKLOADS.get(workload, workload.replace("_", "-"))


def _swapped(of: RambleExperiment) -> set[str]:
    """Contexts whose average is above their maximum."""
    swapped = set()
    values: dict[str, dict[str, Decimal]] = {}
    for figure in of.figures:
        if figure.name in SWAPPED and is_number(figure.value):
            value = number(figure.value)
            if value is not None:
                values.setdefault(figure.context, {})[figure.name] = value
    for context, known in values.items():
        if len(known) == len(SWAPPED) and known[SWAPPED[0]] > known[SWAPPED[1]]:
            swapped.add(context)
    return swapped


def _column(figure: RambleFigure, is_swapped: bool) -> Column | None:
    """The meaning of a figure; None if it is neither a time, nor a rate, nor an overlap."""
    name, unit = figure.name.rpartition("::")[2], figure.unit.strip()
    if is_swapped and name in SWAPPED:
        name = SWAPPED[1 - SWAPPED.index(name)]
    definition = f"as Ramble reads it: {figure.name}"
    end = ""
    if figure.summary:
        if figure.summary not in SUMMARIES:
            return None
        end = "" if figure.summary == "mean" else f", {figure.summary} over repeats"
        definition = f"{figure.summary} over repeats of {figure.name}"
    statistic = f"{_statistic(name)}{end}"
    if unit.lower() in TIME_UNITS:
        return Column(statistic, definition, factor=TIME_UNITS[unit.lower()])
    if unit.lower() in RATES:
        return Column(f"message rate{end}", definition, "value_per_s", Decimal(1))
    if unit == "%" and "overlap" in name.lower():
        return Column(f"overlap{end}", definition, "value", Decimal("0.01"))
    try:
        factor = factor_of(unit.replace("Mbytes/sec", "MB/s"), "value_Bps")
    except RowError:
        return None
    rated = "bandwidth" if statistic == f"mean{end}" else f"{_statistic(name)} bandwidth"
    return Column(f"{rated}{end}", definition, "value_Bps", factor)


def _statistic(name: str) -> str:
    if name in OVER_RANKS:
        return OVER_RANKS[name]
    quantile = QUANTILE.search(name)
    if quantile:
        percent = quantile[1] or quantile[2]
        return "median" if float(percent) == 50.0 else f"p{percent}"
    words = name.lower().replace("_", " ").split()
    known = [WORDS.get(word) or PARTS.get(word) for word in words]
    return next((word for word in known if word), "mean")
