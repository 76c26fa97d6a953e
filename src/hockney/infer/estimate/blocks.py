"""Variants against the first one, by blocks: each block has one launch of each variant, made
within seconds, so that drift affects all of them alike and cancels in their ratio."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from hockney.base.grouping import by_key
from hockney.infer.arrays import Array, Flags, Whole
from hockney.infer.estimate.conditions import ASIDE, Conditions, compared, conditions_of
from hockney.infer.estimate.differences import Judged, both, exact, paired
from hockney.infer.estimate.points import AUXILIARY
from hockney.infer.estimate.sequential import level_of_counts, level_of_look
from hockney.infer.estimate.shifts import LEVEL
from hockney.plan.axes import AXES, Point, point_of, sort_key
from hockney.plan.variants import LEAST_BLOCKS, Comparison
from hockney.records import Run, Samples

LEAST_LEVEL = 1e-9
"""Least level of a test: an early look may use next to none of the error rate."""
MOST_TIMES = 4.0
"""The number of blocks that would decide is given up to this multiple of those made: beyond it the
difference is below its own standard error, and does not determine the number."""
OF_RATIOS = 1.0 - 2.0 * ASIDE
"""Part of the error rate for the test of the ratios; the rest is for those of the two probes."""
UNPROBED = Conditions()


class Seen(NamedTuple):
    """The median and the conditions of a point in a launch."""

    median_s: float
    conditions: Conditions


Medians = dict[Point, Seen]
"""The points of a launch."""


@dataclass(frozen=True)
class VariantRatio:
    """A variant over the first, at one point or as a whole."""

    variant: str
    point: Point | None
    """The point without the axes in which the variants differ; None for the mean over all
    points."""
    base_s: float
    """The median over blocks of the first variant's medians, or of their geometric means."""
    time_s: float
    """The median over blocks of this variant's medians, or of their geometric means."""
    blocks: int
    """Number of blocks that were compared."""
    judged: Judged
    log_ratios: tuple[float, ...]
    """The log ratio of each block, in order, less what the compute probe explains."""
    changed: int
    """Blocks excluded because the machine's state changed between their launches."""
    slope: float | None
    """Slope of the log ratios over those of the compute probe; None if they were not adjusted."""

    @property
    def least_blocks(self) -> int | None:
        """The fewest blocks that give an interval; None if these do."""
        return None if self.judged.interval is not None else self.judged.needed

    @property
    def deciding_blocks(self) -> int | None:
        """Approximate number of blocks that would decide, if the ratio stays; None without an
        interval, or where the estimate is not supported."""
        needed = self.judged.needed if self.judged.interval is not None else None
        return needed if needed is not None and needed <= MOST_TIMES * self.blocks else None

    def is_slower(self, gate: float) -> bool:
        """True if it is surely slower by more than the gate allows."""
        interval = self.judged.interval
        return interval is not None and interval.low > 1.0 + gate

    def is_decided(self, gate: float | None) -> bool:
        """True if more blocks would not change what is to be decided: whether it passes the gate,
        or else whether it is faster, slower or the same."""
        if gate is None:
            return self.judged.verdict != "unknown"
        interval = self.judged.interval
        return self.is_slower(gate) or (interval is not None and interval.high < 1.0 + gate)

    def may_fail(self, gate: float, needed: int) -> bool:
        """True if more blocks may show that it is slower by more than the gate: it is undecided,
        and looks slower or has too few blocks to show anything."""
        is_open = self.blocks < needed or self.judged.ratio > 1.0 + gate
        return is_open and not self.is_decided(gate)


@dataclass
class BlockTimes:
    """The medians of launches by block and variant. Launches are added as they are made."""

    by_block: dict[int, dict[str, Medians]] = field(default_factory=dict)
    is_simulated: bool = False
    """Simulated launches do not vary: their ratios are exact."""

    def add(
        self,
        variant: str,
        block: int,
        samples: Sequence[Samples],
        conditions: Conditions = UNPROBED,
    ) -> None:
        """Adds one launch; the other cases of the variant have launches of their own in a block."""
        times: dict[Point, list[float]] = {}
        for sample in samples:
            if sample.operation not in AUXILIARY:
                point = _without(point_of(sample), ("peers", "variant"))
                times.setdefault(point, []).extend(sample.ns)
        medians = {
            point: Seen(float(np.median(ns)) * 1e-9, conditions) for point, ns in times.items()
        }
        self.by_block.setdefault(block, {}).setdefault(variant, {}).update(medians)


def block_times(run: Run) -> BlockTimes:
    """The medians of the launches that ended by themselves."""
    failed = {end.launch for end in run.ends if end.reason in ("failed", "interrupted")}
    samples = by_key(run.samples, lambda visit: visit.launch)
    probes = by_key(run.probes, lambda probe: probe.launch)
    rounds = by_key(run.rounds, lambda round_: round_.launch)
    times = BlockTimes(is_simulated=run.is_simulated)
    for launch in run.launches:
        if launch.variant is None or launch.block is None or launch.launch in failed:
            continue
        here = launch.launch
        conditions = conditions_of(probes.get(here, ()), rounds.get(here, ()))
        times.add(launch.variant, launch.block, samples.get(here, ()), conditions)
    return times


def _without(point: Point, axes: Sequence[str]) -> Point:
    """A varied operation differs between variants, and has no name at their common point."""
    values = {name: getattr(point, name) for name in AXES if name not in axes}
    return Point(**{"operation": "", **values})


Block = dict[str, Medians]
"""The medians of each variant."""


def blocks_needed(points: int) -> int:
    """The fewest blocks whose signed-rank test can show a difference at one of so many points: the
    error rate is halved between points and the whole, and once more where a look spends half."""
    level = LEVEL * OF_RATIOS / points / 2.0 / 2.0
    return max(LEAST_BLOCKS, math.ceil(-math.log2(level)) + 1)


def variant_ratios(
    times: BlockTimes,
    comparison: Comparison,
    looks: Sequence[float] = (1.0,),
    look_blocks: Sequence[int] = (),
) -> list[VariantRatio]:
    """Each variant over the first, where both have launches in a block: as a whole, then at each
    point. Intervals and verdicts hold jointly at 95 %: half of the error rate is the wholes', half
    the points', divided by their number (Bonferroni), and over all `looks` at the run so far
    (estimate.sequential). look_blocks: where the comparison narrows, the blocks that had been made
    at each look."""
    base, *others = comparison.names
    blocks = _matched([times.by_block[block] for block in sorted(times.by_block)])
    points = {variant: _points(blocks, base, variant) for variant in others}
    count = len({point for of in points.values() for point in of})
    if not count:
        return []
    whole_level = LEVEL / len(others) / (2.0 if count > 1 else 1.0)
    numbers = np.array(sorted(times.by_block))
    ratios = []
    for variant, own in points.items():
        rows: list[tuple[Point | None, Sequence[Point], float]] = []
        rows += [(None, own, whole_level)] * (len(own) > 1)
        rows += [(point, [point], whole_level / count) for point in own]
        seen = [(row, *_pairs(blocks, base, variant, row[1])) for row in rows]
        shared = _shared_levels((level, logs) for (_, _, level), logs, _ in seen)
        for (point, _, level), logs, has_both in seen:
            if not len(logs):
                continue
            at_look = _Levels(looks, look_blocks if comparison.narrows else (), numbers[has_both])
            levels = at_look.of(OF_RATIOS * level), at_look.of(ASIDE * shared[_probes_of(logs)])
            judge = exact if times.is_simulated else paired
            ratios.append(_ratio(variant, point, logs, levels, judge, comparison.tolerance))
    return ratios


def _shared_levels(rows: Iterable[tuple[float, Array]]) -> Mapping[bytes, float]:
    """The levels of all rows with the same probes, together: what these show is one question, and
    has one answer for all of them. rows: levels, and what _pairs returns."""
    levels: dict[bytes, float] = {}
    for level, logs in rows:
        probes = _probes_of(logs)
        levels[probes] = levels.get(probes, 0.0) + level
    return levels


def _probes_of(logs: Array) -> bytes:
    """The probes of a row's blocks, as a key; means over equal ones may differ by the last bits."""
    return np.round(logs[:, :, 1:], 9).tobytes()


def _ratio(
    variant: str,
    point: Point | None,
    logs: Array,
    levels: tuple[float, float],
    judge: Callable[[Array, float, float], Judged],
    tolerance: float,
) -> VariantRatio:
    """logs: from _pairs. levels: of the test of the ratios, and of the two tests of the probes."""
    log_ratios, handover, compute = (logs[:, 1] - logs[:, 0]).T
    with_ = compared(log_ratios, handover, compute, levels[1])
    judged = judge(with_.log_ratios, tolerance, levels[0])
    if with_.plain is not None:
        judged = both(judged, judge(with_.plain, tolerance, levels[0]))
    base_s, time_s = np.exp(np.median(logs[with_.is_kept, :, 0], axis=0)).tolist()
    return VariantRatio(
        variant=variant,
        point=point,
        base_s=base_s,
        time_s=time_s,
        blocks=len(with_.log_ratios),
        judged=judged,
        log_ratios=tuple(with_.log_ratios.tolist()),
        changed=len(logs) - len(with_.log_ratios),
        slope=with_.slope,
    )


class _Levels(NamedTuple):
    """Turns levels of the whole run into those at its last look."""

    looks: Sequence[float]
    look_blocks: Sequence[int]
    """Empty where the comparison does not narrow."""
    numbers: Whole
    """Numbers of the blocks that are compared."""

    def of(self, level: float) -> float:
        if self.look_blocks:
            level = _of_counts(level, self.looks, self.look_blocks, self.numbers)
        else:
            level = level_of_look(level, self.looks)
        return max(level, LEAST_LEVEL)


def _of_counts(
    level: float, looks: Sequence[float], look_blocks: Sequence[int], numbers: Whole
) -> float:
    """A point's level at the look after its last block; later looks did not measure it. numbers:
    its blocks."""
    counts = [int((numbers < made).sum()) for made in look_blocks]
    last = next((k for k, count in enumerate(counts) if count == len(numbers)), len(counts) - 1)
    known = [k for k in range(last + 1) if counts[k] > (counts[k - 1] if k else 0)]
    return level_of_counts(level, [looks[k] for k in known], [counts[k] for k in known])


def _matched(blocks: Sequence[Block]) -> list[Block]:
    """The blocks without the axes in which each variant has a single value and these differ, such
    as a varied window; points to which the axis does not apply do not count."""
    values: dict[str, dict[str, set[object]]] = {}
    for block in blocks:
        for variant, medians in block.items():
            for point in medians:
                for name in AXES:
                    values.setdefault(name, {}).setdefault(variant, set()).add(getattr(point, name))
    differ = [
        name
        for name, by_variant in values.items()
        if all(len(each - {None}) == 1 for each in by_variant.values())
        and len(set().union(*by_variant.values()) - {None}) > 1
    ]
    return [
        {
            variant: {_without(point, differ): seen for point, seen in medians.items()}
            for variant, medians in block.items()
        }
        for block in blocks
    ]


def unmatched(times: BlockTimes, comparison: Comparison) -> dict[str, list[Point]]:
    """For each variant, the measured points at which it cannot be compared with the first; without
    variants that cannot be compared anywhere."""
    base, *others = comparison.names
    blocks = _matched(list(times.by_block.values()))
    every = set().union(*(_timed(medians) for block in blocks for medians in block.values()))
    by_variant = {}
    for variant in others:
        common = _points(blocks, base, variant)
        if common and (rest := every.difference(common)):
            by_variant[variant] = sorted(rest, key=sort_key)
    return by_variant


def _timed(medians: Medians) -> set[Point]:
    """The points with a time above 0 s."""
    return {point for point, seen in medians.items() if seen.median_s > 0.0}


def _points(blocks: Sequence[Block], base: str, variant: str) -> list[Point]:
    """The points that both have in some block."""
    both = [_timed(block.get(base, {})) & _timed(block.get(variant, {})) for block in blocks]
    return sorted(set().union(*both), key=sort_key)


def _pairs(
    blocks: Sequence[Block], base: str, variant: str, points: Sequence[Point]
) -> tuple[Array, Flags]:
    """Mean logarithms over the points of medians (seconds), core-to-core latencies and compute
    probes in the blocks that have all points of both, shape (blocks, 2, 3), the base first; and
    which blocks these are."""
    logs = []
    has_both = np.zeros(len(blocks), dtype=bool)
    for number, block in enumerate(blocks):
        both = [
            [seen for point in points if (seen := block.get(name, {}).get(point)) is not None]
            for name in (base, variant)
        ]
        if all(
            len(each) == len(points) and all(seen.median_s > 0.0 for seen in each) for each in both
        ):
            logs.append([[_logs(seen) for seen in each] for each in both])
            has_both[number] = True
    return (np.array(logs).mean(axis=2) if logs else np.empty((0, 2, 3))), has_both


def _logs(seen: Seen) -> tuple[float, float, float]:
    of = seen.conditions
    return math.log(seen.median_s), math.log(of.handover_ns), math.log(of.compute_s)
