"""Runs as a whole whose launches measure a part of the points each, as collectives do."""

from __future__ import annotations

import os
from collections import Counter

import msgspec
import numpy as np
import pytest

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.compare import compare
from hockney.infer.analysis.comparison.comparison_gate import comparison_gate
from hockney.infer.memory.host import earlier_run
from samples import make_run

SIZES = (8, 1024, 65536)
NOISE, BETWEEN_RUNS, BETWEEN_POINTS = 0.02, 0.02, 0.005
PAIRS = int(os.environ.get("HOCKNEY_TEST_PAIRS", "60"))


def drawn(source: np.random.Generator, slower: float = 1.0) -> Analysis:
    """A run of 24 launches, each of which has one size."""
    level = source.normal(0.0, BETWEEN_RUNS) + source.normal(0.0, BETWEEN_POINTS, len(SIZES))
    noise = source.normal(0.0, NOISE, (24, len(SIZES)))

    def ns(launch: int, _round: int, size: int) -> list[float]:
        at = SIZES.index(size)
        return [slower * float(np.exp(level[at] + noise[launch, at])) * (1000.0 + size)] * 2

    run = make_run(ns, launches=24, sizes=SIZES, rounds=2)
    run.samples = [v for v in run.samples if v.launch % len(SIZES) == SIZES.index(v.bytes)]
    run.header = msgspec.structs.replace(run.header, id=str(source.random()))
    return Analysis(run)


def verdicts(slower: float) -> tuple[Counter[str], Counter[str]]:
    """Verdicts on PAIRS pairs of runs with ten earlier ones, and of a gate of 5 %."""
    comparisons, gates = Counter[str](), Counter[str]()
    for seed in range(PAIRS):
        source = np.random.default_rng(seed)
        past = [drawn(source) for _ in range(10)]
        memory = [earlier_run(analysis.run, analysis.of_every_launch) for analysis in past]
        comparison = compare(drawn(source), drawn(source, slower), 0.03, memory=memory)
        comparisons[comparison.verdict] += 1
        gates[comparison_gate(comparison, 0.05).status] += 1
    return comparisons, gates


@pytest.mark.long
def test_equal_runs_are_seldom_called_different() -> None:
    comparisons, gates = verdicts(1.0)
    assert comparisons["slower"] + comparisons["faster"] <= 0.1 * PAIRS
    assert gates["passed"] >= 0.1 * PAIRS


@pytest.mark.long
def test_a_slower_run_is_found() -> None:
    comparisons, gates = verdicts(1.15)
    assert comparisons["slower"] >= 0.9 * PAIRS
    assert gates["failed"] >= 0.9 * PAIRS
