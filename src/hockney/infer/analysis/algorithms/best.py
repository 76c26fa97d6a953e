"""The fastest algorithm of a collective, its gain, and whether the gain is significant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from hockney.base.errors import UsageError
from hockney.base.grouping import by_key
from hockney.base.units import how_many
from hockney.infer.analysis.comparison.judged_pairs import differences
from hockney.infer.analysis.comparison.run_drift import NONE_KNOWN, Places, RunDrift
from hockney.infer.estimate.differences import Judged, Unseen, exact
from hockney.infer.estimate.interval import low_of
from hockney.infer.estimate.points import PointEstimate
from hockney.plan.arrivals import TOGETHER
from hockney.plan.axes import Axes, Point, method_text, text_of
from hockney.plan.words import NONBLOCKING
from hockney.plan.workloads.collective import DEFAULT, is_collective_name

TOLERANCE = 0.03
"""Relative difference up to which two times are the same."""
FASTER, OWN, EQUAL, UNKNOWN = "faster", "own", "equal", "unknown"
BEST_RULE = (
    "an algorithm is the best where a rank-sum test over launches, corrected for the number of "
    "comparisons, shows that it is faster than the library's own decision; others that are not "
    "shown to be slower than the fastest are as good; the library's own decision is the best where "
    "no algorithm can be more than 3 % faster; where it was not measured, the fastest algorithm is "
    "the best if it is shown to be faster than the second, and both are where they surely differ "
    "by less than 3 %; between points of two runs a difference counts beyond what equal runs may "
    "differ by; simulated times are exact, and differ from 3 % on"
)
"""Text of the rule by which CollectiveCell.verdict is found."""


class Arrived(NamedTuple):
    """The axes of the arrival pattern of a collective's ranks."""

    pattern: str | None
    skew_s: float | None
    skew_times: float | None

    @property
    def text(self) -> str:
        """ "ascending, skew 100 us"; empty where no pattern was asked for."""
        axes = Point(operation="", bytes=0, skew_s=self.skew_s, skew_times=self.skew_times)
        words = (self.pattern, text_of(axes, "skew_s"), text_of(axes, "skew_times"))
        return ", ".join(filter(None, words))

    @property
    def is_together(self) -> bool:
        return self.pattern in (None, TOGETHER)


def arrived(point: Axes) -> Arrived:
    return Arrived(point.arrival, point.skew_s, point.skew_times)


@dataclass(frozen=True)
class Contender:
    """An algorithm at one size and number of ranks."""

    point: PointEstimate
    difference: Judged | None
    """Comparison with the library's own decision (ratio: its time over that one's); None for the
    own decision, and if that is unknown."""

    @property
    def name(self) -> str:
        return name_of(self.point)

    @property
    def is_faster(self) -> bool:
        """True if it is significantly faster than the library's own decision, and not surely by
        less than TOLERANCE."""
        return self.difference is not None and self.difference.is_faster

    @property
    def may_be_faster(self) -> bool:
        """True if it may be faster by more than TOLERANCE, as far as the launches show."""
        judged = self.difference
        if judged is None or self.is_faster:
            return True
        low = low_of(judged.interval)
        return judged.verdict == "unknown" and (low is None or low < 1.0 - TOLERANCE)

    @property
    def is_harmless(self) -> bool:
        """True if nothing shows that it is slower than the library's own decision."""
        judged = self.difference
        return judged is not None and (
            judged.within_tolerance
            or judged.verdict == "faster"
            or (judged.verdict == "unknown" and judged.ratio <= 1)
        )


@dataclass(frozen=True)
class CollectiveCell:
    """All that was measured of a collective at one size and number of ranks, whose ranks arrived in
    one pattern."""

    collective: str
    ranks: int
    bytes: int
    arrived: Arrived
    default: PointEstimate | None
    contenders: tuple[Contender, ...]
    """Forced algorithms, the fastest first."""
    rivals: tuple[tuple[str, Judged], ...] = ()
    """Comparisons with the fastest algorithm (ratio: their time over its time), by name: all that
    may be faster than the library's own decision, where the fastest is; or, where that decision was
    not measured, the second, of exact times all."""

    @property
    def best(self) -> Contender:
        """The fastest of all, the library's own decision among them."""
        if self.default is None:
            return self.contenders[0]
        own = Contender(self.default, None)
        return min((own, *self.contenders), key=lambda contender: contender.point.typical_s)

    @property
    def gain(self) -> float | None:
        """The library's own time over the best."""
        return None if self.default is None else self.default.typical_s / self.best.point.typical_s

    @property
    def verdict(self) -> str:
        """The verdict by BEST_RULE: FASTER if the fastest algorithm is the best, OWN if the
        library's own decision is, EQUAL if that was not measured and `ties` are surely as fast,
        else UNKNOWN."""
        if self.best.is_faster:
            return FASTER
        if self.default is None and self.rivals:
            if not self.ties:
                return FASTER
            tied = (judged for _, judged in self.rivals if not judged.is_slower)
            return EQUAL if all(judged.within_tolerance for judged in tied) else UNKNOWN
        if self.default is None or any(contender.may_be_faster for contender in self.contenders):
            return UNKNOWN
        return OWN

    @property
    def ties(self) -> tuple[str, ...]:
        """The rivals of the fastest algorithm that no test shows to be slower."""
        return tuple(name for name, judged in self.rivals if not judged.is_slower)

    @property
    def winner(self) -> PointEstimate | None:
        """The point of the best algorithm by BEST_RULE, which `ties` may equal, or of the library's
        own decision where no algorithm can be better; None where that is unknown."""
        if self.verdict == OWN:
            return self.default
        return None if self.verdict == UNKNOWN else self.best.point

    @property
    def points(self) -> list[PointEstimate]:
        """The points of all algorithms, the library's own decision among them."""
        forced = [contender.point for contender in self.contenders]
        return [*forced, *([self.default] if self.default else [])]

    @property
    def launches(self) -> int:
        """The smallest number of launches of its points."""
        return min(point.launches for point in self.points)

    @property
    def is_choice(self) -> bool:
        """True if several algorithms were measured."""
        return len(self.contenders) + (self.default is not None) > 1

    @property
    def unknown_text(self) -> str:
        """Why the best is unknown."""
        return f"unknown: {how_many(self.launches, 'launch')}"


def name_of(point: Axes) -> str:
    """How the operation is done, in words; DEFAULT where nothing was forced."""
    is_named = point.exchange is None and point.form == NONBLOCKING  # ibcast by its operation
    form = None if is_named else point.form
    return ", ".join(filter(None, (method_text(point), form))) or DEFAULT


def is_collective(point: PointEstimate) -> bool:
    """Whether all ranks take part and the library makes the operation; v, w and nonblocking forms
    included."""
    return is_collective_name(point.operation) and point.phase is None


def cells_of(
    *runs: Iterable[PointEstimate],
    is_exact: bool = False,
    drifts: Mapping[Places, RunDrift] | None = None,
) -> list[CollectiveCell]:
    """Cells by collective, ranks, bytes and arrival. Launches are the units of the tests against
    the library's own decision (comparison/judged_pairs.py), which are corrected for their number
    over all cells. runs: the points of each. drifts: run-to-run variation of each two, which
    launches of one run cannot reveal. is_exact: the times are simulated, and one launch of each
    decides."""
    by_cell: dict[tuple[str, int, int, Arrived], dict[str, PointEstimate]] = {}
    measured = [(point, number) for number, points in enumerate(runs) for point in points]
    run_of = None if is_exact else {id(point): number for point, number in measured}
    for point, _ in measured:
        # Persistent, one-sided, threaded and grouped operations are no algorithms of the same call.
        if not is_collective(point) or point.has_own_calls or point.groups is not None:
            continue
        if min(point.medians_s) > 0.0 and point.ranks is not None:
            key = (point.operation, point.ranks, point.bytes, arrived(point))
            cell = by_cell.setdefault(key, {})
            if name_of(point) in cell:
                raise UsageError(
                    f"{point.operation} by {name_of(point)} with {point.ranks} ranks and "
                    f"{point.bytes} B is in two files",
                    "name one of them; `hockney compare` shows whether two runs differ",
                )
            cell[name_of(point)] = point
    known = drifts or {}
    to_default = _by_second(
        (
            (cell[DEFAULT], point)
            for cell in by_cell.values()
            if DEFAULT in cell
            for name, point in cell.items()
            if name != DEFAULT
        ),
        run_of,
        known,
    )
    cells = []
    for key in sorted(by_cell, key=lambda key: (*key[:3], *((x is not None, x) for x in key[3]))):
        algorithms = by_cell[key]
        default = algorithms.get(DEFAULT)
        tried = [point for name, point in algorithms.items() if name != DEFAULT]
        contenders = [Contender(point, to_default.get(id(point))) for point in tried]
        contenders.sort(key=lambda contender: contender.point.typical_s)
        cells.append(CollectiveCell(*key, default, tuple(contenders)))
    return _with_rivals(cells, run_of, known)


def _with_rivals(
    cells: Sequence[CollectiveCell],
    run_of: Mapping[int, int] | None,
    drifts: Mapping[Places, RunDrift],
) -> list[CollectiveCell]:
    """The cells with comparisons of their fastest algorithm with its rivals."""
    rivals = [_rivals(cell, is_exact=run_of is None) for cell in cells]
    pairs = [
        (cell.contenders[0].point, rival.point)
        for cell, others in zip(cells, rivals, strict=True)
        for rival in others
    ]
    judged = _by_second(pairs, run_of, drifts)
    return [
        replace(cell, rivals=tuple((rival.name, judged[id(rival.point)]) for rival in others))
        for cell, others in zip(cells, rivals, strict=True)
    ]


def _rivals(cell: CollectiveCell, *, is_exact: bool) -> list[Contender]:
    """The contenders that may be as fast as the first. What is surely no faster than the library's
    own decision cannot be, where the first is. is_exact: none costs the others a correction."""
    others = cell.contenders[1:]
    if cell.default is None:
        return list(others if is_exact else others[:1])
    return (
        [contender for contender in others if contender.may_be_faster]
        if cell.best.is_faster
        else []
    )


Two = tuple[PointEstimate, PointEstimate]


def _by_second(
    each: Iterable[Two], run_of: Mapping[int, int] | None, drifts: Mapping[Places, RunDrift]
) -> dict[int, Judged]:
    """Comparisons by the id() of the second point of each pair. run_of: the run of each point, by
    its id(); None where times are exact."""
    pairs = list(each)
    if run_of is None:
        logs = [np.log(np.array([b.typical_s / a.typical_s])) for a, b in pairs]
        judgements = [exact(log, TOLERANCE) for log in logs]
    else:
        unseen = _between(pairs, run_of, drifts)
        judgements = differences(pairs, TOLERANCE, [unseen.get(id(second)) for _, second in pairs])
    judged_pairs = zip(pairs, judgements, strict=True)
    return {id(second): difference for (_, second), difference in judged_pairs}


def _between(
    pairs: Iterable[Two], run_of: Mapping[int, int], drifts: Mapping[Places, RunDrift]
) -> dict[int, Unseen]:
    """Run-to-run variation, by the id() of the second point of each pair from two runs."""
    by_runs = by_key(pairs, lambda pair: (run_of[id(pair[0])], run_of[id(pair[1])]))
    apart = {places: of_two for places, of_two in by_runs.items() if places[0] != places[1]}
    unseen = {}
    for places, of_two in apart.items():
        each, _ = drifts.get(places, NONE_KNOWN).between(of_two)
        for (_, second), runs in zip(of_two, each, strict=True):
            if runs is not None:
                unseen[id(second)] = runs.of_two
    return unseen
