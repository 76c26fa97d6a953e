"""Stated rates on made-up truth: few repetitions of what benchmarks/claims_*.py computes."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from scipy.stats import binom

from conftest import first_of

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
BY_CHANCE = 1e-3
"""Where a rate holds, a count so bad that it fails here has less than this chance; the seed is
fixed."""


@pytest.mark.parametrize(
    ("module", "name", "n"),
    first_of(
        [
            ("claims_history", "history: drift of 20 % over 30 runs, deviation 1 %", 60),
            ("claims_history", "history: step of 10 % in the middle of 30 runs, deviation 1 %", 60),
            (
                "claims_compare",
                "compare: any of 30 points, 2 earlier runs, which differ by 2 %",
                40,
            ),
            (
                "claims_compare",
                "compare: 3 points as a whole, 5 earlier runs, which differ by 2 %",
                200,
            ),
            ("claims_compare", "compare: half the smallest difference", 200),
            ("claims_compare", "compare: one and a half times the smallest difference", 200),
            (
                "claims_next_run",
                "next run: 1 earlier runs, which differ by 0.4 to 2 times as much as launches",
                200,
            ),
            (
                "claims_next_run",
                "next run: 5 earlier runs, which differ by 0.4 to 2 times as much as launches",
                100,
            ),
            ("claims_variants", "variants: equal ones called different, 24 blocks", 80),
        ],
        2,
    ),
)
def test_a_stated_rate_holds(
    module: str, name: str, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    [claim] = [claim for claim in importlib.import_module(module).CLAIMS if claim.name == name]
    count, made = claim.run(n, 1)
    assert made == n
    if claim.at_most is not None:
        assert binom.sf(count - 1, n, claim.at_most) > BY_CHANCE
    if claim.at_least is not None:
        assert binom.cdf(count, n, claim.at_least) > BY_CHANCE
