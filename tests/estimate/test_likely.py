from __future__ import annotations

from typing import Any

import pytest

from hockney.infer.analysis import Analysis
from hockney.infer.estimate.states import find_states
from hockney.records import Place
from hockney.show.one_run.run_lines import definitions
from samples import make_run

UNKNOWN: dict[str, Any] = {}
ONE_L3 = {"package": 0, "l3": 0}


@pytest.mark.parametrize(
    ("ns", "first", "second", "words"),
    [
        (28.0, UNKNOWN, UNKNOWN, "two threads of one core"),
        (28.0, {"core": 0, **ONE_L3}, {"core": 0, **ONE_L3}, "two threads of one core"),
        (28.0, {"core": 0, **ONE_L3}, {"core": 1, **ONE_L3}, None),
        (55.0, {"core": 0, **ONE_L3}, {"core": 1, **ONE_L3}, "share a last-level cache"),
        (55.0, {"core": 0, **ONE_L3}, {"core": 0, **ONE_L3}, None),
        (55.0, {"core": 0, "l3": 0}, {"core": 4, "l3": 4}, None),
        (180.0, {"core": 0, **ONE_L3}, {"core": 1, **ONE_L3}, None),
        (180.0, {"core": 0, "l3": 0}, {"core": 4, "l3": 4}, "without a common last-level cache"),
        (180.0, {"package": 0, "core": 0}, {"package": 1, "core": 0}, "without a common"),
        (900.0, {"core": 0, **ONE_L3}, {"core": 1, **ONE_L3}, "or a disturbed machine"),
    ],
)
def test_a_guess_is_given_where_the_topology_does_not_contradict_it(
    ns: float, first: dict[str, Any], second: dict[str, Any], words: str | None
) -> None:
    run = make_run(lambda *_: [1.0], handover_ns=lambda *_: ns)
    for launch in run.launches:
        launch.places = [Place(rank=0, host="a", **first), Place(rank=1, host="a", **second)]
    likely = find_states(run).states[0].likely
    assert likely is None if words is None else words in (likely or "")
    shown = definitions(Analysis(run))
    assert any("probably" in line for line in shown) is (words is not None)


def test_a_third_rank_says_nothing_of_two() -> None:
    run = make_run(lambda *_: [1.0], handover_ns=lambda *_: 180.0)
    run.launches[0].places = [
        Place(rank=0, host="a", core=0, l3=0),
        Place(rank=1, host="a", core=4, l3=4),
        Place(rank=2, host="a", core=1, l3=0),
    ]
    assert find_states(run).states[0].likely is not None
