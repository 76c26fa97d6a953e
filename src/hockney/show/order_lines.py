"""A program's run as predicted from the order of its calls."""

from __future__ import annotations

from typing import Any

from hockney.base.units import format_seconds
from hockney.infer.predict.program_run import OrderPrediction
from hockney.profiling.order import Order


def order_lines(order: Order, found: OrderPrediction) -> list[str]:
    interval = ""
    if found.low_s is not None and found.high_s is not None:
        interval = f"  [{format_seconds(found.low_s)} .. {format_seconds(found.high_s)}]"
    lines = [
        f"the run, in the order in which {order.steps} calls were recorded",
        f"  predicted               {format_seconds(found.seconds)}{interval}",
        f"  of that computing       {format_seconds(found.computing_s)}  (as in the profile)",
        f"  messages in a row       {found.latencies:.6g}  (each waits for one before it)",
    ]
    for part, seconds in found.tolerated_s.items():
        more = "more than 10 s" if seconds is None else format_seconds(seconds)
        lines.append(f"  latency for {100.0 * part:.0f} % more     {more}")
    if order.is_cut:
        lines.append("  note    the order ends before the program: --trace-calls")
    if order.left_out:
        lines.append(f"  note    {order.left_out} calls without a matching call were ignored")
    return lines


def order_json(order: Order, found: OrderPrediction) -> dict[str, Any]:
    return {
        "seconds": found.seconds,
        "low_s": found.low_s,
        "high_s": found.high_s,
        "computing_s": found.computing_s,
        "latencies": found.latencies,
        "tolerated": [
            {"longer": part, "latency_s": seconds} for part, seconds in found.tolerated_s.items()
        ],
        "is_cut": order.is_cut,
        "left_out": order.left_out,
    }
