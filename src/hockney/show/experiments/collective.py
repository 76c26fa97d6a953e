"""Collectives: time against ranks at chosen sizes, and against size at each number of ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from hockney.base.units import format_ratio, format_size, how_many
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.algorithms.best import (
    BEST_RULE,
    EQUAL,
    FASTER,
    OWN,
    TOLERANCE,
    UNKNOWN,
    CollectiveCell,
    arrived,
    is_collective,
    name_of,
)
from hockney.infer.analysis.algorithms.regret import Regret
from hockney.infer.estimate.points import PointEstimate
from hockney.plan.axes import AXES
from hockney.show.algorithms.phase_table import phase_tables, phases_json
from hockney.show.algorithms.straggler_lines import straggler_lines, stragglers_json
from hockney.show.one_run import run_lines
from hockney.show.one_run.answer import certainty, own_points, time_at, typical_of
from hockney.show.one_run.overlaps import HIDDEN, Hidden, overlaps_json, overlaps_text
from hockney.show.tables.judged import percent
from hockney.show.tables.table import (
    COMPLETION,
    TableColumn,
    half_width_s,
    microseconds,
    table_text,
)

SIZES = (2, 1024, 1024**2)
"""Sizes chosen where they were measured: short, middle and long, as in the references."""
BY_SIZE: list[TableColumn[PointEstimate]] = [
    TableColumn("bytes", lambda point: point.bytes),
    *COMPLETION,
]
BY_RANKS: list[TableColumn[PointEstimate]] = [
    TableColumn("algorithm", name_of),
    TableColumn("ranks", lambda point: point.known_ranks),
    *COMPLETION,
]
OVERLAPS: list[TableColumn[Hidden]] = [
    TableColumn("collective", lambda row: row.point.operation),
    TableColumn("algorithm", lambda row: name_of(row.point)),
    TableColumn("ranks", lambda row: row.point.known_ranks),
    TableColumn("bytes", lambda row: row.point.bytes),
    HIDDEN,
]
REGRETS: list[TableColumn[Regret]] = [
    TableColumn("collective", lambda row: row.collective),
    TableColumn("ranks", lambda row: row.ranks),
    TableColumn("bytes", lambda row: row.bytes),
    TableColumn("algorithm", lambda row: row.algorithm),
    TableColumn("at most", lambda row: f"{format_ratio(row.worst)} ({row.worst_pattern})"),
    TableColumn("library's own", lambda row: row.own_worst, format_ratio),
]
NOT_SHOWN = frozenset(AXES) - {
    "operation",
    "algorithm",
    "segment_bytes",
    "radix",
    "requests",
    "form",
    "bytes",
    "ranks",
    "variant",
}
"""Axes that the JSON of overlap leaves out."""


def answer(analysis: Analysis, operation: str | None = None) -> list[str]:
    """A line for each collective, with the most ranks: the fastest time at the smallest and largest
    size; and how often an algorithm is the best."""
    every = [point for point in own_points(analysis, operation) if point.phase is None]
    points = [point for point in every if arrived(point).is_together] or every
    lines = []
    for name in dict.fromkeys(point.operation for point in points):
        ranks = max(point.known_ranks for point in points if point.operation == name)
        of_it = [p for p in points if (p.operation, p.known_ranks) == (name, ranks)]
        ends = dict.fromkeys((min(p.bytes for p in of_it), max(p.bytes for p in of_it)))
        shown = {arrived(point) for point in points}
        cells = [
            cell
            for cell in analysis.best
            if cell.collective == name and cell.is_choice and cell.arrived in shown
        ]
        named = len({name_of(point) for point in of_it}) > 1
        best = [_fastest([p for p in of_it if p.bytes == size], cells) for size in ends]
        words = [time_at(point) + f" ({algorithm})" * named for point, algorithm in best]
        lines.append(f"{name}, {how_many(ranks, 'rank')}: {', '.join(words)}")
        if cells:
            lines.append(_verdicts(name, cells))
    return [*straggler_lines(analysis), *lines, *certainty(analysis, points)]


def _fastest(
    points: Sequence[PointEstimate], cells: Sequence[CollectiveCell]
) -> tuple[PointEstimate, str]:
    """The best algorithm at one size and number of ranks, the fastest where that is unknown: its
    point and its name."""
    first = min(points, key=typical_of)
    cell = next((c for c in cells if any(point is first for point in c.points)), None)
    if cell is None:
        return first, name_of(first)
    if cell.winner is None:
        return first, f"{name_of(first)}, others may be as fast"
    return cell.winner, _winner_text(cell)


def _winner_text(cell: CollectiveCell) -> str:
    """ "linear", "linear or binomial" or "linear or 3 others", none of them shown to be slower;
    or UNKNOWN."""
    if cell.winner is None:
        return UNKNOWN
    name = name_of(cell.winner)
    if len(cell.ties) > 1:
        return f"{name} or {len(cell.ties)} others"
    return " or ".join((name, *cell.ties))


def _verdicts(name: str, cells: Sequence[CollectiveCell]) -> str:
    """How often an algorithm is significantly the best, and its largest gain."""
    faster = [cell for cell in cells if cell.verdict == FASTER]
    own, equal, unknown = (
        [cell for cell in cells if cell.verdict == verdict] for verdict in (OWN, EQUAL, UNKNOWN)
    )
    than = " than the library's own decision" * any(cell.gain is not None for cell in cells)
    most = max(faster, key=lambda cell: cell.gain or 0.0, default=None)
    gain = ""
    if most is not None and most.gain is not None:
        gain = (
            f" (at most {format_ratio(most.gain)} times: {most.best.name} at "
            f"{format_size(most.bytes)}, {how_many(most.ranks, 'rank')})"
        )
    fewest = min((cell.launches for cell in unknown), default=0)
    words = [
        f"{name}: an algorithm is faster{than or ' than the others'} in {len(faster)} of "
        f"{how_many(len(cells), 'combination')} of size and ranks{gain}",
        *[f"the library's own decision is the best in {len(own)}"] * bool(own),
        *[f"the fastest are less than {percent(TOLERANCE)} apart in {len(equal)}"] * bool(equal),
        *[f"unknown in {len(unknown)} (at least {how_many(fewest, 'launch')})"] * bool(unknown),
    ]
    return "; ".join(words)


def parts(analysis: Analysis, all_states: bool) -> list[str]:
    """Tables: with one algorithm and one number of ranks, every number by size; otherwise every
    number by ranks at some sizes, and completion alone by size."""
    estimates = analysis.estimates
    shown = estimates.numbers(all_states)
    begun = run_lines.late_lines(analysis.starts)
    pieces = ["\n".join([*run_lines.heading(analysis, "time"), *begun])]
    for state in shown:
        name = [f"state {state}"] if len(shown) > 1 else []
        of_library = [point for point in estimates.in_state(state) if is_collective(point)]
        pieces += [*name, *_tables(of_library, analysis.best)]
    title = "hidden behind computation that takes as long as the collective alone"
    pieces.append(overlaps_text(title, OVERLAPS, analysis))
    pieces += phase_tables(analysis.phases)
    pieces += _regrets(analysis.regrets)
    states = run_lines.states_shown(analysis)
    left_out = [f"left out: {words}" for words in analysis.plan.left_out] if analysis.plan else []
    return [*pieces, "\n".join([*states, *left_out])]


def definitions(analysis: Analysis) -> list[str]:
    return [*run_lines.common_definitions(analysis), f"best algorithm: {BEST_RULE}"]


def fields(analysis: Analysis, all_states: bool) -> dict[str, Any]:  # noqa: ARG001
    """{"overlaps", "phases", "regrets"}, and "stragglers" where they were asked for."""
    return {
        "overlaps": overlaps_json(analysis, *NOT_SHOWN),
        "phases": phases_json(analysis.phases),
        "regrets": [asdict(regret) for regret in analysis.regrets],
        **stragglers_json(analysis),
    }


def _tables(points: Sequence[PointEstimate], best: Sequence[CollectiveCell]) -> Iterator[str]:
    for operation, when in dict.fromkeys((point.operation, arrived(point)) for point in points):
        of_it = [p for p in points if (p.operation, arrived(p)) == (operation, when)]
        if when.pattern is not None:
            operation = f"{operation}, arrival {when.text}"
        if len({(name_of(point), point.known_ranks) for point in of_it}) == 1:
            title = f"{operation}, {name_of(of_it[0])}, {how_many(of_it[0].known_ranks, 'rank')}"
            yield f"{title}\n{table_text(BY_SIZE, of_it)}"
            continue
        for size in _chosen({point.bytes for point in of_it}):
            at_it = [point for point in of_it if point.bytes == size]
            at_it.sort(key=lambda point: (name_of(point), point.known_ranks))
            yield f"{operation} of {format_size(size)}\n{table_text(BY_RANKS, at_it)}"
        if len({point.bytes for point in of_it}) > 1:
            yield from _matrices(operation, of_it, best)


def _chosen(sizes: Iterable[int]) -> list[int]:
    """The sizes of SIZES that were measured; the smallest and the largest where none was."""
    every = sorted(sizes)
    return [size for size in SIZES if size in every] or sorted({every[0], every[-1]})


def _matrices(
    operation: str, points: Sequence[PointEstimate], best: Sequence[CollectiveCell]
) -> Iterator[str]:
    """Completion by size: a column an algorithm, for each number of ranks; or, of one algorithm, a
    column a number of ranks."""
    if len({name_of(point) for point in points}) == 1:
        title = f"{operation}, {name_of(points[0])}, completion by ranks"
        yield f"{title}\n{_matrix(points, lambda point: str(point.known_ranks), {})}"
        return
    when = arrived(points[0])
    for ranks in sorted({point.known_ranks for point in points}):
        at_it = [point for point in points if point.known_ranks == ranks]
        sure = {
            cell.bytes: _winner_text(cell)
            for cell in best
            if (cell.collective, cell.ranks, cell.arrived) == (points[0].operation, ranks, when)
            and cell.is_choice
        }
        yield f"{operation}, {how_many(ranks, 'rank')}, completion\n{_matrix(at_it, name_of, sure)}"


def _matrix(
    points: Sequence[PointEstimate],
    column_of: Callable[[PointEstimate], str],
    fastest: Mapping[int, str],
) -> str:
    """A table with a row a size, and the algorithm that is surely the fastest in each."""
    names = dict.fromkeys(map(column_of, points))
    point_at = {(point.bytes, column_of(point)): point for point in points}

    def of_column(name: str) -> TableColumn[int]:
        def half(size: int) -> float | None:
            return half_width_s(point_at[size, name])

        def time(size: int) -> float | None:
            return point_at[size, name].typical_s if (size, name) in point_at else None

        return TableColumn(name, time, microseconds, half_width=half)

    columns: list[TableColumn[int]] = [
        TableColumn("bytes", int),
        *map(of_column, names),
        TableColumn("fastest", fastest.get),
    ]
    return table_text(columns, sorted({point.bytes for point in points}))


def _regrets(regrets: Sequence[Regret]) -> list[str]:
    """A table with a row a size and number of ranks."""
    if not regrets:
        return []
    title = (
        f"least loss over the patterns of arrival {', '.join(regrets[0].patterns)}: the largest "
        "time over that of the fastest algorithm"
    )
    return [f"{title}\n{table_text(REGRETS, regrets)}"]
