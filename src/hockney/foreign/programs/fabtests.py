"""libfabric's fabtests (fi_rma_bw, fi_rdm_pingpong ...) and its fi_pingpong, as text and with -m,
also in the report of runfabtests.sh. A transfer is one message one way, also in ping-pongs. MB
are 10^6 bytes; 4k are 4096."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import product

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
from hockney.records import LARGEST_WHOLE

HEADED = True

_COMMAND = re.compile(
    r"(?:^|[\s/])fi_(?P<test>(?:[a-z0-9]{1,12}_){0,6}(?:pingpong|bw|bw_mt|lat|latency|rate|atomic"
    r"|tx_completion|multi_recv|ubertest|unmap_mem|rma))(?P<options>\s.*?)?:?\s*$"
)
_SIDE = re.compile(r"^\s*(?P<side>server|client)_stdout:")
"""A line of runfabtests.sh above what one side printed."""
_UBERTEST = re.compile(r"^\s*\[\w[^,]{0,80}, .{1,400}\]\s*$")
"""The parameters of one test of fi_ubertest."""
_SIZED = re.compile(r"(?:^|\s)-S[ =]?(?P<size>\d{1,19})(?=\s|$)")
_KIND = re.compile(r"(?:^|\s)-o[ =]?(read|writedata|write)\b")
_HEADING = re.compile(r"^\s*(?P<name>name\s+)?bytes\s+(?:iters|xfers|#sent)\b.*\susec/xfer\b")
_MACHINE = re.compile(r"^\s*(?:- )?\{ xfer_size: .*\}$")
_PAIR = re.compile(r"([A-Za-z_/]{2,20}): (\d\S{0,39}?)(?=,? |,?$)")
_SCALED = re.compile(r"(\d{1,12}(?:\.\d{1,3})?)([kmg])")
RATE_FIELDS = ("value_Bps", "value_per_s")
"""Members of Summary that hold rates."""
SCALES = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
TIME = "of a transfer, one way"
LATENCY = Column("mean", TIME)
IN_STREAM = Column("mean time in a stream", TIME)
_SIZE_NAME = re.compile(r"[\d.]{1,12}[kmg]?_lat")
COLUMNS = {
    "bytes": BYTES,
    "xfer_size": BYTES,
    "iterations": REPETITIONS,
    "MB/sec": Column("bandwidth", "bytes over time", "value_Bps", Decimal(10**6)),
    "Gb/sec": Column("bandwidth", "bytes over time", "value_Bps", Decimal(10**9) / 8),
    "Mxfers/sec": Column("message rate", "transfers over time", "value_per_s", Decimal(10**6)),
}
"""Columns that are read; others are rounded to whole thousands or hundredths of a second."""


FAR = 0.05
"""Relative difference of a size from the one that bandwidth and time show, beside their rounding,
at which a row is not what it seems."""
NEAR = 0.001
"""Relative tolerance of a size that bandwidth and time imply, beside their rounding."""


@dataclass
class FabtestsContext:
    """Information from the lines before a row."""

    command: re.Match[str] | None = None
    columns: list[Column] = field(default_factory=list)
    """Columns of the heading; empty without one, and in rows that name their numbers."""
    is_pingpong: bool = False
    line: int = 0
    """The line of the heading."""
    side: str | None = None
    setting: str | None = None
    orders: dict[str, RowOrder] = field(default_factory=dict)
    """The table of each name before rows."""


def recognise(log: Log) -> int | None:
    line = log.find(_HEADING)
    return log.find(_MACHINE) if line is None else line


def read(log: Log) -> list[LogTable]:
    tables: list[LogTable] = []
    context = FabtestsContext()
    for line, text in log.numbered():
        side = _SIDE.match(text)
        if _HEADING.match(text):
            titles = [title for title in text.split() if title != "name"]
            context.line, context.orders, context.is_pingpong = line, {}, "#sent" in titles
            context.columns = [_column(title, "") for title in titles]
        elif _MACHINE.match(text):
            if context.columns or not context.orders:
                context.line, context.columns, context.orders = line, [], {}
            _machine_row(log, line, text, _order(log, "", context, tables))
        elif side:
            context.side, context.orders, context.columns = side["side"], {}, []
        elif context.columns and _is_row(text, len(context.columns)):
            _row(log, line, text, context, tables)
        elif context.columns and _is_row(_first_cells(text, context), len(context.columns)):
            _order(log, "", context, tables).table.drop(log, line, "other text in the row")
        elif _UBERTEST.match(text):
            context.setting, context.orders = text.strip(), {}
        elif command := _COMMAND.search(text):
            context = FabtestsContext(command)
    return tables


def _order(log: Log, name: str, context: FabtestsContext, tables: list[LogTable]) -> RowOrder:
    """The table of the rows that begin with this name."""
    if name not in context.orders:
        table = _table(log, name, context)
        tables.append(table)
        context.orders[name] = RowOrder(log, table)
    return context.orders[name]


def _table(log: Log, name: str, context: FabtestsContext) -> LogTable:
    options = context.command["options"] or "" if context.command else ""
    kind = _KIND.search(options)
    test = context.command["test"] if context.command else None
    test = test or ("pingpong" if context.is_pingpong else None)
    operation = test.replace("_", "-") if test else log.operation
    if kind:
        operation = operation.replace("rma", f"rma-{kind[1]}", 1)
    known = {"side": context.side, "test": name or None, "setting": context.setting}
    return LogTable(
        operation,
        f"fabtests fi_{test}" if test else "fabtests",
        context.line,
        ranks=2,
        options={title: value for title, value in known.items() if value},
    )


def _column(title: str, operation: str) -> Column:
    """The meaning of a column; that of the time depends on the operation."""
    if title != "usec/xfer":
        return COLUMNS.get(title, SKIPPED)
    # The time of a message in a stream is no latency.
    is_latency = "pingpong" in operation or operation.endswith(("lat", "latency"))
    return LATENCY if is_latency else IN_STREAM


def _is_row(text: str, columns: int) -> bool:
    """True if a line ends in a number, as some sentences do, and has numbers such as 4k and =10 in
    most columns."""
    cells = text.split()[-columns:]
    numbers = sum(cell.lstrip("=")[:1].isdigit() for cell in cells)
    return len(cells) > 1 and _ends_in_number(cells[-1]) and 2 * numbers > len(cells)


def _first_cells(text: str, context: FabtestsContext) -> str:
    """As many cells as a row has but its last, where they begin with a size."""
    cells = text.split()[: len(context.columns) - 1]
    is_whole = len(cells) == len(context.columns) - 1 and cells[0][:1].isdigit()
    return " ".join(cells) if is_whole else ""


def _ends_in_number(cell: str) -> bool:
    return is_number(cell) or cell.lower() in ("inf", "nan")


def _row(log: Log, line: int, text: str, context: FabtestsContext, tables: list[LogTable]) -> None:
    cells = text.split()
    # A name of the row may be before its numbers. That of older versions is its size: 64_lat.
    words = cells[: -len(context.columns)]
    cells = cells[-len(context.columns) :]
    name = " ".join(word for word in words if _SIZE_NAME.fullmatch(word) is None)
    order = _order(log, name, context, tables)
    if order.is_cut(line, cells, len(context.columns)):
        return
    operation = f"{order.table.operation} {name}"
    columns = [
        _column("usec/xfer", operation) if column is IN_STREAM else column
        for column in context.columns
    ]
    with order.table.row(log, line):
        if len(cells) != len(columns):
            raise RowError(f"not {len(columns)} columns")
        cells[columns.index(BYTES)] = str(_size(cells, columns, context))
        if name:
            _check_size(int(cells[columns.index(BYTES)]), columns, cells)
        columns = _without_zeros(columns, cells)
        order.see(line, order.table.add_row(line, cells, columns))


def _size(cells: list[str], columns: list[Column], context: FabtestsContext) -> int:
    """A size in exact bytes. One such as 97k may be rounded: it is that of the command, or the one
    that bandwidth and time do not contradict."""
    text = cells[columns.index(BYTES)]
    match = _SCALED.fullmatch(text)
    if not match:
        return whole(text)
    given = _SIZED.search(context.command["options"] or "") if context.command else None
    if given and _shown(int(given["size"])) == text:
        return int(given["size"])
    exact = (number(match[1]) or Decimal(0)) * SCALES[match[2]]
    known = dict(zip(columns, cells, strict=True))
    rates = [(column, known[column]) for column in known if column.statistic == "bandwidth"]
    times = [known[column] for column in known if column in (LATENCY, IN_STREAM)]
    if exact != int(exact) or not all(_agrees(text, exact, *of, times) for of in rates):
        raise RowError(f"the size {text} is rounded: its bytes are unknown; run with -S, or -m")
    return int(exact)


def _agrees(text: str, size: Decimal, column: Column, rate: str, times: list[str]) -> bool:
    """False if bandwidth and time show another size that is printed like this one."""
    for time in times:
        per_s, us = number(rate), number(time)
        if per_s and us:
            implied = per_s * column.factor * us / 10**6
            unsure = Decimal("0.005") / per_s + Decimal("0.005") / us + Decimal(NEAR)
            is_printed_so = implied < LARGEST_WHOLE and _shown(int(implied)) == text
            if is_printed_so and abs(implied / size - 1) > unsure:
                return False
    return True


def _check_size(size: int, columns: list[Column], cells: list[str]) -> None:
    """Raises RowError where bandwidth and time show another size: what is before the row is no
    name, but a message that ends in digits, or the first of a row with a number behind it."""
    known = dict(zip(columns, cells, strict=True))
    rates = [(column.factor, known[column]) for column in known if column.statistic == "bandwidth"]
    times = [known[column] for column in known if column in (LATENCY, IN_STREAM)]
    for (factor, rate), time in product(rates, times):
        per_s, us = number(rate), number(time)
        if per_s and us:
            unsure = Decimal("0.01") / per_s + Decimal("0.01") / us + Decimal(FAR)
            if abs(per_s * factor * us / 10**6 - size) > unsure * size:
                raise RowError(f"{size} bytes are not the size that its bandwidth and time show")


def _without_zeros(columns: list[Column], cells: list[str]) -> list[Column]:
    """The columns to be read: a rate of 0.00 is below what the program prints."""
    is_zero = [is_number(cell) and not number(cell) for cell in cells]
    return [
        SKIPPED if zero and column.field in RATE_FIELDS else column
        for column, zero in zip(columns, is_zero, strict=True)
    ]


def _shown(size: int) -> str:
    """A size as the programs print it."""
    letter = next((prefix for prefix in "gmk" if size >= SCALES[prefix]), "")
    base = SCALES.get(letter, 1)
    tenths = size % base * 10 // base if size // base < 10 else 0
    return f"{size // base}.{tenths}{letter}" if tenths else f"{size // base}{letter}"


def _machine_row(log: Log, line: int, text: str, order: RowOrder) -> None:
    table, pairs = order.table, _PAIR.findall(text)
    columns = [_column(title, table.operation) for title, _ in pairs]
    with table.row(log, line):
        if BYTES not in columns:
            raise RowError("a row without a size")
        cells = [cell for _, cell in pairs]
        order.see(line, table.add_row(line, cells, _without_zeros(columns, cells)))
