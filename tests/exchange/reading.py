"""Logs from text, as importers see them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hockney.foreign.exchange import reading
from hockney.foreign.logs.log import Log, log_of
from hockney.foreign.logs.runs import runs_of
from hockney.foreign.logs.table import LogTable
from hockney.plan.axes import text_of
from hockney.records import Run, Summary

NAME = Path("some.log")


def log(text: str) -> Log:
    """A log of this text, with a size and an operation as the user would have to give them."""
    return replace(log_of(text, NAME), bytes=8, operation="asked")


def tables(text: str, format: str | None = None) -> list[LogTable]:
    read = log(text)
    return reading.read(read, format or reading.recognise(read))


def runs(text: str, format: str | None = None) -> list[Run]:
    read = log(text)
    name = format or reading.recognise(read)
    return runs_of([(read, table) for table in reading.read(read, name)], name)


def numbers(table: LogTable) -> dict[tuple[int, str], float]:
    """Numbers by size and statistic, with the algorithm where there are several; each in its own
    unit."""
    return {(row.bytes, name_of(row)): value_of(row) for row in table.rows}


def name_of(row: Summary) -> str:
    return ", ".join(filter(None, (row.statistic, row.algorithm, text_of(row, "window"))))


def value_of(row: Summary) -> float:
    from hockney.infer.estimate import summaries

    value = summaries.value_of(row)
    assert value is not None
    return value
