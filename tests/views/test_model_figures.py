"""Figures of models show the data, every fitted model, its residuals and its breakpoints."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from conftest import RunHockney
from hockney.errors import AskedWronglyError
from hockney.estimate import estimate
from hockney.fitting.fit import curve_of_arrays
from hockney.models import max_rate, multi_mode
from hockney.models._multi_mode_time import general_s, imb_repetitions
from hockney.views.curves import Options
from hockney.views.figures import System, draw
from hockney.views.figures.multi_mode import draw_curve
from samples import make_run, write_run

SIZES = [2**power for power in range(4, 22)]


def jump_ns(launch: int, round_: int, size: int) -> list[float]:
    """3 us more from 8 KiB on."""
    ns = 1000.0 + 0.2 * size + 3000.0 * (size >= 8192)
    return [ns * (1.0 + 0.004 * launch) + 1e-4 * round_]


def entries(figure: Figure) -> list[str]:
    legend = figure.axes[0].get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


def test_models_residuals_and_breakpoints_are_drawn() -> None:
    run = make_run(jump_ns, sizes=SIZES)
    figure = draw("models", [System(run, estimate(run), "here")], Options())
    times, residuals = figure.axes
    assert [entry.split(":")[0] for entry in entries(figure)] == [
        "median", "segmented", "hockney", "breakpoint"
    ]  # fmt: skip
    marks = times.containers[0].lines[0]
    assert list(marks.get_xdata()) == SIZES
    segmented, hockney = (
        np.abs(line.get_ydata()) for line in residuals.lines if len(line.get_xdata()) == len(SIZES)
    )
    assert segmented.max() < 0.01
    assert hockney.max() > 0.2
    breaks = [line.get_xdata()[0] for line in times.lines if len(set(line.get_xdata())) == 1]
    assert len(breaks) == 1
    assert 4096 < breaks[0] < 8192


def test_a_curve_for_each_number_of_pairs() -> None:
    sizes = 2.0 ** np.arange(16, 25)
    x, p = (values.ravel() for values in np.meshgrid(sizes, [1.0, 2.0, 3.0, 4.0]))
    n = imb_repetitions(x)
    times = general_s(x, n, p, 9.5e8, 4e-6, [2.0**19], [4.0]) / (2.0 * n)
    curve = curve_of_arrays(x, times, p, n)
    fits = [model.fit(curve, resamples=0) for model in (multi_mode, max_rate)]
    figure = draw_curve(curve, fits, "here", "")
    assert [entry.split(":")[0] for entry in entries(figure)] == [
        "1 pair at once", "2 pairs at once", "3 pairs at once", "4 pairs at once", "multi-mode",
        "max-rate",
    ]  # fmt: skip
    one = figure.axes[0].lines[0]
    wanted = sizes / times[:9] / 2**30
    assert np.asarray(one.get_ydata()) == pytest.approx(wanted)


def test_what_cannot_be_drawn_is_told() -> None:
    run = make_run(jump_ns, sizes=SIZES)
    here = System(run, estimate(run), "here")
    for what in ("models", "multi-mode"):
        with pytest.raises(AskedWronglyError, match="one file at a time"):
            draw(what, [here, here], Options())
    with pytest.raises(AskedWronglyError, match="several numbers of pairs"):
        draw("multi-mode", [here], Options())


def test_the_command_draws_models(hockney: RunHockney, tmp_path: Path) -> None:
    write_run(make_run(jump_ns, sizes=SIZES), tmp_path / "run.jsonl")
    done = hockney("plot", "run.jsonl", "--what", "models", "-o", "models.svg")
    assert done.status == 0, done.stderr
    assert "segmented" in (tmp_path / "models.svg").read_text()
