"""Runs whose messages take a latency and a time for each byte."""

from __future__ import annotations

from collections.abc import Callable

from hockney.infer.estimate import estimate
from hockney.infer.estimate.points import PointEstimate
from samples import make_run

ALPHA_NS, NS_PER_B = 1000.0, 0.5
SIZES = (0, 8, 1024, 65536, 1048576)


def line_ns(launch: int, round_: int, size: int) -> list[float]:
    """1 us and 0.5 ns a byte, launches 1 % apart."""
    return [(ALPHA_NS + NS_PER_B * size) * (1.0 + 0.01 * (launch - 2)) + 1e-6 * round_]


def points_of(ns: Callable[[int, int, int], list[float]]) -> tuple[PointEstimate, ...]:
    return estimate(make_run(ns, sizes=SIZES)).headline
