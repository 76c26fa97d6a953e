"""Congestion factors are ratios inside launches; tails need enough samples."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from congestion_samples import congestion_run
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.congestion_factor import Worst
from hockney.infer.analysis.gates import congestion_gate
from hockney.infer.estimate.sketch import samples_needed
from hockney.plan.loads import Burst
from hockney.plan.workloads.congestion import Congestion
from hockney.show.experiments import congestion as congestion_view
from hockney.show.experiments import shown_json, view_of

TOLERANCE = 0.02


def test_the_factor_is_that_of_the_launches_though_these_drift() -> None:
    """Times drift by a factor of two over the run, which the pairs do not see."""
    (congested,) = Analysis(congestion_run(factor=2.0)).congestion
    median = congested.median.judged
    assert median.ratio == pytest.approx(2.0, rel=TOLERANCE)
    assert median.interval is not None
    assert 1.95 < median.interval.low <= median.ratio <= median.interval.high < 2.05
    assert median.verdict == "slower"
    assert congested.load_Bps == 1e9


def test_tails_are_compared_with_tails() -> None:
    """1.5 % of the exchanges take ten times longer: p99 and p99.9 do, the median does not."""
    (congested,) = Analysis(congestion_run(factor=2.0, tail=10.0)).congestion
    for quantile in (0.99, 0.999):
        factor = congested.factor(quantile)
        assert factor is not None
        assert factor.judged.ratio == pytest.approx(20.0, rel=0.03)
        assert factor.loaded_s / factor.isolated_s == pytest.approx(factor.judged.ratio, rel=0.05)


@pytest.mark.parametrize(("quantile", "needed"), [(0.5, 6), (0.99, 368), (0.999, 3688)])
def test_a_quantile_needs_so_many_samples(quantile: float, needed: int) -> None:
    """97.5 % of the time the largest is above it."""
    assert samples_needed(quantile) == needed
    assert quantile**needed <= 0.025 < quantile ** (needed - 1)


def test_too_few_samples_say_so() -> None:
    analysis = Analysis(congestion_run(samples=500))
    (congested,) = analysis.congestion
    assert congested.factor(0.99) is not None
    assert congested.factor(0.999) is None
    (point,) = shown_json(analysis)["points"]
    assert point["tails"][1] == {
        "quantile": 0.999,
        **dict.fromkeys(("isolated_s", "loaded_s", "factor", "low", "high", "p", "launches")),
    }
    table = "\n".join(view_of(analysis).parts(analysis, False))
    assert "p99" in table
    assert "p99.9" not in table  # a column without numbers


def test_few_launches_have_a_factor_without_an_interval() -> None:
    analysis = Analysis(congestion_run(launches=4))
    (congested,) = analysis.congestion
    assert congested.median.judged.interval is None
    assert "no interval from fewer than 5 launches" in "\n".join(
        view_of(analysis).parts(analysis, False)
    )


@pytest.mark.parametrize(("gate", "exceeds"), [(1.5, True), (30.0, False)])
def test_the_gate_needs_to_be_surely_exceeded(gate: float, exceeds: bool) -> None:
    analysis = Analysis(congestion_run(factor=2.0, tail=1.0, most_factor=gate))
    assert [congested.exceeds for congested in analysis.congestion] == [exceeds]
    verdict = congestion_gate(analysis.congestion, analysis.workload)
    assert verdict is not None
    assert verdict.status == ("failed" if exceeds else "passed")


def test_a_gate_without_an_interval_is_not_judged() -> None:
    analysis = Analysis(congestion_run(launches=4, most_factor=3.0))
    verdict = congestion_gate(analysis.congestion, analysis.workload)
    assert verdict is not None
    assert verdict.line.startswith("gate: NOT JUDGED: too few launches for an interval; ")
    assert verdict.exit_status == 3


def test_a_gate_knows_that_bursts_were_not_measured() -> None:
    """It passed by the steady load alone."""
    analysis = Analysis(congestion_run(factor=1.0, tail=1.0, most_factor=30.0))
    assert isinstance(analysis.workload, Congestion)
    for bursts, status in (((Burst(),), "passed"), ((Burst(), Burst(1e-3, 4e-3)), "not judged")):
        planned = msgspec.structs.replace(analysis.workload, bursts=bursts)
        verdict = congestion_gate(analysis.congestion, planned)
        assert verdict is not None
        assert verdict.status == status
    assert "window 8, bursts of 1 ms with gaps of 4 ms" in verdict.why


def test_the_gate_is_for_tails_too() -> None:
    """The median is below, the tail far above."""
    (congested,) = Analysis(congestion_run(factor=2.0, tail=10.0, most_factor=3.0)).congestion
    assert congested.exceeds


def test_a_tail_that_is_the_worst_under_another_load_than_the_median_is_in_the_answer() -> None:
    loads = {4096: (1.2, 1.0), 65536: (1.0, 100.0)}
    analysis = Analysis(congestion_run(load_sizes=tuple(loads), by_load=loads))
    (answer,) = view_of(analysis).answer(analysis)
    median, tail = answer.split("; ")
    assert median.startswith("pingpong of 8 B takes at worst 1.2 ")
    assert median.endswith(" under incast of 4 KiB")
    assert tail.startswith("the p99")
    assert tail.endswith(" times, under incast of 64 KiB")
    table = "\n".join(view_of(analysis).parts(analysis, False)).splitlines()
    assert [line.split("<")[1] for line in table if "<" in line] == [" worst median", " worst tail"]


def test_a_tail_below_the_worst_median_is_not_called_the_worst() -> None:
    """The worst row's tail is unknown."""
    loads = {4096: (3.0, 1.0), 65536: (1.0, 1.0)}
    analysis = Analysis(congestion_run(load_sizes=tuple(loads), by_load=loads))
    worst, other = analysis.congestion
    words = congestion_view.worst_text([replace(worst, factors=worst.factors[:1]), other])
    assert words.endswith(" times as long under incast of 4 KiB")


def test_the_worst_loads_are_chosen_by_the_analysis() -> None:
    loads = {4096: (3.0, 1.0), 65536: (2.0, 5.0)}
    rows = Analysis(congestion_run(load_sizes=tuple(loads), by_load=loads)).congestion
    worst = Worst.of(rows)
    assert worst.tail is not None
    assert (worst.median.point.load_bytes, worst.tail.point.load_bytes) == (4096, 65536)
    without = [replace(row, factors=row.factors[:1]) for row in rows]
    assert Worst.of(without).tail is None


def test_loads_that_differ_in_bursts_alone_are_told_apart() -> None:
    analysis = Analysis(congestion_run())
    (steady,) = analysis.congestion
    bursts = replace(steady, point=msgspec.structs.replace(steady.point, burst_s=1e-3, gap_s=4e-3))
    assert congestion_view.worst_text([steady]).count("incast of 64 KiB; ") == 1
    words = congestion_view.worst_text([bursts, steady])
    assert "incast of 64 KiB, bursts of 1 ms with gaps of 4 ms; " in words


def test_what_is_not_slower_takes_as_long_as_alone() -> None:
    analysis = Analysis(congestion_run(factor=1.0, tail=3.0))
    (answer,) = view_of(analysis).answer(analysis)
    assert answer.startswith("pingpong of 8 B takes as long as alone under incast of 64 KiB")
    assert "its p99.9 2.9" in answer
