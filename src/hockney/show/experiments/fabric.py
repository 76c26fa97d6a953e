"""Shows a verdict that can be mailed, the times by level, a small matrix and the slowest pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from hockney.base.units import format_seconds, format_size
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.network_faults import RULE, Suspect, Verdict
from hockney.infer.analysis.pairwise import LevelTimes, Pairwise
from hockney.show import run_lines, table
from hockney.show.as_json import points_json
from hockney.show.heatmap import heat_map
from hockney.show.outliers import doubt_lines, rule_text

MOST_WORST, MOST_SHOWN = 100, 10
"""Slowest pairs of a size in JSON, and on a terminal."""
COLUMNS = ("level", "pairs", "bytes", "median pair", "p99", "slowest", "MiB/s")


def answer(analysis: Analysis, operation: str | None = None) -> list[str]:  # noqa: ARG001
    """A line that can be mailed for each outlier, or that there is none."""
    verdict, pairwise = analysis.verdict, analysis.pairwise
    if verdict is None or pairwise is None:
        return []
    return verdict_lines(analysis, verdict, pairwise)


def parts(analysis: Analysis, all_states: bool) -> list[str]:  # noqa: ARG001
    verdict, pairwise = analysis.verdict, analysis.pairwise
    heading = "\n".join(run_lines.heading(analysis))
    if verdict is None or pairwise is None:
        return [heading, "no pair was measured"]
    return [
        heading,
        "\n".join(_coverage(pairwise)),
        level_table(pairwise.level_times()),
        *(_map(pairwise, size) for size in sorted({0, len(pairwise.bytes) - 1})),
        _worst(pairwise),
        "\n".join([*_judged(verdict), rule_text(RULE)]),
    ]


def fields(analysis: Analysis, all_states: bool) -> dict[str, Any]:
    """{"points", "levels", "matrices", "worst", "suspects", "verdict", "rule", ...}."""
    verdict, pairwise = analysis.verdict, analysis.pairwise
    shown: dict[str, Any] = {"points": points_json(analysis, all_states), "verdict_rule": RULE}
    if verdict is None or pairwise is None:
        return shown
    return {
        **shown,
        "nodes": verdict.nodes,
        "pairs": len(pairwise.ends),
        "fraction_measured": pairwise.fraction,
        "passes": len(pairwise.passes),
        "switches": list(pairwise.switches),
        "switches_from": _source(pairwise),
        "levels": [asdict(one) for one in pairwise.level_times()],
        "matrices": [_matrix_json(pairwise, size) for size in range(len(pairwise.bytes))],
        "worst": [
            _pair_json(pairwise, size, *one)
            for size in range(len(pairwise.bytes))
            for one in pairwise.worst(size, MOST_WORST)
        ],
        "suspects": [asdict(one) for one in verdict.suspects],
        "verdict": verdict_lines(analysis, verdict, pairwise),
    }


def verdict_lines(analysis: Analysis, verdict: Verdict, pairwise: Pairwise) -> list[str]:
    """The verdict, whose lines each have all that is needed for a repair."""
    started = (analysis.run.header.started or "an unknown date").partition("T")[0]
    mpi = analysis.run.launches[0].mpi if analysis.run.launches else None
    library = " ".join(filter(None, (mpi.library, mpi.version))) if mpi else "an unknown MPI"
    measured = f"{len(pairwise.ranks)} ranks, {library}, {started}"
    if verdict.suspects:
        return [f"{_line(one)}; {measured}" for one in verdict.suspects]
    if verdict.doubts:
        return doubt_lines(verdict.doubts[:1])
    return [f"no outlier among {_counts(verdict)}; {measured}"]


def _line(one: Suspect) -> str:
    return (
        f"{one.words}: {one.ratio:.3g} times the others at {format_size(one.bytes)} "
        f"({format_seconds(one.typical_s)} where {format_seconds(one.usual_s)} is usual, "
        f"{one.pairs} pair{'s' * (one.pairs > 1)}, "
        f"p = {one.p:.1g}, in {one.passes_agreeing} of {one.passes} "
        f"pass{'es' * (one.passes > 1)})"
    )


def _counts(verdict: Verdict) -> str:
    counts = (
        (verdict.nodes, "node"),
        (verdict.switches, "switch"),
        (verdict.cables, "cable"),
        (verdict.pairs, "pair"),
    )
    words = [
        f"{count} {name}{('' if count == 1 else 'es' if name == 'switch' else 's')}"
        for count, name in counts
        if count
    ]
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _judged(verdict: Verdict) -> list[str]:
    counted = [f"{_counts(verdict)} were compared"] if _counts(verdict) else []
    return [*counted, *doubt_lines(verdict.doubts)]


def _source(pairwise: Pairwise) -> str | None:
    """Source of the switches: topology, times, or None."""
    if not pairwise.switches:
        return None
    return "times" if pairwise.are_found else "topology"


def _coverage(pairwise: Pairwise) -> list[str]:
    count, pairs = len(pairwise.passes), len(pairwise.ends)
    lines = [
        f"{pairs} pair{'s' * (pairs > 1)} ({100.0 * pairwise.fraction:.3g} % of all) in {count} "
        f"pass{'es' * (count > 1)}"
    ]
    if pairwise.are_found:
        lines.append(f"{len(pairwise.switches)} switches, found by the times at the smallest size")
    elif pairwise.switches:
        lines.append(f"{len(pairwise.switches)} switches by the topology")
    else:
        lines.append(
            "which nodes share a switch is unknown, and the times do not tell: describe it with "
            "--topology"
        )
    return lines


def level_table(times: Sequence[LevelTimes]) -> str:
    """A table of times in microseconds, over the medians of the pairs."""
    rows = [COLUMNS]
    rows += [
        (
            one.level,
            str(one.pairs),
            str(one.bytes),
            table.microseconds(one.median_s),
            table.microseconds(one.p99_s),
            table.microseconds(one.max_s),
            table.mebibytes(one.bytes / one.median_s if one.bytes else None),
        )
        for one in times
    ]
    return table.aligned(rows)


def _map(pairwise: Pairwise, size: int) -> str:
    binned = pairwise.binned(size)
    by = "switch by switch" if binned.names == pairwise.switches else "node by node"
    each = f", {binned.nodes} nodes a row" if binned.nodes > 1 and by == "node by node" else ""
    lines = heat_map(binned.seconds, binned.names)
    return f"{format_size(pairwise.bytes[size])}, {by}{each}\n{lines}"


def _worst(pairwise: Pairwise) -> str:
    """The slowest pairs of the largest size."""
    size = len(pairwise.bytes) - 1
    rows = [("slowest pairs", "", "level", "bytes", "us", "times its level")]
    for pair, seconds, ratio in pairwise.worst(size, MOST_SHOWN):
        first, second = pairwise.ends[pair].tolist()
        rows.append(
            (
                pairwise.host(first),
                pairwise.host(second),
                pairwise.levels[pairwise.level[pair]],
                str(pairwise.bytes[size]),
                table.microseconds(seconds),
                f"{ratio:.3f}",
            )
        )
    return table.aligned(rows)


def _matrix_json(pairwise: Pairwise, size: int) -> dict[str, Any]:
    binned = pairwise.binned(size)
    return {
        "bytes": pairwise.bytes[size],
        "names": list(binned.names),
        "median_s": binned.seconds.tolist(),
    }


def _pair_json(
    pairwise: Pairwise, size: int, pair: int, seconds: float, ratio: float
) -> dict[str, Any]:
    first, second = pairwise.ends[pair].tolist()
    return {
        "bytes": pairwise.bytes[size],
        "peers": [int(pairwise.ranks[first]), int(pairwise.ranks[second])],
        "hosts": [pairwise.host(first), pairwise.host(second)],
        "level": pairwise.levels[pairwise.level[pair]],
        "median_s": seconds,
        "ratio": ratio,
    }
