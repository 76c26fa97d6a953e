"""A matrix of all pairs of ranks, as text (of LinkTest and others): comments with the message size
and the unit, a line with the names, and a row for each rank from which messages go. Cells are
separated by blanks, tabs, commas or semicolons; those without a number are holes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hockney.base.units import how_many, listed
from hockney.foreign.logs.column_names import STATISTICS, TIME_UNITS
from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import (
    LONGEST_SHOWN,
    Column,
    LogTable,
    RowError,
    RowOrder,
    is_number,
    number,
)
from hockney.foreign.programs._csv_cells import UNIT_OF_SIZE, decimal_mark, plain, sized
from hockney.foreign.programs._csv_heading import factor_of
from hockney.foreign.programs._layout import hosts_text
from hockney.foreign.programs._round_trips import is_round_trip
from hockney.records import Place

HEADED = True

_CORNER = re.compile(
    r"(?:task|rank|host|node|from|sender|source|src|process|proc|pe|cpu|core|name|matrix)s?\b"
    r"[:/\\\w>-]*",
    re.IGNORECASE,
)
"""The word above the names of the rows."""
_SIZE = re.compile(
    r"(?<![\w.])(?<!\d,)(\d{1,19}) ?-?(B|bytes?|KiB|MiB|GiB)(?![\w/])", re.IGNORECASE
)
_NAMED_SIZE = re.compile(
    r"\b(?:message|msg)?[ _-]?(?:size|length|bytes)\b[ :=(]{1,4}(?:of )?(\d{1,19})"
    rf"(?:[ \t]{{0,3}}-?({UNIT_OF_SIZE}))?(?![.,]?\w)",
    re.IGNORECASE,
)
_FIRST = re.compile(r'\s*"?([^\s,;"]{1,255})')
_UNIT = re.compile(
    r"(?<![\w/'’])(s|sec|seconds|milliseconds|msec|ms|microseconds|usec|us|µs|μs|nanoseconds|nsec|ns"
    r"|[kKMG]i?B(?:ytes?)?(?:/s(?:ec)?|ps)|[kMG]b(?:it)?(?:/s(?:ec)?|ps))(?![\w/])"
)
_KEYED = re.compile(
    r"^\s*(?:\w+ ){0,3}(?:size|length|units?|bytes|latency|bandwidth|times?|rates?)\b"
    r"[^:=]{0,30}[:=]\s*\S",
    re.IGNORECASE,
)
"""A line of words that names something, as a report has above its matrix."""
_COUNTED = re.compile(r"\d[\d.,]* ?$")
"""A number before a unit: of a duration, or of a result that the comment mentions."""
_MARKED = re.compile(r"(?:\bin |[(\[]|\bunits?[ :=]{1,3})$", re.IGNORECASE)
"""What stands before the unit of the numbers, where others are mentioned, too."""
_HOLES = frozenset(
    {"", "-", "--", "nan", "-nan", "n/a", "na", "x", "inf", "none", "null", "*", "."}
)
_WITH_MARKS = re.compile(r"\d[\d.]*,[\d.,]*\d")
"""A number with a decimal comma, or with commas between its thousands."""
_SUMMARIES = frozenset({*STATISTICS, "sum", "total", "std.", "avg."})
"""Names of columns behind those of the ranks, in lower case."""
LEAST = 2
"""Least ranks of a matrix."""
LONGEST_WORDS = 200
LONGEST_BEFORE = 60
"""Most characters before a unit that are searched for what marks it."""
MOST_BETWEEN = 3
"""Most lines between the names and the first row, of messages of a library."""
MOST_NAMED = 10
"""Most pairs that a note names."""


@dataclass
class Comments:
    """What the comments above a matrix show."""

    sizes: list[int] = field(default_factory=list)
    unsettled: str | None = None
    """Why the size is not known, where its unit is ambiguous."""
    units: list[str] = field(default_factory=list)
    marked_units: list[str] = field(default_factory=list)
    is_round_trip: bool | None = None
    """None if no comment says whether times are of round trips or of one way."""

    @property
    def size(self) -> int | None:
        return self.sizes[0] if len(set(self.sizes)) == 1 else None

    @property
    def unit(self) -> str | None:
        known = set(self.marked_units) or set(self.units)
        return known.pop() if len(known) == 1 else None


@dataclass
class PairTable:
    line: int
    """The line with the names."""
    names: list[str]
    separator: str | None
    """None for blanks."""
    above: Comments
    summaries: list[str]
    """Names of columns of statistics, behind those of the ranks."""


def recognise(log: Log) -> int | None:
    return next((matrix.line for matrix in _matrices(log)), None)


def _matrices(log: Log) -> Iterator[PairTable]:
    """Lines of names below which the first row begins with the first of them."""
    known, default = Comments(), Comments()
    is_above = False
    """True if the line before was a comment of the same block."""
    for line in range(1, len(log.lines)):
        text = log.whole_line(line)
        heading = _heading(log, line)
        if heading:
            names, separator, summaries = heading
            above = _with_default(known, default)
            yield PairTable(line, names, separator, above, summaries)
            known, is_above = Comments(), False
        elif text.lstrip().startswith("#") or (len(text) < LONGEST_WORDS and _KEYED.match(text)):
            if not is_above and (known.sizes or known.unsettled or known.units):
                # The comments at the top are for all matrices below.
                default, known = known, Comments()
            _see(text, known)
            is_above = True
        else:
            is_above = False


def _with_default(known: Comments, default: Comments) -> Comments:
    has_size = known.sizes or known.unsettled
    return Comments(
        known.sizes if has_size else default.sizes,
        known.unsettled if has_size else default.unsettled,
        known.units or default.units,
        known.marked_units or ([] if known.units else default.marked_units),
        default.is_round_trip if known.is_round_trip is None else known.is_round_trip,
    )


def _heading(log: Log, line: int) -> tuple[list[str], str | None, list[str]] | None:
    """The names in a line above a matrix, what separates them, and those of statistics behind them;
    None in any other line."""
    text, last = log.whole_line(line), min(line + MOST_BETWEEN, len(log.lines))
    if len(text) < 3 or text[0].isdigit():
        return None
    for at in range(line + 1, last + 1):
        below = log.whole_line(at)
        first = _FIRST.match(below)
        # A row begins with a name, which nearly no other line has: the rest takes time.
        heading = _names(text, below) if first and first[1].rstrip(":") in text else None
        if heading:
            return heading
    return None


def _names(text: str, below: str) -> tuple[list[str], str | None, list[str]] | None:
    """The names in a line above this row, what separates them, and those of statistics."""
    separator = next((mark for mark in "\t,;" if mark in below and mark in text), None)
    cells = _split(text.lstrip("#") if separator else text.lstrip("# "), separator)
    if separator is None and len(cells) == len(below.split()) - 1:
        cells = ["", *cells]
    while separator == "\t" and cells and not cells[-1]:
        cells.pop()
    names = cells[1:]
    if len(names) < LEAST or (cells[0] and not _CORNER.fullmatch(cells[0])):
        return None
    is_numbered = any(map(is_number, names))
    if not cells[0] and is_numbered and names != [str(rank) for rank in range(len(names))]:
        return None  # numbers of another table
    row = _split(below, separator) or [""]
    while separator == "\t" and len(row) > len(cells) and not row[-1]:
        row.pop()
    is_row = len(row) == len(cells) and all(map(_is_cell, row[1:]))
    has_values = any(map(_is_value, row[1:])) and all(names)
    if not is_row or not has_values or row[0].rstrip(":") != names[0]:
        return None
    ranks = len(names)
    while ranks > LEAST and names[ranks - 1].lower() in _SUMMARIES:
        ranks -= 1
    return names[:ranks], separator, names[ranks:]


def _split(text: str, separator: str | None) -> list[str]:
    return [cell.strip().strip('"') for cell in text.split(separator)]


def _see(text: str, known: Comments) -> None:
    """Reads the size and the unit of the matrix below from a comment."""
    try:
        for match in [*_NAMED_SIZE.finditer(text)] or [*_SIZE.finditer(text)]:
            known.sizes.append(sized(match[1], match[2]))
    except RowError as error:
        known.unsettled = f"the message size of the comments above: {error}"
    for match in _UNIT.finditer(text):
        before = text[max(match.start() - LONGEST_BEFORE, 0) : match.start()]
        if not _COUNTED.search(before):
            known.units.append(match[1])
            if _MARKED.search(before):
                known.marked_units.append(match[1])
    shown = is_round_trip(text)
    known.is_round_trip = known.is_round_trip if shown is None else shown


def _is_value(text: str) -> bool:
    return is_number(text) or _WITH_MARKS.fullmatch(text) is not None


def _is_cell(text: str) -> bool:
    return _is_value(text) or text.lower() in _HOLES


def read(log: Log) -> list[LogTable]:
    return [_table(log, matrix) for matrix in _matrices(log)]


def _table(log: Log, matrix: PairTable) -> LogTable:
    places = [Place(rank=rank, host=name) for rank, name in enumerate(matrix.names)]
    unit = matrix.above.unit
    is_time = (unit or "s").lower() in TIME_UNITS
    operation = log.operation
    if operation == "unknown":
        operation = "pingpong" if is_time else "bandwidth"
    table = LogTable(
        operation,
        "a matrix of pairs",
        matrix.line,
        "pairs",
        ranks=2,
        places=places,
        parameters={"hosts": hosts_text(matrix.names)},
    )
    size = log.bytes if matrix.above.size is None else matrix.above.size
    if matrix.above.unsettled:
        table.note(f"{log.at(matrix.line)}: {matrix.above.unsettled}")
        return table
    if unit is None or size is None:
        what = "unit" if unit is None else "message size"
        among = matrix.above.units if unit is None else matrix.above.sizes
        of = f"show which of {', '.join(map(str, dict.fromkeys(among)))} is" if among else "show"
        end = ": give it with --bytes" if unit is not None else ": write '# in usec', '# in MiB/s'"
        table.note(f"{log.at(matrix.line)}: the comments above do not {of} the {what}{end}")
        return table
    if unit.startswith(("MB", "kB", "GB", "KB")):
        table.note("its MB are taken for 10^6 bytes")
    if matrix.summaries:
        words = ", ".join(matrix.summaries)
        table.note(f"{log.at(matrix.line)}: {words}: statistics of the ranks are not read")
    known = _with_points(log, table, _rows(log, matrix, table))
    column = _column(unit, is_time, matrix.above.is_round_trip or False)
    _add_cells(log, matrix, table, known, size, column)
    return table


def _add_cells(
    log: Log,
    matrix: PairTable,
    table: LogTable,
    known: dict[int, tuple[int, list[str]]],
    size: int,
    column: Column,
) -> None:
    # Both triangles of a symmetric matrix are one measurement of each pair.
    is_symmetric = all(
        other not in known or known[other][1][rank] == cell
        for rank, (_, cells) in known.items()
        for other, cell in enumerate(cells)
    )
    measured, holes = set[tuple[int, int]](), []
    for rank, (line, cells) in known.items():
        for other, cell in enumerate(cells):
            if other == rank:
                continue
            if not is_number(cell) or not number(cell):
                holes.append((rank, other))
                continue
            if is_symmetric and other < rank and (other, rank) in measured:
                continue
            measured.add((rank, other))
            with table.row(log, line):
                table.add(line, size, column, number(cell) or cell, peers=(rank, other))
    # One triangle alone is a matrix without holes.
    half = len(matrix.names) * (len(matrix.names) - 1) // 2
    is_triangle = len(holes) >= half and all((b, a) in measured for a, b in holes)
    if holes and not is_triangle:
        few = listed([f"{matrix.names[a]} to {matrix.names[b]}" for a, b in holes], MOST_NAMED)
        count = how_many(len(holes), "hole")
        table.note(f"{log.at(matrix.line)}: {count}, without a number: {few}")


def _with_points(
    log: Log, table: LogTable, rows: dict[int, tuple[int, list[str]]]
) -> dict[int, tuple[int, list[str]]]:
    """The rows with decimal points, without those whose commas are ambiguous."""
    commas = [cell for _, cells in rows.values() for cell in cells if "," in cell]
    if not commas:
        return rows
    mark, known = decimal_mark([], commas), dict[int, tuple[int, list[str]]]()
    for rank, (line, cells) in rows.items():
        with table.row(log, line):
            known[rank] = line, [plain(cell, mark)[0] for cell in cells]
    return known


def _is_part(text: str, missing: Sequence[str], matrix: PairTable) -> bool:
    """True if a line has a part of a row: the name of one that is missing, or the cells of one."""
    cells = [cell for cell in _split(text.rstrip(), matrix.separator) if cell]
    ends = len(cells) >= len(matrix.names) and all(map(_is_cell, cells[-len(matrix.names) :]))
    begins = (name for name in missing if name in text or name.startswith(text.strip() or " "))
    return ends or next(begins, None) is not None


def _column(unit: str, is_time: bool, is_whole: bool) -> Column:
    of = "as the matrix has it, from the row's rank to the column's"
    if is_time and is_whole:
        return Column("mean", "half of the round trip", factor=TIME_UNITS[unit.lower()] / 2)
    if is_time:
        return Column("mean", of, factor=TIME_UNITS[unit.lower()])
    return Column("bandwidth", of, "value_Bps", factor_of(unit, "value_Bps"))


def _rows(log: Log, matrix: PairTable, table: LogTable) -> dict[int, tuple[int, list[str]]]:
    """The rows by rank, in any order; in that of the names, where several are the same. Other lines
    may be between them."""
    rows: dict[int, tuple[int, list[str]]] = {}
    ranks = {name: rank for rank, name in enumerate(matrix.names)}
    is_unique = len(ranks) == len(matrix.names)
    width = 1 + len(matrix.names) + len(matrix.summaries)
    order, expected, others = RowOrder(log, table), 0, list[tuple[int, str]]()
    for line in range(matrix.line + 1, len(log.lines) + 1):
        text = log.whole_line(line)
        if expected == len(matrix.names) or len(rows) == len(matrix.names) or _heading(log, line):
            break
        cells = _split(text, matrix.separator) or [""]
        name = cells[0].rstrip(":")
        if name not in (ranks if is_unique else matrix.names[expected:]):
            others.append((line, text))
            continue
        rank = ranks[name] if is_unique else matrix.names.index(name, expected)
        expected = 0 if is_unique else rank + 1
        cells = cells[:width] if not any(cells[width:]) else cells
        if order.is_cut(line, cells, width):
            break
        with table.row(log, line):
            if len(cells) != width or not all(map(_is_cell, cells[1:])):
                raise RowError(f"not {name} and {width - 1} numbers")
            if rank in rows:
                raise RowError(f"a second row of {name}")
            rows[rank] = (line, cells[1 : 1 + len(matrix.names)])
    missing = [name for rank, name in enumerate(matrix.names) if rank not in rows]
    if missing and not table.cut:
        for line, text in others:
            if _is_part(text, missing, matrix):
                table.drop(log, line, f"a row that is damaged: {text.strip()[:LONGEST_SHOWN]}")
        words = f"no row of {listed(missing, MOST_NAMED)}"
        table.cut = f"{len(rows)} rows of {len(matrix.names)} ranks are read: {words}"
    return rows
