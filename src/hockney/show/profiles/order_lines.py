"""A program's run as predicted from the order of its calls."""

from __future__ import annotations

from typing import Any

from hockney.base.units import format_seconds, how_many, whole_percent
from hockney.infer.estimate.interval import high_of, low_of
from hockney.infer.predict.program_run import OrderPrediction
from hockney.profiling.order import Order
from hockney.show.profiles.mix_lines import NO_TIMES, unchanged_json, unchanged_lines
from hockney.show.tables.table import between


def order_lines(order: Order, prediction: OrderPrediction) -> list[str]:
    limits = between(prediction.seconds.interval, format_seconds)
    interval = f"  [{limits}]" if limits else ""
    before = NO_TIMES if order.wall_s is None else "with waits for CPUs"
    lines = [
        f"the run, in the order of {how_many(order.steps, 'recorded call')}",
        f"  in the profile          {format_seconds(order.wall_s)}  ({before})",
        f"  predicted               {format_seconds(prediction.seconds.value)}{interval}",
        *unchanged_lines(prediction.unchanged),
        f"  of that computing       {format_seconds(prediction.computing_s)}  (as in the profile)",
        f"  messages in a row       {prediction.latencies:.6g}  (each waits for one before it)",
    ]
    for part, seconds in prediction.tolerated_s.items():
        more = "more than 10 s" if seconds is None else format_seconds(seconds)
        lines.append(f"  latency for {whole_percent(part)} more     {more}")
    if order.is_cut:
        lines.append("  note    the order ends before the program: --trace-calls")
    if order.left_out:
        lines.append(
            f"  note    ignored: {how_many(order.left_out, 'call')} without a matching call"
        )
    return lines


def order_json(order: Order, prediction: OrderPrediction) -> dict[str, Any]:
    return {
        "profile_s": order.wall_s,
        "seconds": prediction.seconds.value,
        "low_s": low_of(prediction.seconds.interval),
        "high_s": high_of(prediction.seconds.interval),
        **unchanged_json(prediction.unchanged),
        "computing_s": prediction.computing_s,
        "latencies": prediction.latencies,
        "tolerated": [
            {"longer": part, "latency_s": seconds}
            for part, seconds in prediction.tolerated_s.items()
        ],
        "is_cut": order.is_cut,
        "left_out": order.left_out,
    }
