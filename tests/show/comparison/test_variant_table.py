"""Words for variants: what cannot be told is not told as a number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.variant_verdicts import VariantStudy
from hockney.infer.analysis.tails import tails_of
from hockney.infer.estimate.blocks import VariantRatio
from hockney.infer.estimate.differences import Judged
from hockney.infer.estimate.interval import Interval
from hockney.infer.estimate.sketch import Sketch
from hockney.plan.axes import Point
from hockney.plan.variants import Comparison, Variant
from hockney.records import Finish
from hockney.show.comparison.variant_table import (
    doubt_lines,
    rule_of,
    variant_answer,
    variant_table,
    variants_json,
)
from hockney.show.curves.curves import Options
from hockney.show.figures import describe
from hockney.show.one_run.tails import tails_text
from hockney.show.tables.judged import least_shown, smallest_words
from samples import varied_run


def judged(interval: Interval | None, needed: int | None, smallest: float | None = None) -> Judged:
    return Judged(0.9, interval, None, "unknown", False, needed, smallest)


def ratio_of(
    judgement: Judged, size: int | None, blocks: int = 4, slope: float | None = None
) -> VariantRatio:
    point = None if size is None else Point(operation="pingpong", bytes=size)
    return VariantRatio("b", point, 1e-6, 1e-6, blocks, judgement, (), 0, slope)


def study_of(*ratios: VariantRatio) -> VariantStudy:
    variants = (Variant(name="a", values={}), Variant(name="b", values={"window": "2"}))
    return VariantStudy(Comparison(variants=variants), ratios, 4, (), ())


WIDE = Interval(0.5, 1.6)


@pytest.mark.parametrize(
    ("one", "blocks", "words"),
    [
        (judged(None, 7), 4, "; an interval takes at least 7 blocks)"),
        (judged(WIDE, 30), 10, "; about 30 blocks would decide)"),
        (judged(WIDE, 41), 10, "; more than 40 blocks would have to decide)"),
        (judged(WIDE, None), 10, "; more than 40 blocks would have to decide)"),
    ],
)
def test_how_many_blocks_decide_is_told_where_the_estimate_is_supported(
    one: Judged, blocks: int, words: str
) -> None:
    [answer, *_] = variant_answer(study_of(ratio_of(one, None, blocks), ratio_of(one, 8, blocks)))
    assert words in answer


def test_a_table_says_how_many_blocks_an_interval_takes() -> None:
    study = study_of(ratio_of(judged(None, 7), None), ratio_of(judged(None, 10), 8))
    words = "too few blocks for an interval (-): 10 are the least"
    assert words in variant_table(study)
    assert words in rule_of(study)
    assert "too few" not in rule_of(study_of(ratio_of(judged(WIDE, 20), 8)))


def test_adjusted_ratios_are_marked_in_the_table() -> None:
    judgement = judged(WIDE, 20, 0.5)
    rows = [
        ratio_of(judgement, size, slope=slope) for size, slope in ((8, 1.0), (64, None), (512, 2.0))
    ]
    table = variant_table(study_of(ratio_of(judgement, None, slope=1.5), *rows)).splitlines()
    assert [line.split()[0] for line in table if line.endswith("yes")] == ["8", "512"]
    assert table[0].startswith(
        "2 of 3 ratios at points and the mean of b are adjusted for the speed"
    )
    assert "adjusted" not in variant_table(study_of(ratio_of(judgement, None), rows[1]))


def test_a_difference_of_more_than_twice_is_no_number() -> None:
    assert smallest_words(judged(WIDE, 20, 10.16)) == "> 100 %"
    assert (
        least_shown(judged(WIDE, 20, 10.16))
        == "not even a time twice as long could have been shown"
    )
    assert "83 %" in least_shown(judged(WIDE, 20, 0.83))


def test_tails_and_samples_have_the_names_of_variants_for_people() -> None:
    paths = ["mpicc=/opt/mpich/4.2.3/bin/mpicc", "mpicc=/opt/mpich/5.0.2/bin/mpicc"]
    analysis = Analysis(varied_run(2, dict.fromkeys(paths, 1.0), sizes=(8,)))
    assert analysis.variants is not None
    names = dict(zip(paths, ("MPICH 4.2.3", "MPICH 5.0.2"), strict=True))
    analysis.variants = replace(analysis.variants, shown=names)
    sketch = {0: Sketch.of(np.full(9, 1e-6), 0.01)}
    points = [Point(operation="pingpong", bytes=8, variant=path) for path in paths]
    analysis.tails = tails_of(dict.fromkeys(points, sketch))
    drawn = describe("samples", [analysis], Options())
    assert {series.label for series in drawn.series()} == set(names.values())
    assert all(name in tails_text(analysis) for name in names.values())


@pytest.mark.parametrize(("times", "confidence"), [(0, 0.95), (1, 0.9025), (2, 0.857375)])
def test_a_run_that_was_continued_after_its_last_look_is_less_sure(
    times: int, confidence: float
) -> None:
    run = varied_run(8, {"a": 1.0, "b": 1.0}, sizes=(8,))
    run.finish = Finish(
        reason="budget", spent_s=1.0, sampling={}, looks=[0.5, 1.0], continued=times
    )
    study = Analysis(run).variants
    assert study is not None
    assert variants_json(study)["confidence"] == pytest.approx(confidence)
    assert f"together with {int(100 * confidence)} %" in rule_of(study)
    assert f"{int(100 * confidence)} % interval" in variant_table(study)
    lines = doubt_lines(study)
    assert ["continued" in line for line in lines] == [True] * (times > 0)
