"""Verdicts about the variants of a run: each over the first, with doubts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hockney.base.grouping import by_key
from hockney.infer.estimate.blocks import VariantRatio, block_times, unmatched, variant_ratios
from hockney.infer.estimate.shifts import LEVEL
from hockney.plan import Plan
from hockney.plan.axes import Point
from hockney.plan.variant_names import shown_names
from hockney.plan.variants import ENVIRONMENT, Comparison
from hockney.records import Finish, Run

DRIFT_LEVEL = 0.01
"""p of the test for a trend below which drift in the ratios is reported."""


@dataclass(frozen=True)
class VariantDrift:
    """Drift of a variant's ratio during the run, although blocks should exclude it."""

    variant: str
    p: float
    """p of Kendall's test of the log ratios against the order of blocks."""


@dataclass(frozen=True)
class Ignored:
    """A variable that the library may not have obeyed."""

    variable: str
    value: str | None
    """Value of the library's control variable (MPI_T) under each variant of which it was read;
    None without one."""


@dataclass(frozen=True)
class Continued:
    """A run that went on after a look that used the whole error rate, which may have ended it."""

    times: int

    @property
    def confidence(self) -> float:
        """That of all verdicts together, over every such look: a bound, as looks at the same
        blocks err together more often than independent ones would (Sidak 1967, JASA 62)."""
        return (1.0 - LEVEL) ** (self.times + 1)


@dataclass(frozen=True)
class Gains:
    """Significant gains and losses of a variant over the first, point by point."""

    variant: str
    points: int
    faster: tuple[VariantRatio, ...]
    """Points where it is faster, the largest gain first."""
    slower: tuple[VariantRatio, ...]
    """Points where it is slower, the largest loss first."""


@dataclass(frozen=True)
class VariantStudy:
    comparison: Comparison
    ratios: tuple[VariantRatio, ...]
    """Each variant over the first: as a whole (if there are several points), then at each point.
    Ratios of times, with intervals and verdicts that hold jointly (`confidence`)."""
    blocks: int
    """The largest number of blocks of any ratio."""
    left_out: tuple[str, ...]
    """Variants without a launch that ended by itself and measured something."""
    doubts: tuple[VariantDrift | Ignored | Continued, ...]
    unmatched: Mapping[str, Sequence[Point]] = field(default_factory=dict)
    """Points at which a variant or the first was not measured, by the variant."""
    shown: Mapping[str, str] = field(default_factory=dict)
    """Names of the variants for people, by their own."""
    made: Mapping[str, int] = field(default_factory=dict)
    """Number of launches of each variant that began."""
    lost: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """Launches that failed, by the variant; by "" those that did not begin."""

    @property
    def failing(self) -> list[str]:
        """Variants whose launches surely fail more often than those of the first (Fisher's exact
        test, Bonferroni's correction)."""
        if not self.lost:
            return []
        from scipy.stats import fisher_exact

        first, *others = self.comparison.names

        def ends(name: str) -> tuple[int, int]:
            lost = len(self.lost.get(name, ()))
            return lost, self.made.get(name, 0) - lost

        return [
            name
            for name in others
            if fisher_exact([ends(name), ends(first)], alternative="greater").pvalue
            < LEVEL / len(others)
        ]

    @property
    def confidence(self) -> float:
        """The least confidence with which all intervals and verdicts hold together."""
        known = [doubt.confidence for doubt in self.doubts if isinstance(doubt, Continued)]
        return min(known, default=1.0 - LEVEL)

    def name(self, variant: str) -> str:
        return self.shown.get(variant, variant)

    @property
    def answers(self) -> list[VariantRatio]:
        """One ratio for each variant: that of the whole, or of the only point."""
        return _first_of_each(self.ratios)

    @property
    def gains(self) -> list[Gains]:
        """Gains of each variant that was measured at several points."""
        gains = []
        for name in self.comparison.names[1:]:
            at = self.at_points(name)
            in_order = sorted(at, key=lambda ratio: ratio.judged.ratio)
            faster = tuple(ratio for ratio in in_order if ratio.judged.is_faster)
            slower = tuple(ratio for ratio in in_order[::-1] if ratio.judged.is_slower)
            gains += [Gains(name, len(at), faster, slower)] if len(at) > 1 else []
        return gains

    def at_points(self, variant: str) -> list[VariantRatio]:
        """The ratios of a variant at single points; empty for a run that has only a mean."""
        return [
            ratio for ratio in self.ratios if ratio.variant == variant and ratio.point is not None
        ]

    def points_disagree(self, variant: str) -> bool:
        """Whether no single ratio describes all points: the intervals of two of them do not
        overlap, so that their mean describes none."""
        each = [point.judged.interval for point in self.at_points(variant)]
        known = [interval for interval in each if interval is not None]
        return bool(known) and max(interval.low for interval in known) > min(
            interval.high for interval in known
        )

    def slower(self, gate: float) -> list[VariantRatio]:
        """Ratios that are surely above 1 by more than the gate."""
        return [ratio for ratio in self.ratios if ratio.is_slower(gate)]


def variant_study(run: Run, plan: Plan | None) -> VariantStudy | None:
    """The study of a run's variants; None without variants."""
    if plan is None or plan.comparison is None:
        return None
    comparison = plan.comparison
    times = block_times(run)
    finish = run.finish or Finish(reason="", spent_s=0.0, sampling={})
    continued = 0 if run.is_simulated else finish.continued
    ratios = variant_ratios(times, comparison, finish.looks or (1.0,), finish.look_blocks)
    measured = {
        variant
        for block in times.by_block.values()
        for variant, medians in block.items()
        if medians
    }
    return VariantStudy(
        comparison=comparison,
        ratios=tuple(ratios),
        blocks=max((ratio.blocks for ratio in ratios), default=0),
        left_out=tuple(name for name in comparison.names if name not in measured),
        doubts=(
            *_drifts(ratios),
            *_ignored(run, comparison),
            *([Continued(continued)] if continued > 0 else []),
        ),
        unmatched=unmatched(times, comparison),
        shown=variant_names_of(run, plan),
        made=Counter(launch.variant for launch in run.launches if launch.variant is not None),
        lost=_lost(run),
    )


def _lost(run: Run) -> dict[str, list[int]]:
    variants = {launch.launch: launch.variant or "" for launch in run.launches}
    failed = sorted({end.launch for end in run.ends if end.reason == "failed"})
    return by_key(failed, lambda launch: variants.get(launch, ""))


def variant_names_of(run: Run, plan: Plan | None) -> dict[str, str]:
    """Names of the variants for people, by their own; empty without variants."""
    if plan is None or plan.comparison is None:
        return {}
    return shown_names(plan.comparison, _libraries(run))


def _libraries(run: Run) -> dict[str, str]:
    """The MPI library of each variant, where a launch recorded it."""
    return {
        launch.variant: launch.mpi.name
        for launch in run.launches
        if launch.variant is not None and launch.mpi.name is not None
    }


def _drifts(ratios: Sequence[VariantRatio]) -> Iterator[VariantDrift]:
    from scipy.stats import kendalltau

    for ratio in _first_of_each(ratios):
        if len(set(ratio.log_ratios)) > 1:
            p = float(kendalltau(range(ratio.blocks), ratio.log_ratios).pvalue)
            if p < DRIFT_LEVEL:
                yield VariantDrift(ratio.variant, p)


def _first_of_each(ratios: Sequence[VariantRatio]) -> list[VariantRatio]:
    return [group[0] for group in by_key(ratios, lambda ratio: ratio.variant).values()]


def _ignored(run: Run, comparison: Comparison) -> Iterator[Ignored]:
    """Variables whose values differ between variants that read their control variables, which hold
    one value all the same. Nothing was read of a variant with which the library refused to start,
    nor of one whose library lacks the variable and that does not set it."""
    read: dict[str, dict[str | None, set[str | None]]] = {}
    for launch in run.launches:
        for name, value in launch.controls.items():
            read.setdefault(name, {}).setdefault(launch.variant, set()).add(value)
    names = {launch.variant for launch in run.launches}
    measured = [variant for variant in comparison.variants if variant.name in names]
    keys = dict.fromkeys(key for variant in comparison.variants for key in variant.values)
    for key in keys:
        variable = key.removeprefix(ENVIRONMENT)
        control = next((name for name in read if variable.endswith(name)), None)
        if key == variable or control is None:
            continue
        readers = read[control]
        held = set().union(*readers.values())
        differs = {v.values.get(key) for v in measured if held == {None} or v.name in readers}
        if len(held) == 1 and len(differs) > 1:
            yield Ignored(variable, *held)
