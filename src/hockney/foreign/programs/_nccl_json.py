"""nccl-tests' JSON (`-J`), in the layout of its src/util.cu since 2.17.5 (versions 1 to 3)."""

from __future__ import annotations

import json
import re
from typing import Any

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import Column, LogTable, RowError, number
from hockney.foreign.programs._json import dict_in, dicts_in, whole_object
from hockney.foreign.programs._nccl_columns import COLUMNS, KINDS, WAYS, is_wrong
from hockney.records import Place

_JSON = re.compile(r'"average_bus_bandwidth"|"out_of_place"')
OF_WAY = {
    "time": COLUMNS["time"],
    "cpu_time": COLUMNS["cputime"],
    "alg_bw": COLUMNS["algbw"],
    "bus_bw": COLUMNS["busbw"],
}
OF_ITERATIONS = {
    f"{key}_us": Column(statistic, "of iterations")
    for key, statistic in {
        "min": "min",
        "max": "max",
        "p50": "median",
        "p95": "p95",
        "p99": "p99",
        "stdev": "std",
        "avg": "mean of iterations",
    }.items()
}
MOST_GPUS = 1024
"""Most GPUs of a process that are believed."""
Kind = tuple[tuple[str, str], ...]


def is_json(log: Log) -> bool:
    return log.text.lstrip()[:1] == "{" and bool(_JSON.search(log.text))


def read(log: Log) -> list[LogTable]:
    """A table for each data type, reduction and root."""
    try:
        # Numbers keep the digits that were printed.
        document = dict_in(json.loads(log.text, parse_float=str, object_pairs_hook=whole_object))
    except (ValueError, RecursionError) as error:
        table = LogTable(log.operation, "nccl-tests", 1)
        table.note(f"{log.at(getattr(error, 'lineno', 1))}: not whole JSON: {error}")
        return [table]
    tables: dict[Kind, LogTable] = {}
    seen: set[tuple[Kind, str]] = set()
    for place, result in enumerate(dicts_in(document.get("results")), 1):
        kind = tuple((name, _text(result[name]).strip()) for name in KINDS if name in result)
        table = tables.setdefault(kind, _table(document, log.operation, kind))
        point = (kind, str(result.get("size")))
        if point in seen:
            table.note(f"{log.path}, result {place}: {point[1]} bytes again; the last one counts")
        seen.add(point)
        _read_result(result, table, f"{log.path}, result {place}")
    return list(tables.values()) or [_table(document, log.operation, ())]


def _table(document: dict[str, Any], unnamed: str, kind: Kind) -> LogTable:
    args = document.get("args")
    program = _text(args[0] if isinstance(args, list) and args else args or unnamed).split()
    operation = program[0].rsplit("/", 1)[-1].removesuffix("_perf") if program else unnamed
    places = _places(document.get("config"))
    return LogTable(
        operation,
        "nccl-tests",
        1,
        ranks=len(places) or None,
        places=places,
        parameters=dict(kind),
    )


def _places(config: Any) -> list[Place]:
    """The host of each rank. Built with MPI, the file has only the first rank of each process."""
    config = dict_in(config)
    devices = dicts_in(config.get("devices"))
    each = _count(config.get("nthreads")) * _count(config.get("ngpus"))
    ranks = [device.get("rank") for device in devices]
    if each > MOST_GPUS or ranks != [first * each for first in range(len(devices))]:
        each = 1
    hosts = [host for device in devices for host in [device.get("hostname")] * each]
    return [Place(rank=rank, host=_text(host) if host else None) for rank, host in enumerate(hosts)]


def _count(value: Any) -> int:
    return value if type(value) is int and value > 0 else 1


def _text(value: Any) -> str:
    """The value as text without surrogates, which JSON escapes may contain."""
    return str(value).encode(errors="replace").decode()


def _read_result(result: dict[str, Any], table: LogTable, where: str) -> None:
    """Adds all numbers of a result, or none with a note."""
    before = len(table.rows)
    try:
        _add(result, table, where)
    except (RowError, KeyError, TypeError, AttributeError) as error:
        del table.rows[before:]
        table.note(f"{where}: {error}; it is ignored")


def _add(result: dict[str, Any], table: LogTable, where: str) -> None:
    size = result["size"]
    if type(size) is not int or size < 0:
        raise RowError(f"size {size!r}")
    for way in WAYS:
        name = way.replace("-", "_")
        once, each = result.get(name) or {}, result.get(f"{name}_per_iter") or {}
        for numbers, columns in ((once, OF_WAY), (each, OF_ITERATIONS)):
            for key, column in columns.items():
                exact = number(str(numbers[key])) if numbers.get(key) is not None else None
                if exact is not None:
                    table.add(None, size, column, exact, algorithm=way)
        if is_wrong(str(once.get("nwrong"))):
            table.note(f"{where}, {size} bytes {way}: the benchmark found wrong results")
