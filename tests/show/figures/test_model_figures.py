"""Figures of models show the data, every fitted model, its residuals and its breakpoints."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from multi_mode_formulas import imb_repetitions

from conftest import RunHockney
from hockney.base.errors import UsageError
from hockney.infer.analysis import Analysis
from hockney.infer.fitting.fit import curve_of_arrays
from hockney.infer.models import max_rate, multi_mode
from hockney.infer.models._multi_mode_time import general_s
from hockney.show.curves.curves import Options
from hockney.show.figures import describe
from hockney.show.figures.multi_mode import describe_curve
from samples import make_run, write_run

SIZES = [2**power for power in range(4, 22)]


def jump_ns(launch: int, round_: int, size: int) -> list[float]:
    """3 us more from 8 KiB on."""
    ns = 1000.0 + 0.2 * size + 3000.0 * (size >= 8192)
    return [ns * (1.0 + 0.004 * launch) + 1e-4 * round_]


def test_models_residuals_and_breakpoints_are_drawn() -> None:
    run = make_run(jump_ns, sizes=SIZES)
    times, residuals = describe("models", [Analysis(run, "here")], Options()).panels
    labels = dict.fromkeys(series.label.split(":")[0] for series in times.series)
    assert list(labels) == ["median", "segmented", "hockney"]
    assert list(times.series[0].x) == SIZES
    segmented, hockney = (np.abs(np.array(series.y, dtype=float)) for series in residuals.series)
    assert segmented.max() < 0.01
    assert hockney.max() > 0.2
    [rule] = times.rules
    assert 4096 < rule.at < 8192


def test_a_curve_for_each_number_of_pairs() -> None:
    sizes = 2.0 ** np.arange(16, 25)
    x, p = (values.ravel() for values in np.meshgrid(sizes, [1.0, 2.0, 3.0, 4.0]))
    n = imb_repetitions(x)
    times = general_s(x, n, p, 9.5e8, 4e-6, [2.0**19], [4.0]) / (2.0 * n)
    curve = curve_of_arrays(x, times, p, n)
    fits = [model.fit(curve, resamples=0) for model in (multi_mode, max_rate)]
    figure = describe_curve(curve, fits, "here", "")
    series = list(figure.series())
    assert [entry.label.split(":")[0] for entry in series if entry.style == "points"] == [
        "1 pair at once",
        "2 pairs at once",
        "3 pairs at once",
        "4 pairs at once",
    ]
    assert {entry.label.split(":")[0] for entry in series if entry.style != "points"} == {
        "multi-mode",
        "max-rate",
    }
    assert list(series[0].y) == pytest.approx((sizes / times[:9]).tolist())


def test_what_cannot_be_drawn_is_an_error() -> None:
    here = Analysis(make_run(jump_ns, sizes=SIZES), "here")
    for what in ("models", "multi-mode"):
        with pytest.raises(UsageError, match="one file at a time"):
            describe(what, [here, here], Options())
    with pytest.raises(UsageError, match="several numbers of pairs"):
        describe("multi-mode", [here], Options())


def test_the_command_draws_models(hockney: RunHockney, tmp_path: Path) -> None:
    write_run(make_run(jump_ns, sizes=SIZES), tmp_path / "run.jsonl")
    hockney.ok("plot", "run.jsonl", "--what", "models", "-o", "models.svg")
    assert "segmented" in (tmp_path / "models.svg").read_text()
