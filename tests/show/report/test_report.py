"""The page as text: its numbers are those of the JSON, foreign text is text, it fetches nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from copy import copy
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import numpy as np
import pytest

from conftest import RunHockney
from figure_examples import recorded
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.claims.published import Positions
from hockney.records import End, LaunchRecord, Run, Summary, encode
from hockney.show.curves.labels import analyses_of
from hockney.show.drawing.colours import COLOURS
from hockney.show.drawing.description import Figure
from hockney.show.report import render
from hockney.show.report.sections import MOST_DOTS_EACH, Section, sections
from hockney.show.report.tables import points_table
from report_runs import (
    ATTACK,
    algorithms_run,
    cores_run,
    empty_run,
    pairs_run,
    pingpong_run,
    write_runs,
)
from samples import make_run, varied_run, write_run

NOTHING_TO_COMPARE = Positions(None, (), (), None)
VOID = {"meta", "link", "img", "br", "input"}


class Page(HTMLParser):
    """Elements with their text; scripts and styles by themselves."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not self.open:
            return
        self.texts.setdefault(self.open[-1][0], []).append(data)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def html(files: list[Path]) -> str:
    analyses = analyses_of(files)
    return render(analyses, dict.fromkeys(analyses, NOTHING_TO_COMPARE))


def test_a_section_shows_the_lines_of_show_and_fit(
    hockney: RunHockney, measured: Path, files: list[Path], tmp_path: Path
) -> None:
    given = [str(measured), str(files[0])]
    assert hockney("report", *given, "-o", "page.html").status == 0
    page = Page((tmp_path / "page.html").read_text())
    cards = [part.strip() for tag in ("p", "pre") for part in page.texts[tag] if part.strip()]
    for file in given:
        answer, *_ = hockney("show", file).stdout.split("\n\n")
        fitted = hockney("fit", file, "--model", "segmented").stdout.splitlines()[1:]
        warnings = hockney("show", file, "--json").json["warnings"]
        assert {*answer.splitlines(), *warnings} <= set(cards)
        assert any("\n".join(fitted) in part for part in cards)


@pytest.mark.long
def test_what_strangers_wrote_is_text(html: str) -> None:
    page = Page(html)
    assert not [tag for tag, _ in page.elements if tag == "img"]
    assert [tag for tag, _ in page.elements].count("script") == 2
    assert ATTACK in page.texts["h3"]
    data = json.loads(next(text for text in page.texts["script"] if text.startswith("{")))
    assert data["systems"][1]["label"] == ATTACK


def test_the_policy_names_the_script_and_the_style_and_nothing_else(html: str) -> None:
    page = Page(html)
    policy = next(
        str(attrs["content"])
        for tag, attrs in page.elements
        if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    for kind, text in (("style", page.texts["style"][0]), ("script", page.texts["script"][1])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    links = [
        str(value)
        for _, attrs in page.elements
        for name, value in attrs.items()
        if name in ("src", "href")
    ]
    assert all(link.startswith(("#", "data:")) for link in links)


def test_colours_are_those_of_the_figures_for_papers(html: str) -> None:
    assert all(colour in html for colour in COLOURS)


def test_systems_are_judged_side_by_side(html: str) -> None:
    cells = " ".join(Page(html).texts["td"])
    assert "slower (ratio 1.300" in cells


def sections_of(*runs: Run) -> list[Section]:
    return sections([Analysis(run, f"run {number}") for number, run in enumerate(runs)])


def test_each_experiment_has_a_section_with_the_figures_that_it_holds_data_for() -> None:
    runs = (pingpong_run(), pairs_run(), cores_run(), algorithms_run(), pingpong_run(slower=1.3))
    by_title = {section.title: section for section in sections_of(*runs)}
    names = {title: [shown.id for shown in section.figures] for title, section in by_title.items()}
    assert list(names) == ["Ping-pong", "Pairs at once", "All pairs of ranks", "Collective: bcast"]
    assert names["Ping-pong"] == [
        f"pingpong-{name}" for name in ("time", "bandwidth", "models", "samples", "published")
    ]
    assert names["Pairs at once"][0] == "pairs-pingpong-contention"
    assert names["All pairs of ranks"][0] == "cores-pingpong-matrix"
    assert names["Collective: bcast"][0] == "collective-bcast-collective-best"
    systems = [
        series.label.split(":")[0] for series in first_figure(by_title["Ping-pong"]).series()
    ]
    assert set(systems) == {"run 0", "run 4"}, "of one experiment, in one figure"


def first_figure(section: Section) -> Figure:
    return section.figures[0].alternatives[0].figure


@pytest.mark.parametrize(
    ("run", "answer"),
    [
        (pingpong_run(), "latency 909 ns ±0.4 % at 0 B, bandwidth"),
        (pairs_run(), "1 KiB: pairs wait for each other beyond 1 at once; all pairs together"),
        (cores_run(), "fastest pair 0-1 300.6 ns, slowest pair 1-3 901.8 ns at"),
        (algorithms_run(), "bcast: an algorithm is faster than the others in 2 of 4 combinations"),
        (empty_run("pingpong", 2, "died"), "No point was measured."),
    ],
)
def test_a_section_opens_with_the_answer(run: Run, answer: str) -> None:
    [section] = sections_of(run)
    assert answer in "\n".join(section.answer)


def test_systems_of_one_experiment_are_answered_together() -> None:
    [section] = sections_of(pingpong_run(), pingpong_run(slower=2.0))
    assert [line.partition(" at ")[0] for line in section.answer] == [
        "run 0: latency 909 ns ±0.4 %",
        "run 1: latency 1.818 us ±0.4 %",
    ]


def test_contention_is_time_against_pairs_at_once() -> None:
    [section] = sections_of(pairs_run())
    series = first_figure(section).panels[0].series[0]
    assert list(series.x) == [1, 2, 4]
    assert list(series.y) == pytest.approx([1.2e-6, 1.4e-6, 1.8e-6], rel=0.01)


def test_the_map_has_the_fastest_of_two_algorithms_that_are_alike() -> None:
    [section] = sections_of(algorithms_run())
    [panel] = first_figure(section).panels
    kinds = {(c.column, c.row): panel.kinds[c.kind or 0].label for c in panel.cells}
    assert (kinds[0, 0], kinds[1, 0]) == ("binomial", "binomial")
    words = {(c.column, c.row): c.words for c in panel.cells}
    assert "as fast" not in words[0, 0]
    assert words[1, 0].endswith("(as fast: chain)")


def test_a_matrix_is_symmetric() -> None:
    [section] = sections_of(cores_run())
    cells = first_figure(section).panels[0].cells
    values = {(cell.column, cell.row): cell.value for cell in cells}
    assert len(values) == 12
    assert all(values[row, column] == value for (column, row), value in values.items())


def test_samples_of_variants_are_chosen_by_size_and_their_points_are_in_the_table() -> None:
    analysis = Analysis(varied_run(6, {"first": 1.0, "second": 1.05}), "run")
    (section,) = sections([analysis])
    (samples,) = (shown for shown in section.figures if shown.heading == "Samples")
    assert samples.choose == "message size"
    assert [alternative.name for alternative in samples.alternatives] == ["8 B", "64 KiB"]
    table = points_table(analysis, section.operation)
    assert table.caption == "run, median"
    assert [row[0].text for row in table.rows] == ["first", "second"] * 2


def test_many_samples_are_merged() -> None:
    rng = np.random.default_rng(1)
    run = make_run(lambda *_: rng.gamma(9.0, 100.0, 200).tolist(), rounds=20)
    [section] = sections_of(run)
    figure = section.figures[-1].alternatives[0].figure
    assert len(figure.panels[0].series[0].x) == MOST_DOTS_EACH
    assert "20000 samples" in figure.caption[0]
    assert f"More than {MOST_DOTS_EACH}" in figure.caption[1]


@pytest.mark.long
def test_a_page_takes_less_than_100_kb_without_its_data() -> None:
    analyses = [recorded("pingpong-mpich")]
    page = render(analyses, {analysis: analysis.positions() for analysis in analyses})
    [data] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page)
    assert len(page.encode()) - len(data.encode()) < 100_000


def test_one_system_is_one_label(hockney: RunHockney, tmp_path: Path) -> None:
    """Runs of unlike experiments are in sections of their own: none needs the name of its file."""
    for name, run in (("a", pingpong_run()), ("b", cores_run())):
        run.header = msgspec.structs.replace(run.header, label="here")
        write_run(run, tmp_path / f"{name}.jsonl")
    assert hockney("report", "a.jsonl", "b.jsonl", "-o", "page.html").status == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "here (" not in page
    assert "<summary>here: pingpong</summary>" in page


@pytest.mark.long
def test_ten_runs_are_below_three_megabytes() -> None:
    analysis = Analysis(sampled_run(), "run")
    render([analysis], {analysis: NOTHING_TO_COMPARE})
    ten = [copy(analysis) for _ in range(10)]  # with all that was worked out
    for number, each in enumerate(ten):
        each.label = f"run {number}"
    page = render(ten, dict.fromkeys(ten, NOTHING_TO_COMPARE))
    assert 500_000 < len(page.encode()) < 3_000_000


def sampled_run() -> Run:
    """A run with as many sizes and samples as usual."""
    rng = np.random.default_rng(1)
    sizes = (0, *(2**power for power in range(23)))
    return make_run(lambda *_: rng.gamma(9.0, 100.0, 40).tolist(), sizes=sizes, rounds=6)


def test_statistics_alone_make_a_page(hockney: RunHockney, tmp_path: Path) -> None:
    run = empty_run("pingpong", 2, "imported")
    summary = Summary(
        launch=0,
        operation="pingpong",
        bytes=8,
        ranks=2,
        statistic="mean",
        definition="mean of a log",
        value_s=1e-6,
    )
    path = write_run(run, tmp_path / "imported.jsonl")
    with path.open("ab") as file:
        file.write(encode(summary))
    hockney.ok("report", str(path), "-o", "page.html")
    assert "imported" in (tmp_path / "page.html").read_text()


def test_a_run_that_died_at_once_makes_a_page(hockney: RunHockney, tmp_path: Path) -> None:
    run = empty_run("pingpong", 2, "died")
    run.launches[:] = [LaunchRecord(launch=0)]
    run.ends[:] = [End(launch=0, reason="failed", message="killed")]
    path = write_run(run, tmp_path / "died.jsonl")
    assert hockney("report", str(path)).status == 0
    text = (tmp_path / "report.html").read_text()
    assert "No point was measured" in text
    assert "failed" in text


def test_the_command_that_repeats_it_is_there(
    hockney: RunHockney, measured: Path, tmp_path: Path
) -> None:
    assert hockney("report", str(measured), "--title", "Acceptance <1>").status == 0
    page = Page((tmp_path / "report.html").read_text())
    assert page.texts["h1"] == ["Acceptance <1>"]
    assert re.match(r"hockney pingpong --budget 0.6s", page.texts["code"][0])


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["a.jsonl", "-o", "there.html"], "there.html exists"),
        (["absent.jsonl"], "no such file"),
        (["a.jsonl", "-o", "nowhere/x.html"], "cannot be written"),
        (["empty"], "no *.jsonl or *.jsonl.zst in this directory"),
        ([], "Missing argument"),
    ],
)
def test_what_cannot_be_reported_is_told(
    hockney: RunHockney, tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    write_run(pingpong_run(), tmp_path / "a.jsonl")
    (tmp_path / "empty").mkdir()
    (tmp_path / "there.html").write_text("precious")
    hockney.refused("report", *arguments, because=complaint)
    assert (tmp_path / "there.html").read_text() == "precious"
    assert not (tmp_path / "report.html").exists()
