"""References of ReFrame tests, (value, lower, upper, unit), with tolerances that were measured.

The names are those of the performance variables in integrations/reframe: latency and bandwidth of a
ping-pong, and a variable a point of other experiments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hockney.base.errors import UsageError
from hockney.base.units import how_many
from hockney.infer.analysis.launches_needed import launches_needed
from hockney.infer.analysis.warnings import source_notes
from hockney.plan.axes import AXES, axes_of
from hockney.plan.words import STANDARD

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis
    from hockney.infer.estimate.points import PointEstimate

DIGITS = 4
"""Significant digits of values and tolerances."""

UNITS = {"bytes": "B", "segment_bytes": "Bsegments", "ranks": "ranks", "pairs": "pairs"}
"""Units written after the value of an axis; other numbers follow the name of their axis."""

FILE = '''"""{origin}
{notes}Tolerances: {meaning}.
Where it does not matter that a value is better, put None for that tolerance.
"""

reference = {{
    "*": {{
{rows}
    }}
}}
'''


def write(analysis: Analysis) -> bytes:
    """A Python module with `reference`. Raises UsageError where a point has no interval."""
    rows = [f"        {name!r}: {_quadruple(*known)}," for name, known in _variables(analysis)]
    if not rows:
        raise UsageError(f"{analysis.label}: no point that could be a reference")
    notes = [f"Note: {note.text}" for note in source_notes(analysis.run)]
    text = FILE.format(
        origin=_in_docstring(f"hockney: {analysis.label}"),
        notes="".join(f"{_in_docstring(note)}\n" for note in notes),
        meaning=_meaning(analysis),
        rows="\n".join(rows),
    )
    return text.encode()


def _in_docstring(text: str) -> str:
    """The text changed so that it cannot end the docstring."""
    printable = "".join(char for char in text if char.isprintable())
    return printable.replace("\\", "/").replace('"', "'")


def _meaning(analysis: Analysis) -> str:
    expected = analysis.expected
    known = [expected.at(point) for point in analysis.estimates.own()] if expected else []
    runs = max((prediction.runs for prediction in known if prediction), default=0)
    if runs > 1:
        return f"the 95 % interval for the median of another run, from {runs} runs"
    if runs:
        return (
            "the 95 % interval for the median of another run; how much runs differ is assumed, as "
            "no earlier run of this host is known"
        )
    return (
        "the interval of this run's median over its launches; runs of other days differ by "
        "more, and --history takes them in"
    )


Known = tuple[float, float, float, str]
"""The value (us), the ends of its interval, and the unit."""


def _variables(analysis: Analysis) -> Iterator[tuple[str, Known]]:
    points = sorted(analysis.estimates.own(), key=lambda point: point.bytes)
    if analysis.run.header.experiment != "pingpong":
        for point in points:
            yield name_of(point), _time(analysis, point)
        return
    if points:
        yield "latency", _time(analysis, points[0])
    if points and points[-1].bytes:
        value, low, high, _ = _time(analysis, points[-1])
        rates = (points[-1].bytes / (us * 1e-6) / 2**20 for us in (value, high, low))
        yield "bandwidth", (*rates, "MiB/s")  # type: ignore[misc]


def name_of(point: PointEstimate) -> str:
    """The performance variable of a point, such as "bcast_binomial_8B_4ranks"; the same rule is in
    integrations/reframe/hockney_points.py."""
    axes = axes_of(point)
    parts = (_part(name, axes[name]) for name in AXES if name != "buffers")
    return re.sub(r"\W+", "_", "_".join(filter(None, parts)))


def _part(name: str, value: Any) -> str:
    """The part of the name for an axis; empty where it does not apply or is as usual."""
    if value in (None, False, STANDARD):
        return ""
    if value is True:
        return name
    if isinstance(value, dict):  # a train
        return "_".join(f"{inner}{number:g}" for inner, number in value.items() if number)
    if isinstance(value, list):
        return "_".join(map(str, value))
    if name in UNITS:
        return f"{value}{UNITS[name]}"
    return value if isinstance(value, str) else f"{name}{value:g}"


def _time(analysis: Analysis, point: PointEstimate) -> Known:
    """The time in microseconds, with its interval."""
    expected = analysis.expected.at(point) if analysis.expected else None
    interval = expected.interval if expected else point.interval
    if interval is None:
        needed = launches_needed(analysis.run, point.launches)
        raise UsageError(
            f"{analysis.label}: {point.operation} of {point.bytes} B has no interval from "
            f"{how_many(point.launches, 'launch')}",
            f"measure with --launches {needed}, or name runs of other days with --history or "
            "--memory",
        )
    # The interval for another run lies around the mean of all runs.
    return point.typical_s * 1e6, interval.low * 1e6, interval.high * 1e6, "us"


def _quadruple(value: float, low: float, high: float, unit: str) -> str:
    lower, upper = min(low / value - 1.0, 0.0), max(high / value - 1.0, 0.0)
    return f"({value:.{DIGITS}g}, {lower:.{DIGITS}g}, {upper:.{DIGITS}g}, {unit!r})"
