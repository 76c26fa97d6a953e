"""Draws how often each call carries how many bytes, and its time."""

from __future__ import annotations

from collections import defaultdict

from hockney.base.errors import UsageError
from hockney.profiling.causes import spent_in
from hockney.profiling.summary import ProfileSummary
from hockney.show.drawing.description import TIMES, Figure, Panel, PlotAxis, Series
from hockney.show.profiles.figures import _common

HEADING = "Calls by their bytes"
MOST_CALLS = 7
"""Most calls with a colour of their own, those with the most time."""


def describe(summary: ProfileSummary) -> Figure:
    by_call: dict[str, dict[int, list[float]]] = defaultdict(dict)
    for calls in summary.profile.calls:
        if calls.datatype is None:
            continue
        name = (calls.started or calls.call).removeprefix("MPI_")
        sums = by_call[name].setdefault(calls.bytes, [0.0, 0.0])
        sums[0] += calls.count
        sums[1] += spent_in(calls)[0]
    if not by_call:
        raise UsageError(f"{summary.profile.path}: no calls that carry bytes")
    by_time = sorted(by_call, key=lambda name: -sum(spent for _, spent in by_call[name].values()))
    names = by_time[:MOST_CALLS]
    # Marks that are hollow and of unlike shapes: a receive has as many calls and bytes as its send.
    counted, timed = [], []
    for number, name in enumerate(names):
        sizes = sorted(by_call[name])
        x = [float(size) for size in sizes]
        counted.append(
            Series(name, x, [by_call[name][s][0] for s in sizes], style="hollow", colour=number)
        )
        spent = [by_call[name][s][1] or None for s in sizes]
        timed.append(Series(name, x, spent, style="hollow", colour=number))
    bytes_ = PlotAxis("size", "bytes of a call")
    panels = (
        Panel(bytes_, PlotAxis("number", "calls", logarithmic=True), tuple(counted)),
        Panel(bytes_, TIMES, tuple(timed)),
    )
    caption = ["Sums over all ranks; time with that of what completed the calls' requests."]
    if len(by_time) > len(names):
        caption.append(f"Those with less time are left out: {', '.join(by_time[MOST_CALLS:])}.")
    return Figure("sizes", _common.title_of(summary), panels, tuple(caption))
