"""perftest's --out_json: a test and its one result. It does not show the unit of bandwidths, which
the message rate implies."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import LogTable, RowError, implied, is_number, number, whole
from hockney.foreign.programs._perftest_columns import BAD_DEVIATION, UNITS, column_of

_PAIR = re.compile(
    r'"?([A-Za-z][\w.* -]{0,40})"?\s*:\s*(\{|(?:"[^"]{0,120}"|[-\w.+]{1,40})(?=\s*(?:[,}]|$)))'
)
_LEFT = re.compile(r"\w|\ufffd")
"""What no pair has of a line."""
NAMES = {
    "t_min": "t_min",
    "t_max": "t_max",
    "t_typical": "t_typical",
    "t_avg": "t_avg",
    "t_stdev": "t_stdev",
    "percentile_99": "99%",
    "percentile_99.9": "99.9%",
    "tps_average": "tps average",
    "BW_peak": "BW peak",
    "BW_average": "BW average",
    "MsgRate": "MsgRate",
}
"""Names of the columns of text by those of JSON."""
RATES = {name: UNITS[name] for name in ("MiB/sec", "Gb/sec")}


@dataclass
class JsonTest:
    line: int
    info: dict[str, str] = field(default_factory=dict)
    results: dict[str, str] | None = None
    lines: dict[str, int] = field(default_factory=dict)
    """The line of each result."""
    damaged: list[int] = field(default_factory=list)
    """Lines among the results that have other text."""
    result_line: int = 0


def find(log: Log) -> int | None:
    """The line of the first result."""
    test = next((test for test in _tests(log) if test.results), None)
    return test.result_line if test else None


def _tests(log: Log) -> list[JsonTest]:
    tests: list[JsonTest] = []
    is_result = False
    for line, text in log.numbered():
        if "}" in text and "{" not in text:
            is_result = False
        if is_result and _LEFT.search(_PAIR.sub("", text)):
            tests[-1].damaged.append(line)
            continue
        for name, value in _PAIR.findall(text) if '":' in text or tests else ():
            if value == "{":
                if name == "test_info":
                    tests.append(JsonTest(line))
                is_result = name == "results" and bool(tests)
                if is_result:
                    tests[-1].results, tests[-1].result_line = {}, line
            elif is_result and tests[-1].results is not None:
                if name not in tests[-1].results:
                    tests[-1].results[name] = value.strip('"')
                    tests[-1].lines[name] = line
            elif tests:
                tests[-1].info[name] = value.strip('"')
    return tests


def read(log: Log) -> list[LogTable]:
    return [_table(log, test) for test in _tests(log) if test.results]


def _table(log: Log, test: JsonTest) -> LogTable:
    results = test.results or {}
    title = test.info.pop("test", log.operation).removesuffix("Test").replace("_", " ").strip()
    level = {"service level": results["sl"]} if "sl" in results else {}
    table = LogTable(
        title.lower().replace(" ", "-"),
        f"perftest {title}",
        test.result_line,
        ranks=2,
        options=level,
        parameters=test.info,
    )
    with table.row(log, test.result_line):
        if "MsgSize" not in results:
            raise RowError("a result without MsgSize: run without --output")
        size = whole(results["MsgSize"])
        more = {"repetitions": whole(results["n_iterations"])} if "n_iterations" in results else {}
        for name, text in results.items():
            if name not in NAMES:
                continue
            unit = _rate_unit(size, results) if name.startswith("BW") else "usec"
            if name == "t_stdev":
                table.note(BAD_DEVIATION)
            column = column_of(NAMES[name], unit, title)
            table.add(test.lines[name], size, column, text, **more)
    for line in test.damaged:
        table.drop(log, line, "other text among the results")
    return table


def _rate_unit(size: int, results: dict[str, str]) -> str:
    """MiB/sec or Gb/sec. Raises RowError unless the message rate shows which."""
    rate, messages = results.get("BW_average", ""), results.get("MsgRate", "")
    per_s = number(rate) if is_number(rate) else None
    count = number(messages) if is_number(messages) else None
    unit = implied([float(count * 10**6 * size / per_s)], RATES) if per_s and count else None
    if unit is None:
        raise RowError("neither MiB/s nor Gb/s: the message rate does not show the unit")
    return unit
