"""Figures show the numbers that were estimated, and what they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from fabric_samples import fabric_run
from figure_examples import recorded
from hockney.base.errors import UsageError
from hockney.infer.analysis import Analysis
from hockney.infer.estimate.interval import high_of, low_of
from hockney.records import Run, RunRecord, Samples, Summary
from hockney.show.curves.curves import Options
from hockney.show.curves.labels import labelled, labels_of
from hockney.show.drawing.description import Figure, Series
from hockney.show.figures import describe, main_figure
from one_sided_samples import one_sided_run
from samples import make_run, varied_run

SIZES = (0, 1, 1024, 1024**2)
OF_ANY_RUN = ("time", "bandwidth", "samples")
"""Other figures need other experiments."""


def line_ns(launch: int, round_: int, size: int) -> list[float]:
    """1 us and 1 ns a byte, launches 1 % apart."""
    return [(1000.0 + size) * (1.0 + 0.01 * launch) + 0.001 * round_]


def analysis(run: Run, label: str = "here") -> Analysis:
    run.header = RunRecord(
        schema=1, hockney="", id="", started="", experiment="pingpong", label=label
    )
    return Analysis(run, label)


def labels(figure: Figure) -> list[str]:
    """Entries of the legend."""
    return list(dict.fromkeys(series.label for series in figure.series()))


def series_of(figure: Figure, words: str) -> Series:
    [series] = [
        series for series in figure.panels[0].series if words in (series.label, series.name)
    ]
    return series


def caption(figure: Figure) -> str:
    return " ".join(figure.caption)


def test_the_bars_are_the_intervals_of_the_medians() -> None:
    system = analysis(make_run(line_ns, sizes=SIZES))
    marks = series_of(describe("time", [system], Options()), "median")
    points = system.estimates.headline
    assert list(marks.x) == [point.bytes for point in points]
    assert list(marks.y) == [point.median_s for point in points]
    assert marks.low is not None
    assert marks.high is not None
    bars = zip(marks.low, marks.high, strict=True)
    assert list(bars) == [(low_of(point.interval), high_of(point.interval)) for point in points]


def test_few_launches_have_no_bars_and_the_caption_says_so() -> None:
    few = analysis(make_run(line_ns, launches=4, sizes=SIZES))
    figure = describe("time", [few], Options())
    assert set(series_of(figure, "median").low or ()) == {None}
    assert "too few for confidence intervals" in caption(figure)


def test_the_legend_has_the_fit() -> None:
    run = make_run(lambda *where: [1000.0 + where[2]], sizes=SIZES)
    system = analysis(run)
    fitted = "α = 1 µs, 1/β = 953.7 MiB/s"
    assert labels(describe("time", [system], Options())) == ["median", f"Hockney's line: {fitted}"]
    assert labels(describe("time", [system], Options(fit=False))) == ["median"]
    other = analysis(make_run(line_ns, sizes=SIZES), "b")
    both = labels(describe("time", [system, other], Options()))
    assert both[0] == f"here: {fitted}"
    assert both[1].startswith("b: α = ")


def test_extremes_are_marked_and_deviations_are_bars() -> None:
    def ns(_: int, round_: int, size: int) -> list[float]:
        return [1000.0 + size, 100_000.0 if round_ == 3 else 1100.0 + size]

    system = analysis(make_run(ns, sizes=(0, 8)))
    figure = describe("time", [system], Options(extremes=True))
    drawn = {time for series in figure.series() for time in series.y}
    for point in system.estimates.headline:
        assert {point.min_s, point.max_s, point.mean_s} <= drawn
    [first, _] = system.estimates.headline
    assert first.mean_s is not None
    assert first.std_s is not None
    assert first.std_s > first.mean_s
    bars = series_of(figure, "mean and standard deviation")
    assert bars.low is not None
    assert bars.high is not None
    assert bars.low[0] is None, "the lower end is below 0 s"
    assert bars.high[0] == pytest.approx(first.mean_s + first.std_s)


def test_other_states_of_the_machine_are_paler() -> None:
    def slower(launch: int, round_: int, size: int) -> list[float]:
        return [(3000.0 if round_ >= 20 else 1000.0) + size + launch]

    run = make_run(
        slower,
        rounds=30,
        sizes=SIZES,
        handover_ns=lambda _, round_: 250.0 if round_ >= 20 else 50.0,
    )
    figure = describe("time", [analysis(run)], Options())
    assert [label for label in labels(figure) if "latency" in label] == [
        "median, core-to-core latency 50 ns",
        "median, core-to-core latency 250 ns",
    ]
    [pale] = [series for series in figure.series() if series.style == "pale"]
    assert pale.y[0] == pytest.approx(3.002e-6)


def test_the_floor_is_dashed_and_the_cold_copy_dotted() -> None:
    run = make_run(line_ns, sizes=SIZES)
    for visit in list(run.samples):
        floors = (
            [("copy", "warm", 0.2), ("copy", "cold", 0.3)]
            if visit.bytes
            else [("handover", None, 0.1)]
        )
        for operation, algorithm, fraction in floors:
            run.add(
                Samples(
                    launch=visit.launch,
                    round=visit.round,
                    operation=operation,
                    algorithm=algorithm,
                    bytes=visit.bytes,
                    ranks=2,
                    peers=(0, 1),
                    repetitions=1,
                    ns=[fraction * ns for ns in visit.ns],
                )
            )
    figure = describe("time", [analysis(run)], Options())
    dashed, dotted = (
        next(series for series in figure.series() if series.style == style)
        for style in ("dashed", "dotted")
    )
    assert list(dashed.x) == [0.0, 1.0, 1024.0, 1024.0**2]
    assert list(dotted.x) == [1.0, 1024.0, 1024.0**2]
    assert dashed.y[0] == pytest.approx(0.1 * 1.02e-6, rel=1e-3)
    assert dashed.label.startswith("floor")


def test_bandwidth_is_bytes_over_the_median_with_the_limits_of_one_file() -> None:
    system = analysis(make_run(lambda *where: [1000.0 + where[2]], sizes=SIZES))
    figure = describe("bandwidth", [system], Options())
    rates = series_of(figure, "size / median time").y
    assert rates == pytest.approx([size / (1e-6 + size * 1e-9) for size in SIZES if size])
    assert [rule.label for rule in figure.panels[0].rules] == [
        "r∞ = 1/β = 953.7 MiB/s",
        "n½ = 1000 B",
    ]
    assert not describe("bandwidth", [system, system], Options()).panels[0].rules
    assert not describe("bandwidth", [system], Options(fit=False)).panels[0].rules


def test_samples_are_in_order_of_launch_and_round() -> None:
    run = make_run(
        lambda launch, round_, size: [100.0 * (launch + 1) + round_, size], sizes=(8, 16)
    )
    run.samples.reverse()
    figure = describe("samples", [analysis(run)], Options(bytes=16))
    order, distribution = figure.panels
    [marks] = order.series
    expected = [
        ns for launch in range(5) for r in range(10) for ns in (100.0 * (launch + 1) + r, 16)
    ]
    assert [1e9 * y for y in marks.y if y] == pytest.approx(expected)
    assert list(marks.x) == sorted(marks.x)
    assert [(band.low, band.high) for band in order.bands] == [(0.5, 1.5), (2.5, 3.5)]
    assert sum(y for y in distribution.series[0].y if y) == pytest.approx(1.0, abs=1e-3)
    assert "100 samples" in caption(figure)
    assert figure.title == "here, 16 B"


def test_many_samples_are_merged_and_the_caption_says_so() -> None:
    run = make_run(lambda launch, round_, _: [100.0 + launch + round_ + i for i in range(50)])
    figure = describe("samples", [analysis(run)], Options(most_samples=100))
    [marks] = figure.panels[0].series
    assert len(marks.y) == 100
    assert marks.high is not None
    assert max(high for high in marks.high if high) == pytest.approx(
        1e-9 * max(ns for visit in run.samples for ns in visit.ns)
    )
    assert "More than 100 samples" in caption(figure)


def test_samples_tell_the_states_apart() -> None:
    run = make_run(
        line_ns, rounds=30, handover_ns=lambda _, round_: 250.0 if round_ >= 20 else 50.0
    )
    figure = describe("samples", [analysis(run)], Options())
    assert labels(figure) == [
        "state 0, core-to-core latency 50 ns",
        "state 1, core-to-core latency 250 ns",
        "the state changed in its round",
    ]
    marks = figure.panels[0].series
    assert len({series.colour for series in marks}) == 3
    assert [len(series.x) for series in marks] == [95, 50, 5]


def test_the_caption_tells_unlike_samples_apart() -> None:
    system, other = (analysis(make_run(line_ns, sizes=SIZES), label) for label in ("a", "b"))
    assert "Sample: time of k round trips, divided by 2k." in caption(
        describe("time", [system, other], Options())
    )
    for launch in other.run.launches:
        launch.definition = "whole loop"
    unlike = caption(describe("time", [system, other], Options()))
    assert "Sample of a: time of k round trips, divided by 2k. Sample of b: whole loop." in unlike


def test_unlike_operations_do_not_share_a_figure() -> None:
    run = make_run(line_ns, sizes=SIZES)
    run.add(
        Samples(launch=0, round=0, operation="bcast", bytes=8, ranks=2, repetitions=1, ns=[5.0] * 3)
    )
    with pytest.raises(UsageError, match="bcast, pingpong: unlike operations"):
        describe("time", [analysis(run)], Options())
    figure = describe("time", [analysis(run)], Options(operation="bcast"))
    assert [len(series.x) for series in figure.series()] == [1]


@pytest.mark.parametrize("what", OF_ANY_RUN)
def test_values_without_a_place_on_a_logarithmic_axis_are_left_out(what: str) -> None:
    nothing = analysis(make_run(lambda *_: [0.0, -1.0], sizes=(8, 16)))
    with pytest.raises(UsageError, match="0 s"):
        describe(what, [nothing], Options(bytes=8))

    def ns(launch: int, round_: int, size: int) -> list[float]:
        return [0.0 if size == 8 or launch == 0 else 100.0 + round_] * 2

    figure = describe(what, [analysis(make_run(ns, sizes=(8, 16)))], Options(bytes=16))
    if what == "samples":
        assert "20 samples of 0 s or below" in caption(figure)


@pytest.mark.parametrize("what", OF_ANY_RUN)
def test_a_run_without_samples_is_an_error(what: str) -> None:
    run = Run(RunRecord(schema=1, hockney="", id="", started="", experiment="pingpong"))
    run.path = Path("imported.jsonl")
    run.add(
        Summary(
            launch=0, operation="pingpong", bytes=8, statistic="L", definition="LogGP", value_s=1e-6
        )
    )
    with pytest.raises(UsageError, match=r"^imported.jsonl: no "):
        describe(what, [Analysis(run)], Options())


@pytest.mark.parametrize(("what", "words"), [("time", "mean"), ("bandwidth", "size / mean time")])
def test_an_imported_statistic_is_drawn_under_its_name(what: str, words: str) -> None:
    run = Run(RunRecord(schema=1, hockney="", id="", experiment="pingpong"))
    for size in (8, 64):
        run.add(
            Summary(
                launch=0,
                operation="pingpong",
                bytes=size,
                statistic="mean",
                definition="loop",
                value_s=size * 1e-9,
            )
        )
    figure = describe(what, [Analysis(run)], Options())
    assert words in labels(figure)
    assert "mean of each launch" in caption(figure)


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ([("a", "x/1"), ("b", "x/2")], ["a", "b"]),
        ([("a", "x/1"), ("a", "x/2"), ("b", "x/3")], ["a (1)", "a (2)", "b"]),
        ([("a", "x/1"), ("a", "y/1")], ["a (1) (x)", "a (1) (y)"]),
        ([("a", "x/1"), ("a", "x/1")], ["a (1) (x) #1", "a (1) (x) #2"]),
    ],
)
def test_files_are_named_where_labels_collide(
    named: Sequence[tuple[str, str]], expected: list[str]
) -> None:
    runs = []
    for label, path in named:
        run = analysis(make_run(line_ns), label).run
        run.path = Path(path)
        runs.append(run)
    assert labels_of(runs) == expected


def test_runs_of_one_machine_in_different_states_are_told_apart() -> None:
    def of(*handovers: float) -> list[str]:
        runs = [make_run(line_ns, handover_ns=lambda *_, ns=ns: ns) for ns in handovers]  # type: ignore[misc]
        return [system.label for system in labelled(map(Analysis, runs))]

    far, near = of(257.0, 55.0)
    assert far.endswith(", core-to-core latency 257 ns"), far
    assert near.endswith(", core-to-core latency 55 ns"), near
    assert not any("core-to-core" in label for label in of(57.0, 55.0))


def test_more_one_sided_ways_than_colours_have_a_panel_for_each_kind_of_window() -> None:
    """`hockney rma put --sync all --window-kind all` measures so many."""
    ways = ("flush", "flush-local", "lock", "lock-all", "fence", "pscw")
    kinds = ("allocate", "create", "dynamic", "shared")
    run = one_sided_run({(how, kind): 1.5 for how in ways for kind in kinds})
    figure = describe("one-sided", [Analysis(run)], Options())
    assert [panel.y.label.rsplit(", ")[-1] for panel in figure.panels] == list(kinds)
    assert [len(panel.series) for panel in figure.panels] == [len(ways)] * len(kinds)


def test_the_bars_of_pairs_have_one_meaning() -> None:
    """A curve of one pair has no bars beside one of several pairs, whose bars are other pairs."""
    figure = describe("time", [recorded("pairs-four")], Options(fit=False))
    alone, both = (series_of(figure, f"{words} at once") for words in ("1 pair", "2 pairs"))
    assert set(alone.low or ()) == {None}
    assert None not in (both.low or (None,))
    assert "confidence" not in caption(figure)


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (lambda: fabric_run(slow={(1, 4): 2.0}), "fabric"),
        (lambda: recorded("cores").run, "matrix"),
        (lambda: recorded("pairs-four").run, "contention"),
        (lambda: varied_run(12, {"first": 1.0, "second": 1.05}), "variants"),
        (lambda: recorded("pingpong-mpich").run, "time"),
    ],
)
def test_the_main_figure_answers_the_question(made: Callable[[], Run], name: str) -> None:
    assert main_figure([Analysis(made())], Options()).name == name


def test_what_the_main_figure_cannot_show_is_drawn_over_size() -> None:
    """Two networks have no common map, and a map no line."""
    both = [Analysis(fabric_run()), Analysis(fabric_run())]
    assert main_figure(labelled(both), Options()).name == "time"
    assert main_figure([recorded("cores")], Options(operation="pingpong")).name == "time"


def test_a_label_names_one_state() -> None:
    """Of runs in unlike states, one with two states has the other one's name on its pale curve."""

    def both(_: int, round_: int) -> float:
        return 67.0 if round_ >= 20 else 236.0

    first = make_run(line_ns, rounds=30, sizes=SIZES, handover_ns=both)
    second = make_run(line_ns, rounds=30, sizes=SIZES, handover_ns=lambda *_: 64.0)
    figure = describe("time", labelled([Analysis(first), Analysis(second)]), Options())
    pale = [label for label in labels(figure) if "67 ns" in label]
    assert pale
    assert all(label.count("core-to-core latency") == 1 for label in labels(figure))
