"""BenchPress's ping-pong between CPUs: a row for each pair of ranks, a column for each power of two
of 4-byte words, half of the round trip in seconds."""

from __future__ import annotations

import re
from decimal import Decimal

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import LONGEST_SHOWN, Column, LogTable, RowError, whole

HEADED = True

WORD_BYTES = 4
MOST_SIZES = 40
TIME = Column("mean", "half of the round trip, slower of two ranks", factor=Decimal(1))
_TITLE = re.compile(r"^\s*Profiling Standard CPU Ping-Pongs:\s*$")
_OTHER = re.compile(r"^\s*Profiling\b")
_PAIR = re.compile(r"^\s*CPU (\d{1,9}) and CPU (\d{1,9}):(.*)$")
_NUMBER = re.compile(r"\d\.\d{6}e[-+]\d\d")
"""A number as printf's %e writes it: a shorter one was cut."""


def recognise(log: Log) -> int | None:
    return log.find(_TITLE)


def read(log: Log) -> list[LogTable]:
    """One table for each ping-pong. Other tables of the program (GPUs, copies, several messages)
    are ignored."""
    tables: list[LogTable] = []
    is_inside = False
    for line, text in log.numbered():
        if _OTHER.match(text):
            is_inside = _TITLE.match(text) is not None
            if is_inside:
                tables.append(LogTable("pingpong", "BenchPress", line, experiment="pairs", ranks=2))
            continue
        pair = _PAIR.match(text) if is_inside else None
        if pair:
            _row(log, line, pair, tables[-1])
        elif is_inside and any(map(str.isalnum, text)):
            tables[-1].drop(log, line, f"no pair of CPUs: {text.strip()[:LONGEST_SHOWN]}")
    return tables


def _row(log: Log, line: int, pair: re.Match[str], table: LogTable) -> None:
    cells = pair[3].split()[:MOST_SIZES]
    if line == log.last and (not cells or not _NUMBER.fullmatch(cells[-1])):
        table.cut_in(line)
        return
    with table.row(log, line):
        peers = [whole(pair[1]), whole(pair[2])]
        for power, cell in enumerate(cells):
            if not _NUMBER.fullmatch(cell):
                raise RowError(f"{cell!r} is no whole number")
            table.add(line, WORD_BYTES << power, TIME, cell, peers=peers)
