"""perftest (ib_send_lat, ib_write_bw and others): verbs below MPI.

Its MB are 2^20 bytes; since 2023 it prints MiB.
"""

from __future__ import annotations

import re
from decimal import Decimal

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import (
    BYTES,
    MEGABYTES,
    REPETITIONS,
    Column,
    LogTable,
    is_number,
    read_rows,
)

HEADED = True

_TITLE = re.compile(r"^\s*([A-Z]\w*(?: [\w-]+)*? (?:BW|Latency)) (?:Test|Post)")
_PARAMETER = re.compile(
    r"\b(Number of qps|Transport type|Connection type|Using SRQ|PCIe relax order|ibv_wr\* API|"
    r"TX depth|RX depth|CQ Moderation|Mtu|Link type|Max inline data|rdma_cm QPs|Use ROCm memory|"
    r"Use CUDA memory|Device|Dual-port|GID index|Outstand reads|Data ex\. method)\s*:\s*(\S+)"
)
"""Parameters of a test. Its lines have two of them side by side."""
_HEADING = re.compile(r"^\s*#bytes\s+#iterations\s+\S")
_COLUMN = re.compile(
    r"(?P<name>t_\w+|tps average|BW peak|BW average|MsgRate"
    r"|(?<![\d.])[\d.]+% percentile)"
    r"\s*(?:\[(?P<unit>\w+/?\w*)\])?"
)
UNITS = {
    "usec": Decimal("1e-6"),
    "MB/sec": MEGABYTES["2^20"],
    "MiB/sec": MEGABYTES["2^20"],
    "Gb/sec": Decimal(10**9) / 8,
    "Mpps": Decimal(10**6),
}
TIMES = {
    "t_min": "min",
    "t_max": "max",
    "t_typical": "median",
    "t_avg": "mean",
    "t_stdev": "truncated standard deviation",
    "99%": "p99",
    "99.9%": "p99.9",
}
RATES = {"BW peak": "largest bandwidth", "BW average": "bandwidth"}
BAD_DEVIATION = (
    "t_stdev is truncated to microseconds and excludes the two largest times: it is not read as a "
    "standard deviation"
)


def recognise(log: Log) -> int | None:
    return log.find(_HEADING)


def read(log: Log) -> list[LogTable]:
    tables: list[LogTable] = []
    title, parameters = log.operation, dict[str, str]()
    reached = 0
    for line, text in log.numbered():
        if line < reached:
            continue
        named = _TITLE.match(text)
        if named:
            title, parameters = named[1], {}
        elif _HEADING.match(text):
            table = LogTable(
                title.lower().replace(" ", "-").replace("_", "-"),
                f"perftest {title}",
                line,
                ranks=2,
                parameters=parameters,
            )
            reached = _rows(log, line, table, title)
            tables.append(table)
        else:
            parameters |= dict(_PARAMETER.findall(text))
    return tables


def _rows(log: Log, line: int, table: LogTable, title: str) -> int:
    """Reads the rows below a heading, also those below the line that closes the table."""
    named = _COLUMN.finditer(log.lines[line - 1])
    columns = [BYTES, REPETITIONS, *(_column(found, title, table) for found in named)]
    end = read_rows(log, line + 1, columns, table, ends=_ends)
    while (below := _below_rules(log, end)) and _is_row(log, below, len(columns)):
        table.note(f"{log.at(below)}: rows below the line that closes the table: read as its own")
        end = read_rows(log, below, columns, table, ends=_ends)
    return end


def _ends(text: str) -> bool:
    return not text.strip() or text.lstrip()[0] in "#-" or _TITLE.match(text) is not None


def _below_rules(log: Log, end: int) -> int | None:
    """The first line, from the end of a table on, that is neither empty nor a rule."""
    return next((n for n, text in log.numbered(end) if text.strip(" \t-")), None)


def _is_row(log: Log, line: int, columns: int) -> bool:
    cells = log.lines[line - 1].split() if line <= len(log.lines) else []
    return len(cells) == columns and all(map(is_number, cells))


def _column(found: re.Match[str], title: str, table: LogTable) -> Column:
    name, unit = found["name"].split(" percentile")[0], found["unit"]
    if unit == "MB/sec":
        table.note("its MB are 2^20 bytes; rates are read so")
    if name == "t_stdev":
        table.note(BAD_DEVIATION)
    if name == "tps average":
        return Column("message rate", "transactions", "value_per_s", Decimal(1))
    if name == "MsgRate":
        return Column("message rate", "all queue pairs", "value_per_s", UNITS["Mpps"])
    if unit not in UNITS:
        table.note(f"unknown unit of {name}: {unit}: ignored")
        return Column(name)
    if name in RATES:
        return Column(RATES[name], "bytes over time, sender", "value_Bps", UNITS[unit])
    whole = any(word in title.lower() for word in ("read", "atomic"))
    of = "the whole operation" if whole else "half the round trip"
    return Column(TIMES.get(name, name), f"of iterations, {of}, client")
