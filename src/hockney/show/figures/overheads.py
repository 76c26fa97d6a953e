"""Draws what a message of each size costs its sender, its receiver and the wire."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.base.errors import UsageError
from hockney.infer.analysis import Analysis
from hockney.show.curves.curves import Options, only, samples_text
from hockney.show.drawing.description import SIZES, TIMES, Figure, Panel, Series, ends

TAKES = ()
SHARED = False
CHOICE = None
PARTS = (
    ("one_way_s", "one way"),
    ("gap_s", "gap: from one message of a train to the next"),
    ("o_send_s", "o_s: in the send"),
    ("o_receive_s", "o_r: in the receive of a message that is there"),
)


def describe(analyses: Sequence[Analysis], options: Options) -> Figure:  # noqa: ARG001
    analysis = only(analyses, "a figure of overheads")
    loggp = analysis.loggp()
    if loggp is None:
        raise UsageError(
            f"{analysis.source}: too few trains of messages to draw",
            "measure with hockney overheads",
        )
    series = []
    for number, (name, label) in enumerate(PARTS):
        values = [getattr(overhead, name) for overhead in loggp.overheads]
        series.append(
            Series(
                label,
                [float(overhead.bytes) for overhead in loggp.overheads],
                [v.value if v.value and v.value > 0.0 else None for v in values],
                *ends(v.interval for v in values),
                colour=number,
            )
        )
    panel = Panel(SIZES, TIMES, tuple(series))
    caption = (
        "Medians over launches with 95 % confidence intervals by bootstrap over launches. What is "
        "too small to be measured is left out.",
        samples_text(analyses),
    )
    return Figure("overheads", analysis.label, (panel,), caption)
