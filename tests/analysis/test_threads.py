"""Times over threads: their curve, their rates, and what is no message of one thread."""

from __future__ import annotations

from typing import Any

import pytest

from hockney.base.errors import UsageError
from hockney.infer.analysis import Analysis
from hockney.records import LaunchRecord, Run, Samples
from samples import HEADER

SIZES = [8 * 4**i for i in range(8)]
ALPHA_NS, THREAD_NS_PER_B, NODE_NS_PER_B = 1000.0, 0.5, 0.2
"""A node is full with 2.5 threads."""


def time_ns(size: int, threads: int) -> float:
    return ALPHA_NS + size * max(THREAD_NS_PER_B, threads * NODE_NS_PER_B)


def run_of(*ways: dict[str, Any]) -> Run:
    run = Run(HEADER)
    run.add(LaunchRecord(launch=0, definition="batch over 2k"))
    for way in ways:
        for size in SIZES:
            run.add(
                Samples(
                    **way,
                    **{"launch": 0, "round": 0, "operation": "pingpong", "mode": "standard"},
                    **{"bytes": size, "ranks": 2, "peers": (0, 1), "repetitions": 1},
                    ns=[time_ns(size, way.get("threads", 1))],
                )
            )
    return run


def threads_of(*numbers: int) -> list[dict[str, Any]]:
    return [{"threads": number, "thread_comms": "shared"} for number in numbers]


def test_threads_are_one_curve_of_the_max_rate_model() -> None:
    analysis = Analysis(run_of(*threads_of(1, 2, 4, 8)))
    (curve,) = analysis.curves
    fit = analysis.fits.fit("max-rate", curve.points)
    assert fit.parameters["alpha_1_s"].value == pytest.approx(ALPHA_NS * 1e-9, rel=1e-3)
    assert fit.parameters["R_C_1_Bps"].value == pytest.approx(1e9 / THREAD_NS_PER_B, rel=1e-3)
    assert fit.parameters["R_N_1_Bps"].value == pytest.approx(1e9 / NODE_NS_PER_B, rel=1e-3)
    with pytest.raises(UsageError, match="1 to 8 pairs or threads at once"):
        analysis.fits.fit("hockney", curve.points)


def test_other_numbers_on_one_side_or_other_communicators_are_other_curves() -> None:
    apart = [way | {"receiver_threads": 1} for way in threads_of(2, 4)]
    own = [way | {"thread_comms": "own"} for way in threads_of(1, 2)]
    analysis = Analysis(run_of(*threads_of(1, 2), *apart, *own))
    assert len(analysis.curves) == 4


def test_the_rate_is_that_of_all_threads() -> None:
    points = Analysis(run_of(*threads_of(1, 4))).estimates.own()
    for point in points:
        assert point.threads is not None
        rate = point.threads * point.bytes / (time_ns(point.bytes, point.threads) * 1e-9)
        assert point.bandwidth_Bps == pytest.approx(rate)


def test_published_figures_are_of_one_thread() -> None:
    threads = Analysis(run_of(*threads_of(2)))
    plain = Analysis(run_of({}))
    assert threads.positions().places == ()
    assert plain.positions().places
