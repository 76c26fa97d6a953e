"""Slow switches and cables among all pairs, and switches that the times show."""

from __future__ import annotations

from fabric_samples import fabric_run
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.network.network_faults import Suspect
from hockney.infer.analysis.network.slow_parts import Verdict

JUDGED = {"node": 24, "switch": 6, "cable": 15, "pair": 276}


def verdict(**changes: object) -> Verdict[Suspect]:
    network_verdict = Analysis(fabric_run(**changes)).verdict  # type: ignore[arg-type]
    assert network_verdict is not None
    return network_verdict


def names(**changes: object) -> list[tuple[str, tuple[str, ...]]]:
    return [(suspect.what, suspect.names) for suspect in verdict(**changes).slow]


def test_nothing_is_named_where_nothing_is_slow() -> None:
    network_verdict = verdict()
    assert network_verdict.slow == ()
    assert network_verdict.judged == JUDGED
    gate = Analysis(fabric_run()).outlier_gate
    assert gate.why == "no outlier among 24 nodes, 6 switches, 15 cables and 276 pairs"


def test_a_cable_is_two_switches() -> None:
    assert names(slow={(1, 4): 1.5}) == [("cable", ("s1", "s4"))]


def test_a_narrow_cable_may_delay_fewer_than_half_of_its_pairs() -> None:
    assert names(slow={(1, 4): 1.3}, slow_pairs=5) == [("cable", ("s1", "s4"))]
    few = sorted(names(slow={(1, 4): 1.3}, slow_pairs=3))
    assert few == [("pair", ("n4", other)) for other in ("n16", "n17", "n18")]


def test_a_slow_switch_makes_none_of_its_cables_an_outlier() -> None:
    assert names(slow={(2, other): 1.5 for other in range(6) if other != 2}) == [
        ("uplink", ("s2",))
    ]


def test_inside_of_a_switch() -> None:
    assert names(slow={(3, 3): 1.5}) == [("switch", ("s3",))]


def test_less_than_ten_percent_is_normal() -> None:
    assert names(slow={(1, 4): 1.08}) == []


def test_numbers_of_a_suspect() -> None:
    (suspect,) = verdict(slow={(1, 4): 1.5}).slow
    assert 1.45 < suspect.ratio < 1.55
    assert (suspect.pairs, suspect.looks, suspect.agreeing) == (16, 3, 3)
    assert 4.4e-6 < suspect.typical_s < 4.6e-6
    assert 2.9e-6 < suspect.usual_s < 3.1e-6


def test_one_pass_is_not_counted_as_a_fraction() -> None:
    suspects = [verdict(slow={(1, 4): 1.5}, passes=count).slow[0] for count in (1, 3)]
    assert [suspect.shown_in for suspect in suspects] == ["the only pass", "3 of 3 passes"]


def test_what_one_of_three_passes_shows_is_not_named() -> None:
    run = fabric_run(slow={(1, 4): 1.5})
    usual = fabric_run()
    run.pair_times[1:] = usual.pair_times[1:]
    assert Analysis(run).verdict == Verdict((), JUDGED)


def test_switches_are_found_by_clearly_different_times() -> None:
    pairwise = Analysis(fabric_run(is_known=False)).pairwise
    assert pairwise is not None
    assert pairwise.are_found
    assert pairwise.switches == tuple(f"of n{4 * i}" for i in range(6))
    assert pairwise.levels == ("same switch", "other switch")


def test_times_that_do_not_make_groups_find_no_switches() -> None:
    pairs = {(i, i): 1.5 for i in range(6)}  # all alike
    pairwise = Analysis(fabric_run(is_known=False, slow=pairs)).pairwise
    assert pairwise is not None
    assert pairwise.switches == ()
    assert pairwise.levels == ("different nodes",)


def test_levels_are_points() -> None:
    points = Analysis(fabric_run()).estimates.own()
    assert [(point.level, point.launches) for point in points] == [
        ("one hop", 3),
        ("same switch", 3),
    ]
    assert 1.9e-6 < points[1].typical_s < 2.1e-6


def test_many_nodes_are_binned() -> None:
    pairwise = Analysis(fabric_run(nodes=200, each=2, passes=1)).pairwise
    assert pairwise is not None
    binned = pairwise.binned(0)
    assert binned.seconds.shape == (len(binned.names),) * 2 == (50, 50)
    assert binned.names[1] == "n4"


def test_the_slowest_pairs_come_first() -> None:
    pairwise = Analysis(fabric_run(slow={(1, 4): 1.5})).pairwise
    assert pairwise is not None
    worst = pairwise.worst(0, 16)
    assert {tuple(pairwise.switch[pair.peers].tolist()) for pair in worst} == {(1, 4)}
