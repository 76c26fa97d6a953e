"""Shows ways to exchange the same messages, each over the one that it replaces: a table, and
JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hockney.infer.analysis.side_by_side import MethodRatio
from hockney.plan.axes import axes_of, method_text
from hockney.show import table
from hockney.show.as_json import axes_json

COLUMNS = ["bytes", "", "over", "ratio", "95 % interval", ""]
LEGEND = (
    "ratio: of times, launch by launch; faster or slower where the test, corrected for the sizes "
    "of a curve, shows it and the interval excludes 1"
)


def side_by_side_text(ratios: Sequence[MethodRatio]) -> str:
    """The table; empty where nothing was measured side by side."""
    if not ratios:
        return ""
    rows = [COLUMNS]
    for one in ratios:
        judged = one.judged
        known = judged.low is not None and judged.high is not None
        rows.append(
            [
                str(one.point.bytes),
                method_text(one.point),
                method_text(one.base),
                f"{judged.ratio:.3f}",
                f"{judged.low:.3f} .. {judged.high:.3f}" if known else "-",
                judged.verdict,
            ]
        )
    return "\n".join([LEGEND, table.aligned(rows)])


def side_by_side_json(ratios: Sequence[MethodRatio]) -> dict[str, Any]:
    """{"side_by_side"}; empty where nothing was measured side by side."""
    return {"side_by_side": [_ratio_json(one) for one in ratios]} if ratios else {}


def _ratio_json(one: MethodRatio) -> dict[str, Any]:
    """A ratio as JSON; `over`: the axes in which what it is compared with differs."""
    own, base, judged = axes_json(one.point), axes_of(one.base), one.judged
    return {
        **own,
        "over": {name: value for name, value in base.items() if value != own[name]},
        "ratio": judged.ratio,
        "low": judged.low,
        "high": judged.high,
        "p": judged.p,
        "verdict": judged.verdict,
        "launches_needed": judged.needed,
        "smallest_difference": judged.smallest_difference,
    }
