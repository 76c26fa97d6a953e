"""PICO's CSV: the calls of one collective, size and algorithm, whose file is called
COUNT_ALGORITHM[_SEGMENT]_TYPE.csv, and the table that its scripts make of many. Times are
nanoseconds.

A row of the first is one call, by its slowest rank. The rows are samples of one launch; PICO's own
scripts leave out the first 20 %, which are kept here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from hockney.foreign.logs.content import stem_of
from hockney.foreign.logs.log import UNKNOWN, Log
from hockney.foreign.logs.table import (
    BYTES,
    LONGEST_NUMBER,
    SKIPPED,
    Column,
    LogTable,
    RowError,
    is_number,
    whole,
)
from hockney.plan.workloads.collective import COLLECTIVES
from hockney.records.run import REPEATED

HEADED = True

NS = Decimal("1e-9")
CALL = Column("mean", "one call, the slowest rank", factor=NS)
_HEADING = re.compile(r"^highest(?:,rank\d{1,9})*$")
_NAME = re.compile(r"^(?P<count>\d{1,18})_(?P<algorithm>\w+?)(?:_(?P<segment>\d{2,18}))?$")
TYPES = {
    "int8": 1,
    "int16": 2,
    "int32": 4,
    "int64": 8,
    "int": 4,
    "float": 4,
    "double": 8,
    "char": 1,
    "unsigned_char": 1,
}
"""Bytes of an element, by the type in a file's name."""
WARM_UP = (
    "each number is one call; the first calls are among them, PICO's scripts leave out 20 % of all"
)
OF_TABLE = ("collective_type", "buffer_size", "algo_name", "mean", "median", "nnodes")
"""Columns that only PICO's table of many files has together."""
STATISTICS = {
    "mean": "mean",
    "median": "median",
    "std": "std",
    "min": "min",
    "max": "max",
    "percentile_10": "p10",
    "percentile_25": "p25",
    "percentile_75": "p75",
    "percentile_90": "p90",
}
SETTINGS = (
    *("system", "timestamp", "test_id", "datatype", "tasks_per_node", "MPI_Op", "mpi_lib"),
    *("mpi_lib_version", "libbine_version", "gpu_awareness", "gpu_lib", "gpu_lib_version", "notes"),
)
"""Columns that separate experiments."""
OVER_CALLS = "over calls without warm-up, the slowest rank of each"


def recognise(log: Log) -> int | None:
    first = next((line for line, text in log.numbered() if text.strip()), None)
    if first is None:
        return None
    text = log.whole_line(first)
    is_table = set(OF_TABLE) <= set(text.split(","))
    return first if is_table or _HEADING.match(text.strip()) else None


def read(log: Log) -> list[LogTable]:
    first = recognise(log)
    if first is None:
        return []
    titles = [title.strip() for title in log.whole_line(first).split(",")]
    return _calls(log, first, titles) if titles[0] == "highest" else _many(log, first, titles)


def _calls(log: Log, first: int, titles: Sequence[str]) -> list[LogTable]:
    """A table for each call: the n-th is the n-th sample."""
    size, algorithm, segment = _named(stem_of(log.path))
    size = log.bytes if log.bytes is not None else size
    tables: list[LogTable] = []
    unlike: list[tuple[int, list[str]]] = []
    for line in range(first + 1, len(log.lines) + 1):
        cells = [cell.strip() for cell in log.whole_line(line).split(",")]
        if not any(cells):
            continue
        table = LogTable(
            log.operation,
            "PICO",
            first,
            algorithm=algorithm,
            ranks=len(titles) - 1 or None,
            options={REPEATED: "samples"} | ({"segment size": segment} if segment else {}),
            of_samples=True,
        )
        table.note(WARM_UP)
        if size is None:
            words = "the file's name, COUNT_ALGORITHM_TYPE.csv, does not show the message size"
            table.note(f"{log.at(first)}: {words}: give it with --bytes")
            return [table]
        tables.append(table)
        # The slowest rank is one of them: a row that has it is whole.
        is_whole = len(cells) == len(titles) and (log.whole or cells[0] in cells[1:])
        if line == log.last and not is_whole:
            table.cut_in(line)
            break
        with table.row(log, line):
            if len(cells) != len(titles) or not all(map(is_number, cells)):
                raise RowError(f"not {len(titles)} times")
            table.add(line, size, CALL, cells[0])
            if len(cells) > 1 and Decimal(cells[0]) != max(map(Decimal, cells[1:])):
                unlike.append((line, cells))
    for line, (highest, *ranks) in unlike[:1]:
        slowest = max(ranks, key=Decimal)
        tables[0].note(
            f"{log.at(line)}: highest is {highest}, but the slowest rank took {slowest}; "
            f"{len(unlike)} of {len(tables)} calls differ so, and are read as printed"
        )
    return tables


def _named(stem: str) -> tuple[int | None, str | None, str | None]:
    """The size in bytes, the algorithm and the segment size in a file's name."""
    kind = max((name for name in TYPES if stem.endswith(f"_{name}")), key=len, default=None)
    match = _NAME.match(stem.removesuffix(f"_{kind}") if kind else stem)
    if match is None:
        return None, None, None
    # Without a type, as in the first versions, the bytes of an element are unknown.
    size = int(match["count"]) * TYPES[kind] if kind else None
    return size, match["algorithm"], match["segment"]


def _many(log: Log, first: int, titles: Sequence[str]) -> list[LogTable]:
    """A table for each collective and setting, from PICO's table of statistics."""
    tables: dict[tuple[str, ...], LogTable] = {}
    columns = [_column(title) for title in titles]
    last: LogTable | None = None
    for line in range(first + 1, len(log.lines) + 1):
        cells = [cell.strip() for cell in log.whole_line(line).split(",")]
        if not any(cells):
            continue
        row = dict(zip(titles, cells, strict=False))
        setting = {name: row[name] for name in SETTINGS if row.get(name) not in (None, "", "null")}
        operation = row.get("collective_type", UNKNOWN).lower()
        key = (operation, *(setting.get(name, "") for name in SETTINGS))
        if key not in tables:
            tables[key] = LogTable(operation, "PICO", line, options=setting)
        last = tables[key]
        if line == log.last and (len(cells) < len(titles) or not log.whole):
            last.cut_in(line)
            break
        with last.row(log, line):
            if len(cells) != len(titles):
                raise RowError(f"{len(cells)} cells, not {len(titles)}")
            if operation not in COLLECTIVES:
                raise RowError(f"{operation[:LONGEST_NUMBER]!r} is no collective")
            ranks = whole(row["nnodes"]) * whole(row.get("tasks_per_node", "1"))
            known = {"ranks": ranks, "algorithm": row["algo_name"]}
            if "n_iter" in row:
                known["repetitions"] = whole(row["n_iter"])
            last.add_row(line, cells, columns, **known)
    return list(tables.values())


def _column(title: str) -> Column:
    if title == "buffer_size":
        return BYTES
    if title in STATISTICS:
        return Column(STATISTICS[title], OVER_CALLS, factor=NS)
    return SKIPPED
