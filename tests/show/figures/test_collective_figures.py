"""Figures of collectives: what was measured, the model beside it, borders, and who is best."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from collective_samples import collective_run, header, places_of
from hockney.base.errors import UsageError
from hockney.infer.analysis import Analysis
from hockney.infer.predict.collectives import time
from hockney.infer.predict.parameters import Level, Parameters
from hockney.records import End, LaunchRecord, Run, Samples
from hockney.show.curves.curves import Options
from hockney.show.drawing.description import Figure, Series
from hockney.show.figures import describe

LEVELS = {
    "socket": Level(0.4e-6, 1 / 9e9),
    "node": Level(0.8e-6, 1 / 6e9),
    "network": Level(2.5e-6, 1 / 10e9),
}
PARAMETERS = Parameters(**LEVELS)  # type: ignore[arg-type]
NAMES = ("binomial", "pipeline, 8 KiB segments", "basic_linear")
RANKS, SIZES = (2, 6, 12, 24), (0, 1024, 1 << 20)


@cache
def exact_s(collective: str, label: str, ranks: int, size: int) -> float:
    """The model's time; the library's own decision takes twice as long as binomial."""
    name, _, words = label.partition(", ")
    if name == "default":
        return 2.0 * exact_s(collective, "binomial", ranks, size)
    segment = 8192 if words else None
    return time(PARAMETERS, collective, name, ranks, size, segment, placement=places_of(ranks))


@cache
def collectives() -> Analysis:
    run = collective_run(
        exact_s,
        collectives=("bcast", "reduce"),
        algorithms={name: {} for name in ("default", *NAMES)},
        ranks=RANKS,
        sizes=SIZES,
    )
    return Analysis(run, "here")


@cache
def cores() -> Analysis:
    run = Run(header("cores"))
    run.add(LaunchRecord(launch=0, places=places_of(32)))
    for peer, level in zip((1, 9, 17), LEVELS.values(), strict=True):
        for size in (0, 4096, 1 << 20):
            ns = 1e9 * (level.alpha_s + level.beta_s_per_B * size)
            run.add(
                Samples(
                    launch=0,
                    round=0,
                    operation="pingpong",
                    mode="standard",
                    pairs=1,
                    bytes=size,
                    ranks=2,
                    peers=(0, peer),
                    repetitions=1,
                    ns=[ns],
                )
            )
    run.add(End(launch=0, reason="complete"))
    return Analysis(run, "cores")


def measured(figure: Figure) -> dict[str, Series]:
    """Curves by the label of the legend."""
    return {series.label: series for series in figure.panels[0].series if series.style == "curve"}


LABELS = {"the library's own decision": "default"} | {name: name for name in NAMES}


@pytest.mark.parametrize("what", ["collective-sizes", "collective-ranks"])
def test_each_algorithm_has_its_times(what: str) -> None:
    figure = describe(what, [collectives()], Options(operation="bcast"))
    curves = measured(figure)
    assert set(curves) == set(LABELS)
    cells = [(24, size) for size in SIZES] if what.endswith("sizes") else [(r, 0) for r in RANKS]
    for label, series in curves.items():
        wanted = [exact_s("bcast", LABELS[label], *cell) for cell in cells]
        assert list(series.y) == pytest.approx(wanted, rel=0.01)
    assert not any("model" in series.label for series in figure.series())


def test_the_model_is_drawn_with_the_measurement() -> None:
    figure = describe("collective-ranks", [collectives(), cores()], Options(operation="bcast"))
    dashed = {series.name: series for series in figure.series() if series.style == "dashed"}
    assert set(dashed) == {f"{name}: model" for name in NAMES}
    for name in NAMES:
        wanted = [exact_s("bcast", name, ranks, 0) for ranks in RANKS]
        assert list(dashed[f"{name}: model"].y) == pytest.approx(wanted, rel=1e-3)


def test_a_second_socket_and_node_are_marked() -> None:
    figure = describe("collective-ranks", [collectives()], Options(operation="bcast"))
    rules = {rule.label: rule.at for rule in figure.panels[0].rules}
    assert rules == {
        "second socket": pytest.approx((6 * 12) ** 0.5),
        "second node": pytest.approx((12 * 24) ** 0.5),
    }


def test_more_algorithms_than_colours_are_grey() -> None:
    algorithms = {f"algorithm {number:02}": {} for number in range(12)}
    run = collective_run(lambda _, name, *__: 1e-6 * (1 + int(name[-2:])), algorithms=algorithms)
    figure = describe("collective-sizes", [Analysis(run, "here")], Options())
    coloured = [series.name for series in figure.series() if series.colour is not None]
    assert coloured == [f"algorithm {number:02}" for number in range(7)], "the fastest"
    assert [series.label for series in figure.series() if series.colour is None] == ["5 others"] * 5


def test_the_map_shows_the_best_algorithm_and_by_how_much() -> None:
    [panel] = describe("collective-best", [collectives()], Options(operation="bcast")).panels
    assert len(panel.cells) == len(RANKS) * len(SIZES)
    assert all(cell.text for cell in panel.cells), "everywhere one is faster than the default"
    assert "2.00" in {cell.text for cell in panel.cells}
    assert "binomial" in {kind.label for kind in panel.kinds}


@pytest.mark.parametrize(
    ("launches", "words"), [(5, "the library's own decision"), (3, "unknown: 3 launches")]
)
def test_where_no_algorithm_is_shown_to_be_faster_the_map_has_the_reason(
    launches: int, words: str
) -> None:
    algorithms: dict[str, dict[str, str]] = {"default": {}, "binomial": {}}
    run = collective_run(lambda *_: 1e-5, algorithms=algorithms, launches=launches)
    [panel] = describe("collective-best", [Analysis(run, "here")], Options()).panels
    assert [kind.label for kind in panel.kinds] == [words]
    assert panel.kinds[0].unknown == (launches == 3)
    assert not any(cell.text for cell in panel.cells)


def test_the_map_says_where_other_algorithms_may_be_as_fast_as_the_best() -> None:
    factors = {"default": 2.0, "binomial": 1.0, "chain": 1.01}
    for chain, ties in ((1.01, True), (1.5, False)):
        run = collective_run(
            lambda _, name, *__, chain=chain: 1e-5 * {**factors, "chain": chain}[name],
            algorithms={name: {} for name in factors},
            launches=8,
        )
        figure = describe("collective-best", [Analysis(run, "here")], Options())
        cells = figure.panels[0].cells
        assert all(("(may be as fast: chain)" in cell.words) == ties for cell in cells)
        assert any("may be as fast" in line for line in figure.caption) == ties


def test_measured_over_predicted_is_1_where_the_model_is_true() -> None:
    figure = describe("collective-model", [collectives(), cores()], Options(operation="reduce"))
    assert len(figure.panels[0].series) == len(NAMES)
    for series in figure.series():
        assert list(series.y) == pytest.approx([1.0] * len(SIZES), rel=0.01)
    assert "socket: α = 400 ns" in figure.caption[0]


@pytest.mark.parametrize(
    ("what", "system", "options", "complaint"),
    [
        ("collective-sizes", cores, {}, "no collectives in these files"),
        ("collective-sizes", collectives, {}, "choose one with --collective: bcast, reduce"),
        (
            "collective-best",
            collectives,
            {"operation": "scan"},
            "choose one with --collective: bcast, reduce",
        ),
        ("collective-sizes", collectives, {"operation": "bcast", "ranks": 5}, "--ranks 5"),
        ("collective-ranks", collectives, {"operation": "bcast", "bytes": 5}, "--bytes 5"),
        ("collective-model", collectives, {"operation": "bcast"}, "no point-to-point times"),
    ],
)
def test_what_cannot_be_drawn_is_an_error(
    what: str, system: Callable[[], Analysis], options: dict[str, object], complaint: str
) -> None:
    with pytest.raises(UsageError, match=complaint):
        describe(what, [system()], Options(**options))  # type: ignore[arg-type]
