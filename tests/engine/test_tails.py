"""--tails: the engine's histograms hold every sample, in the bins that Python reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from conftest import RunEngine, RunHockney, first_of
from hockney import records
from hockney.infer.analysis import Analysis
from hockney.infer.estimate.sketch import Sketch

SINGLES_A_VISIT = 256
"""Samples of a visit that are recorded one by one, at most (engine/launch.h)."""


@pytest.mark.parametrize("experiment", first_of(["congestion", "pingpong"]))
def test_the_histogram_is_that_of_the_samples(run_engine: RunEngine, experiment: str) -> None:
    """Messages so large that a visit has fewer exchanges than are recorded one by one."""
    words = ["pingpong"]
    if experiment == "congestion":
        words = ["congestion", "pingpong", "--roles=blocks:2", "--loads=ring:1024:1:0:0"]
    done = run_engine.ok(
        *words, "--tails", "--sizes=1MiB,4MiB", "--seconds=1", ranks=4 if len(words) > 1 else 2
    )
    tails = done.of("tail")
    assert tails
    for tail in tails:
        key = ("bytes", "aggressor", "operation")
        own = [s for s in done.of("samples") if all(s.get(k) == tail.get(k) for k in key)]
        ns = np.concatenate([visit["ns"] for visit in own])
        expected = Sketch.of(ns * 1e-9, tail["relative_error"])
        bins = np.flatnonzero(expected.counts)
        # Samples are recorded with seven digits: few of them are in the next bin.
        counts = dict(zip(tail["bins"], tail["counts"], strict=True))
        assert sum(counts.values()) == len(ns)
        differ = sum(abs(counts.get(int(b), 0) - int(expected.counts[b])) for b in bins)
        assert differ <= 2 + 0.01 * len(ns)
        assert tail["round"] == max(visit["round"] for visit in own)


@pytest.mark.long
def test_more_operations_are_counted_than_recorded(hockney: RunHockney, tmp_path: Path) -> None:
    result = tmp_path / "run.jsonl"
    (tail,) = hockney.ok(
        *("pingpong", "--tails", "--sizes", "8", "--budget", "4s", "--launches", "2", "-q"),
        *("--json", "-o", str(result)),
    ).json["tails"]
    run = records.read(result)
    recorded = run.samples.counts()
    assert tail["operations"] >= int(recorded.sum())
    if recorded.max() == SINGLES_A_VISIT:  # on a busy machine a visit may end before
        assert tail["operations"] > int(recorded.sum())
    known = {quantile["quantile"]: quantile for quantile in tail["quantiles"]}
    times = [known[part]["time_s"] for part in (0.5, 0.99, 0.999)]
    times = [time for time in times if time is not None]  # on a busy machine too few operations
    assert times == sorted(times)
    assert known[0.999]["low_s"] is None  # of two launches
    # Records are a part of the operations: where the machine changes its state, another part of
    # them is slow.
    visits = [1e-9 * np.median(run.samples.values(np.array([i]))) for i in range(len(run.samples))]
    assert 0.7 * min(visits) < known[0.5]["whole_s"] < 1.3 * max(visits)
    assert "p99.9" in hockney("show", str(result)).stdout
    (whole,) = Analysis(run).tails
    assert whole.operations == tail["operations"]


@pytest.mark.parametrize("word", ["--refine", "--preset=osu"])
def test_tails_are_refused_without_rounds(hockney: RunHockney, word: str) -> None:
    hockney.refused("pingpong", "--tails", word, because="--tails")
