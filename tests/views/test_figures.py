"""Figures show what was estimated, have a place for every value, and take strangers' text as is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from hockney.views.figures._style import (
    LONGEST_LABEL,
    colour,
    mark,
    new_figure,
    paper,
    plain,
    save,
    size_axis,
    time_axis,
)
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from conftest import first_of
from hockney.errors import AskedWronglyError
from hockney.estimate import estimate
from hockney.records import Run, RunRecord, Samples, Summary
from hockney.views.figures import Options, System, draw, labels_of
from samples import make_run

SIZES = (0, 1, 1024, 1024**2)


OF_ANY_RUN = ("time", "bandwidth", "samples")
"""Other figures need other experiments."""


def line_ns(launch: int, round_: int, size: int) -> list[float]:
    """1 us and 1 ns a byte, launches 1 % apart."""
    return [(1000.0 + size) * (1.0 + 0.01 * launch) + 0.001 * round_]


def system(run: Run, label: str = "here") -> System:
    run.header = RunRecord(
        schema=1, hockney="", id="", started="", experiment="pingpong", label=label
    )
    return System(run, estimate(run), label)


def shown(figure: Figure) -> str:
    return "\n".join(text.get_text() for text in figure.findobj(Text))


def entries(figure: Figure) -> list[str]:
    legend = figure.axes[0].get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


def bars(axes: Axes, number: int = 0) -> list[tuple[float, float]]:
    """Lower and upper ends of one system's error bars."""
    [collection] = axes.containers[number].lines[2]
    return [(float(low), float(high)) for (_, low), (_, high) in collection.get_segments()]


def test_the_bars_are_the_intervals_of_the_medians() -> None:
    one = system(make_run(line_ns, sizes=SIZES))
    [axes] = draw("time", [one], Options()).axes
    marks = axes.containers[0].lines[0]
    points = one.estimates.headline
    assert list(marks.get_xdata()) == [point.bytes for point in points]
    assert list(marks.get_ydata()) == [point.median_s for point in points]
    ends = [(point.low_s, point.high_s) for point in points]
    assert bars(axes) == [pytest.approx(limits) for limits in ends]


def test_few_launches_have_no_bars_and_it_is_said() -> None:
    figure = draw("time", [system(make_run(line_ns, launches=4, sizes=SIZES))], Options())
    assert all(low == high for low, high in bars(figure.axes[0]))
    assert "too few for intervals" in shown(figure)


def test_the_legend_has_the_fit() -> None:
    run = make_run(lambda *where: [1000.0 + where[2]], sizes=SIZES)
    one = system(run)
    fitted = "α = 1 µs, 1/β = 953.7 MiB/s"
    assert entries(draw("time", [one], Options())) == ["median", f"Hockney's line: {fitted}"]
    assert entries(draw("time", [one], Options(fit=False))) == ["median"]
    both = entries(draw("time", [one, system(make_run(line_ns, sizes=SIZES), "b")], Options()))
    assert both[0] == f"here: {fitted}"
    assert both[1].startswith("b: α = ")


def test_extremes_are_marked_and_deviations_are_bars() -> None:
    def ns(_: int, round_: int, size: int) -> list[float]:
        return [1000.0 + size, 100_000.0 if round_ == 3 else 1100.0 + size]

    one = system(make_run(ns, sizes=(0, 8)))
    [axes] = draw("time", [one], Options(extremes=True)).axes
    drawn = {float(time) for line in axes.lines for time in np.asarray(line.get_ydata())}
    for point in one.estimates.headline:
        assert {point.min_s, point.max_s, point.mean_s} <= drawn
    [first, _] = one.estimates.headline
    assert first.mean_s is not None
    assert first.std_s is not None
    assert first.std_s > first.mean_s
    assert bars(axes)[0][1] == pytest.approx(first.mean_s + first.std_s)
    # The lower bar reaches below 0 s: it leaves the axis, and does not stretch it.
    bottom, top = axes.get_ylim()
    assert 0.5 * first.min_s < bottom < first.min_s
    assert top > first.max_s


def test_other_states_of_the_machine_are_paler() -> None:
    def slower(launch: int, round_: int, size: int) -> list[float]:
        return [(3000.0 if round_ >= 20 else 1000.0) + size + launch]

    run = make_run(
        slower,
        rounds=30,
        sizes=SIZES,
        handover_ns=lambda _, round_: 250.0 if round_ >= 20 else 50.0,
    )
    figure = draw("time", [system(run)], Options())
    assert [entry for entry in entries(figure) if "hand-over" in entry] == [
        "median, hand-over 50 ns",
        "median, hand-over 250 ns",
    ]
    [pale] = [line for line in figure.axes[0].lines if "250 ns" in str(line.get_label())]
    assert float(np.asarray(pale.get_ydata())[0]) == pytest.approx(3.002e-6)
    assert pale.get_alpha() is not None
    assert pale.get_alpha() < 0.5
    assert pale.get_fillstyle() == "none"


def test_the_floor_is_dashed_and_the_cold_copy_dotted() -> None:
    run = make_run(line_ns, sizes=SIZES)
    for visit in list(run.samples):
        floors = (
            [("copy", "warm", 0.2), ("copy", "cold", 0.3)]
            if visit.bytes
            else [("handover", None, 0.1)]
        )
        for operation, algorithm, share in floors:
            run.add(Samples(
                launch=visit.launch, round=visit.round, operation=operation, algorithm=algorithm,
                bytes=visit.bytes, ranks=2, peers=(0, 1), repetitions=1,
                ns=[share * ns for ns in visit.ns],
            ))  # fmt: skip
    figure = draw("time", [system(run)], Options())
    dashed, dotted = (
        next(line for line in figure.axes[0].lines if line.get_linestyle() == style)
        for style in ("--", ":")
    )
    assert list(np.asarray(dashed.get_xdata())) == [0.0, 1.0, 1024.0, 1024.0**2]
    assert list(np.asarray(dotted.get_xdata())) == [1.0, 1024.0, 1024.0**2]
    assert np.asarray(dashed.get_ydata())[0] == pytest.approx(0.1 * 1.02e-6, rel=1e-3)
    assert entries(figure)[-2].startswith("floor")
    assert figure.axes[0].get_ylim()[0] < 0.1 * 1.02e-6


def test_bandwidth_is_bytes_over_the_median_with_the_limits_of_one_file() -> None:
    one = system(make_run(lambda *where: [1000.0 + where[2]], sizes=SIZES))
    figure = draw("bandwidth", [one], Options())
    [axes] = figure.axes
    rates = np.asarray(axes.containers[0].lines[0].get_ydata())
    assert axes.get_ylabel() == "bandwidth, MiB/s"
    assert rates == pytest.approx([size / (1e-6 + size * 1e-9) / 2**20 for size in SIZES if size])
    assert entries(figure)[2:] == [
        "its limit r∞ = 1/β = 953.7 MiB/s",
        "half of it at n½ = 1000 B",
    ]
    assert "n½" not in shown(draw("bandwidth", [one, one], Options()))
    assert "n½" not in shown(draw("bandwidth", [one], Options(fit=False)))


def test_samples_are_in_order_of_launch_and_round() -> None:
    run = make_run(
        lambda launch, round_, size: [100.0 * (launch + 1) + round_, size], sizes=(8, 16)
    )
    run.samples.reverse()
    figure = draw("samples", [system(run)], Options(bytes=16))
    [line] = figure.axes[0].lines
    expected = [
        ns for launch in range(5) for r in range(10) for ns in (100.0 * (launch + 1) + r, 16)
    ]
    assert np.asarray(line.get_ydata()) * 1e9 == pytest.approx(expected)
    shaded = [patch.get_x() for patch in figure.axes[0].patches]  # type: ignore[attr-defined]
    assert shaded == [20.0, 60.0]
    assert sum(bar.get_width() for bar in figure.axes[1].patches) == 100  # type: ignore[attr-defined]
    assert "100 samples" in shown(figure)
    assert "here, 16 B" in shown(figure)


def test_samples_tell_the_states_apart() -> None:
    run = make_run(
        line_ns, rounds=30, handover_ns=lambda _, round_: 250.0 if round_ >= 20 else 50.0
    )
    figure = draw("samples", [system(run)], Options())
    assert entries(figure) == [
        "state 0, hand-over 50 ns",
        "state 1, hand-over 250 ns",
        "the state changed in its round",
    ]
    lines = figure.axes[0].lines
    assert len({line.get_color() for line in lines}) == 3
    assert [len(np.asarray(line.get_xdata())) for line in lines] == [95, 50, 5]


def test_small_print_tells_unlike_samples_apart() -> None:
    one, other = (system(make_run(line_ns, sizes=SIZES), label) for label in ("a", "b"))
    alike = " ".join(shown(draw("time", [one, other], Options())).split())
    assert "Sample: batch over 2k." in alike
    for launch in other.run.launches:
        launch.definition = "whole loop"
    unlike = " ".join(shown(draw("time", [one, other], Options())).split())
    assert "Sample of a: batch over 2k. Sample of b: whole loop." in unlike


@pytest.mark.parametrize("what", OF_ANY_RUN)
@pytest.mark.parametrize("sizes", [(0,), (8,), (0, 3), (7, 1000003), (0, 2**62), (5, 7)])
def test_few_and_odd_sizes_are_drawn(what: str, sizes: tuple[int, ...]) -> None:
    one = system(make_run(line_ns, sizes=sizes))
    if what == "bandwidth" and sizes == (0,):
        with pytest.raises(AskedWronglyError, match="above 0 bytes"):
            draw(what, [one], Options())
    else:
        draw(what, [one], Options()).draw_without_rendering()


@pytest.mark.parametrize("what", OF_ANY_RUN)
def test_values_without_a_place_on_a_logarithmic_axis_are_left_out(what: str) -> None:
    nothing = system(make_run(lambda *_: [0.0, -1.0], sizes=(8, 16)))
    with pytest.raises(AskedWronglyError, match="0 s"):
        draw(what, [nothing], Options(bytes=8))

    def ns(launch: int, round_: int, size: int) -> list[float]:
        return [0.0 if size == 8 or launch == 0 else 100.0 + round_] * 2

    figure = draw(what, [system(make_run(ns, sizes=(8, 16)))], Options(bytes=16))
    figure.draw_without_rendering()
    if what == "samples":
        assert "20 of 0 s or below" in " ".join(shown(figure).split())


@pytest.mark.parametrize("what", OF_ANY_RUN)
def test_a_run_without_samples_is_told(what: str) -> None:
    run = Run(RunRecord(schema=1, hockney="", id="", started="", experiment="pingpong"))
    run.path = Path("imported.jsonl")
    run.add(Summary(launch=0, operation="pingpong", bytes=8, statistic="L", definition="LogGP",
                    value_s=1e-6))  # fmt: skip
    with pytest.raises(AskedWronglyError, match=r"^imported.jsonl: no "):
        draw(what, [System(run, estimate(run), "x")], Options())


@pytest.mark.parametrize(("what", "words"), [("time", "mean"), ("bandwidth", "bytes / mean time")])
def test_an_imported_statistic_is_drawn_under_its_name(what: str, words: str) -> None:
    run = Run(RunRecord(schema=1, hockney="", id="", experiment="pingpong"))
    for size in (8, 64):
        run.add(Summary(launch=0, operation="pingpong", bytes=size, statistic="mean",
                        definition="loop", value_s=size * 1e-9))  # fmt: skip
    figure = draw(what, [System(run, estimate(run), "x")], Options())
    assert words in entries(figure)
    assert "mean of each launch" in " ".join(shown(figure).split())
    assert "median," not in shown(figure)


ODD_LABELS = [
    "$\\frac{",
    "a_b^c $x$ 100% & # {",
    "tab\tline\nnul\0 \u202eright to left",
    "\udcff not UTF-8",
    "日本" * 40,
    "W" * 300,
    "",
]


@pytest.mark.parametrize("what", first_of(OF_ANY_RUN))
@pytest.mark.parametrize("label", ODD_LABELS)
@pytest.mark.filterwarnings("error")
def test_labels_of_strangers_are_text_and_fit(what: str, label: str, tmp_path: Path) -> None:
    run = make_run(line_ns, sizes=SIZES)
    run.launches[0].definition = label
    with matplotlib.rc_context({"text.usetex": True, "text.parse_math": True}):
        figure = draw(what, [system(run, label)], Options())
        save(figure, tmp_path / "figure.svg", force=False)
    texts = [text for text in figure.findobj(Text) if text.get_text()]
    assert not any(text.get_parse_math() or text.get_usetex() for text in texts)
    if label.startswith("$"):
        assert any(label in text.get_text() for text in texts)
    edge = figure.get_window_extent().width
    legend = figure.axes[0].get_legend()
    assert legend is not None
    with paper():
        for text in (legend.get_title(), *legend.get_texts()):
            assert text.get_window_extent().x1 <= edge
    assert figure.axes[0].get_window_extent().height > figure.dpi


def test_many_systems_leave_room_for_the_points() -> None:
    run = make_run(line_ns, sizes=SIZES)
    systems = [system(run, f"system {'long ' * number} {number}") for number in range(20)]
    figure = draw("time", systems, Options())
    figure.draw_without_rendering()
    assert figure.axes[0].get_window_extent().height > 1.2 * figure.dpi
    assert len({(colour(number), mark(number)) for number in range(20)}) == 20


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ([("a", "x/1"), ("b", "x/2")], ["a", "b"]),
        ([("a", "x/1"), ("a", "x/2"), ("b", "x/3")], ["a (1)", "a (2)", "b"]),
        ([("a", "x/1"), ("a", "y/1")], ["a (1) (x)", "a (1) (y)"]),
    ],
)
def test_files_are_named_where_labels_collide(
    named: Sequence[tuple[str, str]], expected: list[str]
) -> None:
    runs = []
    for label, path in named:
        run = system(make_run(line_ns), label).run
        run.path = Path(path)
        runs.append(run)
    assert labels_of(runs) == expected


@given(st.text(max_size=200), st.integers(3, LONGEST_LABEL))
def test_plain_text_is_printable_and_short(text: str, longest: int) -> None:
    shown = plain(text, longest)
    assert len(shown) <= longest
    assert shown.isprintable()
    if len(text) <= longest and text.isprintable():
        assert shown == text


def ticks(locate: Callable[[Axes], None], side: str) -> tuple[tuple[float, float], list[str]]:
    """Limits, and the labels between them."""
    with paper():
        _, axes = new_figure()
        locate(axes)
        axis = getattr(axes, f"{side}axis")
        low, high = axis.get_view_interval()
        places = axis.get_major_locator()()
        labels = axis.get_major_formatter().format_ticks(places)
    named = [label for place, label in zip(places, labels, strict=True) if low <= place <= high]
    return (low, high), named


@given(st.lists(st.floats(1e-12, 1e6), min_size=1, max_size=5))
def test_every_time_is_on_the_axis_beside_labels(seconds: list[float]) -> None:
    (low, high), labels = ticks(lambda axes: time_axis(axes, [*seconds, 0.0, -1.0]), "y")
    assert low < min(seconds)
    assert max(seconds) < high
    assert 2 <= len(labels) <= 10
    assert len(set(labels)) == len(labels)


@given(st.sets(st.integers(0, 2**40), min_size=1, max_size=20))
def test_every_size_is_on_the_axis_beside_labels(sizes: set[int]) -> None:
    (low, high), labels = ticks(lambda axes: size_axis(axes, sizes), "x")
    assert low < min(sizes)
    assert max(sizes) < high
    assert ("0 B" in labels) == (0 in sizes)
    assert 1 <= len(labels) <= 8


def test_the_usual_sizes_have_the_usual_labels() -> None:
    sizes = [0, *(2**power for power in range(23))]
    _, labels = ticks(lambda axes: size_axis(axes, sizes), "x")
    assert labels == ["0 B", "1 B", "32 B", "1 KiB", "32 KiB", "1 MiB"]


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_the_same_run_gives_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    one = system(make_run(line_ns, sizes=SIZES))
    for name in ("a", "b"):
        save(draw("time", [one], Options()), tmp_path / f"{name}.{suffix}", force=False)
    assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()
