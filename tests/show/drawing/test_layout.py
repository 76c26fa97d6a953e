"""Figures at the width of a paper's column: no text over another, none outside, no mark cut."""

from __future__ import annotations

import pytest

from conftest import kept_short
from drawn_boxes import layout_faults
from figure_examples import EXAMPLES, RECORDED, SHORT_EXAMPLES, example, recorded
from hockney.base.errors import UsageError
from hockney.show.curves.curves import Options
from hockney.show.drawing.files import draw
from hockney.show.figures import FIGURES, describe

RUNS = sorted(path.name.removesuffix(".jsonl.zst") for path in RECORDED.glob("*.jsonl.zst"))
SHORT = ("collective-forced", "pairs-stream")
"""Runs of unlike experiments, whose legends are long."""


WITHOUT_FIGURES = ("netgauge_loggp_excerpt-loggp", "osu_bcast_orfeo_THIN_alg_np_size-unknown")
"""Logs of which hockney has parameters alone, or no operation."""


@pytest.mark.parametrize("name", kept_short(EXAMPLES, SHORT_EXAMPLES))
def test_every_figure_has_room_for_its_words_and_marks(name: str) -> None:
    assert layout_faults(draw(example(name))) == []


@pytest.mark.parametrize("run", kept_short(RUNS, SHORT))
def test_every_figure_of_every_recorded_run_has_room(run: str) -> None:
    faults, drawn = {}, 0
    for name in FIGURES.built_in():
        try:
            figure = describe(name, [recorded(run)], Options(most_samples=200))
        except UsageError:
            continue
        drawn += 1
        if figure_faults := layout_faults(draw(figure)):
            faults[name] = figure_faults
    assert faults == {}
    assert (drawn > 0) == (run not in WITHOUT_FIGURES)
