"""The network of a SimGrid platform file: SMPI's overheads and factors by message size, as
properties `smpi/os`, `smpi/ois`, `smpi/or`, `smpi/lat-factor` and `smpi/bw-factor`.

A value is a list of sections, `bytes:startup:perbyte;...` or `bytes:factor;...`, each from that
size on. Such a file is another program's XML: it is searched line by line and never expanded.
"""

from __future__ import annotations

import re
from decimal import Decimal

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import Column, LogTable, RowError, whole

HEADED = True

ONE = Decimal(1)
OVERHEAD = (
    Column("startup", "overhead from this size on, its constant part", factor=ONE),
    Column("per byte", "overhead from this size on", "value_s_per_B", ONE),
)
OVERHEADS = {
    "os": "overhead of a send",
    "ois": "overhead of a nonblocking send",
    "or": "overhead of a receive",
}
FACTORS = {
    "lat-factor": "latency over that of the links, from this size on",
    "bw-factor": "bandwidth over that of the links, from this size on",
    "latency-factor": "latency over that of the links, from this size on",
    "bandwidth-factor": "bandwidth over that of the links, from this size on",
}
_PROPERTY = re.compile(
    r"""<prop\s+id=["'](?:smpi|network)/([a-z-]{2,20})["']\s+value=["']([^"'<>]{1,3000})["']"""
)

_ANY_PROPERTY = re.compile(
    r"(?:\s*<[^p].*)?\s*<prop\s+id=([\"'])[\w/.:-]+\1\s+value=([\"'])[^\"'<>]*\2\s*/?>.*"
)
_OF_PROPERTY = re.compile("<prop|smpi/")


def recognise(log: Log) -> int | None:
    return next((line for line, _, _ in _properties(log)), None)


def read(log: Log) -> list[LogTable]:
    tables = []
    for line, name, value in _properties(log):
        words = OVERHEADS.get(name)
        table = LogTable(f"smpi-{name}", "SimGrid platform", line)
        columns = OVERHEAD if words else (Column("factor", FACTORS.get(name, ""), "value", ONE),)
        for section in value.split(";"):
            with table.row(log, line):
                size, *numbers = section.split(":")
                if len(numbers) != len(columns):
                    raise RowError(f"{section[:80]!r} is no section of smpi/{name}")
                for column, text in zip(columns, numbers, strict=True):
                    table.add(line, whole(size.strip()), column, text.strip())
        tables.append(table)
    for line, text in log.numbered() if tables else ():
        if _OF_PROPERTY.search(text) and not _ANY_PROPERTY.fullmatch(text):
            tables[0].drop(log, line, "no whole property")
    return tables


def _properties(log: Log) -> list[tuple[int, str, str]]:
    """The line, name and value of each property that has sections."""
    return [
        (line, match[1], match[2])
        for line, text in log.numbered()
        if (match := _PROPERTY.search(text)) and match[1] in {*OVERHEADS, *FACTORS}
    ]
