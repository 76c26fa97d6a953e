"""Figures as text: marks where the values are, and what is missing is said."""

from __future__ import annotations

import pytest

from conftest import kept_short
from figure_examples import EXAMPLES, SHORT_EXAMPLES, example
from hockney.show.drawing.description import (
    Bar,
    CellKind,
    Figure,
    MapCell,
    Panel,
    PlotAxis,
    Quantity,
    Series,
    StraightLine,
    colour_range,
)
from hockney.show.drawing.terminal import COLUMNS, drawn

SIZE, TIME = PlotAxis("size", "message size"), PlotAxis("time", "one-way time", logarithmic=True)


@pytest.mark.parametrize("name", kept_short(EXAMPLES, SHORT_EXAMPLES))
def test_every_figure_is_drawn_within_a_terminal(name: str) -> None:
    text = drawn(example(name))
    assert "\x1b" not in text
    canvas = [line for line in text.splitlines() if any(char in line for char in "│┤├┌└")]
    assert bool(canvas) == any(not (panel.cells or panel.bars) for panel in example(name).panels)
    assert all(len(line) <= COLUMNS for line in canvas)
    for series in example(name).series():
        assert series.hidden or series.label in text
    for panel in example(name).panels:
        assert not panel.cells or panel.y.names[0] in text


def curves(*series: Series) -> Figure:
    return Figure("time", "a title", (Panel(SIZE, TIME, series),))


def test_a_value_of_nothing_has_its_place_in_a_row() -> None:
    """A logarithmic axis has none for it, and the largest is at the end of what it has."""
    names = PlotAxis("name", "step", names=("first", "second"), downward=True)
    bars = tuple(Bar(row, 0.0, at, 0, "", at=at) for row, at in enumerate((0.0, 1e-3)))
    panel = Panel(TIME, names, bars=bars, kinds=(CellKind("a time", 0),))
    rows = drawn(Figure("startup", "a title", (panel,))).splitlines()
    assert any(row.split() == ["first", "o", "0", "ns"] for row in rows)
    assert any(row.endswith("o  1 ms") for row in rows)


def marks(text: str, mark: str) -> list[tuple[int, int]]:
    """Column and row of each mark on the canvas."""
    return [
        (column, row)
        for row, line in enumerate(text.splitlines())
        if "│" in line or "┤" in line
        for column, char in enumerate(line)
        if char == mark and column > min(line.find(side) for side in "│┤" if side in line)
    ]


def test_marks_are_where_the_values_are() -> None:
    """Three points on a line in logarithms: equal steps of columns and of rows."""
    text = drawn(curves(Series("run", (8, 64, 512), (1e-6, 1e-5, 1e-4), style="points")))
    (x1, y3), (x2, y2), (x3, y1) = sorted(marks(text, "o"))
    assert abs((x2 - x1) - (x3 - x2)) <= 1
    assert y1 < y2 < y3
    assert abs((y3 - y2) - (y2 - y1)) <= 1
    for words in ("8 B", "64 B", "512 B", "1 µs", "10 µs", "100 µs", "o run", "one-way time"):
        assert words in text


def test_steps_of_one_number_of_ranks_are_rows_with_their_times() -> None:
    """Equal factors of time are equal distances: 1, 20 and 50 us, and 40 ms."""
    rows = {
        name.strip(): line.rstrip()
        for line in drawn(example("startup in rows")).splitlines()
        for name in [line.partition("o ")[0].rstrip("A ")]
        if line.endswith("s")
    }
    places = {name: line.rindex("o") for name, line in rows.items()}
    later, first, window, start = (
        places[name]
        for name in ("later message", "first message", "first MPI_Win_allocate", "MPI_Init")
    )
    assert later < first < window < start
    assert (first - later) / (start - later) == pytest.approx(0.283, abs=0.03)  # ln 20 / ln 40,000
    assert rows["MPI_Init"].endswith("40 ms")


def test_no_byte_stands_left_of_the_smallest_size() -> None:
    text = drawn(curves(Series("run", (0, 8, 512), (1e-6, 1e-6, 1e-5), style="points")))
    (zero, _), (eight, _), _ = sorted(marks(text, "o"))
    assert zero < eight
    assert "0 B" in text


@pytest.mark.parametrize("quantity", ["count", "size"])
def test_a_rule_between_values_has_no_tick(quantity: Quantity) -> None:
    x = PlotAxis(quantity, "along", logarithmic=True)
    series = Series("run", (4, 8), (1e-6, 2e-6))
    rules = (StraightLine(5.66, "second node"),)
    text = drawn(Figure("here", "", (Panel(x, TIME, (series,), rules),)))
    (names,) = (line.split() for line in text.splitlines() if line.strip().startswith("4"))
    assert [name for name in names if name != "B"] == ["4", "8"]


def test_what_text_cannot_show_is_said() -> None:
    point = Series("run", (8, 64), (1e-6, 2e-6), (0.9e-6, 1.9e-6), (1.1e-6, 2.1e-6))
    assert "not drawn here: intervals; -o FILE.png has them" in drawn(curves(point))
    assert "not drawn" not in drawn(curves(Series("run", (8, 64), (1e-6, 2e-6))))


def test_a_map_of_times_that_are_alike_has_no_digits_of_noise() -> None:
    names = PlotAxis("name", "rank", names=("a", "b"), downward=True)
    cells = (MapCell(0, 0, 1e-6, ""), MapCell(1, 0, 1.0005e-6, ""))
    scale = PlotAxis("time", "time")
    text = drawn(Figure("matrix", "", (Panel(names, names, cells=cells, scale=scale),)))
    assert "a  0 0\nb  . .\nall 1 µs" in text


def test_a_map_names_the_slowest_where_its_scale_ends_beyond() -> None:
    names = PlotAxis("name", "rank", names=("a", "b"), downward=True)
    cells = (MapCell(0, 0, 1e-6, ""), MapCell(1, 0, 1.02e-6, ""))
    panel = Panel(names, names, cells=cells, scale=TIME)
    assert colour_range(panel) == (1e-6, pytest.approx(1.1e-6)), "for files, too"
    text = drawn(Figure("matrix", "", (panel,)))
    assert "0 is 1 µs, 9 is 1.1 µs, log scale; the slowest is 1.02 µs" in text


def test_a_map_has_digits_or_letters() -> None:
    names = PlotAxis("name", "rank", names=("a", "b"), downward=True)
    cells = tuple(MapCell(i, j, 1e-6 if i == j else 1e-5, "") for i in (0, 1) for j in (0, 1))
    text = drawn(
        Figure("matrix", "", (Panel(names, names, cells=cells, scale=PlotAxis("time", "time")),))
    )
    assert "a  0 9\nb  9 0\n0 is 1 µs, 9 is 10 µs, log scale" in text
    kinds = (CellKind("ring", 0), CellKind("tree", 1))
    cells = (MapCell(0, 0, None, "", kind=0), MapCell(1, 0, None, "", kind=1))
    text = drawn(Figure("best", "", (Panel(names, names, cells=cells, kinds=kinds),)))
    assert "a  A B\nb  . .\n  A ring\n  B tree" in text
