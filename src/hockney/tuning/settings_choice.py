"""Which of the measured settings surely help, which of these is chosen, and for what sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hockney.base.units import format_size, whole_percent
from hockney.infer.analysis.comparison.variant_verdicts import VariantStudy
from hockney.infer.estimate.blocks import VariantRatio
from hockney.infer.estimate.interval import Interval, low_of
from hockney.plan.variants import ENVIRONMENT, Variant
from hockney.tuning.settings import Setting
from hockney.tuning.sizes import measured_text

PROMISING = 0.03
"""A setting is measured again where it seems to gain this much at some size."""
LOSS = 0.1
"""Loss at a size that is reported where the intervals do not exclude it."""
LEAST_OF_BEST = 0.5
"""A setting of narrower effect is preferred to the best one if its gain (a logarithm) is at least
this fraction of the best's, and the best's interval contains it."""


@dataclass(frozen=True)
class Gain:
    """Times faster with the chosen settings, at one point."""

    bytes: int
    times_faster: float
    interval: Interval | None
    verdict: str


def to_confirm(
    study: VariantStudy, tried: Sequence[Setting], most: int
) -> list[tuple[Setting, ...]]:
    """The most promising settings, the best value of each variable, and all of them together."""
    scores: dict[str, tuple[float, Setting]] = {}
    for setting in tried:
        ratios = study.at_points(setting.name)
        if not ratios or any(ratio.judged.is_slower for ratio in ratios):
            continue
        if min(math.log(ratio.judged.ratio) for ratio in ratios) < -PROMISING:
            mean = _mean(ratios)
            best = scores.get(setting.variable)
            if best is None or mean < best[0]:
                scores[setting.variable] = (mean, setting)
    ranked = sorted(scores.values(), key=lambda score: score[0])[:most]
    singles = [(setting,) for _, setting in ranked]
    together = [tuple(setting for _, setting in ranked)] if len(ranked) > 1 else []
    return [*singles, *together]


def chosen_of(study: VariantStudy, tried: Sequence[Setting] = ()) -> Variant | None:
    """The variant that is surely faster at some size and surely slower at none, with the largest
    mean gain; None where there is none. Among those that cannot be separated from the best,
    the one of the narrowest effect. Verdicts hold for all variants and sizes together."""
    faster: list[tuple[float, Variant]] = []
    for variant in study.comparison.variants[1:]:
        ratios = study.at_points(variant.name)
        if study.unmatched.get(variant.name):  # sizes that it was not measured at
            continue
        is_slower = any(ratio.judged.is_slower for ratio in ratios)
        if any(ratio.judged.is_faster for ratio in ratios) and not is_slower:
            faster.append((_mean(ratios), variant))
    if not faster:
        return None
    best, variant = min(faster, key=lambda candidate: candidate[0])
    whole = next(ratio for ratio in study.answers if ratio.variant == variant.name).judged.interval
    equal = [
        (_breadth(other, tried), mean, other)
        for mean, other in faster
        if mean <= LEAST_OF_BEST * best
        and (mean == best or (whole and whole.holds(math.exp(mean))))
    ]
    return min(equal, key=lambda candidate: candidate[:2], default=(0, best, variant))[2]


def _mean(ratios: Sequence[VariantRatio]) -> float:
    return sum(math.log(ratio.judged.ratio) for ratio in ratios) / len(ratios)


def _breadth(variant: Variant, tried: Sequence[Setting]) -> tuple[int, int]:
    """How much a variant changes: first the mechanisms that it switches, then its settings."""
    switches = {(setting.variable, setting.value) for setting in tried if setting.is_switch}
    of = [(key.removeprefix(ENVIRONMENT), value) for key, value in variant.values.items()]
    return sum(pair in switches for pair in of), len(of)


def gains_of(study: VariantStudy, chosen: Variant | None) -> list[Gain]:
    """The gains of the chosen settings, by size."""
    gains = []
    for ratio in study.at_points(chosen.name) if chosen else ():
        judged, point = ratio.judged, ratio.point
        assert point is not None
        interval = judged.interval and judged.interval.inverse()
        gains.append(Gain(point.bytes, 1.0 / judged.ratio, interval, judged.verdict))
    return gains


def range_text(gains: Sequence[Gain]) -> str:
    """The sizes at which a setting was measured (the library uses it for all), and those where a
    loss is still possible; empty without gains."""
    if not gains:
        return ""
    measured = measured_text([gain.bytes for gain in gains])
    words = f"{measured}; its effect on larger messages is unknown"
    may_lose = ", ".join(format_size(gain.bytes) for gain in gains if _may_lose(gain))
    open_ = (
        f"; at {may_lose} it may be more than {whole_percent(LOSS)} slower: too few blocks to tell"
    )
    return words + (open_ if may_lose else "")


def _may_lose(gain: Gain) -> bool:
    low = low_of(gain.interval)
    return gain.verdict == "unknown" and (low is None or low < 1.0 / (1.0 + LOSS))


def largest_gain(studies: Sequence[VariantStudy]) -> float | None:
    """Upper limit of how many times faster any tried setting makes any size, by the intervals of
    the last study that has it; None where some have no interval."""
    last: dict[str, list[VariantRatio]] = {}
    for study in studies:
        for variant in study.comparison.variants[1:]:
            last[variant.name] = study.at_points(variant.name) or last.get(variant.name, [])
    lows = [low_of(ratio.judged.interval) for ratios in last.values() for ratio in ratios]
    known = [low for low in lows if low is not None and low > 0.0]
    return 1.0 / min(known) if known and len(known) == len(lows) else None
