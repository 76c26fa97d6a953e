"""Collectives and halos, measured over predicted message by message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hockney.base.units import format_rate, format_seconds
from hockney.infer.analysis.best import name_of
from hockney.infer.analysis.predicted import Predicted
from hockney.infer.predict.parameters import LEVELS, Parameters
from hockney.plan.axes import text_of
from hockney.show.as_json import axes_json
from hockney.show.table import aligned, microseconds


def predicted_lines(found: Sequence[Predicted], parameters: Parameters) -> list[str]:
    rows = [["collective", "algorithm", "ranks", "bytes", "measured", "predicted", "ratio"]]
    rows += [
        [
            one.point.operation,
            ", ".join(filter(None, (name_of(one.point), text_of(one.point, "phase")))),
            str(one.point.ranks),
            str(one.point.bytes),
            microseconds(one.point.typical_s),
            microseconds(one.seconds),
            f"{one.ratio:.3f}",
        ]
        for one in found
    ]
    levels = [
        f"{name}: alpha {format_seconds(level.alpha_s)}, "
        f"1/beta {format_rate(1.0 / level.beta_s_per_B) if level.beta_s_per_B else '-'}"
        for name in LEVELS
        if (level := getattr(parameters, name)) is not None
    ]
    return [
        "measured over predicted, message by message, in us; predicted from",
        *(f"  {level}" for level in levels),
        "",
        aligned(rows) if found else "nothing here has a schedule to predict by",
    ]


def predicted_json(found: Sequence[Predicted]) -> list[dict[str, Any]]:
    return [
        {
            **axes_json(one.point),
            "median_s": one.point.median_s,
            "predicted_s": one.seconds,
            "ratio": one.ratio,
        }
        for one in found
    ]
