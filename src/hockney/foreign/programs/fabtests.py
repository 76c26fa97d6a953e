"""libfabric's fabtests (fi_rma_bw, fi_rdm_pingpong ...) and its fi_pingpong, as text and as -m has
it. A transfer is one message one way, also of ping-pongs. MB are 10^6 bytes; 4k are 4096."""

from __future__ import annotations

import re
from decimal import Decimal

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import (
    BYTES,
    REPETITIONS,
    SKIPPED,
    Column,
    LogTable,
    RowError,
    RowOrder,
    is_number,
    number,
    whole,
)

HEADED = True

_COMMAND = re.compile(r"(?:^|[\s/])fi_(?P<test>[a-z][a-z0-9_]{1,40})(?P<options>\s.*?)?:?\s*$")
_KIND = re.compile(r"(?:^|\s)-o[ =]?(read|writedata|write)\b")
_HEADING = re.compile(r"^\s*(?P<name>name\s+)?bytes\s+(?:iters|xfers|#sent)\b.*\s(?:usec/xfer)\b")
_MACHINE = re.compile(r"^\s*- \{ xfer_size: .*\}$")
_PAIR = re.compile(r"([A-Za-z_/]{2,20}): ([\d.eE+-]{1,40})")
_SCALED = re.compile(r"(\d{1,12}(?:\.\d{1,3})?)([kmg])")
SCALES = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
TIME = "of a transfer, one way"
COLUMNS = {
    "bytes": BYTES,
    "xfer_size": BYTES,
    "iterations": REPETITIONS,
    "MB/sec": Column("bandwidth", "bytes over time", "value_Bps", Decimal(10**6)),
    "Gb/sec": Column("bandwidth", "bytes over time", "value_Bps", Decimal(10**9) / 8),
    "Mxfers/sec": Column("message rate", "transfers over time", "value_per_s", Decimal(10**6)),
}
"""Columns that are read; others are rounded to whole thousands or hundredths of a second."""


def recognise(log: Log) -> int | None:
    found = log.find(_HEADING)
    return log.find(_MACHINE) if found is None else found


def read(log: Log) -> list[LogTable]:
    tables: list[LogTable] = []
    command: re.Match[str] | None = None
    columns: list[Column] = []
    order: RowOrder | None = None
    for line, text in log.numbered():
        if _HEADING.match(text):
            titles = [title for title in text.split() if title != "name"]
            tables.append(_table(log, line, command, "#sent" in titles))
            columns = [_column(title, tables[-1]) for title in titles]
            order = RowOrder(log, tables[-1])
        elif _MACHINE.match(text):
            if order is None or columns:
                tables.append(_table(log, line, command, is_pingpong=False))
                order, columns = RowOrder(log, tables[-1]), []
            _machine_row(log, line, text, order)
        elif not _is_row(text, columns):
            found = _COMMAND.search(text)
            if found:
                command, columns, order = found, [], None
        elif order is not None:
            _row(log, line, text.split(), columns, order)
    return tables


def _table(log: Log, line: int, command: re.Match[str] | None, is_pingpong: bool) -> LogTable:
    options = command["options"] or "" if command else ""
    kind = _KIND.search(options)
    test = command["test"] if command else "pingpong" if is_pingpong else None
    name = test.replace("_", "-") if test else log.operation
    if kind:
        name = name.replace("rma", f"rma-{kind[1]}", 1)
    program = f"fabtests fi_{test}" if test else "fabtests"
    return LogTable(name, program, line, ranks=2)


def _column(title: str, table: LogTable) -> Column:
    if title != "usec/xfer":
        return COLUMNS.get(title, SKIPPED)
    # The time of a message in a stream is no latency.
    is_latency = "pingpong" in table.operation or table.operation.endswith("lat")
    return Column("mean", TIME) if is_latency else Column("mean time in a stream", TIME)


def _is_row(text: str, columns: list[Column]) -> bool:
    cells = text.split()
    return bool(columns) and len(cells) > 1 and is_number(cells[-1])


def _row(log: Log, line: int, cells: list[str], columns: list[Column], order: RowOrder) -> None:
    # A name of the row may be before its numbers.
    cells = cells[-len(columns) :]
    if order.is_cut(line, cells, len(columns)):
        return
    with order.table.row(log, line):
        if len(cells) != len(columns):
            raise RowError(f"not {len(columns)} columns")
        cells[columns.index(BYTES)] = str(_size(cells[columns.index(BYTES)]))
        order.see(line, order.table.add_row(line, cells, columns))


def _size(text: str) -> int:
    """A size in exact bytes. One such as 97.6k was rounded."""
    found = _SCALED.fullmatch(text)
    if not found:
        return whole(text)
    exact = (number(found[1]) or Decimal(0)) * SCALES[found[2]]
    if exact != int(exact):
        raise RowError(f"the size {text} is rounded: its bytes are unknown")
    return int(exact)


def _machine_row(log: Log, line: int, text: str, order: RowOrder) -> None:
    table, pairs = order.table, _PAIR.findall(text)
    columns = [_column(title, table) for title, _ in pairs]
    with table.row(log, line):
        if BYTES not in columns:
            raise RowError("a row without a size")
        order.see(line, table.add_row(line, [cell for _, cell in pairs], columns))
