"""The declaration of axes: keys, words and JSON follow from it."""

from __future__ import annotations

import pytest

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.columns import TRAIN_COLUMNS, point_columns, sample_columns
from hockney.infer.estimate import PointEstimate, estimate
from hockney.plan.axes import (
    AXES,
    Axes,
    Point,
    axes_of,
    curve_key,
    key_without,
    method_text,
    point_of,
    sort_key,
    text_of,
    texts_apart,
)
from hockney.plan.trains import Train
from hockney.records import Samples, Summary
from samples import make_run


def point(**axes: object) -> Point:
    return Point(**{"operation": "bcast", "bytes": 8, **axes})  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [Point, Samples, Summary, PointEstimate])
def test_every_kind_of_point_has_all_axes(kind: type[Axes]) -> None:
    assert kind.__struct_fields__[: len(AXES)] == tuple(AXES)


@pytest.mark.parametrize(
    ("axes", "words"),
    [
        ({}, ""),
        ({"algorithm": "chain", "segment_bytes": 8192}, "chain, 8 KiB segments"),
        (
            {"algorithm": "chain", "segment_bytes": 8192, "radix": 4, "requests": 1},
            "chain, 8 KiB segments, radix 4, 1 request",
        ),
        ({"algorithm": "pipeline", "segment_bytes": 0}, "pipeline, unsegmented"),
        ({"algorithm": "ring", "overlap": True}, "ring, overlapped"),
        ({"overlap": True}, "overlapped"),
        ({"window": 64}, "window 64"),
        ({"mode": "standard"}, ""),
        ({"mode": "persistent"}, "persistent"),
        (
            {"train": Train(messages=16, send_delay_ns=1500.0, send_delay_ns_per_B=0.2)},
            "n 16, send delay 1500+0.2 ns, receive delay 0+0 ns",
        ),
    ],
)
def test_how_an_operation_is_done_in_words(axes: dict[str, object], words: str) -> None:
    assert method_text(point(**axes)) == words


def test_points_along_a_curve() -> None:
    assert curve_key(point(bytes=1)) == curve_key(point(bytes=2))
    assert curve_key(point(train=Train(messages=1))) == curve_key(point(train=Train(messages=2)))
    assert curve_key(point(ranks=2)) != curve_key(point(ranks=4))
    assert curve_key(point(window=2)) != curve_key(point(window=4))


def test_numbers_of_pairs_are_a_curve_where_they_are_of_all_pairs() -> None:
    together = [point(pairs=n, ranks=2 * n) for n in (1, 4)]
    assert len({curve_key(point) for point in together}) == 1
    one_pair = [point(pairs=n, ranks=2 * n, peers=(0, 1)) for n in (1, 4)]
    assert len({curve_key(point) for point in one_pair}) == 2


def test_an_axis_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="no axes: colour"):
        key_without(point(), "colour")


def test_numbers_are_sorted_as_numbers() -> None:
    points = [point(window=window) for window in (16, None, 2)]
    assert [point.window for point in sorted(points, key=sort_key)] == [None, 2, 16]


def test_groups_are_told_apart_by_what_differs() -> None:
    groups = [
        [point(window=window, bytes=size, ranks=2 * pairs, pairs=pairs) for pairs in (1, 2)]
        for window, size in ((2, 8), (16, 8))
    ]
    assert texts_apart(groups) == ["window 2", "window 16"]
    assert texts_apart(groups[:1]) == [""]
    assert texts_apart([[point(ranks=2)], [point(ranks=4)]]) == ["2 ranks", "4 ranks"]


def test_in_json_null_is_what_does_not_apply() -> None:
    axes = axes_of(point(algorithm="ring", ranks=4))
    assert list(axes) == list(AXES)
    assert {name for name, value in axes.items() if value is not None} == {
        "operation",
        "algorithm",
        "bytes",
        "ranks",
        "overlap",
        "any_source",
        "wait_each",
        "reordered",
    }


def test_columns_are_the_axes() -> None:
    run = make_run(lambda *_: [1.0, 2.0])
    names = [name for name in AXES if name != "train"]
    for columns in (point_columns(estimate(run).headline), sample_columns(Analysis(run))):
        assert set(columns) >= {*names, *TRAIN_COLUMNS}
        assert len({len(column) for column in columns.values()}) == 1


def test_a_key_is_that_of_its_record() -> None:
    (samples, *_) = make_run(lambda *_: [1.0]).samples
    assert point_of(samples) == point(operation="pingpong", mode="standard", ranks=2, peers=(0, 1))


def test_counts_of_one_are_singular() -> None:
    one = Point(operation="bcast", bytes=8, ranks=1, threads=1, requests=1, pairs=1)
    names = ("ranks", "threads", "requests", "pairs")
    texts = [text_of(one, name) for name in names]
    assert texts == ["1 rank", "1 thread", "1 request", "1 pair at once"]
