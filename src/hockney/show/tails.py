"""Shows quantiles of all operations, where --tails counted them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hockney.infer.analysis.congestion_factor import TOO_FEW
from hockney.infer.analysis.tails import QUANTILES, Quantile, TailQuantiles
from hockney.plan.axes import texts_apart
from hockney.show import table
from hockney.show.as_json import axes_json


def tails_text(tails: Sequence[TailQuantiles]) -> str:
    """A table with one row a point; times in microseconds."""
    if not tails:
        return ""
    names = texts_apart([[tail.point] for tail in tails])
    rows = [["operations of", "count", *map(_name, QUANTILES)]]
    for tail, name in zip(tails, names, strict=True):
        cells = map(_cell, tail.quantiles)
        rows.append([name or tail.point.operation, str(tail.operations), *cells])
    error = 100.0 * max(tail.relative_error for tail in tails)
    return (
        "quantiles of single operations, all of them counted; the median over launches, with its "
        f"interval;\neach within {error:g} %; {TOO_FEW}: a launch has too few operations\n"
        f"{table.aligned(rows)}"
    )


def tails_json(tails: Sequence[TailQuantiles]) -> dict[str, Any]:
    """{"tails"}; empty without histograms."""
    if not tails:
        return {}
    return {
        "tails": [
            {
                **axes_json(tail.point),
                "operations": tail.operations,
                "relative_error": tail.relative_error,
                "quantiles": [_quantile_json(one) for one in tail.quantiles],
            }
            for tail in tails
        ]
    }


def _quantile_json(one: Quantile) -> dict[str, Any]:
    return {
        "quantile": one.quantile,
        "time_s": one.seconds,
        "low_s": one.interval.low if one.interval else None,
        "high_s": one.interval.high if one.interval else None,
        "launches": one.launches,
        "whole_s": one.whole_s,
    }


def _name(fraction: float) -> str:
    return "median" if fraction == 0.5 else f"p{100.0 * fraction:g}"


def _cell(one: Quantile) -> str:
    if one.seconds is None:
        return TOO_FEW
    if one.interval is None:
        return table.microseconds(one.seconds)
    limits = map(table.microseconds, (one.interval.low, one.interval.high))
    return f"{table.microseconds(one.seconds)} [{' .. '.join(limits)}]"
