"""The time of one-sided operations over that of the two-sided exchange, by size: below 1 they are
faster."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.one_sided import OneSided
from hockney.plan.variants import DEFAULT_TOLERANCE
from hockney.show.curves.curves import (
    MOST_CURVES,
    Options,
    check_count,
    lacking,
    only,
    samples_text,
)
from hockney.show.curves.ratios import ratio_panel, ratio_series
from hockney.show.drawing.description import Figure, Panel
from hockney.show.experiments.rma import exchange_text, one_sided_curves, way_text
from hockney.show.tables.judged import ESTIMATED

TAKES = ("operation",)
SHARED = False
CHOICE = None


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:
    analysis = only(analyses, "--what one-sided")
    curves = [
        curve
        for curve in one_sided_curves(analysis.one_sided)
        if options.operation in (None, curve[0].point.operation)
    ]
    if not curves:
        advice = "measure them with hockney rma"
        raise lacking(analysis, "no one-sided operation beside a two-sided one", advice)
    if len(curves) > MOST_CURVES:
        kinds = dict.fromkeys(curve[0].point.window_kind for curve in curves)
        panels = [_panel(_of_kind(curves, kind), kind) for kind in kinds]
    else:
        panels = [_panel(curves)]
    words = (
        f"Ratio of times to those of {exchange_text(curves[0][0])} in the same launches "
        f"({ESTIMATED}), corrected for their number (Holm). Filled where an operation is surely "
        "faster or slower.",
        samples_text(analyses),
    )
    return Figure("one-sided", f"{analysis.label}: one-sided", tuple(panels), words)


def _of_kind(curves: Sequence[Sequence[OneSided]], kind: str | None) -> list[Sequence[OneSided]]:
    return [curve for curve in curves if curve[0].point.window_kind == kind]


def _panel(curves: Sequence[Sequence[OneSided]], kind: str | None = None) -> Panel:
    """A panel of these curves; kind: the kind of window, where each has a panel of its own."""
    check_count(curves, "measure fewer ways, or take the points from `hockney export --to csv`")
    series = [
        line
        for number, curve in enumerate(curves)
        for line in ratio_series(
            way_text(curve[0], with_window=kind is None),
            [(compared.point.bytes, compared.judged) for compared in curve],
            number,
        )
    ]
    over = f"ratio, {kind}" if kind else f"time over that of {exchange_text(curves[0][0])}"
    return ratio_panel(over, series, DEFAULT_TOLERANCE)
