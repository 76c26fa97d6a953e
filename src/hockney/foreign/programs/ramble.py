"""Results of Ramble, and of Benchpark, which runs on it: results.latest.txt and .json, with figures
of merit by message size. An experiment of Ramble is one here; its repeats are launches."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from hockney.foreign.logs.log import UNKNOWN, Log
from hockney.foreign.logs.table import Column, LogTable, RowError, is_number, number
from hockney.foreign.programs._csv_heading import TIME_UNITS, factor_of

HEADED = True

_EXPERIMENT = re.compile(r"^Experiment (?P<name>\S.{0,250}?) figures of merit:$")
_STATUS = re.compile(r"^\s+(?:Status|RAMBLE_STATUS) = (\S+)$")
_CONTEXT = re.compile(r"^ {1,2}(?P<context>\S.{0,250}?) figures of merit:$")
_FIGURE = re.compile(
    r"^ {3,4}(?P<name>\S.{0,120}?) = (?P<value>\S{1,80})(?: (?P<unit>\S.{0,40}))?$"
)
_REPEATED = re.compile(r"^ {3,4}(?P<name>\S.{0,120}?):$")
_SUMMARY = re.compile(
    r"^ {5,6}summary::(?P<of>\w+) = (?P<value>\S{1,80})(?: (?P<unit>\S.{0,40}))?$"
)
_JSON = re.compile(r'"RAMBLE_STATUS"\s*:')
_YAML = re.compile(r"^\s+(?:- )?RAMBLE_STATUS: ")
_SIZE = re.compile(
    r"\b(?:(?:message|msg|buffer|transfer)?[ _-]?(?:size|length)|bytes)[ =:]{1,3}(\d{1,19})"
    r"(?: ?(?:B|bytes))?(?![\w.])",
    re.IGNORECASE,
)
_QUANTILE = re.compile(r"\bP(\d{1,2}(?:\.\d{1,3})?)\b", re.IGNORECASE)
WORKLOADS = {
    "latency": "pingpong",
    "bw": "bandwidth",
    "bibw": "bibandwidth",
    "mbw_mr": "multi-bandwidth",
}
"""Operations by OSU's programs, where these differ."""
RATES = ("messages/s", "msg/s", "1/s")
SWAPPED = ("Latency avg", "Latency max")
"""Figures that Ramble's pattern for IMB takes from each other's column; IMB has min, max, avg."""
OVER_RANKS = {"Latency min": "least rank mean", "Latency max": "largest rank mean"}
"""IMB's figures that are over ranks, of each rank's mean."""
WORDS = {"avg": "mean", "average": "mean", "mean": "mean", "min": "min", "max": "max"}
PARTS = {
    "overall": "mean overall",
    "computation": "mean computation",
    "compute": "mean computation",
    "communication": "mean",
    "median": "median",
}


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


def recognise(log: Log) -> int | None:
    found, document = log.find(_EXPERIMENT), _JSON.search(log.text)
    if found is None and document:
        return log.text.count("\n", 0, document.start()) + 1
    return log.find(_YAML) if found is None else found


def read(log: Log) -> list[LogTable]:
    if log.find(_EXPERIMENT) is not None:
        experiments = _of_text(log)
    elif _JSON.search(log.text):
        experiments = _of_json(log)
    else:
        table = LogTable(log.operation, "Ramble", log.find(_YAML) or 1)
        table.note(f"{log.at(table.line)}: YAML is not read: ramble workspace analyze -f json")
        return [table]
    names = {experiment.name for experiment in experiments}
    return [table for experiment in experiments for table in _tables(log, experiment, names)]


def _of_text(log: Log) -> list[RambleExperiment]:
    experiments: list[RambleExperiment] = []
    context = name = ""
    for line, text in log.numbered():
        begins, status, inside = _EXPERIMENT.match(text), _STATUS.match(text), _CONTEXT.match(text)
        figure, summary, repeated = _FIGURE.match(text), _SUMMARY.match(text), _REPEATED.match(text)
        if begins:
            experiments.append(RambleExperiment(line, begins["name"]))
            context = name = ""
        elif not experiments:
            continue
        elif status and not context:
            experiments[-1].status = status[1]
        elif inside:
            context, name = inside["context"], ""
        elif figure and context:
            unit = figure["unit"] or ""
            experiments[-1].figures.append(
                RambleFigure(line, context, figure["name"], figure["value"], unit)
            )
        elif repeated and context:
            name = repeated["name"]
        elif summary and name:
            unit = summary["unit"] or ""
            of = RambleFigure(line, context, name, summary["value"], unit, summary["of"])
            experiments[-1].figures.append(of)
    return experiments


def _of_json(log: Log) -> list[RambleExperiment]:
    start = log.text.find("{")
    try:
        document = json.JSONDecoder(parse_float=str, parse_int=str).raw_decode(log.text, start)[0]
    except (ValueError, RecursionError):
        return []
    listed = document.get("experiments") if isinstance(document, dict) else None
    dicts = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return [_experiment(log, one) for one in dicts]


def _experiment(log: Log, of: dict[str, Any]) -> RambleExperiment:
    name = str(of.get("name", UNKNOWN))
    line = log.text.count("\n", 0, max(log.text.find(f'"{name}"'), 0)) + 1
    variables = of.get("RAMBLE_VARIABLES")
    variables = variables if isinstance(variables, dict) else {}
    ranks = str(variables.get("n_ranks", of.get("n_ranks", "")))
    found = RambleExperiment(line, name, str(of.get("RAMBLE_STATUS", "")) or None)
    found.ranks = int(ranks) if ranks.isdigit() and len(ranks) < 10 and int(ranks) else None
    for context in _dicts(of.get("CONTEXTS")):
        shown = str(context.get("display_name") or context.get("name") or "")
        for one in _dicts(context.get("foms")):
            origin = str(one.get("origin_type", ""))
            summary = origin.removeprefix("summary::") if origin.startswith("summary::") else None
            value, unit = str(one.get("value", "")), str(one.get("units", ""))
            found.figures.append(
                RambleFigure(None, shown, str(one.get("name", "")), value, unit, summary)
            )
    return found


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    return (one for one in value if isinstance(one, dict)) if isinstance(value, list) else iter(())


def _tables(log: Log, of: RambleExperiment, names: set[str]) -> list[LogTable]:
    """The table of an experiment: a repeat is a launch of the one whose name it continues."""
    base, _, repeat = of.name.rpartition(".")
    is_repeat = repeat.isdigit() and base in names
    has_repeats = any(name.rpartition(".")[0] == of.name for name in names)
    table = LogTable(
        _operation(log, of.name),
        f"Ramble: {base if is_repeat else of.name}",
        of.line,
        experiment=(base if is_repeat else of.name).replace("/", "-"),
        ranks=of.ranks,
        run=of.name if is_repeat else None,
    )
    if of.status and of.status.upper() != "SUCCESS":
        table.note(f"{log.at(of.line)}: {of.name} has the status {of.status}; read as printed")
    if has_repeats and any(figure.summary for figure in of.figures):
        # Its numbers are made of those of the repeats, which are in the file.
        return []
    swapped = _swapped(of)
    if swapped:
        table.note(
            f"{log.at(of.line)}: the maximum of {of.name} is below its average: Ramble takes IMB's "
            "columns for each other; they are read as IMB prints them"
        )
    unsized = 0
    for figure in of.figures:
        size = _SIZE.search(figure.context)
        column = _column(figure, figure.context in swapped)
        if column is None:
            continue
        if size is None and log.bytes is None:
            unsized += 1
            continue
        with table.row(log, figure.line or of.line):
            if not is_number(figure.value):
                raise RowError(f"{figure.name} {figure.value!r} is not a number")
            table.add(figure.line, int(size[1]) if size else log.bytes or 0, column, figure.value)
    if unsized:
        table.note(
            f"{log.at(of.line)}: {unsized} figures of {of.name} without a message size are not "
            "read: give it with --bytes"
        )
    return [table]


def _operation(log: Log, name: str) -> str:
    """The operation: Ramble's names are APPLICATION.WORKLOAD.EXPERIMENT."""
    parts = name.split(".")
    if log.operation != UNKNOWN or len(parts) < 3:
        return log.operation
    workload = parts[1].lower().removeprefix("osu_")
    return WORKLOADS.get(workload, workload.replace("_", "-"))


def _swapped(of: RambleExperiment) -> set[str]:
    """Contexts whose average is above their maximum."""
    found = set()
    values: dict[str, dict[str, Decimal]] = {}
    for figure in of.figures:
        if figure.name in SWAPPED and is_number(figure.value):
            value = number(figure.value)
            if value is not None:
                values.setdefault(figure.context, {})[figure.name] = value
    for context, known in values.items():
        if len(known) == len(SWAPPED) and known[SWAPPED[0]] > known[SWAPPED[1]]:
            found.add(context)
    return found


def _column(figure: RambleFigure, is_swapped: bool) -> Column | None:
    """The meaning of a figure; None if it is neither a time, nor a rate, nor an overlap."""
    name, unit = figure.name.rpartition("::")[2], figure.unit.strip()
    if is_swapped and name in SWAPPED:
        name = SWAPPED[1 - SWAPPED.index(name)]
    definition = f"as Ramble reads it: {figure.name}"
    end = ""
    if figure.summary:
        if figure.summary not in ("min", "max", "mean", "median", "stdev"):
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
    return Column(
        f"{rated}{end}" if rated == "bandwidth" else rated, definition, "value_Bps", factor
    )


def _statistic(name: str) -> str:
    if name in OVER_RANKS:
        return OVER_RANKS[name]
    quantile = _QUANTILE.search(name)
    if quantile:
        return "median" if float(quantile[1]) == 50.0 else f"p{quantile[1]}"
    words = name.lower().replace("_", " ").split()
    known = [WORDS.get(word) or PARTS.get(word) for word in words]
    return next((word for word in known if word), "mean")
