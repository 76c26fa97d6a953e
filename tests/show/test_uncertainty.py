"""The uncertainty of a number, where it is printed."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from hockney.infer.analysis import Analysis
from hockney.show.answer import precision
from hockney.show.as_json import dumps, point_json
from hockney.show.experiments import view_of
from hockney.show.point_table import point_table
from hockney.show.run_lines import confidence_text
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


@pytest.mark.parametrize(("samples", "said"), [(4, True), (40, False)])
def test_a_missing_p99_says_what_it_takes(samples: int, said: bool) -> None:
    (point,) = analysis_of([100.0] * 5, samples).estimates.headline
    assert ("p99 takes 368 samples in a launch" in point_table([point], {})) is said


def test_a_launch_left_out_is_left_out_of_medians_alone() -> None:
    analysis = analysis_of([100.0] * 11 + [300.0])
    said = "\n".join(view_of(analysis).parts(analysis, False))
    assert "excluded as outliers from medians and their intervals, and nothing else: 11" in said
    assert "0.300" in said
