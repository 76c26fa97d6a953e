"""What a watch follows of a run: a slow part stands out among its peers, and no other one does."""

from __future__ import annotations

from collections import Counter

import pytest

from fabric_samples import fabric_run
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.history.readings import WatchedSeries, not_followed, readings_of


def read(**changes: object) -> dict[WatchedSeries, float]:
    analysis = Analysis(fabric_run(**changes))  # type: ignore[arg-type]
    analysis.run.header = type(analysis.run.header)(
        schema=2, hockney="0", id="f", experiment="fabric", started="2026-01-05T00:00:00+00:00"
    )
    facts = analysis.facts
    assert facts is not None
    return {reading.series: reading.value for reading in readings_of(facts, [], analysis.pairwise)}


def test_every_part_of_a_network_is_followed() -> None:
    assert kinds() == {"time": 1, "node": 24, "switch": 6, "uplink": 6, "cable": 15}
    assert read()[WatchedSeries(8)] > 0.0


@pytest.mark.parametrize(
    ("slow", "part"),
    [
        ({(1, 4): 1.5}, WatchedSeries(8, "cable", ("s1", "s4"))),
        ({(3, 3): 1.5}, WatchedSeries(8, "switch", ("s3",))),
        (
            {(2, other): 1.5 for other in range(6) if other != 2},
            WatchedSeries(8, "uplink", ("s2",)),
        ),
    ],
)
def test_a_slow_part_stands_out(slow: dict[tuple[int, int], float], part: WatchedSeries) -> None:
    usual, slowed = read(), read(slow=slow)
    change = {series: slowed[series] / usual[series] for series in usual if series.is_part}
    assert change[part] == pytest.approx(1.5, rel=0.02)
    others = [
        ratio for series, ratio in change.items() if series.what == part.what and series != part
    ]
    assert others == pytest.approx([1.0] * len(others), abs=0.03)


def test_switches_that_only_the_times_show_are_not_followed() -> None:
    assert {series.what for series in read(is_known=False) if series.is_part} == {"node"}


def test_few_nodes_cannot_be_told_from_each_other() -> None:
    assert not any(series.is_part for series in read(nodes=3, each=3))


def kinds(**changes: object) -> dict[str, int]:
    return dict(Counter(series.what for series in read(**changes)))


def test_each_node_and_switch_of_a_large_network_is_followed() -> None:
    large = {"nodes": 1040, "each": 26, "passes": 1}
    assert kinds(**large) == {"time": 1, "node": 1040, "switch": 40, "uplink": 40, "cable": 780}
    assert not_followed(Analysis(fabric_run(nodes=136, each=8, passes=1)).pairwise) is None


def test_more_cables_than_can_be_told_apart_are_said_not_to_be_followed() -> None:
    many = {"nodes": 300, "each": 3, "passes": 1}
    analysis = Analysis(fabric_run(**many))  # type: ignore[arg-type]
    words = not_followed(analysis.pairwise)
    assert words is not None
    assert "4950 cables between switches are too many to follow" in words
    assert kinds(**many) == {"time": 1, "node": 300, "switch": 100, "uplink": 100}
