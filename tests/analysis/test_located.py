"""The verdict on a network by rounds in a file."""

from __future__ import annotations

from msgspec.structs import replace as changed

from fabric_samples import fabric_run
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.gate import NOT_JUDGED
from hockney.infer.analysis.network.located import Located
from hockney.plan import Placement, Sampling, single, sizes_of, stored
from hockney.plan.platform_network import PlatformNetwork
from hockney.plan.workloads.fabric import Fabric
from hockney.records import Run
from platform_networks import cluster_xml, network_in


def located_run(network: PlatformNetwork | None = None, **changes: object) -> Run:
    run = fabric_run(**changes)  # type: ignore[arg-type]
    placement = Placement(ranks=24, network=network)
    plan = single(Fabric(sizes=sizes_of([8]), locate=True), placement, Sampling())
    run.header = changed(run.header, options=stored(plan))
    return run


def verdict(run: Run) -> Located:
    located = Analysis(run).located
    assert located is not None
    return located


def test_nothing_is_named_where_nothing_is_slow() -> None:
    located = verdict(located_run())
    assert (located.slow, located.doubts) == ((), ())
    assert located.judged == {"node": 24, "uplink": 6, "switch": 6, "cable": 15}


def test_a_slow_cable_is_named() -> None:
    (fault,) = verdict(located_run(slow={(1, 4): 1.3})).slow
    assert (fault.what, fault.names) == ("cable", ("s1", "s4"))
    assert fault.interval.low < 1.3 < fault.interval.high


def test_a_topology_that_contradicts_the_times_is_not_judged() -> None:
    """All pairs of a switch are slower than those of two."""
    run = located_run(slow={(i, i): 2.0 for i in range(6)})
    doubts = [doubt.why for doubt in verdict(run).doubts]
    assert any("the topology contradicts the times" in why for why in doubts)
    assert Analysis(run).outlier_gate.status == NOT_JUDGED


def test_a_launch_on_other_nodes_is_left_out() -> None:
    run = located_run()
    run.launches[2].places[5].host = "spare"
    located = verdict(run)
    assert located.steps == 2
    assert located.doubts[0].why == (
        "launch 3 ran on other nodes than launch 1: its times are left out"
    )


def test_times_that_are_missing_leave_parts_unjudged() -> None:
    """Node n3 has vanished before the first of its pairs."""
    run = located_run(passes=1)
    (block,) = run.pair_times
    kept = ~(block.peers == 3).any(axis=1)
    run.pair_times[0] = type(block)(
        **{**vars(block), "peers": block.peers[kept], "ns": block.ns[:, kept]}
    )
    located = verdict(run)
    assert located.slow == ()
    assert located.judged["node"] == 23
    assert any("1 node" in doubt.why for doubt in located.doubts)


def test_each_of_parallel_cables_is_judged() -> None:
    network = network_in(cluster_xml(24, "FAT_TREE", "2;4,6;1,1;1,2"))
    assert verdict(located_run(network)).judged == {"node": 24, "cable": 12, "switch": 6}


def test_nodes_that_the_platform_does_not_have_leave_a_doubt() -> None:
    """Nodes n0 to n23 were measured."""
    located = verdict(located_run(network_in(cluster_xml(18, "TORUS", "3,6"))))
    assert located.judged == {"node": 24, "uplink": 6, "switch": 6, "cable": 15}
    assert [doubt.why for doubt in located.doubts] == [
        "platform.xml has no n18, n19, n20, n21 and 2 more: its routes are not used, cables are "
        "unknown"
    ]
