"""Describes fits of any model in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hockney.base.units import (
    format_estimated_size,
    format_percent,
    format_rate,
    format_seconds,
    format_size,
    how_many,
    known,
    tenth_percent,
)
from hockney.infer.estimate.interval import high_of, low_of
from hockney.infer.fitting.fit import Fit, Parameter, Segment
from hockney.infer.fitting.line import NO_ASYMPTOTE
from hockney.infer.models.hockney import NO_BANDWIDTH, ORDINARY
from hockney.infer.predict.ranking import Ranking
from hockney.show.tables.as_json import fit_json
from hockney.show.tables.table import TableColumn, indented, table_text

Text = Callable[[float | None], str]
"""How a number is written."""
END_SLACK = 0.05
"""Uncertainty of the end of an interval, as a fraction of its width."""


def model_lines(fit: Fit) -> list[str]:
    """Parameters with intervals and units, errors and notes."""
    if fit.model == "hockney":
        return fit_lines(fit)
    lines = _segment_lines(fit) if fit.segments else _parameter_lines(fit)
    return [
        *lines,
        error_line(fit, format_percent),
        *(f"  note    {note}" for note in fit.notes),
    ]


def ranking_lines(ranking: Ranking) -> list[str]:
    """Every model that could be fitted, the best first, with the reason; then what the others
    need."""
    lines = []
    for place, ranked in enumerate(ranking.best_first, start=1):
        lines += [f"{place}. {ranked.fit.model}: {ranked.reason}", *model_lines(ranked.fit), ""]
    return lines + [f"{name} {words}" for name, words in ranking.lacking.items()]


def ranking_json(ranking: Ranking, named: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """{"fits", "lacking"} of a ranking; named: fields that name the file of each."""
    return {
        "fits": [
            {
                **named,
                **fit_json(ranked.fit),
                "cross_validated_error": ranked.cross_validated_error,
                "reason": ranked.reason,
            }
            for ranked in ranking.best_first
        ],
        "lacking": [
            {**named, "model": name, "needs": words} for name, words in ranking.lacking.items()
        ],
    }


def _segment_lines(fit: Fit) -> list[str]:
    heading = f"T(b) = alpha + beta b in {how_many(len(fit.segments), 'segment')} of sizes"
    breaks = [
        _interval(value, _bytes)
        for name, value in fit.parameters.items()
        if name.startswith("break_")
    ]
    below = [f"  breaks  {', '.join(breaks)}"] if breaks else []
    return [heading, *indented(table_text(SEGMENTS, fit.segments)), *below]


def _alpha(segment: Segment) -> Parameter:
    return Parameter(segment.alpha_s, segment.alpha_interval)


def _rate(segment: Segment) -> Parameter:
    """1/beta with its interval, whose limits are beta's inverted and swapped; its value is unknown
    where beta may be 0."""
    beta, limits = segment.beta_s_per_B, segment.beta_interval
    is_known = beta and not (limits and limits.low == 0.0)
    return Parameter(1.0 / beta if is_known else None, limits and limits.inverse())


def _parameter_lines(fit: Fit) -> list[str]:
    rows = [(*_unit(name), value) for name, value in (fit.parameters | fit.derived).items()]
    return [fit.model, *indented(table_text(PARAMETERS, rows))]


def _interval(value: Parameter, text: Text) -> str:
    if value.interval is None or not value.interval.is_known:
        return ""
    return " .. ".join(_ends(value, text))


def _ends(value: Parameter, text: Text) -> tuple[str, str]:
    """The ends of an interval. Those of sizes have the digits that its width allows, but measured
    sizes are written in full."""
    interval = value.interval
    if text is not _bytes or interval is None or not interval.is_bounded:
        return text(low_of(interval)), text(high_of(interval))
    slack = END_SLACK * (interval.high - interval.low)
    low, high = (
        format_size(round(end))
        if round(end) % 1024 == 0
        else format_estimated_size(end, end - slack, end + slack)
        for end in (interval.low, interval.high)
    )
    return low, high


def _unit(name: str) -> tuple[str, Text]:
    """A parameter's name without its unit, and how a number of it is written."""
    units: dict[str, Text] = {
        "_s_per_B": lambda value: "-" if value is None else f"{value:.4g} s/B",
        "_Bps": format_rate,
        "_bytes": _bytes,
        "_B": _bytes,
        "_s": format_seconds,
    }
    for ending, text in units.items():
        if name.endswith(ending):
            return name.removesuffix(ending), text
    return name, lambda value: "-" if value is None else f"{value:.4g}"


def _bytes(value: float | None) -> str:
    return "-" if value is None else format_size(round(value))


def _value(parameter: Parameter, text: Text) -> str:
    """The value of a parameter; a size has no more digits than are known."""
    if text is not _bytes or parameter.value is None:
        return text(parameter.value)
    return estimated_size(parameter)


def estimated_size(parameter: Parameter) -> str:
    """A size with the digits that its interval allows."""
    low, high = low_of(parameter.interval), high_of(parameter.interval)
    return format_estimated_size(parameter.value or 0.0, low, high)


def _with_interval(parameter: Parameter, text: Text) -> str:
    value = _value(parameter, text)
    if parameter.interval is None or not parameter.interval.is_bounded:
        return value
    return f"{value}  [{_interval(parameter, text)}]"


def _of_line(text: Callable[[Segment], str]) -> Callable[[Segment], str]:
    """Empty for a segment that is a curve."""
    return lambda segment: text(segment) if segment.curve is None else ""


SEGMENTS: list[TableColumn[Segment]] = [
    TableColumn("from", lambda segment: segment.from_bytes, format_size),
    TableColumn("to", lambda segment: segment.to_bytes, format_size),
    TableColumn("alpha", lambda row: "a curve" if row.curve else format_seconds(row.alpha_s)),
    TableColumn("95 %", _of_line(lambda segment: _interval(_alpha(segment), format_seconds))),
    TableColumn("1/beta", _of_line(lambda segment: format_rate(_rate(segment).value))),
    TableColumn("95 %", _of_line(lambda segment: _interval(_rate(segment), format_rate))),
]
PARAMETERS: list[TableColumn[tuple[str, Text, Parameter]]] = [
    TableColumn("", lambda row: row[0]),
    TableColumn("value", lambda row: _value(row[2], row[1])),
    TableColumn("95 %", lambda row: _interval(row[2], row[1])),
]


def error_line(fit: Fit, percent: Callable[[float], str]) -> str:
    """The errors of the fit in words. percent: how a fraction is written."""
    return f"  error   {error_words(fit, percent)}"


def error_words(fit: Fit, percent: Callable[[float], str]) -> str:
    if fit.error_median is None or fit.error_max is None:
        points = len(fit.residuals)
        return f"not known: a model of so many parameters fits any {how_many(points, 'point')}"
    median, most = percent(fit.error_median), percent(fit.error_max)
    return f"median {median}, largest {most} at {format_size(fit.error_max_bytes)}"


def fit_sentence(fit: Fit) -> str:
    """Hockney's line in a sentence, below the table of a run."""
    n_half = fit.derived["n_half_B"]
    error = "" if fit.error_median is None else f"; error: {error_words(fit, tenth_percent)}"
    if n_half.value is None:
        why = next(
            (note for note in fit.notes if note.startswith((NO_ASYMPTOTE, NO_BANDWIDTH))), ""
        )
        return f"fit: T(b) = {line_text(fit)}{error}" + (f"; {why}" if why else "")
    half = known(n_half.value, _half_width(n_half))
    return f"fit: T(b) = {line_text(fit)}, n_half {_bytes(half)}{error}"


def line_text(fit: Fit) -> str:
    """Hockney's line: "1.05 us + b / (6.6 GiB/s)"."""
    alpha, rate = fit.parameters["alpha_s"], fit.derived["r_inf_Bps"]
    start = None if alpha.value is None else known(alpha.value, _half_width(alpha))
    bandwidth = format_rate(rate.value, _half_width(rate)) if rate.value else "not known"
    return f"{format_seconds(start)} + b / ({bandwidth})"


def _half_width(parameter: Parameter) -> float | None:
    interval = parameter.interval
    return interval.half_width if interval is not None and interval.is_bounded else None


def fit_lines(fit: Fit) -> list[str]:
    """The fit in words, with intervals and errors."""
    certain = fit.parameters["alpha_s"].interval is not None
    intervals = "; intervals: 95 %, bootstrap over launches" if certain else ""
    residuals = "residuals" if ORDINARY in fit.notes else "relative residuals"
    alpha, bandwidth = fit.parameters["alpha_s"], fit.derived["r_inf_Bps"]
    half = _with_interval(fit.derived["n_half_B"], _bytes)
    return [
        f"T(b) = alpha + beta b, least squares of {residuals}{intervals}",
        f"  alpha   {_with_interval(alpha, format_seconds)}",
        f"  1/beta  {_with_interval(bandwidth, format_rate)}",
        f"  n_half  {half}",
        error_line(fit, tenth_percent),
        *(f"  note    {note}" for note in fit.notes),
    ]
