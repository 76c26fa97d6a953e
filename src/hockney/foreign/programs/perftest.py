"""perftest (ib_send_lat, ib_write_bw, raw_ethernet_bw and others): verbs below MPI, in text and
with --out_json.

Its MB are 2^20 bytes; since 2023 it prints MiB.
"""

from __future__ import annotations

import re
from dataclasses import replace

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.rows import read_rows
from hockney.foreign.logs.table import (
    BYTES,
    REPETITIONS,
    Column,
    LogTable,
    is_number,
)
from hockney.foreign.programs import _perftest_json
from hockney.foreign.programs._perftest_columns import BAD_DEVIATION, RATES, UNITS, column_of
from hockney.records import Summary

HEADED = True

_TITLE = re.compile(
    r"^\s*(?P<title>[A-Z]\w*(?: [\w-]+)*? (?:BW|Latency)(?: forwarding)?(?: Multicast)?)"
    r" (?:Test|Post)"
)
_PARAMETER = re.compile(
    r"\b(Number of qps|Transport type|Connection type|Using SRQ|PCIe relax order|ibv_wr\* API|"
    r"TX depth|RX depth|CQ Moderation|CQE Poll Batch|Mtu|Link type|Max inline data|rdma_cm QPs|"
    r"Use ROCm memory|Use MUSA memory|Use CUDA memory|Device|Dual-port|GID index2?|Outstand reads|"
    r"Data ex\. method|Post List|Recv Post List|Lock-free|Using Enhanced Reorder|Buffer size|"
    r"Block Size|NUMA node|DCS num streams|DCS active num streams)\s*:\s*(\S+)"
)

"""Parameters of a test. Its lines have two of them side by side."""
_HEADING = re.compile(r"^\s*#bytes\s+(?:#sl\s+)?#iterations\s+\S")
_FLOWS = re.compile(r"^\s*#flows\s+fs_\w+")
"""The heading of raw_ethernet_fs_rate, which measures the making of steering rules."""
_COMMAND = re.compile(r"(?:^|[\s/])(?:ib|raw_ethernet)_\w+_lat(?P<options>\s.*)?$")
_IN_CYCLES = re.compile(r"\s(?:-C|--report-cycles)(?:\s|$)")
_CYCLES = re.compile(r"^\s*#, cycles$")
_COLUMN = re.compile(
    r"(?P<name>#sl|t_\w+|tps average|BW peak|BW average|BW Port\d|MsgRate(?: Port\d)?|CPU_Util"
    r"|(?<![\d.])[\d.]+% percentile)"
    r"\s*(?:\[(?P<unit>\w+/?\w*|%%?)\])?"
)
LEVEL = Column("service level")
MOST_MESSAGES = 3
"""Most lines of messages between a table and a row of it below."""


def recognise(log: Log) -> int | None:
    line = log.find(_HEADING)
    line = log.find(_FLOWS) if line is None else line
    return _perftest_json.find(log) if line is None else line


def read(log: Log) -> list[LogTable]:
    tables = _perftest_json.read(log)
    title, parameters, is_cycles, reports_cycles = log.operation, dict[str, str](), False, False
    reached = 0
    for line, text in log.numbered():
        if line < reached:
            continue
        named = _TITLE.match(text)
        if named:
            # A command is above its title; lists of times are below.
            title, parameters, is_cycles, reports_cycles = named["title"], {}, reports_cycles, False
        elif command := _COMMAND.search(text):
            reports_cycles = is_cycles = _IN_CYCLES.search(command["options"] or "") is not None
        elif _CYCLES.match(text):
            is_cycles = True
        elif _HEADING.match(text):
            table = LogTable(
                title.lower().replace(" ", "-").replace("_", "-"),
                f"perftest {title}",
                line,
                ranks=2,
                parameters=parameters,
            )
            reached, of_levels = _rows(log, line, table, title, is_cycles)
            tables += of_levels
        elif _FLOWS.match(text):
            table = LogTable("flow-steering", "perftest raw_ethernet_fs_rate", line)
            table.note(f"{log.at(line)}: rates of flow steering rules are no messages: not read")
            tables.append(table)
        else:
            parameters |= dict(_PARAMETER.findall(text))
    for table in tables:
        table.rows = [row for row in table.rows if not _is_no_peak(row)]
    return tables


def _is_no_peak(row: Summary) -> bool:
    """True for the peak that is not measured with -D or --noPeak."""
    return row.statistic.startswith(RATES["BW peak"]) and row.value_Bps == 0.0


def _rows(
    log: Log, line: int, table: LogTable, title: str, is_cycles: bool
) -> tuple[int, list[LogTable]]:
    """Reads the rows below a heading, also those below the line that closes the table. Returns the
    line below, and a table for each service level."""
    named = list(_COLUMN.finditer(log.lines[line - 1]))
    named_columns = [_column(match, title, table) for match in named]
    columns = [BYTES, REPETITIONS, *named_columns]
    if LEVEL in columns:
        columns = [
            BYTES,
            LEVEL,
            REPETITIONS,
            *(column for column in named_columns if column is not LEVEL),
        ]
    if is_cycles:
        table.note(f"{log.at(line)}: its times are in cycles (-C), of unknown length: not read")
        columns = [replace(column, definition="") for column in columns]
    end = read_rows(log, line + 1, columns, table, ends=_ends)
    sides = [table]
    while (
        not sides[-1].cut
        and (below := _below_rules(log, end))
        and _is_row(log, below, len(columns))
    ):
        size = log.lines[below - 1].split()[0]
        if LEVEL not in columns and any(str(row.bytes) == size for row in sides[-1].rows):
            # Client and server of one test, whose output is mixed.
            options = {**table.options, "side": len(sides) + 1}
            sides.append(replace(table, line=below, rows=[], notes=[], dropped=[], options=options))
            words = "the other side of the test: read as a table of its own"
        else:
            words = "rows below the line that closes the table: read as its own"
        sides[-1].note(f"{log.at(below)}: {words}")
        end = read_rows(log, below, columns, sides[-1], ends=_ends)
    return end, _by_level(log, table) if LEVEL in columns else sides


def _by_level(log: Log, table: LogTable) -> list[LogTable]:
    """A table for each service level, which is the second column."""
    levels = {row.line: log.lines[row.line - 1].split()[1] for row in table.rows if row.line}
    tables = []
    for level in dict.fromkeys(levels.values()):
        rows = [row for row in table.rows if row.line and levels[row.line] == level]
        tables.append(replace(table, rows=rows, options=table.options | {"service level": level}))
    return tables or [table]


def _ends(text: str) -> bool:
    return not text.strip() or text.lstrip()[0] in "#-" or _TITLE.match(text) is not None


def _below_rules(log: Log, end: int) -> int | None:
    """The first line, from the end of a table on, that is neither empty, nor a rule, nor one of the
    first few messages of a library."""
    messages = 0
    for number, text in log.numbered(end):
        words = text.split()
        if not text.strip(" \t-"):
            continue
        if is_number(words[0]) or text.lstrip().startswith("#") or messages == MOST_MESSAGES:
            return number
        if _TITLE.match(text) or _COMMAND.search(text):
            return None
        messages += 1
    return None


def _is_row(log: Log, line: int, columns: int) -> bool:
    cells = log.lines[line - 1].split() if line <= len(log.lines) else []
    return len(cells) == columns and all(map(is_number, cells))


def _column(match: re.Match[str], title: str, table: LogTable) -> Column:
    name, unit = match["name"].split(" percentile")[0], match["unit"]
    if name == "#sl":
        return LEVEL
    if unit == "MB/sec":
        table.note("its MB are 2^20 bytes; rates are read so")
    if name == "t_stdev":
        table.note(BAD_DEVIATION)
    if name == "CPU_Util":
        return Column(name)
    if not _is_known(name, unit):
        table.note(f"unknown unit of {name}: {unit}: ignored")
        return Column(name)
    return column_of(name, unit, title)


def _is_known(name: str, unit: str | None) -> bool:
    """Whether a column of this name is read in this unit."""
    if name == "tps average":
        return True
    if name.startswith("MsgRate"):
        return unit == "Mpps"
    return (unit in UNITS and unit != "Mpps") and (unit == "usec") != name.startswith("BW")
