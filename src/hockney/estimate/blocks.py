"""Variants against the first of them, by blocks: each block has one launch of each variant, made
within the same seconds, so that what drifts is in all of them and not in their ratio."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hockney.estimate.differences import LEVEL, Array, Judged, Verdict, paired
from hockney.estimate.points import AUXILIARY
from hockney.estimate.sequential import level_of_look
from hockney.records import Run, Samples
from hockney.spec.axes import AXES, Point, point_of, sort_key
from hockney.spec.variants import Comparison

LEAST_LEVEL = 1e-9
"""Of a test at an early look, which may use next to nothing of the error rate."""
Medians = dict[Point, float]
"""Seconds of each point of a launch."""


@dataclass(frozen=True)
class VariantRatio:
    """A variant over the first, at one point or as a whole."""

    variant: str
    point: Point | None
    """Without the axes in which the variants differ; None for the mean over all points."""
    base_s: float
    """The median over blocks of the first variant's medians, or of their geometric means."""
    time_s: float
    """The same of this variant."""
    blocks: int
    judged: Judged
    log_ratios: tuple[float, ...]
    """One of each block, in their order."""

    def is_slower(self, gate: float) -> bool:
        """True if it is surely slower by more than the gate allows."""
        return self.judged.low is not None and self.judged.low > 1.0 + gate

    def is_decided(self, gate: float | None) -> bool:
        """True if more blocks would not change what is to be decided: whether it passes the gate,
        or else whether it is faster, slower or the same."""
        if gate is None:
            return self.judged.verdict != "unknown"
        high = self.judged.high
        return self.is_slower(gate) or (high is not None and high < 1.0 + gate)


@dataclass
class BlockTimes:
    """The medians of launches by block and variant. Launches are added as they are made."""

    by_block: dict[int, dict[str, Medians]] = field(default_factory=dict)
    is_simulated: bool = False
    """Simulated launches do not vary: their ratios are exact."""

    def add(self, variant: str, block: int, samples: Sequence[Samples]) -> None:
        """Adds one launch; the other cases of the variant have launches of their own in a block."""
        times: dict[Point, list[float]] = {}
        for one in samples:
            if one.operation not in AUXILIARY:
                times.setdefault(_of_all_pairs(one), []).extend(one.ns)
        medians = {point: float(np.median(ns)) * 1e-9 for point, ns in times.items()}
        self.by_block.setdefault(block, {}).setdefault(variant, {}).update(medians)


def block_times(run: Run) -> BlockTimes:
    """Those of the launches that ended by themselves."""
    failed = {end.launch for end in run.ends if end.reason in ("failed", "interrupted")}
    by_launch: dict[int, list[Samples]] = {}
    for samples in run.samples:
        by_launch.setdefault(samples.launch, []).append(samples)
    times = BlockTimes(is_simulated=run.is_simulated)
    for launch in run.launches:
        if launch.variant is None or launch.block is None or launch.launch in failed:
            continue
        times.add(launch.variant, launch.block, by_launch.get(launch.launch, ()))
    return times


def _of_all_pairs(samples: Samples) -> Point:
    """The point of a sample, with all pairs of ranks together and no variant."""
    point = point_of(samples)
    return _without(point, ("peers", "variant"))


def _without(point: Point, axes: Sequence[str]) -> Point:
    values = {name: getattr(point, name) for name in AXES if name not in axes}
    return Point(**values)


Block = dict[str, Medians]
"""The medians of each variant."""


def variant_ratios(
    times: BlockTimes, comparison: Comparison, looks: Sequence[float] = (1.0,)
) -> list[VariantRatio]:
    """Each variant over the first, where both have launches in a block: as a whole, then at each
    point. Intervals and verdicts hold for
    all of them together with 95 %: half of the error rate is the wholes', half the points', divided
    by their number (Bonferroni), and over all `looks` at the run so far (estimate.sequential)."""
    base, *others = comparison.names
    blocks = _matched([times.by_block[block] for block in sorted(times.by_block)])
    points = _points(blocks)
    if not points:
        return []
    whole_level = LEVEL / len(others) / (2.0 if len(points) > 1 else 1.0)
    levels = [
        max(level_of_look(level, looks), LEAST_LEVEL)
        for level in (whole_level, whole_level / len(points))
    ]
    found = []
    judge = _judge_exact if times.is_simulated else paired
    for variant in others:
        rows: list[tuple[Point | None, Sequence[Point], float]] = []
        rows += [(None, points, levels[0])] * (len(points) > 1)
        rows += [(point, [point], levels[1]) for point in points]
        for point, of, level in rows:
            pairs = _pairs(blocks, base, variant, of)
            if not pairs:
                continue
            logs = np.array([math.log(other / first) for first, other in pairs])
            base_s, time_s = np.median(np.array(pairs), axis=0).tolist()
            found.append(
                VariantRatio(
                    variant=variant,
                    point=point,
                    base_s=base_s,
                    time_s=time_s,
                    blocks=len(pairs),
                    judged=judge(logs, comparison.tolerance, level),
                    log_ratios=tuple(logs.tolist()),
                )
            )
    return found


def _judge_exact(log_ratios: Array, tolerance: float, level: float) -> Judged:  # noqa: ARG001
    """Judges ratios without errors of measurement; smaller differences than the tolerance count as
    none."""
    log = float(np.median(log_ratios)) if len(log_ratios) else 0.0
    ratio = math.exp(log)
    within = abs(ratio - 1.0) <= tolerance
    verdict: Verdict = "same" if within else "slower" if ratio > 1.0 else "faster"
    return Judged(ratio, ratio, ratio, None, verdict, within, None)


def _matched(blocks: Sequence[Block]) -> list[Block]:
    """The blocks without the axes in which variants differ by having one value each, as a window
    that is varied."""
    values: dict[str, dict[str, set[object]]] = {}
    for block in blocks:
        for variant, medians in block.items():
            for point in medians:
                for name in AXES:
                    values.setdefault(name, {}).setdefault(variant, set()).add(getattr(point, name))
    differ = [
        name
        for name, by_variant in values.items()
        if all(len(each) == 1 for each in by_variant.values())
        and len(set().union(*by_variant.values())) > 1
    ]
    return [
        {
            variant: {_without(point, differ): median for point, median in medians.items()}
            for variant, medians in block.items()
        }
        for block in blocks
    ]


def _points(blocks: Sequence[Block]) -> list[Point]:
    """The points with a time above 0 s in every variant of some block."""
    found: set[Point] = set()
    for block in blocks:
        every = [{point for point, s in medians.items() if s > 0.0} for medians in block.values()]
        found |= set.intersection(*every) if every else set()
    return sorted(found, key=sort_key)


def _pairs(
    blocks: Sequence[Block], base: str, variant: str, points: Sequence[Point]
) -> list[tuple[float, float]]:
    """Geometric means over the points, in seconds, of the base and the variant in each block that
    has them all."""
    found = []
    for block in blocks:
        both = [
            [block.get(name, {}).get(point, 0.0) for point in points] for name in (base, variant)
        ]
        if min(map(min, both)) > 0.0:
            first, second = (math.exp(sum(map(math.log, each)) / len(each)) for each in both)
            found.append((first, second))
    return found
