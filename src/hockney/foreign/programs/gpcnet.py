"""GPCNeT's network_test and network_load_test: the boxes of isolated and congested tests.

Each test is an experiment. Congestion impact factors are ratios, and are not read. Rates are those
of a rank, in MiB/s."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import MEGABYTES, Column, LogTable, RowError, whole

HEADED = True

_TITLE = re.compile(r"^\s*(?P<program>Network(?:Load)?) Tests v(?P<version>[\d.]{1,20})")
_RANKS = re.compile(r"^\s*Test with (\d{1,9}) MPI ranks \((\d{1,9}) nodes\)")
_NODES = re.compile(r"^\s*(\d{1,9}) nodes running (Network|Congestion) Tests")
_SECTION = re.compile(r"^\s*\|\s*([A-Z][^|]{3,150}?)\s*\|$")
_HEADING = re.compile(r"^\s*\|\s*Name\s*\|(?P<titles>.*)\|\s*Units\s*\|$")
_ANY_HEADING = re.compile(r"^\s*\|\s*Name\s*\|")
_FACTOR = re.compile(r"\|\s*[\d.]+X\s*\|")
_TEST = re.compile(r"(?P<name>[^:]*[^:\s])\s*\(\s*(?P<bytes>\d{1,20})(?: B\)?| )?$")
_BESIDE = re.compile(r"\(\s*(\S.*?) Network Test\s*\)")
UNITS = {
    "usec": ("value_s", Decimal("1e-6")),
    "MiB/s/rank": ("value_Bps", MEGABYTES["2^20"]),
    "MiB/s": ("value_Bps", MEGABYTES["2^20"]),
}
STATISTICS = {
    "Min": ("min", "the least over ranks and measurements"),
    "Max": ("max", "the largest over ranks and measurements"),
    "Avg": ("mean", "over ranks and measurements"),
    "Avg(Worst)": ("worst mean", "over measurements, of the worst rank in each"),
    "99%": ("p99", "over ranks and measurements, to the worse end"),
    "99.9%": ("p99.9", "over ranks and measurements, to the worse end"),
}
WIDTH = 31
"""Characters of a name that are printed: a longer one is cut, maybe within its size."""
WITH_CONGESTION = "Network Tests running with Congestion Tests"
LOAD = "congestion tests"
"""The option of tests under congestion: the test that ran beside them; isolated tests lack it."""
NETWORK_NODES = "network nodes"
"""The option of isolated tests of network_load_test: the nodes that run them, a part of all. The
ranks on them are not printed, so that no axis of a point separates them from network_test's."""
LOAD_PROGRAM = "NetworkLoad"


def recognise(log: Log) -> int | None:
    heading = log.find(_HEADING)
    return None if heading is None else log.find(_TITLE) or heading


def read(log: Log) -> list[LogTable]:
    tables: list[LogTable] = []
    known: dict[str, Any] = {}
    section, titles, lost, factors = "", list[str](), list[int](), list[int]()
    for line, text in log.numbered():
        title, ranks, nodes = _TITLE.match(text), _RANKS.match(text), _NODES.match(text)
        box, heading = _SECTION.match(text), _HEADING.match(text)
        if title:
            known = {"program": title["program"], "version": title["version"]}
        elif ranks:
            known |= {"ranks": int(ranks[1]), "nodes": int(ranks[2])}
        elif nodes:
            known[nodes[2]] = int(nodes[1])
        elif heading:
            titles = [cell.strip() for cell in heading["titles"].split("|")]
        elif _ANY_HEADING.match(text):
            titles = []  # of impact factors
        elif box and not _TEST.match(box[1]) and (log.whole or line < log.last):
            section, titles = " ".join(box[1].split()), []
        elif titles and text.lstrip().startswith("|"):
            cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
            _row(log, line, cells, titles, section, known, tables)
        elif titles and text.count("|") > len(titles):
            lost.append(line)
        elif _FACTOR.search(text):
            factors.append(line)
    for table in tables[:1]:
        table.passed_over += factors
    for line in lost if tables else ():
        tables[0].drop(log, line, "other text in the row")
    return tables


def _row(
    log: Log,
    line: int,
    cells: list[str],
    titles: list[str],
    section: str,
    known: dict[str, Any],
    tables: list[LogTable],
) -> None:
    if not any(cells):
        return
    if line == log.last and len(cells) < len(titles) + 2:
        if tables:
            tables[-1].cut_in(line)
        return
    test = _TEST.match(cells[0])
    name = " ".join((test["name"] if test else cells[0]).lower().split())
    table = LogTable(
        name.replace(" ", "-").replace("+", "-"),
        f"GPCNeT {known.get('program', 'Network')} Tests",
        line,
        version=known.get("version"),
        # How many ranks are on the nodes that are not left to congestion tests is not printed.
        ranks=known.get("ranks") if "Network" not in known else None,
        options=_options(section, known),
        parameters={
            name: str(known[name]) for name in ("nodes", "Network", "Congestion") if name in known
        },
    )
    tables.append(table)
    with table.row(log, line):
        if test is None or (cells[0][-1].isdigit() and len(cells[0]) >= WIDTH):
            raise RowError(f"{cells[0]!r} has no whole size")
        if len(cells) != len(titles) + 2 or cells[-1] not in UNITS:
            raise RowError(f"not {len(titles) + 2} columns that end with usec or MiB/s/rank")
        for title, cell in zip(titles, cells[1:-1], strict=True):
            if title in STATISTICS:
                table.add(line, whole(test["bytes"]), _column(title, cells[-1]), cell)


def _column(title: str, unit: str) -> Column:
    (field, factor), (statistic, definition) = UNITS[unit], STATISTICS[title]
    if field == "value_Bps":
        statistic = "bandwidth" if statistic == "mean" else f"{statistic} bandwidth"
    return Column(statistic, f"{definition}, of a rank", field, factor)


def _options(section: str, known: dict[str, Any]) -> dict[str, Any]:
    """Options of a test: one under congestion is another experiment than the isolated one, and so
    is one on a part of the nodes."""
    if not section.startswith(WITH_CONGESTION):
        if "Network" in known or known.get("program") == LOAD_PROGRAM:
            return {NETWORK_NODES: known.get("Network", "a part")}
        return {}
    beside = _BESIDE.search(section)
    nodes = {"congestion nodes": known["Congestion"]} if "Congestion" in known else {}
    return {LOAD: f"with {beside[1]}" if beside else "running", **nodes}
