"""Forced collectives on a simulated machine: each algorithm takes the time that theory says."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from conftest import RunHockney
from platforms import EXACT, cluster

pytestmark = pytest.mark.simgrid
ALPHA_S, BETA_S_PER_B = 1e-5, 1e-9
ENVELOPE_BYTES = 16


def test_each_algorithm_takes_its_own_time(hockney: RunHockney, tmp_path: Path) -> None:
    (tmp_path / "p.xml").write_text(cluster(8, ALPHA_S / 2, 1 / BETA_S_PER_B))
    done = hockney.ok(
        *("collective", "bcast", "--platform", "p.xml"),
        *EXACT,
        *("-n", "6,8", "--sizes", "1e6", "--algorithm", "binomial,basic_linear", "-o", "run.jsonl"),
        *("--json", "-q"),
    )
    work_s = BETA_S_PER_B * (1e6 + ENVELOPE_BYTES)
    expected = {
        **{("binomial", p): math.ceil(math.log2(p)) * (ALPHA_S + work_s) for p in (6, 8)},
        **{("basic_linear", p): ALPHA_S + (p - 1) * work_s for p in (6, 8)},
    }
    points = done.json["points"]
    medians = {(p["algorithm"], p["ranks"]): p["median_s"] for p in points}
    assert medians == pytest.approx(expected, rel=0.02)


def test_an_algorithm_that_crashes_costs_only_its_own_launch(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """SMPI's pairwise allgather needs a power of two."""
    (tmp_path / "p.xml").write_text(cluster(3, ALPHA_S / 2, 1 / BETA_S_PER_B))
    done = hockney(
        *("collective", "allgather", "--platform", "p.xml"),
        *EXACT,
        *("-n", "3", "--sizes", "8", "--algorithm", "pair,ring", "-o", "run.jsonl", "--json", "-q"),
    )
    assert done.status == 1
    assert "allgather pairwise, 3 ranks: launch 0 failed" in done.stderr
    assert [p["algorithm"] for p in done.json["points"]] == ["ring"]
