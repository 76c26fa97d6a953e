"""Shows a verdict that can be mailed, the times by level, a small matrix and the slowest pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from hockney.base.units import format_percent, format_seconds, format_size, how_many
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.network.boards import NODE, PAIR
from hockney.infer.analysis.network.located import RULE as RULE_OF_ROUNDS
from hockney.infer.analysis.network.network_faults import RULE, Suspect
from hockney.infer.analysis.network.pairwise import LevelTimes, Pairwise, SlowPair
from hockney.infer.analysis.network.slow_parts import Verdict
from hockney.show.drawing.heatmap import heat_map
from hockney.show.network.located import located_json, located_lines, rounds_line
from hockney.show.network.outliers import doubt_lines, tested_json, verdict_lines, with_rule
from hockney.show.one_run import run_lines
from hockney.show.tables.table import (
    TableColumn,
    json_field,
    mebibytes,
    microseconds,
    row_json,
    table_text,
)

MOST_WORST, MOST_SHOWN = 100, 10
"""Slowest pairs of a size in JSON, and on a terminal."""


LEVELS: list[TableColumn[LevelTimes]] = [
    TableColumn("level", lambda row: row.level),
    TableColumn("pairs", lambda row: row.pairs),
    TableColumn("bytes", lambda row: row.bytes),
    TableColumn("median pair", lambda row: row.median_s, microseconds),
    TableColumn("p99", lambda row: row.p99_s, microseconds),
    TableColumn("slowest", lambda row: row.max_s, microseconds),
    TableColumn("MiB/s", lambda row: row.rate_Bps, mebibytes),
]


WORST: list[TableColumn[SlowPair]] = [
    json_field("bytes", lambda row: row.bytes),
    json_field("peers", lambda row: row.peers),
    json_field("hosts", lambda row: row.hosts),
    TableColumn("slowest pairs", lambda row: row.hosts[0]),
    TableColumn("", lambda row: row.hosts[1]),
    TableColumn("level", lambda row: row.level, field="level"),
    TableColumn("bytes", lambda row: row.bytes),
    TableColumn("us", lambda row: row.seconds, microseconds, "median_s"),
    TableColumn("times its level", lambda row: row.ratio, "{:.3f}".format, "ratio"),
]

HEADINGS_ONE_WAY: dict[str | None, str] = {
    "pairs": "directions",
    "median pair": "median",
    "slowest pairs": "slowest from",
    "": "to",
}


def _table(columns: Sequence[TableColumn[Any]], rows: Sequence[Any], pairwise: Pairwise) -> str:
    headings = HEADINGS_ONE_WAY if pairwise.is_one_way else {}
    return table_text(
        [
            replace(column, heading=headings.get(column.heading, column.heading))
            for column in columns
        ],
        rows,
    )


def answer(analysis: Analysis, operation: str | None = None) -> list[str]:  # noqa: ARG001
    """A line that can be mailed for each outlier, or that there is none."""
    if analysis.located is not None:
        return located_lines(analysis, analysis.located)
    if analysis.verdict is None or analysis.pairwise is None:
        return []
    measured = run_lines.measured_words(analysis, len(analysis.pairwise.ranks))
    return verdict_lines(analysis.verdict, _line, "no outlier", measured)


def parts(analysis: Analysis, all_states: bool) -> list[str]:  # noqa: ARG001
    verdict, pairwise = analysis.verdict, analysis.pairwise
    heading = "\n".join(run_lines.heading(analysis))
    if analysis.located is not None and pairwise is not None:
        return [
            heading,
            rounds_line(analysis.located),
            _table(LEVELS, pairwise.level_times(), pairwise),
            "\n".join(with_rule(doubt_lines(analysis.located.doubts) or ["every part was judged"])),
        ]
    if verdict is None or pairwise is None:
        return [heading, "no pair was measured"]
    return [
        heading,
        "\n".join(_coverage(pairwise)),
        _table(LEVELS, pairwise.level_times(), pairwise),
        *(_map(pairwise, size) for size in sorted({0, len(pairwise.bytes) - 1})),
        _table(WORST, pairwise.worst(len(pairwise.bytes) - 1, MOST_SHOWN), pairwise),
        "\n".join(with_rule(_judged(verdict, pairwise))),
    ]


def _rule(analysis: Analysis) -> str:
    return RULE if analysis.located is None else RULE_OF_ROUNDS


def definitions(analysis: Analysis) -> list[str]:
    return [*run_lines.definitions(analysis), f"outlier: {_rule(analysis)}"]


def fields(analysis: Analysis, all_states: bool) -> dict[str, Any]:  # noqa: ARG001
    """{"levels", "matrices", "worst", "suspects", "verdict_rule", ...}."""
    verdict, pairwise = analysis.verdict, analysis.pairwise
    shown: dict[str, Any] = {"verdict_rule": _rule(analysis)}
    known = analysis.located or verdict
    if known is None or pairwise is None:
        return shown
    shown |= {
        "nodes": known.judged.get(NODE, 0),
        "levels": [asdict(level_time) for level_time in pairwise.level_times()],
        "verdict": answer(analysis),
    }
    if verdict is None:
        return {**shown, "located": located_json(known)}
    return {
        **shown,
        "pairs": len(pairwise.ends),
        "fraction_measured": pairwise.fraction,
        "passes": len(pairwise.passes),
        "switches": list(pairwise.switches),
        "switches_from": _source(pairwise),
        "matrices": [_matrix_json(pairwise, size) for size in range(len(pairwise.bytes))],
        "worst": [
            row_json(WORST, pair)
            for size in range(len(pairwise.bytes))
            for pair in pairwise.worst(size, MOST_WORST)
        ],
        "suspects": list(map(tested_json, verdict.slow)),
    }


def _line(suspect: Suspect) -> str:
    return (
        f"{suspect.title}: {suspect.over} ({format_seconds(suspect.typical_s)} where "
        f"{format_seconds(suspect.usual_s)} is usual, {how_many(suspect.pairs, 'pair')}, "
        f"{suspect.sure})"
    )


def _judged(verdict: Verdict[Suspect], pairwise: Pairwise) -> list[str]:
    words = f"{verdict.judged_words} were compared{_not_compared(verdict, pairwise)}"
    return [*[words] * bool(verdict.judged), *doubt_lines(verdict.doubts)]


def _not_compared(verdict: Verdict[Suspect], pairwise: Pairwise) -> str:
    """Why some pairs were not compared: they are of an outlier, or their kind is rare."""
    compared = verdict.judged.get(PAIR, 0)
    left = len(pairwise.ends) // (1 + pairwise.is_one_way) - compared
    if not compared or left <= 0:
        return ""
    of_slow = sum(suspect.pairs for suspect in verdict.slow)
    whys = ["are those of what is slow"] if of_slow else []
    whys += ["have too few of their kind"] if left != of_slow else []
    return f"; the other {left} {' or '.join(whys)}"


def _source(pairwise: Pairwise) -> str | None:
    """Source of the switches: topology, times, or None."""
    if not pairwise.switches:
        return None
    return "times" if pairwise.are_found else "topology"


def _coverage(pairwise: Pairwise) -> list[str]:
    count, pairs = len(pairwise.passes), len(pairwise.ends)
    what = "direction" if pairwise.is_one_way else "pair"
    lines = [
        f"{how_many(pairs, what)} ({format_percent(pairwise.fraction, 3)} of all) in "
        f"{how_many(count, 'pass')}"
    ]
    switches = how_many(len(pairwise.switches), "switch")
    if pairwise.are_found:
        lines.append(f"{switches}, found by the times at the smallest size")
    elif pairwise.switches:
        lines.append(f"{switches} by the topology")
    else:
        lines.append(
            "which nodes share a switch is unknown, and the times do not show it: describe it with "
            "--topology"
        )
    return lines


def _map(pairwise: Pairwise, size: int) -> str:
    binned = pairwise.binned(size)
    by = "switch by switch" if binned.names == pairwise.switches else "node by node"
    each = f", {binned.nodes} nodes a row" if binned.nodes > 1 and by == "node by node" else ""
    sends = ", rows send" if pairwise.is_one_way else ""
    lines = heat_map(binned.seconds, binned.names)
    return f"{format_size(pairwise.bytes[size])}, {by}{each}{sends}\n{lines}"


def _matrix_json(pairwise: Pairwise, size: int) -> dict[str, Any]:
    binned = pairwise.binned(size)
    return {
        "bytes": pairwise.bytes[size],
        "names": list(binned.names),
        "median_s": binned.seconds.tolist(),
    }
