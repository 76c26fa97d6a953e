"""A matrix of all pairs of ranks, as text (of LinkTest and others): comments with the message size
and the unit, a line with the names, and a row for each rank from which messages go."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import Column, LogTable, RowError, RowOrder, is_number, number
from hockney.foreign.programs._csv_heading import TIME_UNITS, factor_of
from hockney.records import Place

HEADED = True

_NAMES = re.compile(
    r"^\s*#?\s*(?:task|rank|host|node|from|sender|process|from\\to)s?\b[:/\\\w]*\s", re.IGNORECASE
)
_SIZE = re.compile(r"(?<![\w.])(\d{1,19}) ?(B|bytes?|KiB|MiB|GiB)(?![\w/])", re.IGNORECASE)
_PLAIN_SIZE = re.compile(r"\b(?:size|length|bytes)[ :=]{1,4}(\d{1,19})(?![\w.])", re.IGNORECASE)
_ROUND_TRIP = re.compile(r"\bround[ -]?trip", re.IGNORECASE)
_UNIT = re.compile(
    r"(?<![\w/])(s|seconds|msec|ms|usec|us|µs|nsec|ns|[kKMG]i?B(?:ytes?)?/s(?:ec)?|[MG]bit/s)(?![\w/])"
)
SCALES = {"b": 1, "byte": 1, "bytes": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}
LEAST = 2
"""Least ranks of a matrix."""


@dataclass
class PairTable:
    line: int
    """The line with the names."""
    names: list[str]
    size: int | None = None
    unit: str | None = None
    is_round_trip: bool = False


def recognise(log: Log) -> int | None:
    return next((matrix.line for matrix in _matrices(log)), None)


def _matrices(log: Log) -> list[PairTable]:
    """Lines of names below which the first row begins with the first of them."""
    found: list[PairTable] = []
    known = PairTable(0, [])
    for line in range(1, len(log.lines)):
        text = log.whole_line(line)
        if _NAMES.match(text):
            names = text.lstrip("# \t").split()[1:]
            cells = log.whole_line(line + 1).split()
            is_row = len(cells) == len(names) + 1 and all(_is_cell(cell) for cell in cells[1:])
            if len(names) >= LEAST and is_row and cells[0] == names[0]:
                found.append(replace(known, line=line, names=names))
                continue
        if text.lstrip().startswith("#"):
            known = _see(text, known)
    return found


def _see(text: str, known: PairTable) -> PairTable:
    """Reads the size and the unit of the matrix below from a comment."""
    sized, plain, units = _SIZE.search(text), _PLAIN_SIZE.search(text), _UNIT.findall(text)
    size = int(sized[1]) * SCALES[sized[2].lower()] if sized else int(plain[1]) if plain else None
    return replace(
        known,
        size=known.size if size is None else size,
        unit=units[-1] if units else known.unit,
        is_round_trip=_ROUND_TRIP.search(text) is not None or (known.is_round_trip and not units),
    )


def _is_cell(text: str) -> bool:
    return is_number(text) or text.lower() in ("-", "nan", "n/a", "x")


def read(log: Log) -> list[LogTable]:
    return [_table(log, matrix) for matrix in _matrices(log)]


def _table(log: Log, matrix: PairTable) -> LogTable:
    places = [Place(rank=rank, host=name) for rank, name in enumerate(matrix.names)]
    is_time = (matrix.unit or "s").lower() in TIME_UNITS
    operation = log.operation
    if operation == "unknown":
        operation = "pingpong" if is_time else "bandwidth"
    table = LogTable(operation, "a matrix of pairs", matrix.line, "pairs", ranks=2, places=places)
    size = log.bytes if log.bytes is not None and matrix.size is None else matrix.size
    if matrix.unit is None or size is None:
        what = "unit" if matrix.unit is None else "message size"
        table.note(f"{log.at(matrix.line)}: no comment above shows the {what}: not read")
        return table
    known = _rows(log, matrix, table)
    column = _column(matrix.unit, is_time, matrix.is_round_trip)
    # Both triangles of a symmetric matrix are one measurement of each pair.
    is_symmetric = all(
        other not in known or known[other][1][rank] == cell
        for rank, (_, cells) in known.items()
        for other, cell in enumerate(cells)
    )
    for rank, (line, cells) in known.items():
        for other, cell in enumerate(cells):
            is_twice = is_symmetric and other < rank
            if other == rank or is_twice or not is_number(cell):
                continue
            with table.row(log, line):
                table.add(line, size, column, number(cell) or cell, peers=(rank, other))
    return table


def _column(unit: str, is_time: bool, is_round_trip: bool) -> Column:
    of = "as the matrix has it, from the row's rank to the column's"
    if is_time and is_round_trip:
        return Column("mean", "half of the round trip", factor=TIME_UNITS[unit.lower()] / 2)
    if is_time:
        return Column("mean", of, factor=TIME_UNITS[unit.lower()])
    return Column("bandwidth", of, "value_Bps", factor_of(unit, "value_Bps"))


def _rows(log: Log, matrix: PairTable, table: LogTable) -> dict[int, tuple[int, list[str]]]:
    """The rows by rank, in the order of the names."""
    found: dict[int, tuple[int, list[str]]] = {}
    order = RowOrder(log, table)
    for rank, name in enumerate(matrix.names):
        line = matrix.line + 1 + rank
        text = log.whole_line(line) if line <= len(log.lines) else ""
        cells = text.split()
        if not cells:
            table.cut = f"{rank} rows of {len(matrix.names)} ranks, read up to there"
            break
        if order.is_cut(line, cells, len(matrix.names) + 1):
            break
        with table.row(log, line):
            if cells[0] != name or len(cells) != len(matrix.names) + 1:
                raise RowError(f"not {name} and {len(matrix.names)} numbers")
            found[rank] = (line, cells[1:])
    return found
