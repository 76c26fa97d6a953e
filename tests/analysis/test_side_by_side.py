"""Ways to exchange the same messages: what is compared with what, and when it is sure."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.warnings import SlowDatatype
from hockney.records import End, LaunchRecord, Place, Run, Samples
from hockney.show.one_run.side_by_side import side_by_side_json, side_by_side_text
from samples import HEADER, make_run

Way = dict[str, Any]
CONTIGUOUS: Way = {"mode": "standard", "datatype": "contiguous"}
BY_DATATYPE: Way = {"mode": "standard", "datatype": "vector:64:8:64", "packing": "datatype"}
BY_HAND: Way = BY_DATATYPE | {"packing": "hand"}
WHOLE: Way = {"mode": "persistent", "partitions": 4, "stagger_ns": 0.0}
PARTITIONED: Way = WHOLE | {"mode": "partitioned"}


def run_of(
    ways: Sequence[tuple[Way, float]], launches: int = 9, noise: float = 0.0, sizes: int = 2
) -> Run:
    """Each way takes 1 us times its factor, times a factor that all ways of a launch have in
    common."""
    chance = random.Random(1)
    run = Run(HEADER)
    for launch in range(launches):
        shared = chance.uniform(0.5, 2.0)
        places = [Place(rank=rank, host="here", pu=rank, pinned=True) for rank in (0, 1)]
        run.add(LaunchRecord(launch=launch, places=places, definition="batch over 2k"))
        for size in (512 * 2**i for i in range(sizes)):
            for way, factor in ways:
                ns = 1e3 * shared * factor * (1.0 + noise * chance.gauss(0.0, 1.0))
                run.add(
                    Samples(
                        **way,
                        **{"launch": launch, "round": 0, "operation": "pingpong", "bytes": size},
                        **{"ranks": 2, "peers": (0, 1), "repetitions": 1, "ns": [ns]},
                    )
                )
        run.add(End(launch=launch, reason="budget", wall_s=1.0))
    return run


def test_ways_that_are_a_step_of_the_clock_apart_are_not_called_unlike() -> None:
    """Both take 220 ns, by a clock that steps in 40 ns."""
    run = make_run(lambda *_: [], launches=9, step_ns=40.0, repetitions=1)
    for launch in range(9):
        for way, ns in ((BY_DATATYPE, 240.0), (BY_HAND, 200.0)):
            axes = {**way, "operation": "pingpong", "bytes": 512, "ranks": 2, "peers": (0, 1)}
            run.add(Samples(**axes, launch=launch, round=0, repetitions=1, ns=[ns] * 4))
    (ratio,) = Analysis(run).over_datatype
    assert ratio.judged.ratio == pytest.approx(200 / 240)
    assert not ratio.judged.is_faster


def test_what_all_ways_of_a_launch_share_is_not_in_their_ratio() -> None:
    analysis = Analysis(run_of([(CONTIGUOUS, 1.0), (BY_DATATYPE, 1.5), (BY_HAND, 1.2)]))
    by_way = {
        (ratio.point.bytes, ratio.point.packing): ratio.judged for ratio in analysis.side_by_side
    }
    assert {key: round(judged.ratio, 6) for key, judged in by_way.items()} == {
        (512, "datatype"): 1.5,
        (1024, "datatype"): 1.5,
        (512, "hand"): 1.2,
        (1024, "hand"): 1.2,
    }
    assert {judged.verdict for judged in by_way.values()} == {"slower"}
    assert [round(ratio.judged.ratio, 6) for ratio in analysis.over_datatype] == [0.8, 0.8]


def test_packing_by_hand_that_is_surely_faster_is_a_warning() -> None:
    analysis = Analysis(run_of([(CONTIGUOUS, 1.0), (BY_DATATYPE, 1.5), (BY_HAND, 1.2)]))
    (warning,) = [warning for warning in analysis.warnings if isinstance(warning, SlowDatatype)]
    assert (len(warning.ratios), warning.measured) == (2, 2)
    (line,) = [warning.text for warning in analysis.warnings if isinstance(warning, SlowDatatype)]
    assert "faster than vector:64:8:64 at 2 of 2 points" in line
    assert "it takes 0.8 (" in line


@pytest.mark.parametrize(
    ("by_hand", "noise", "launches"),
    [(1.5, 0.0, 9), (1.8, 0.0, 9), (1.495, 0.0, 9), (1.45, 0.3, 9), (1.2, 0.0, 4)],
    ids=["the same", "slower", "within the tolerance", "noise", "few launches"],
)
def test_where_it_is_not_sure_nothing_is_said(by_hand: float, noise: float, launches: int) -> None:
    run = run_of([(BY_DATATYPE, 1.5), (BY_HAND, by_hand)], launches, noise)
    assert not [warning for warning in Analysis(run).warnings if isinstance(warning, SlowDatatype)]


def test_partitions_are_compared_with_a_message_that_waits() -> None:
    analysis = Analysis(
        run_of([(WHOLE, 2.0), (PARTITIONED, 1.0), (PARTITIONED | {"partitions": 2}, 1)])
    )
    assert [(ratio.point.partitions, ratio.judged.ratio) for ratio in analysis.side_by_side] == [
        (4, pytest.approx(0.5)),
        (4, pytest.approx(0.5)),
    ]
    assert [ratio.judged.is_faster for ratio in analysis.side_by_side] == [True, True]
    text = side_by_side_text(analysis.side_by_side)
    assert "partitioned, 4 partitions" in text
    (first, _) = side_by_side_json(analysis.side_by_side)["side_by_side"]
    assert (first["over"], first["mode"], first["verdict"]) == (
        {"mode": "persistent"},
        "partitioned",
        "faster",
    )


def test_sizes_of_a_curve_share_the_error_rate() -> None:
    """One size alone is conclusive with 7 launches; of 20 sizes none is, by the same numbers."""
    ways = [(CONTIGUOUS, 1.0), (BY_DATATYPE, 1.5)]
    for sizes, verdict in ((1, "slower"), (20, "unknown")):
        analysis = Analysis(run_of(ways, launches=7, sizes=sizes))
        assert {ratio.judged.verdict for ratio in analysis.side_by_side} == {verdict}


def test_a_run_of_one_way_has_nothing_side_by_side() -> None:
    analysis = Analysis(run_of([({"mode": "standard"}, 1.0)]))
    assert side_by_side_text(analysis.side_by_side) == ""
    assert side_by_side_json(analysis.side_by_side) == {}
