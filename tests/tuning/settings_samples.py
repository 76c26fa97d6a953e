"""Comparisons of settings, made by hand."""

from __future__ import annotations

from hockney.infer.analysis.comparison.variant_verdicts import VariantStudy
from hockney.infer.estimate.blocks import VariantRatio
from hockney.infer.estimate.differences import Judged
from hockney.infer.estimate.interval import Interval
from hockney.plan.axes import Point
from hockney.plan.variants import Comparison
from hockney.tuning.settings import (
    Setting,
    variants_of,
)

SETTINGS = tuple(Setting(f"V_{name}", name, "1") for name in "abc")


def study_of(ratios: dict[str, dict[int, tuple[float, str]]]) -> VariantStudy:
    """Ratios by variant and size, each with its verdict."""
    rows = []
    for name, by_size in ratios.items():
        for size, (ratio, verdict) in by_size.items():
            known = verdict != "none"
            judged = Judged(
                ratio,
                Interval(0.98 * ratio, 1.02 * ratio) if known else None,
                0.001,
                verdict if known else "unknown",  # type: ignore[arg-type]
                verdict == "same",
                None,
            )
            point = Point(operation="pingpong", bytes=size)
            rows.append(VariantRatio(name, point, 1e-6, ratio * 1e-6, 12, judged, (), 0, None))
    chosen = [(setting,) for setting in SETTINGS if setting.name in ratios]
    comparison = Comparison(variants=variants_of(chosen))
    return VariantStudy(comparison, tuple(rows), 12, (), ())


GOOD = {8: (1.0, "same"), 64: (0.5, "faster")}
BETTER = {8: (0.9, "faster"), 64: (0.5, "faster")}
MIXED = {8: (1.5, "slower"), 64: (0.2, "faster")}
NOTHING = {8: (1.0, "same"), 64: (1.0, "unknown")}
