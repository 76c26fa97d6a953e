"""The uncertainty of a number, where it is printed."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest

from hockney.base.units import known_decimals
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.tails import tails_of
from hockney.infer.estimate.sketch import Sketch
from hockney.plan.axes import Point
from hockney.show.experiments import view_of
from hockney.show.one_run.answer import precision
from hockney.show.one_run.point_table import point_table
from hockney.show.one_run.run_lines import confidence_text
from hockney.show.one_run.tails import tails_json, tails_text
from hockney.show.tables.as_json import dumps, point_json
from hockney.show.tables.table import microseconds
from samples import make_run


def analysis_of(launches: Sequence[float], samples: int = 4) -> Analysis:
    return Analysis(
        make_run(lambda launch, *_: [launches[launch]] * samples, launches=len(launches))
    )


@pytest.mark.parametrize(
    ("launches", "said"),
    [
        (4, ""),
        (5, "70 % confidence interval (95 % takes 18 launches)"),
        (17, "87 % confidence interval (95 % takes 18 launches)"),
        (18, "95 % confidence interval"),
    ],
)
def test_the_confidence_is_that_of_the_launches(launches: int, said: str) -> None:
    analysis = analysis_of([100.0 + launch for launch in range(launches)])
    assert confidence_text(analysis.estimates.headline) == said


def test_an_interval_wider_than_its_number_is_not_known_everywhere() -> None:
    analysis = analysis_of([1.0, 100.0, 100.0, 4000.0, 9000.0])
    (point,) = analysis.estimates.headline
    assert "not known" in precision(point)
    assert "not known" in point_table([point], {})
    fields = json.loads(dumps(point_json(point, None)))
    assert fields["precision"] is None
    assert fields["high_s"] == pytest.approx(9e-6)
    said = "\n".join(view_of(analysis).parts(analysis, False))
    assert "not known" in said
    assert "±" not in said


@pytest.mark.parametrize(("samples", "is_known"), [(4, False), (40, True)])
def test_a_column_in_which_nothing_is_known_is_not_shown(samples: int, is_known: bool) -> None:
    (point,) = analysis_of([100.0] * 5, samples).estimates.headline
    assert ("p99" in point_table([point], {})) is is_known


@pytest.mark.parametrize(
    ("half_width", "decimals"),
    [(0.193, 2), (0.354, 2), (0.36, 1), (4.85, 0), (0.0099, 3), (59.0, -1), (950.0, -2)],
)
def test_an_uncertainty_has_two_digits_or_one(half_width: float, decimals: int) -> None:
    assert known_decimals(1e6, half_width) == decimals


@pytest.mark.parametrize(
    ("us", "half_width_us", "text"),
    [
        (1.942, 0.193, "1.94"),
        (29.708, 4.85, "30"),
        (1123.6, 59.0, "1120"),
        (2.0, 0.00001, "2.000"),
        (2.094, None, "2.094"),
        (19.6, 540.0, "20"),
        (0.314, 540.0, "0.31"),
    ],
)
def test_a_time_has_the_digits_that_its_interval_leaves(
    us: float, half_width_us: float | None, text: str
) -> None:
    assert microseconds(us * 1e-6, half_width_us and half_width_us * 1e-6) == text


def test_an_answer_has_no_more_digits_than_its_table() -> None:
    analysis = analysis_of([60.0, 95.0, 101.0, 140.0, 150.0])
    (line, *_), table = view_of(analysis).answer(analysis), view_of(analysis).parts(analysis, False)
    assert "0.10 " in table[0]
    assert "100 ns" in line


def test_a_launch_left_out_is_left_out_of_medians_alone() -> None:
    analysis = analysis_of([100.0] * 11 + [300.0])
    said = "\n".join(view_of(analysis).parts(analysis, False))
    assert "excluded as outliers from medians and their intervals, and nothing else: 11" in said
    assert "0.300" in said


def test_intervals_of_tails_have_the_confidence_of_their_launches() -> None:
    analysis = analysis_of([100.0] * 6)
    sketches = {launch: Sketch.of(np.linspace(1e-6, 2e-6, 400), 0.01) for launch in range(6)}
    analysis.tails = tails_of({Point(operation="pingpong", bytes=8): sketches})
    assert "with its 78 % interval" in tails_text(analysis)
    median, p99, p999, _ = tails_json(analysis.tails)["tails"][0]["quantiles"]
    assert (median["confidence"], p99["confidence"], p999["confidence"]) == (0.78, 0.78, None)
