"""Words that follow a count of 1 are singular."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from collective_samples import collective_run
from congestion_samples import congestion_run
from fabric_samples import fabric_run
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.compare import compare
from hockney.records import Run
from hockney.show.comparison.comparison_lines import deciding_words
from hockney.show.curves.curves import Options
from hockney.show.experiments import view_of
from hockney.show.figures import describe
from one_sided_samples import startup_run
from samples import make_run, varied_run

SEVERAL = re.compile(
    r"(?<![\d.,])1 (?:more |other |earlier )?(?!(?:pass|process|[mnu]s)\b)[a-z]+s\b"
)


def one_algorithm() -> Run:
    return collective_run(lambda *_: 1e-6, algorithms={"ring": {}}, ranks=(1,), sizes=(8,))


RUNS: dict[str, Callable[[], Run]] = {
    "pingpong": lambda: make_run(lambda launch, *_: [1000.0 + launch], rounds=1),
    "one launch": lambda: make_run(lambda *_: [1000.0], launches=1, rounds=1),
    "collective": one_algorithm,
    "congestion": lambda: congestion_run(samples=50, most_factor=1.5),
    "fabric": lambda: fabric_run(nodes=2, each=2, passes=1),
    "startup": lambda: startup_run(rank_counts=(1,)),
    "variants": lambda: varied_run(1, {"first": 1.0, "second": 1.05}, sizes=(8,)),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_run_of_one_thing_is_described_in_the_singular(name: str) -> None:
    analysis = Analysis(RUNS[name](), "run")
    view = view_of(analysis)
    lines = [*view.answer(analysis), *view.parts(analysis, False), *view.definitions(analysis)]
    assert [line for line in lines if SEVERAL.search(line)] == []


@pytest.mark.parametrize(("name", "figure"), [("one launch", "samples"), ("startup", "startup")])
def test_figures_of_one_thing_are_described_in_the_singular(name: str, figure: str) -> None:
    drawn = describe(figure, [Analysis(RUNS[name](), "run")], Options())
    words = [drawn.title, *drawn.caption, *(panel.x.label for panel in drawn.panels)]
    assert [text for text in words if SEVERAL.search(text)] == []


def test_one_point_is_unknown_by_itself() -> None:
    runs = [Analysis(RUNS["pingpong"](), label) for label in "AB"]
    words = deciding_words(compare(*runs, 0.001))
    assert words.startswith("1 of 1 point is unknown")
