"""The page in a real browser, at the size of a desk and of a phone."""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from figure_examples import EXAMPLES, example
from hockney.show.curves.labels import analyses_of
from hockney.show.drawing.colours import COLOURS
from hockney.show.drawing.description import Bar, CellKind, Figure, MapCell, Panel, PlotAxis
from hockney.show.drawing.looks import HATCHES
from hockney.show.drawing.page import plain
from hockney.show.report import render
from report_runs import ATTACK, write_runs

pytestmark = pytest.mark.long

DESK, PHONE = (1280, 900), (360, 740)
A4 = {"width": 718, "height": 1047}
"""What margins of 10 mm leave (CSS pixels)."""
FIGURES = (
    *(f"pingpong-{what}" for what in ("time", "bandwidth", "models", "samples", "published")),
    *("pairs-pingpong-contention", "pairs-pingpong-samples"),
    *("cores-pingpong-matrix", "cores-pingpong-samples"),
    *(f"collective-bcast-collective-{what}" for what in ("best", "sizes", "ranks")),
    "collective-bcast-samples",
)
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--disable-dev-shm-usage",
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """$HOCKNEY_TEST_BROWSER, which then must work, or the one on PATH."""
    named = os.environ.get("HOCKNEY_TEST_BROWSER")
    executable = named or shutil.which("chromium") or shutil.which("chromium-browser")
    if executable is None:
        pytest.skip("no Chromium on PATH; HOCKNEY_TEST_BROWSER names one")
    if not named:
        pytest.importorskip("playwright.sync_api")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with every figure; one label is an attack."""
    folder = tmp_path_factory.mktemp("page")
    analyses = analyses_of(write_runs(folder))
    path = folder / "report.html"
    path.write_text(
        render(analyses, {analysis: analysis.positions() for analysis in analyses}),
        encoding="utf-8",
    )
    return path


class Opened:
    """A page, with all that it said and asked for."""

    def __init__(self, browser: Any, file: Path, size: tuple[int, int], **options: Any) -> None:
        viewport = {"width": size[0], "height": size[1]}
        self.context = browser.new_context(viewport=viewport, accept_downloads=True, **options)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.fetched: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: self.said.append(dialog.message))
        self.page.on("request", lambda request: self.fetched.append(request.url))
        self.page.goto(file.as_uri())
        self.page.wait_for_selector("html[data-drawn]")

    def figure(self, name: str) -> Any:
        return self.page.locator(f"#figure-{name}")


@pytest.fixture(params=[DESK, PHONE], ids=["desk", "phone"])
def opened(request: pytest.FixtureRequest, browser: Any, page_file: Path) -> Iterator[Opened]:
    opened = Opened(browser, page_file, request.param)
    yield opened
    assert opened.said == []
    assert [url for url in opened.fetched if not url.startswith(("file:", "data:", "blob:"))] == []
    opened.context.close()


@pytest.fixture
def desk(browser: Any, page_file: Path) -> Iterator[Opened]:
    opened = Opened(browser, page_file, DESK)
    yield opened
    assert opened.said == []
    opened.context.close()


def test_every_figure_draws_and_fits_the_screen(opened: Opened) -> None:
    page = opened.page
    assert [figure.get_attribute("id") for figure in page.locator("figure").all()] == [
        f"figure-{name}" for name in FIGURES
    ]
    for name in FIGURES:
        drawn = opened.figure(name).locator(".frame > svg")
        box = drawn.first.bounding_box()
        assert box["width"] > 250
        assert box["height"] > 70
        assert drawn.first.locator(".mark, .path, .cell").count() > 0, name
        paths = " ".join(path.get_attribute("d") or "" for path in drawn.locator("path").all())
        assert "NaN" not in paths
        assert "Infinity" not in paths
    wide, shown = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= shown


DRAWN = """
(given) => {
  const element = document.querySelector("figure");
  element.querySelectorAll(":scope > :not(figcaption)").forEach((part) => part.remove());
  const alternatives = [{ name: "", figure: given }];
  const drawing = new Drawing({ id: "here", heading: "here", choose: "", alternatives }, element);
  return drawing.panels.map((view) => ({
    series: [...view.frame.querySelectorAll(".series")].map((group) => [group.dataset.name,
      (group.querySelector(".mark") ?? group.querySelector(".path")).getAttribute("d")]),
    wanted: view.shown.map((series) => series.x.map((x, i) =>
      [view.px(x), series.y[i] === null ? null : view.py(series.y[i])])),
    ticks: [...view.frame.querySelectorAll(".tick")].map((text) => text.textContent),
    cells: [...view.frame.querySelectorAll(".cell")].map((cell) => cell.dataset.name),
  }));
}
"""
"""Draws a description in place of the first figure: what was drawn, and where its values are."""
PLACE = re.compile(r"[ML](-?[\d.]+) (-?[\d.]+)")
MARK_RADIUS = 6.0
"""CSS pixels from where the path of a mark begins to its centre, at most."""


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_page_draws_the_values_of_each_figure(desk: Opened, name: str) -> None:
    figure = example(name)
    for panel, drawn in zip(figure.panels, desk.page.evaluate(DRAWN, plain(figure)), strict=True):
        assert [words for words, _ in drawn["series"]] == [series.words for series in panel.series]
        assert drawn["cells"] == [cell.words for cell in (*panel.cells, *panel.bars)]
        assert not {"NaN", "undefined", "Infinity"} & set(" ".join(drawn["ticks"]).split())
        for series, (_, path), wanted in zip(
            panel.series, drawn["series"], drawn["wanted"], strict=True
        ):
            if series.style == "steps":
                continue
            known = [at for at in wanted if at[1] is not None]
            places = [(float(x), float(y)) for x, y in PLACE.findall(path)]
            assert len(places) == len(known), series.words
            for (x, y), (wanted_x, wanted_y) in zip(places, known, strict=True):
                assert abs(x - wanted_x) < MARK_RADIUS
                assert abs(y - wanted_y) < MARK_RADIUS


@pytest.mark.parametrize(
    ("slowest_s", "ends"), [(1.02e-6, ["1 µs", "1.1 µs"]), (2e-6, ["1 µs", "2 µs"])]
)
def test_small_differences_do_not_take_all_colours(
    desk: Opened, slowest_s: float, ends: list[str]
) -> None:
    names = PlotAxis("name", "rank", names=("a", "b"))
    cells = (MapCell(0, 0, 1e-6, "a"), MapCell(0, 1, slowest_s, "b"))
    panel = Panel(names, names, cells=cells, scale=PlotAxis("time", "time"))
    (drawn,) = desk.page.evaluate(DRAWN, plain(Figure("here", "times", (panel,))))
    assert [text for text in drawn["ticks"] if "s" in text] == ends


LOOKS = """
() => [".frame", ".legend"].map((where) => {
  const rects = document.querySelector("figure").querySelectorAll(`${where} .cell.mark`);
  const hatch = (rect) => rect.nextElementSibling?.getAttribute("fill");
  return [...rects].map((rect) => `${rect.getAttribute("class")} ${hatch(rect)}`);
})
"""
"""Colour and hatching of each kind, in the first figure and in its legend."""


@pytest.mark.parametrize("what", ["cells", "bars"])
def test_every_kind_looks_unlike_the_others(desk: Opened, what: str) -> None:
    """Of more kinds than colours, those of one colour have hatchings."""
    number = len(COLOURS) * len(HATCHES)
    kinds = tuple(CellKind(f"kind {colour}", colour) for colour in range(number))
    names = PlotAxis("name", "which", names=tuple(map(str, range(number))))
    if what == "bars":
        bars = tuple(Bar(row, 0.0, 1.0, row, "") for row in range(number))
        panel = Panel(PlotAxis("time", "time"), names, bars=bars, kinds=kinds)
    else:
        cells = tuple(MapCell(at, 0, None, "", kind=at) for at in range(number))
        panel = Panel(names, PlotAxis("name", "", names=("a",)), cells=cells, kinds=kinds)
    desk.page.evaluate(DRAWN, plain(Figure("here", "kinds", (panel,))))
    for looks in desk.page.evaluate(LOOKS):
        assert len(set(looks)) == len(looks) == number, looks


def test_a_label_that_attacks_is_text(opened: Opened) -> None:
    assert opened.page.locator("img").count() == 0
    assert opened.page.locator("h3", has_text=ATTACK).count() == 1
    assert opened.figure("pingpong-time").locator(".legend", has_text=ATTACK).count() == 1


def test_the_pointer_finds_a_mark(desk: Opened) -> None:
    figure = desk.figure("pairs-pingpong-contention")
    figure.scroll_into_view_if_needed()
    box = figure.locator(".frame > svg").first.bounding_box()
    mark = desk.page.evaluate(
        "DRAWINGS.filter((one) => one.id.endsWith('contention')).map(({ panels: [v] }) => "
        "[v.px(v.shown[0].x[2]), v.py(v.shown[0].y[2])])[0]"
    )
    desk.page.mouse.move(box["x"] + mark[0] + 3, box["y"] + mark[1] + 3)
    tip = figure.locator(".tip").inner_text()
    assert "pairs at once: 4" in tip
    assert "1.804 µs" in tip


def test_dragging_zooms_and_a_double_click_shows_all(desk: Opened) -> None:
    figure = desk.figure("pingpong-time")
    figure.scroll_into_view_if_needed()
    ticks = figure.locator(".tick")
    before = ticks.all_text_contents()
    box = figure.locator(".frame > svg").bounding_box()
    mouse = desk.page.mouse
    mouse.move(box["x"] + 300, box["y"] + 100)
    mouse.down()
    mouse.move(box["x"] + 500, box["y"] + 250, steps=4)
    mouse.up()
    assert figure.locator(".tick").all_text_contents() != before
    mouse.dblclick(box["x"] + 400, box["y"] + 200)
    assert figure.locator(".tick").all_text_contents() == before


def test_a_name_hides_its_series(desk: Opened) -> None:
    figure = desk.figure("pingpong-bandwidth")
    name = figure.locator(".legend button").first
    before = figure.locator(".series").count()
    name.press("Enter")
    assert name.get_attribute("aria-pressed") == "false"
    assert figure.locator(".series").count() == before - 1
    name.press("Enter")
    assert figure.locator(".series").count() == before


def test_the_keyboard_goes_from_mark_to_mark_aloud(desk: Opened) -> None:
    figure = desk.figure("pingpong-time")
    drawn = figure.locator(".frame > svg")
    said = figure.locator("[aria-live]")
    drawn.focus()
    drawn.press("ArrowRight")
    assert "message size: 0 B" in said.inner_text()
    drawn.press("ArrowRight")
    first = said.inner_text()
    assert "message size: 1 B" in first
    drawn.press("ArrowDown")
    assert said.inner_text().split(",")[0] != first.split(",")[0]
    before = figure.locator(".tick").all_text_contents()
    drawn.press("+")
    assert figure.locator(".tick").all_text_contents() != before
    figure.locator(".frame > svg").press("0")
    assert figure.locator(".tick").all_text_contents() == before


def test_everything_is_reached_by_name(desk: Opened) -> None:
    """Roles and names as a screen reader gets them."""
    page = desk.page
    for name in ("Ping-pong", "Pairs at once", "All pairs of ranks", "Commands to repeat it"):
        assert page.get_by_role("region", name=name, exact=True).count() == 1
    assert page.get_by_role("application").count() > 6
    assert page.get_by_role("img", name="cores, 8 B").count() == 1
    for table in page.locator("table").all():
        assert table.locator("caption").text_content()
    for control in page.locator("button, select").all():
        labelled = control.evaluate("e => e.labels?.length || e.textContent.trim().length")
        assert labelled
    levels = [int(h.evaluate("e => e.tagName[1]")) for h in page.locator("h1,h2,h3,h4").all()]
    assert levels[0] == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))


def test_a_choice_draws_another_size(desk: Opened) -> None:
    figure = desk.figure("pingpong-samples")
    before = figure.locator(".frame path.path").first.get_attribute("d")
    figure.locator("select").select_option(index=4)
    assert figure.locator(".frame path.path").first.get_attribute("d") != before


def test_tables_sort_by_number_and_back(desk: Opened) -> None:
    table = desk.page.locator("table[data-name=points]").first
    heading = table.locator("th", has_text="time")
    column = table.locator("th").all_inner_texts().index("time") + 1

    def values() -> list[float]:
        cells = table.locator(f"tbody td:nth-child({column})").all()
        return [float(cell.get_attribute("data-value")) for cell in cells]

    heading.locator("button").click()
    assert values() == sorted(values())
    assert heading.get_attribute("aria-sort") == "ascending"
    heading.locator("button").click()
    assert values() == sorted(values(), reverse=True)


def test_the_data_are_downloaded_as_they_are(desk: Opened) -> None:
    with desk.page.expect_download() as waiting:
        desk.page.locator("#all-csv").click()
    rows = list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text())))
    points = desk.page.evaluate(
        "DATA.systems.flatMap((s) => s.show.points.map((p) => [s.label, p.bytes, p.median_s]))"
    )
    exact = [(row["system"], int(row["bytes"]), float(row["median_s"])) for row in rows]
    assert exact == [tuple(point) for point in points]


def test_each_figure_has_its_table(opened: Opened) -> None:
    for name in FIGURES:
        figure = opened.figure(name)
        figure.locator("summary").click()
        # Browsers say a moment later that it opened.
        figure.locator("tbody tr").nth(1).wait_for(state="attached")
        with opened.page.expect_download() as waiting:
            figure.locator("button", has_text="CSV").first.click()
        assert waiting.value.suggested_filename == f"{name}.csv"


def test_a_formula_in_a_label_stays_text_in_a_spreadsheet(desk: Opened) -> None:
    assert desk.page.evaluate("csvCell('=1+1')") == "'=1+1"
    assert desk.page.evaluate("csvCell(-1e-6)") == "-0.000001"
    assert desk.page.evaluate("""csvCell('a"b,c')""") == '"a""b,c"'


def test_dark_is_dark_and_print_is_light(browser: Any, page_file: Path) -> None:
    opened = Opened(browser, page_file, DESK, color_scheme="dark")
    shade = "getComputedStyle(document.body).backgroundColor"
    dark = opened.page.evaluate(shade)
    opened.page.emulate_media(media="print")
    light = opened.page.evaluate(shade)
    assert (dark, light) == ("rgb(20, 23, 26)", "rgb(255, 255, 255)")
    assert not opened.page.locator("nav").is_visible()
    assert opened.page.locator("#figure-pingpong-time svg").first.is_visible()
    opened.context.close()


WIDE = """[...document.querySelectorAll('.scroll, pre')]
.filter((box) => box.scrollWidth > box.clientWidth + 1)
.map((box) => box.getAttribute('aria-label') || box.textContent.slice(0, 60))"""


def test_every_column_is_in_sight_on_a_desk_and_on_paper(desk: Opened) -> None:
    assert desk.page.evaluate(WIDE) == []
    desk.page.emulate_media(media="print")
    desk.page.set_viewport_size(A4)
    assert desk.page.evaluate(WIDE) == []
    wide, shown = desk.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= shown


def test_figures_are_drawn_anew_for_paper(desk: Opened) -> None:
    """Scaled to the paper's width, their text would be too small to read."""
    svg = desk.figure("pingpong-time").locator(".frame > svg").first
    on_screen = int(svg.get_attribute("viewBox").split()[2])
    desk.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    on_paper = int(svg.get_attribute("viewBox").split()[2])
    assert on_paper <= A4["width"] < on_screen
    desk.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert int(svg.get_attribute("viewBox").split()[2]) == on_screen


def test_without_scripts_the_words_and_tables_stay(browser: Any, page_file: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(page_file.as_uri())
    assert "Latency" in page.locator(".card").first.inner_text()
    assert page.locator("table[data-name=points] tbody tr").count() > 20
    context.close()
