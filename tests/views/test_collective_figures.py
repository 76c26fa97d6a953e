"""Figures of collectives: what was measured, the model beside it, borders, and who is best."""

from __future__ import annotations

from functools import cache

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from collective_samples import collective_run, header, places_of
from hockney.errors import AskedWronglyError
from hockney.estimate import estimate
from hockney.predict.collectives import time
from hockney.predict.parameters import Level, Parameters
from hockney.records import End, LaunchRecord, Run, Samples
from hockney.views.curves import Options
from hockney.views.figures import System, draw

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
    """By the model; the library's own decision takes twice what binomial does."""
    name, _, words = label.partition(", ")
    if name == "default":
        return 2.0 * exact_s(collective, "binomial", ranks, size)
    segment = 8192 if words else None
    return time(PARAMETERS, collective, name, ranks, size, segment, placement=places_of(ranks))


def collectives() -> System:
    run = collective_run(
        exact_s,
        collectives=("bcast", "reduce"),
        algorithms={name: {} for name in ("default", *NAMES)},
        ranks=RANKS,
        sizes=SIZES,
    )
    return System(run, estimate(run), "here")


def cores() -> System:
    run = Run(header("cores"))
    run.add(LaunchRecord(launch=0, places=places_of(32)))
    for peer, level in zip((1, 9, 17), LEVELS.values(), strict=True):
        for size in (0, 4096, 1 << 20):
            ns = 1e9 * (level.alpha_s + level.beta_s_per_B * size)
            run.add(Samples(launch=0, round=0, operation="pingpong", bytes=size, ranks=2,
                            peers=(0, peer), repetitions=1, ns=[ns]))  # fmt: skip
    run.add(End(launch=0, reason="complete"))
    return System(run, estimate(run), "cores")


def shown(figure: Figure) -> str:
    return "\n".join(text.get_text() for text in figure.findobj(Text))


def curves(figure: Figure) -> dict[str, list[float]]:
    """Measured times by the label of the legend; lines and legend are in one order."""
    axes = figure.axes[0]
    legend = axes.get_legend()
    assert legend is not None
    names = [text.get_text() for text in legend.get_texts()]
    return {
        name: [float(t) for t in container.lines[0].get_ydata()]
        for name, container in zip(names, axes.containers, strict=False)
    }


@pytest.mark.parametrize("what", ["collective-sizes", "collective-ranks"])
def test_each_algorithm_has_its_times(what: str) -> None:
    figure = draw(what, [collectives()], Options(collective="bcast", ranks=None, bytes=None))
    found = curves(figure)
    assert set(found) == {"default", *NAMES}
    cells = [(24, size) for size in SIZES] if what.endswith("sizes") else [(r, 0) for r in RANKS]
    for name, times in found.items():
        assert times == pytest.approx([exact_s("bcast", name, *cell) for cell in cells], rel=0.01)
    assert "model" not in shown(figure)


def test_the_model_stands_beside_the_measurement() -> None:
    figure = draw("collective-ranks", [collectives(), cores()], Options(collective="bcast"))
    assert "model, message by message" in shown(figure)
    dashed = [line for line in figure.axes[0].lines if line.get_linestyle() == "--"]
    assert len(dashed) == len(NAMES)
    for line, name in zip(dashed, sorted(NAMES), strict=True):
        wanted = [exact_s("bcast", name, ranks, 0) for ranks in RANKS]
        assert list(line.get_ydata()) == pytest.approx(wanted, rel=1e-3)


def test_a_second_socket_and_node_are_marked() -> None:
    figure = draw("collective-ranks", [collectives()], Options(collective="bcast"))
    words = shown(figure)
    assert "second socket" in words
    assert "second node" in words
    dotted = [line.get_xdata()[0] for line in figure.axes[0].lines if line.get_linestyle() == ":"]
    assert sorted(dotted) == pytest.approx([(6 * 12) ** 0.5, (12 * 24) ** 0.5])


def test_the_map_says_who_is_best_and_by_how_much() -> None:
    figure = draw("collective-best", [collectives()], Options(collective="bcast"))
    axes = figure.axes[0]
    assert len(axes.patches) == len(RANKS) * len(SIZES)
    gains = [text.get_text() for text in axes.texts if text.get_text()[0].isdigit()]
    assert len(gains) == len(axes.patches), "everywhere something is faster than the default"
    assert "2.00" in gains
    assert "binomial" in shown(figure)


@pytest.mark.parametrize(
    ("launches", "words"), [(5, "the library's own decision"), (3, "unknown: 3 launches")]
)
def test_where_nothing_is_surely_better_the_map_says_why(launches: int, words: str) -> None:
    run = collective_run(
        lambda *_: 1e-5, algorithms={"default": {}, "binomial": {}}, launches=launches
    )
    figure = draw("collective-best", [System(run, estimate(run), "here")], Options())
    assert words in shown(figure)
    assert len({patch.get_facecolor() for patch in figure.axes[0].patches}) == 1
    assert not [text for text in figure.axes[0].texts if text.get_text()[:1].isdigit()]


def test_measured_over_predicted_is_1_where_the_model_is_true() -> None:
    figure = draw("collective-model", [collectives(), cores()], Options(collective="reduce"))
    lines = [line for line in figure.axes[0].lines if len(line.get_xdata()) == len(SIZES)]
    assert len(lines) == len(NAMES)
    for line in lines:
        assert list(line.get_ydata()) == pytest.approx([1.0] * len(SIZES), rel=0.01)
    assert "socket: α = 400 ns" in shown(figure)


@pytest.mark.parametrize(
    ("what", "systems", "options", "complaint"),
    [
        ("collective-sizes", [cores()], {}, "no collectives in these files"),
        ("collective-sizes", [collectives()], {}, "measured are bcast, reduce"),
        ("collective-best", [collectives()], {"collective": "scan"}, "measured are bcast, reduce"),
        ("collective-sizes", [collectives()], {"collective": "bcast", "ranks": 5}, "--ranks 5"),
        ("collective-ranks", [collectives()], {"collective": "bcast", "bytes": 5}, "--bytes 5"),
        ("collective-model", [collectives()], {"collective": "bcast"}, "no point-to-point times"),
    ],
)
def test_what_cannot_be_drawn_is_told(
    what: str, systems: list[System], options: dict[str, object], complaint: str
) -> None:
    with pytest.raises(AskedWronglyError, match=complaint):
        draw(what, systems, Options(**options))  # type: ignore[arg-type]
