"""Shows heat maps of the matrix, the table of each group, and outliers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from hockney.base.units import first_few, format_rate, format_seconds, format_size
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.network.matrix import DISTURBED, GroupTimes, Matrix, PairGroup
from hockney.plan.workloads.cores import Cores
from hockney.records import Place
from hockney.show.drawing.heatmap import rank_map
from hockney.show.network.outliers import (
    definitions as definitions,
)
from hockney.show.network.outliers import (
    outlier_count,
    outliers_json,
    outliers_text,
    pair_words,
)
from hockney.show.one_run import run_lines
from hockney.show.tables.as_json import fit_json
from hockney.show.tables.table import (
    TableColumn,
    json_field,
    mebibytes,
    microseconds,
    row_json,
    table_text,
    through,
)

MOST_LISTED = 12
"""Most listed pairs whose time is that of another group; the rest is counted."""


class _GroupRow(NamedTuple):
    group: str
    times: GroupTimes


COLUMNS: list[TableColumn[_GroupRow]] = [
    TableColumn("group", lambda row: row.group),
    *through(
        lambda row: row.times,
        json_field("bytes", lambda times: times.bytes),
        TableColumn("pairs", lambda times: times.pairs, field="pairs"),
        TableColumn("bytes", lambda times: times.bytes),
        TableColumn("mean", lambda times: times.mean_s, microseconds, "mean_s"),
        TableColumn("std", lambda times: times.std_s, microseconds, "std_s"),
        TableColumn("std/mean", lambda times: times.ratio, "{:.4f}".format, "ratio"),
        TableColumn("MiB/s", lambda times: times.rate_Bps, mebibytes),
    ),
]


def answer(analysis: Analysis, operation: str | None = None) -> list[str]:  # noqa: ARG001
    """The fastest and the slowest pair at the smallest size, and at the largest where pairs differ
    there that are alike at the smallest; and how many outliers there are."""
    matrix = analysis.matrix
    if matrix is None:
        return []
    sizes = matrix.clustered_sizes if matrix.differ_at_largest else [min(matrix.times)]
    ends = "; ".join(_ends_text(matrix, size) for size in sizes)
    return [ends, *outlier_count(analysis)]


def _ends_text(matrix: Matrix, size: int) -> str:
    pairs = sorted(matrix.times[size].values(), key=lambda point: point.typical_s)
    ends = {"fastest": pairs[0], "slowest": pairs[-1]} if len(pairs) > 1 else {"only": pairs[0]}
    words = [
        f"{name} pair {'-'.join(map(str, point.peers))} {format_seconds(point.typical_s)}"
        for name, point in ends.items()
    ]
    return f"{', '.join(words)} at {format_size(size)}"


def parts(analysis: Analysis, all_states: bool) -> list[str]:  # noqa: ARG001
    matrix = analysis.matrix
    heading = "\n".join(run_lines.heading(analysis))
    if matrix is None:
        return [heading, "no pair was measured"]
    pieces = [heading]
    clustered = " and ".join(map(format_size, matrix.clustered_sizes))
    for size in sorted({min(matrix.times), max(matrix.times)}):
        pieces.append(rank_map(matrix, size))
    pieces += [
        "by shared hardware (us; over the pairs' medians)\n" + group_table(matrix.by_places),
        f"by the times alone (clusters at {clustered})\n" + group_table(matrix.by_times),
        "\n".join(_agreement(matrix, analysis.places)),
    ]
    if isinstance(analysis.workload, Cores) and analysis.workload.parallel:
        pieces.append(_parallel(matrix))
    pieces.append("\n".join(run_lines.states_shown(analysis)))
    pieces.append(outliers_text(analysis))
    return pieces


def fields(analysis: Analysis, all_states: bool) -> dict[str, Any]:  # noqa: ARG001
    """{"ranks", "matrices", "by_places", "by_times", "disagreeing", "not_told_apart",
    "parallel_ratio", "outliers", "outlier_rule"}."""
    return {
        **({} if analysis.matrix is None else _matrix_json(analysis.matrix)),
        **outliers_json(analysis),
    }


def _matrix_json(matrix: Matrix) -> dict[str, Any]:
    return {
        "ranks": list(matrix.ranks),
        "matrices": [
            {"bytes": size, "median_s": matrix.seconds(size).tolist()} for size in matrix.times
        ],
        "by_places": [_group_json(group) for group in matrix.by_places],
        "by_times": [_group_json(group) for group in matrix.by_times],
        "disagreeing": [
            {"pair": pair, "group": group, "timed_like": like}
            for pair, group, like in matrix.disagreeing
        ],
        "not_told_apart": matrix.not_separated,
        "parallel_ratio": matrix.parallel_ratio,
    }


def _group_json(group: PairGroup) -> dict[str, Any]:
    return {
        "name": group.name,
        "pairs": group.pairs,
        "times": [row_json(COLUMNS, _GroupRow(group.name, times)) for times in group.times],
        "fit": fit_json(group.line) if group.line else None,
    }


def group_table(groups: Sequence[PairGroup]) -> str:
    """A table with message size, average, standard deviation and their ratio, and a line fitted
    through each group."""
    rows = [_GroupRow(group.name, times) for group in groups for times in group.times]
    lines = [table_text(COLUMNS, rows)]
    for group in groups:
        line = group.line
        if line:
            alpha, rate = line.parameters["alpha_s"].value, line.derived["r_inf_Bps"].value
            lines.append(f"{group.name}: alpha {format_seconds(alpha)}, 1/beta {format_rate(rate)}")
    return "\n".join(lines)


def _agreement(matrix: Matrix, places: Mapping[int, Place]) -> list[str]:
    """Pairs and groups for which places and times disagree."""
    lines = [
        f"different hardware, similar times: {', '.join(names)}" for names in matrix.not_separated
    ]
    pairs = [
        f"{pair_words(pair, places)}: {group}, but with the time of {like}"
        for pair, group, like in matrix.disagreeing
    ]
    lines += first_few(pairs, MOST_LISTED, "pair")
    return lines or ["hardware and times group the pairs alike"]


def _parallel(matrix: Matrix) -> str:
    ratio = matrix.parallel_ratio
    if ratio is None:
        return "whether pairs at once disturbed each other is unknown: no pair was measured alone"
    disturbed = "disturbed" if ratio > 1.0 + DISTURBED else "did not disturb"
    return f"pairs at once {disturbed} each other: {ratio:.3f} times as long as alone"
