"""Tables and sentences for a terminal or a pipe."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from hockney.base.terminal import styled
from hockney.base.units import format_rate, format_seconds, format_size, format_uncertainty
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.between import LEAST_OTHERS
from hockney.infer.analysis.expected import Expected
from hockney.infer.analysis.floor import FloorRatio
from hockney.infer.analysis.starts import Starts, StartSkew
from hockney.infer.estimate.launches import SLOW_EXCLUDED, SLOW_RULE
from hockney.infer.estimate.points import Estimates, PointEstimate
from hockney.infer.estimate.quantiles import CONFIDENCE, ENOUGH_LAUNCHES
from hockney.infer.estimate.sketch import SAMPLES_FOR_P99
from hockney.infer.fitting.fit import Fit, Parameter
from hockney.infer.models.hockney import ORDINARY
from hockney.plan.axes import method_text
from hockney.records import Place

STRONG = frozenset({"median", "completion", "median pair", "B/A", "verdict"})
"""Columns that a reader looks for, which a terminal shows in bold."""
FEW_SAMPLES = f"p99 takes {SAMPLES_FOR_P99} samples in a launch, and is - where none has so many"
MOST_PLACES = 8
"""Most places that are listed; of more, only their number and the hosts are shown."""


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells, of which the first is the heading, as right-aligned columns, which a pipe, a
    terminal and `awk` all read. A terminal shows the heading dim and the columns of medians in
    bold."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    heading, *below = [
        [cell.rjust(width) for cell, width in zip(row, widths, strict=True)] for row in rows
    ]
    strong = {number for number, name in enumerate(rows[0]) if name in STRONG}
    lines = [styled("  ".join(heading).rstrip(), "dim")]
    for row in below:
        cells = (styled(cell, "bold") if i in strong else cell for i, cell in enumerate(row))
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def microseconds(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    us = seconds * 1e6
    return f"{us:.3f}" if us < 100.0 else f"{us:.1f}" if us < 100e3 else f"{us:.0f}"


def interval(point: PointEstimate) -> tuple[str, str]:
    """The limits of an interval in microseconds, and its relative half-width
    (format_uncertainty)."""
    if point.precision is None:
        return "-", ""
    limits = f"{microseconds(point.low_s)} .. {microseconds(point.high_s)}"
    return limits, format_uncertainty(point.precision)


def mebibytes(rate: float | None) -> str:
    if rate is None:
        return "-"
    return f"{rate / 2**20:.2f}" if rate < 2**30 else f"{rate / 2**20:.0f}"


COLUMNS = [
    "bytes",
    "launches",
    "samples",
    "min",
    "median",
    "interval",
    "",
    "mean",
    "p99",
    "max",
    "MiB/s",
]


def point_table(
    points: Sequence[PointEstimate],
    floor: dict[int, FloorRatio],
    expected: Expected | None = None,
) -> str:
    """A table with one row a size; times in microseconds."""
    following = [expected.at(point) if expected else None for point in points]
    has_next = any(following)
    several = len({method_text(point) for point in points}) > 1
    rows = [
        [
            *(("how",) if several else ()),
            *COLUMNS,
            *(("floor", "MPI/floor") if floor else ()),
            *(("95 % of other runs",) if has_next else ()),
        ]
    ]
    for point, other in zip(points, following, strict=True):
        times = (point.mean_s, point.p99_s, point.max_s)
        row = [method_text(point) or point.operation] if several else []
        row += [str(point.bytes), str(point.launches), str(point.samples)]
        row += [microseconds(point.min_s), microseconds(point.median_s), *interval(point)]
        row += [*map(microseconds, times), mebibytes(point.bandwidth_Bps)]
        if floor:
            below = floor.get(point.bytes)
            row += [microseconds(below.floor_s), f"{below.ratio:.2f}"] if below else ["-", "-"]
        if has_next:
            limits = (microseconds(other.low_s), microseconds(other.high_s)) if other else ()
            row.append(" .. ".join(limits) or "-")
        rows.append(row)
    few = any(point.p99_s is None and point.samples for point in points)
    return aligned(rows) + f"\n{FEW_SAMPLES}" * few


def heading(analysis: Analysis, time: str = "one-way time") -> list[str]:
    """Lines on what was measured and where, and on what a sample and an interval are."""
    run = analysis.run
    lines = [f"{run.header.experiment}: {analysis.label}"]
    if run.launches:
        first = max(run.launches, key=lambda launch: len(launch.places))
        part = run.taking_part
        lines.append("ranks at " + _places([p for p in first.places if p.rank in part]))
        if first.definition:
            lines.append(f"{time} in us; a sample is: {first.definition}")
            if first.definition.startswith("batch"):
                lines.append(
                    "p99 and max are of batches, not of single messages (--every-iteration)"
                )
        if first.simulated:
            lines.append("simulated: times are those of the platform file, not of this machine")
    if level := confidence_text(analysis.estimates.headline):
        lines.append(
            f"median: of the launches' medians, with its {level}; it describes the machine as it "
            "was during the run"
        )
    return [*lines, *_next_lines(analysis)]


def confidence_text(points: Iterable[PointEstimate]) -> str:
    """The least confidence of the intervals of these points; empty without intervals."""
    known = [point for point in points if point.low_s is not None]
    levels = {point.confidence for point in known}
    if None in levels:
        return "interval, which ended the run because it was narrow and states no confidence"
    least = min((level for level in levels if level is not None), default=None)
    if least is None:
        return ""
    few = f" ({100.0 * CONFIDENCE:.0f} % takes {ENOUGH_LAUNCHES} launches)"
    return f"{100.0 * least:.0f} % confidence interval" + few * (least < CONFIDENCE)


def _next_lines(analysis: Analysis) -> list[str]:
    """A line on the expected result of another run, if other runs were looked for."""
    if analysis.expected is None or analysis.run.is_simulated:
        return []
    count = analysis.expected.runs
    if count < LEAST_OTHERS:
        return [
            f"how far another run would differ is unknown, for want of {LEAST_OTHERS} other runs "
            "of this question in its directory or --history"
        ]
    return [f"95 % of other runs: interval for another run's median, from {count} of this question"]


def _places(places: Sequence[Place]) -> str:
    if len(places) <= MOST_PLACES:
        return ", ".join(place_words(place) for place in places)
    hosts = list(dict.fromkeys(place.host or "unknown host" for place in places))
    named = ", ".join(hosts[:MOST_PLACES]) + (", ..." if len(hosts) > MOST_PLACES else "")
    return f"{len(places)} places on {len(hosts)} node{'s' * (len(hosts) > 1)}: {named}"


def place_words(place: Place) -> str:
    """The place of a rank in words."""
    host = place.host or "unknown host"
    if place.pu is None:
        return host
    return f"{host} CPU {place.pu}{'' if place.pinned else ' (not pinned)'}"


def start_lines(skew: StartSkew | None) -> list[str]:
    """Lines on how closely the ranks of a visit started together, and how precise their clock
    is."""
    if skew is None:
        return []
    error_s = skew.clock_error_s
    known = f"; their clock is known to {format_seconds(error_s, 2)}" if error_s else ""
    return [
        f"ranks started within {format_seconds(skew.median_s, 2)} of each other (median of visits; "
        f"most {format_seconds(skew.most_s, 2)}){known}"
    ]


def common_start_lines(starts: Starts | None) -> list[str]:
    """Lines on how closely the ranks started together, and which repetitions are not counted."""
    if starts is None:
        return []
    lines = []
    if starts.skew_s is not None and starts.tolerance_s is not None:
        lines.append(
            f"ranks started within {format_seconds(starts.skew_s)} of the common start (median of "
            f"visits); {100.0 * starts.missed:.1f} % of the repetitions are not counted, because "
            f"a rank started more than {format_seconds(starts.tolerance_s)} late"
        )
    if starts.behind_barrier:
        lines.append(
            f"{starts.behind_barrier} of {starts.launches} launches started after a barrier: "
            "from the first rank's start to the last rank's end"
        )
    return lines


def state_lines(estimates: Estimates) -> list[str]:
    """Lines on the machine's states, and on which rounds and launches were excluded by which
    rule."""
    states = estimates.states
    lines = []
    for state in states.states:
        if state.handover_s is not None:
            likely = f" (probably {state.likely})" if state.likely else ""
            lines.append(
                f"state {state.id}: {100.0 * state.fraction:.0f} % of rounds, core-to-core latency "
                f"{format_seconds(state.handover_s, 3)}{likely}"
            )
        elif len(states.states) > 1:
            lines.append(f"state {state.id}: {100.0 * state.fraction:.0f} % of rounds")
    if states.changed:
        rounds = "1 round" if states.changed == 1 else f"{states.changed} rounds"
        lines.append(f"{rounds} excluded: the state changed in them")
    if estimates.slow_launches:
        numbers = ", ".join(str(number) for number in estimates.slow_launches)
        lines.append(f"{SLOW_EXCLUDED}: {numbers} ({SLOW_RULE})")
    return lines


def _with_interval(parameter: Parameter, text: Callable[[float | None], str]) -> str:
    if parameter.low is None or parameter.high is None:
        return text(parameter.value)
    return f"{text(parameter.value)}  [{text(parameter.low)} .. {text(parameter.high)}]"


def _bytes(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f} B"


def error_line(fit: Fit, percent: str) -> str:
    """The errors of the fit in words. percent: how a percentage is written."""
    if fit.error_median is None or fit.error_max is None:
        points = len(fit.residuals)
        return f"  error   not known: a model of so many parameters fits any {points} points"
    median, most = (percent.format(100.0 * one) for one in (fit.error_median, fit.error_max))
    return f"  error   median {median}, largest {most} at {format_size(fit.error_max_bytes)}"


def fit_lines(fit: Fit) -> list[str]:
    """The fit in words, with intervals and errors."""
    certain = fit.parameters["alpha_s"].low is not None
    intervals = "; intervals: 95 %, bootstrap over launches" if certain else ""
    residuals = "residuals" if ORDINARY in fit.notes else "relative residuals"
    alpha, bandwidth = fit.parameters["alpha_s"], fit.derived["r_inf_Bps"]
    half = _with_interval(fit.derived["n_half_B"], _bytes)
    return [
        f"T(b) = alpha + beta b, least squares of {residuals}{intervals}",
        f"  alpha   {_with_interval(alpha, format_seconds)}",
        f"  1/beta  {_with_interval(bandwidth, format_rate)}",
        f"  n_half  {half}",
        error_line(fit, "{:.1f} %"),
        *(f"  note    {note}" for note in fit.notes),
    ]
