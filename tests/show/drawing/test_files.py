"""Figures as files: a place for every value, and strangers' text as text."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure as Canvas
from matplotlib.text import Text

from conftest import kept_short
from hockney.show.drawing.axes import LABEL_INCHES, scale_axis
from hockney.show.drawing.description import (
    LONGEST_LABEL,
    Figure,
    Panel,
    PlotAxis,
    Quantity,
    Series,
    StraightLine,
)
from hockney.show.drawing.files import draw
from hockney.show.drawing.lettering import plain
from hockney.show.drawing.looks import looks_of, paper
from hockney.show.drawing.saving import save

SIZE, TIME = PlotAxis("size", "message size"), PlotAxis("time", "time", logarithmic=True)


def figure_of(
    sizes: tuple[int, ...], *, labels: tuple[str, ...] = ("here",), caption: str = ""
) -> Figure:
    """A curve for each label, of 1 us and 1 ns a byte."""
    x = [float(size) for size in sizes]
    series = tuple(
        Series(label, x, [1e-6 + 1e-9 * size for size in sizes], colour=number)
        for number, label in enumerate(labels)
    )
    return Figure("time", labels[0], (Panel(SIZE, TIME, series),), (caption,))


@pytest.mark.parametrize("sizes", [(0,), (8,), (0, 3), (7, 1000003), (0, 2**62), (5, 7)])
def test_few_and_odd_sizes_are_drawn(sizes: tuple[int, ...]) -> None:
    draw(figure_of(sizes)).draw_without_rendering()


QUANTITIES: list[Quantity] = ["time", "rate", "fraction", "ratio", "count"]


@pytest.mark.parametrize("values", [(1.0, 1.0), (0.0, 3.0), (2.0, 5e9), (1e-9, 2e-9)])
def test_every_quantity_is_drawn(values: tuple[float, float]) -> None:
    """Each on an axis of one kind, the next on one of the other."""
    panels = []
    for number, quantity in enumerate(QUANTITIES):
        along = PlotAxis(quantity, "here", logarithmic=number % 2 == 0)
        up = PlotAxis(quantity, "here", logarithmic=number % 2 == 1)
        panels.append(Panel(along, up, (Series(quantity, values, values),)))
    draw(Figure("time", "", tuple(panels))).draw_without_rendering()


ODD_LABELS = [
    "$\\frac{",
    "a_b^c $x$ 100% & # {",
    "tab\tline\nnul\0 \u202eright to left",
    "\udcff not UTF-8",
    "日本" * 40,
    "W" * 300,
    "",
]


@pytest.mark.parametrize("label", kept_short(ODD_LABELS, ODD_LABELS[:4]))
@pytest.mark.filterwarnings("error")
def test_labels_of_strangers_are_text_and_fit(label: str, tmp_path: Path) -> None:
    described = figure_of((0, 8), labels=(label, "other"), caption=label)
    with matplotlib.rc_context({"text.usetex": True, "text.parse_math": True}):
        figure = draw(described)
        save(described, tmp_path / "figure.svg", force=False)
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
    labels = tuple(f"system {'long ' * number} {number}" for number in range(20))
    described = figure_of((0, 8), labels=labels)
    figure = draw(described)
    figure.draw_without_rendering()
    assert figure.axes[0].get_window_extent().height > 1.2 * figure.dpi
    looks = [looks_of(series) for series in described.series()]
    assert len({(look["color"], look["marker"]) for look in looks}) == 20


@given(st.text(max_size=200), st.integers(3, LONGEST_LABEL))
def test_plain_text_is_printable_and_short(text: str, longest: int) -> None:
    shown = plain(text, longest)
    assert len(shown) <= longest
    assert shown.isprintable()
    if len(text) <= longest and text.isprintable():
        assert shown == text


def ticks(
    axis: PlotAxis, values: list[float], inches: float = 2.2
) -> tuple[tuple[float, float], list[str]]:
    """Limits of a vertical axis, and the names between them."""
    with paper():
        axes = Canvas().subplots()
        scale_axis(axes, "y", axis, values, inches)
        low, high = axes.yaxis.get_view_interval()
        places = axes.yaxis.get_major_locator()()
        names = axes.yaxis.get_major_formatter().format_ticks(places)
    named = [name for place, name in zip(places, names, strict=True) if low <= place <= high]
    return (low, high), named


@given(st.lists(st.floats(1e-12, 1e6), min_size=1, max_size=5), st.floats(0.9, 2.2))
def test_every_time_is_on_the_axis_beside_names(seconds: list[float], inches: float) -> None:
    (low, high), names = ticks(TIME, [*seconds, 0.0, -1.0], inches)
    assert low < min(seconds)
    assert max(seconds) < high
    assert 2 <= len(names) <= inches / LABEL_INCHES["y"]
    assert len(set(names)) == len(names)


@given(st.sets(st.integers(0, 2**40), min_size=1, max_size=20))
def test_every_size_is_on_the_axis_beside_names(sizes: set[int]) -> None:
    (low, high), names = ticks(SIZE, [float(size) for size in sizes])
    assert low < min(sizes)
    assert max(sizes) < high
    assert ("0 B" in names) == (0 in sizes)
    assert 1 <= len(names) <= 8


def test_the_usual_sizes_have_the_usual_names() -> None:
    _, names = ticks(SIZE, [0.0, *(2.0**power for power in range(23))])
    assert names == ["0 B", "1 B", "32 B", "1 KiB", "32 KiB", "1 MiB"]


COUNT = PlotAxis("count", "processes", logarithmic=True)


def names_with_rule(x: PlotAxis, values: tuple[float, ...], at: float) -> list[str]:
    """The names along the lower axis of a curve with a rule."""
    rule = (StraightLine(at, "second node"),)
    panel = Panel(x, TIME, (Series("run", values, [1e-6] * len(values)),), rule)
    canvas = draw(Figure("here", "", (panel,)))
    canvas.draw_without_rendering()
    return [text.get_text() for text in canvas.axes[0].get_xticklabels() if text.get_text()]


@pytest.mark.parametrize(
    ("x", "values", "names"),
    [
        (COUNT, (4.0, 8.0), ["4", "8"]),
        (SIZE, (8.0, 64.0), ["8 B", "16 B", "32 B", "64 B"]),
    ],
)
def test_a_rule_between_values_has_no_tick(
    x: PlotAxis, values: tuple[float, ...], names: list[str]
) -> None:
    """The border of 4 and 8 ranks, 32 ** 0.5, is no number of ranks: not 6."""
    assert names_with_rule(x, values, 32.0**0.5) == names


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_the_same_figure_gives_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    for name in ("a", "b"):
        save(figure_of((0, 1, 1024)), tmp_path / f"{name}.{suffix}", force=False)
    assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()
