"""Measured cells in groups that get rules of their own, and the worst of several conditions.

A condition is a layout, a pattern of arrival, or a day (a file). Where one rule must serve several
conditions, a contender counts by the condition in which it does worst, and gains nothing in a cell
that some of the conditions lack."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hockney.base.errors import UsageError
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.algorithms.best import Arrived, CollectiveCell, Contender, cells_of
from hockney.infer.analysis.comparison.run_drift import Places, RunDrift
from hockney.infer.estimate.points import PointEstimate
from hockney.run.mpis import RulesFormat
from hockney.tuning.layouts import NodeLayout, layouts_in

Drifts = Mapping[Places, RunDrift]
TOGETHER = Arrived(None, None, None)


@dataclass(frozen=True)
class CellGroup:
    cells: tuple[CollectiveCell, ...]
    layouts: tuple[NodeLayout, ...] = ()
    """Layouts for which the group's rules hold; empty where layouts do not matter."""
    conditions: Mapping[tuple[str, int], int] = field(default_factory=dict)
    """The conditions in which rules must hold, by collective and ranks; 1 for others."""


def plain(analyses: Sequence[Analysis], drifts: Drifts) -> CellGroup:
    """One group of all cells, whatever their layout. drifts: how much each pair of runs differs."""
    return CellGroup(
        tuple(cells_of(*(analysis.first_variant for analysis in analyses), drifts=drifts))
    )


def by_layout(
    analyses: Sequence[Analysis],
    drifts: Drifts,
    layouts: Sequence[NodeLayout],
    form: RulesFormat,
    robust: bool,
) -> list[CellGroup]:
    """A group for each layout that the format can distinguish; layouts that it cannot distinguish
    have a common group, whose rules must hold in all of them."""
    shared: dict[Hashable, list[NodeLayout]] = {}
    for layout in layouts:
        shared.setdefault(form.layout_key(layout.nodes, layout.per_node), []).append(layout)
    return [
        _group(
            [cells for layout in alike for cells in _conditions(analyses, drifts, layout, robust)],
            tuple(alike),
        )
        for alike in shared.values()
    ]


def robust_group(analyses: Sequence[Analysis]) -> CellGroup:
    """One group whose rules must hold in every pattern of arrival and every file. Raises
    UsageError if there is one condition only."""
    group = _group(_conditions(analyses, {}, None, robust=True), least=2)
    if not any(count > 1 for count in group.conditions.values()):
        raise UsageError(
            "--robust: each cell was measured in one pattern of arrival and one file",
            "measure with --arrival none,ascending,last-late --skew 100us, or give files of "
            "several days",
        )
    return group


def _group(
    conditions: Iterable[Sequence[CollectiveCell]],
    layouts: tuple[NodeLayout, ...] = (),
    least: int = 1,
) -> CellGroup:
    """least: the fewest conditions of a cell in which anything can gain."""
    alike: dict[tuple[str, int, int], list[CollectiveCell]] = {}
    for cells in conditions:
        for cell in cells:
            alike.setdefault((cell.collective, cell.ranks, cell.bytes), []).append(cell)
    most: dict[tuple[str, int], int] = {}
    for (collective, ranks, _), cells in alike.items():
        most[collective, ranks] = max(most.get((collective, ranks), 1), len(cells))
    worst = []
    for (collective, ranks, _), cells in alike.items():
        is_whole = len(cells) >= max(most[collective, ranks], least)
        worst.append(worst_of(cells) if is_whole else _without_gain(worst_of(cells)))
    return CellGroup(tuple(worst), layouts, most)


def _without_gain(cell: CollectiveCell) -> CollectiveCell:
    """The cell where what seems to be faster was not measured in every condition."""
    return replace(cell, contenders=tuple(map(_unproved, cell.contenders)))


def _unproved(contender: Contender) -> Contender:
    judged = contender.difference
    if judged is None or not contender.is_faster:
        return contender
    return replace(contender, difference=replace(judged, verdict="unknown"))


def _conditions(
    analyses: Sequence[Analysis], drifts: Drifts, layout: NodeLayout | None, robust: bool
) -> list[list[CollectiveCell]]:
    """The cells of each file, or of all files together unless the rules are to be robust. Ranks
    that arrived apart count only then."""
    points = [_points(analysis, layout) for analysis in analyses]
    each = [cells_of(point) for point in points] if robust else [cells_of(*points, drifts=drifts)]
    return [[cell for cell in cells if robust or cell.arrived.is_together] for cells in each]


def _points(analysis: Analysis, layout: NodeLayout | None) -> list[PointEstimate]:
    points = analysis.first_variant
    if layout is None:
        return points
    here = layouts_in(analysis.run)
    return [
        point for point in points if point.ranks is not None and here.get(point.ranks) == layout
    ]


def worst_of(cells: Sequence[CollectiveCell]) -> CollectiveCell:
    """One cell of all conditions: each contender by the condition in which its time over the
    library's own is the largest; contenders that a condition lacks are left out."""
    if len(cells) == 1:
        return _together(cells[0], cells[0].contenders)
    by_name: dict[str, list[Contender]] = {}
    for cell in cells:
        for contender in cell.contenders:
            by_name.setdefault(contender.name, []).append(contender)
    worst = [_worst(each) for each in by_name.values() if len(each) == len(cells)]
    return _together(cells[0], tuple(contender for contender in worst if contender is not None))


def _worst(each: Sequence[Contender]) -> Contender | None:
    """The contender that is least sure to be harmless; None if any lacks a ratio to the library's
    own time."""
    known = [
        (contender.difference, contender) for contender in each if contender.difference is not None
    ]
    if len(known) < len(each):
        return None
    return max(known, key=lambda pair: (not pair[1].is_harmless, pair[0].ratio))[1]


def _together(cell: CollectiveCell, contenders: tuple[Contender, ...]) -> CollectiveCell:
    """The cell with these contenders, as if its ranks had arrived together."""
    ordered = tuple(sorted(contenders, key=lambda contender: contender.point.typical_s))
    return CollectiveCell(cell.collective, cell.ranks, cell.bytes, TOGETHER, cell.default, ordered)
