"""Figures over message size: time, bandwidth, and what the fits leave over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

import numpy as np

from hockney.estimate.points import PointEstimate
from hockney.fitting.fit import Fit
from hockney.views.report.figure import Choice, Figure, Series, rounded
from hockney.views.report.reported import Reported, group_name, groups_of

MOST_CURVES = 12
"""Of one file in a figure; more cannot be told apart."""
LINE_POINTS = 120
"""Of a fitted line that is drawn."""
OVER_PAIRS = "Where several pairs of ranks were measured, marks are the median pair, bars the "
OVER_PAIRS += "fastest and the slowest."


def figures(systems: Sequence[Reported]) -> list[Figure]:
    curves = list(_curves(systems))
    if not curves:
        return []
    found = [_time(systems, curves), _bandwidth(systems, curves), _residuals(systems)]
    return [figure for figure in found if figure is not None]


Curve = tuple[str, int, list[tuple[int, float, float | None, float | None]]]
"""Name, colour, and at each size the time with its bar."""


def _curves(systems: Sequence[Reported]) -> Iterator[Curve]:
    number = 0
    for system in systems:
        groups = groups_of(system.estimates.own())
        for group, sizes in list(groups.items())[:MOST_CURVES]:
            name = system.label if len(groups) == 1 else f"{system.label}: {group_name(group)}"
            rows = [(size, *_bar(points)) for size, points in sorted(sizes.items())]
            above = [row for row in rows if row[1] > 0.0]
            if above:
                yield name, number, above
            number += 1


def _bar(points: Sequence[PointEstimate]) -> tuple[float, float | None, float | None]:
    if len(points) == 1:
        return points[0].typical_s, points[0].low_s, points[0].high_s
    times = [point.typical_s for point in points]
    return median(times), min(times), max(times)


def _captions(systems: Sequence[Reported]) -> list[str]:
    captions = ["Marks are medians over launches, bars the interval that holds the median."]
    own = (point for system in systems for point in system.estimates.own())
    others = sorted({point.statistic for point in own} - {"median"})
    if others:
        captions.append(f"Of imported logs marks are what the log gives: {', '.join(others)}.")
    if any(len({p.peers for p in system.estimates.own()}) > 1 for system in systems):
        captions.append(OVER_PAIRS)
    if any(len(groups_of(system.estimates.own())) > MOST_CURVES for system in systems):
        captions.append(f"Only the first {MOST_CURVES} curves of a file are drawn.")
    return captions


def _time(systems: Sequence[Reported], curves: Sequence[Curve]) -> Figure:
    series = [
        Series(name, number, [row[0] for row in rows], [row[1] for row in rows],
               [row[2] for row in rows], [row[3] for row in rows])
        for name, number, rows in curves
    ]  # fmt: skip
    crowded = len(systems) > 2
    for number, system in enumerate(systems):
        series += [_line(system, fit, number, crowded) for fit in system.fits]
        series += _floor(system, number, crowded)
    return Figure(
        "time", "Time", "size", "message size", "time", "time", [Choice("", series)],
        captions=_captions(systems), logarithmic=True,
    )  # fmt: skip


def _line(system: Reported, fit: Fit, number: int, hidden: bool) -> Series:
    sizes = [float(point.bytes) for point in system.estimates.own()]
    low, high = max(min(size for size in sizes if size) if any(sizes) else 1.0, 1.0), max(sizes)
    steps = np.unique(np.round(np.geomspace(low, max(high, low), LINE_POINTS)))
    ends = [float(end) for s in fit.segments for end in (s.from_bytes, s.to_bytes)]
    every = np.unique(np.concatenate([steps, ends, [0.0] if 0.0 in sizes else []]))
    times = rounded(fit.predict(every).tolist())
    return Series(f"{system.label}: {fit.model}", number, every.tolist(), times,
                  draw="line", hidden=hidden)  # fmt: skip


def _floor(system: Reported, number: int, hidden: bool) -> list[Series]:
    floor = [(p["bytes"], p["floor_s"]) for p in system.show["points"] if p.get("floor_s")]
    if not floor:
        return []
    sizes, times = zip(*sorted(floor), strict=True)
    return [Series(f"{system.label}: floor without MPI", number, sizes, times, draw="line",
                   hidden=hidden)]  # fmt: skip


def _bandwidth(systems: Sequence[Reported], curves: Sequence[Curve]) -> Figure | None:
    series = []
    for name, number, rows in curves:
        above = [row for row in rows if row[0]]
        if above:
            series.append(Series(
                name, number, [row[0] for row in above], [row[0] / row[1] for row in above],
                [row[0] / row[3] if row[3] else None for row in above],
                [row[0] / row[2] if row[2] else None for row in above],
            ))  # fmt: skip
    if not series:
        return None
    captions = [*_captions(systems), "Bandwidth is bytes over time; MiB is 2^20 bytes."]
    return Figure("bandwidth", "Bandwidth", "size", "message size", "rate", "bandwidth",
                  [Choice("", series)], captions=captions)  # fmt: skip


def _residuals(systems: Sequence[Reported]) -> Figure | None:
    choices = []
    for model in dict.fromkeys(fit.model for system in systems for fit in system.fits):
        series = [
            Series(system.label, number, system.curve.bytes.tolist(),
                   fit.residuals.tolist(), draw="dots")
            for number, system in enumerate(systems)
            for fit in system.fits
            if fit.model == model and system.curve is not None
        ]  # fmt: skip
        choices.append(Choice(model, series))
    if not choices:
        return None
    captions = ["What was measured above (+) or below (-) the fitted model, relative to it being "
                "measured: (T - predicted) / T."]  # fmt: skip
    return Figure("residuals", "Residuals of the fits", "size", "message size", "share",
                  "residual", choices, "model", captions)  # fmt: skip
