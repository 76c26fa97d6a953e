"""SimGrid's calibration: a line for each call, `MPI_Send,bytes,start,duration` in seconds."""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import Column, LogTable, whole
from hockney.records.run import REPEATED

HEADED = True

DURATION = Column("mean", "how long the call lasted", factor=Decimal(1))
_CALL = re.compile(r"^(MPI_\w{2,40}),(\d{1,20}),\d+\.\d+,([-+\d.eE]{3,40})$")
_CUT = re.compile(r"^MPI_\w{2,40}(,|$)")
NOT_ONE_WAY = (
    "each number is one call; half of a send and the receive after it is the one-way time of a "
    "ping-pong"
)


def recognise(log: Log) -> int | None:
    """The first line, if it is a call: the files contain nothing else."""
    first = next((line for line, text in log.numbered() if text.strip()), None)
    return first if first is not None and _CALL.match(log.lines[first - 1].strip()) else None


def read(log: Log) -> list[LogTable]:
    """Tables of samples: the n-th call of each size is in the n-th table of its function."""
    tables: dict[tuple[str, int], LogTable] = {}
    seen: Counter[tuple[str, str]] = Counter()
    for line, text in log.numbered():
        call = _CALL.match(text.strip())
        if call is None:
            if line == log.last and tables and _CUT.match(text.strip()):
                tables[next(reversed(tables))].cut_in(line)
            continue
        function, size, duration = call.groups()
        number = seen[function, size]
        seen[function, size] += 1
        table = tables.get((function, number))
        if table is None:
            table = tables[function, number] = LogTable(
                function,
                "SimGrid calibration",
                line,
                options={REPEATED: "samples"},
                of_samples=True,
            )
            table.note(NOT_ONE_WAY)
        with table.row(log, line):
            table.add(line, whole(size), DURATION, duration)
    return list(tables.values())
