"""Shows one-sided operations beside the two-sided exchange: which is faster, by how much, and with
what certainty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from hockney.base.units import format_size
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.one_sided import Helped, OneSided
from hockney.plan.axes import grouped_by, method_text
from hockney.show.experiments import pairs
from hockney.show.one_run import run_lines
from hockney.show.tables.as_json import axes_json
from hockney.show.tables.judged import VERDICT, least_shown, ratio_columns, ratio_text
from hockney.show.tables.table import (
    INTERVAL,
    TableColumn,
    estimate_json,
    json_field,
    rate_column,
    row_json,
    table_text,
    through,
    time_column,
)

EXCHANGES = {"pingpong": "a send (half of a ping-pong)"}
"""Exchanges with which single operations are compared."""
STREAMS = "as many messages in flight"
"""The messages with which streams are compared."""


def way_text(compared: OneSided | Helped, with_window: bool = True) -> str:
    """An operation and how it is made: "put, flush"; "put, fence, create window, 4 pairs". The kind
    of window is left out where the context names it."""
    point = compared.point if with_window else replace(compared.point, window_kind=None)
    several = f"{point.pairs} pairs" if point.pairs and point.pairs > 1 else None
    return ", ".join(filter(None, (point.operation, method_text(point), several)))


COLUMNS: list[TableColumn[OneSided]] = [
    TableColumn("how", way_text),
    TableColumn("bytes", lambda row: row.point.bytes),
    json_field("done_at", lambda row: row.done_at),
    time_column("median", lambda row: row.point, "time_s"),
    *through(lambda row: row.point, *INTERVAL),
    rate_column(lambda row: row.point),
    json_field("two_sided", lambda row: row.two_sided.operation),
    time_column("two-sided", lambda row: row.two_sided, "two_sided_s"),
    *through(lambda row: row.judged, *ratio_columns(interval="95 %"), VERDICT),
]


def answer(analysis: Analysis, operation: str | None = None) -> list[str]:
    """A sentence for each way, about its smallest and its largest size."""
    lines = []
    for curve in one_sided_curves(analysis.one_sided):
        if operation in (None, curve[0].point.operation):
            verdicts = [verdict_text(curve[0], exchange_text(curve[0]))]
            verdicts += [verdict_text(compared, "it") for compared in curve[1:][-1:]]
            lines.append(f"{way_text(curve[0])}: {'; '.join(verdicts)}")
    return lines


def parts(analysis: Analysis, all_states: bool) -> list[str]:
    pieces = ["\n".join(run_lines.heading(analysis, "time"))]
    ordered = [compared for curve in one_sided_curves(analysis.one_sided) for compared in curve]
    pieces.append(table_text(COLUMNS, ordered))
    pieces.append("\n".join(map(help_text, analysis.helped)))
    pieces.append("\n".join(run_lines.states_shown(analysis)))
    if analysis.measures_pairs:
        pieces += pairs.parts(analysis, all_states)[1:]
    return pieces


def definitions(analysis: Analysis) -> list[str]:
    return [*run_lines.time_definitions(analysis), *_legend(analysis.one_sided)]


def fields(analysis: Analysis, all_states: bool) -> dict[str, Any]:
    """{"one_sided", "helped"}, and for pairs at once what they have."""
    of_pairs = pairs.fields(analysis, all_states) if analysis.measures_pairs else {}
    return {
        **of_pairs,
        "one_sided": [
            {
                **axes_json(compared.point, "peers"),
                **row_json(COLUMNS, compared),
                **estimate_json(compared.judged),
            }
            for compared in analysis.one_sided
        ],
        "helped": [
            {
                **axes_json(compared.point, "peers"),
                "needs_target": compared.needs_target,
                **estimate_json(compared.judged),
            }
            for compared in analysis.helped
        ],
    }


def one_sided_curves(ratios: Sequence[OneSided]) -> list[list[OneSided]]:
    """The ratios of each curve: those that differ only in the size."""
    curves = grouped_by(ratios, lambda ratio: ratio.point, "bytes")
    return [sorted(curve, key=lambda ratio: ratio.point.bytes) for curve in curves.values()]


def help_text(helped: Helped) -> str:
    """Whether an operation needs its target's help, judged from its time while the target
    computes."""
    words = {
        True: "needs the target's help",
        False: "does not need the target's help",
        None: "may need the target's help",
    }[helped.needs_target]
    return (
        f"{way_text(helped)} at {format_size(helped.point.bytes)} {words}: while the target "
        f"computes, {ratio_text(helped.judged)} times the time"
    )


def exchange_text(compared: OneSided) -> str:
    return EXCHANGES.get(compared.two_sided.operation, STREAMS)


def verdict_text(compared: OneSided, exchange: str) -> str:
    """ "at 8 B faster than a send, 0.042 [0.041 to 0.043] times its time"."""
    judged = compared.judged
    words = {
        "faster": f"faster than {exchange}",
        "slower": f"slower than {exchange}",
        "same": f"as fast as {exchange}",
    }.get(judged.verdict, f"not surely faster or slower than {exchange}")
    more = f" ({least_shown(judged)})" if judged.verdict == "unknown" else ""
    return (
        f"at {format_size(compared.point.bytes)} {words}, {ratio_text(judged)} times its time{more}"
    )


def _legend(ratios: Sequence[OneSided]) -> list[str]:
    lines = [f"ratio: to {exchange_text(ratios[0])} in the same launches"] if ratios else []
    if any(ratio.done_at == "origin" for ratio in ratios):
        lines.append(
            "flush-local ends when the origin may reuse its buffer, all others when the operation "
            "is done at the target"
        )
    return lines
