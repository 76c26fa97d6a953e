"""Every figure, rendered for files and for the page: both draw the values of its description."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.patches import Rectangle

from conftest import kept_short
from figure_examples import EXAMPLES, SHORT_EXAMPLES, example
from hockney.show.drawing import page as drawing
from hockney.show.drawing.files import draw
from hockney.show.figures import FIGURES
from hockney.show.profiles.figures import PROFILE_FIGURES


def test_every_figure_has_an_example() -> None:
    ours = {*FIGURES.built_in(), *PROFILE_FIGURES.built_in(), "ratio", "history"}
    assert ours == {name.partition(" ")[0] for name in EXAMPLES}


@pytest.mark.parametrize("name", kept_short(EXAMPLES, SHORT_EXAMPLES))
def test_files_and_page_draw_the_same_values(name: str) -> None:
    """The browser's test compares what the page draws with what it was given."""
    figure = example(name)
    canvas = draw(figure)
    page = json.loads(json.dumps(drawing.plain(figure)))
    for axes, panel in zip(canvas.axes, page["panels"], strict=False):
        series = panel.get("series", [])
        lines = [line for line in axes.lines if not str(line.get_label()).startswith("_")]
        for line, given in zip(lines, series, strict=True):
            assert line.get_label() == given.get("name", given["label"])
            assert np.array_equal(line.get_xdata(), given["x"])
            assert np.array_equal(line.get_ydata(), numbers(given["y"]), equal_nan=True)
        bars = [bar for bar in axes.collections if isinstance(bar, LineCollection)]
        with_bars = [given for given in series if "low" in given]
        for bar, given in zip(bars, with_bars, strict=True):
            ends = np.array([segment[:, 1] for segment in bar.get_segments() if len(segment)])
            assert np.allclose(ends, intervals(given), rtol=1e-12, equal_nan=True)
        cells = panel.get("cells", panel.get("bars", []))
        assert cells_of(axes, panel) == [cell["words"] for cell in cells]
        drawn = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
        for bar, patch in zip(panel.get("bars", []), drawn, strict=bool(panel.get("bars"))):
            ends = patch.get_x(), patch.get_x() + patch.get_width()
            assert ends == pytest.approx((bar["low"], bar["high"]))
            assert round(patch.get_y() + patch.get_height() / 2.0) == bar["row"]


def numbers(values: list[float | None]) -> list[float]:
    return [np.nan if value is None else value for value in values]


def intervals(given: dict[str, Any]) -> list[tuple[float, float]]:
    """Intervals of the points with a value; an unknown end is the value itself."""
    rows = zip(given["y"], given["low"], given["high"], strict=True)
    return [
        (y if low is None else low, y if high is None else high)
        for y, low, high in rows
        if y is not None
    ]


def cells_of(axes: Any, panel: dict[str, Any]) -> list[str]:
    """The words of a map's cells; without kinds, those whose value its image has."""
    if "kinds" in panel:
        return [patch.get_label() for patch in axes.patches if isinstance(patch, Rectangle)]
    if "cells" not in panel:
        return []
    values = axes.images[0].get_array()
    of_image = (
        cell for cell in panel["cells"] if values[cell["row"], cell["column"]] == cell["value"]
    )
    return [cell["words"] for cell in of_image]
