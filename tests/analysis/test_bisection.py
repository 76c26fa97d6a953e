"""Max-min fair rates, and what links of known speed allow."""

from __future__ import annotations

import pytest

from hockney.infer.analysis.network.bisection import allowed_Bps, fair_rates, route
from hockney.plan.topology_files import parse_topology

TREE = parse_topology(
    "left a,b 8Gbit/s\nright c,d 8Gbit/s\nrow left,right 12Gbit/s\nfar e 8Gbit/s\ntop row,far", "x"
)


def test_a_route_goes_up_to_the_common_switch_and_down() -> None:
    assert route(TREE, "a", "b") == [("a", True), ("b", False)]
    assert route(TREE, "a", "d") == [("a", True), ("left", True), ("right", False), ("d", False)]
    assert [name for name, _ in route(TREE, "e", "c")] == ["e", "far", "row", "right", "c"]


def test_who_is_held_elsewhere_leaves_the_rest_to_others() -> None:
    """Three flows over a link of 10, of which one goes on over a link of 2: 2, 4 and 4."""
    wide, narrow = ("wide", True), ("narrow", True)
    rates = fair_rates([[wide, narrow], [wide], [wide]], {"wide": 10.0, "narrow": 2.0})
    assert rates == pytest.approx([2.0, 4.0, 4.0])


@pytest.mark.parametrize(
    ("pairs", "both_ways", "Bps"),
    [
        ([("a", "c")], False, 1e9),
        ([("a", "c"), ("b", "d")], False, 1.5e9),
        ([("a", "c"), ("b", "d")], True, 3e9),
        ([("a", "c"), ("d", "b")], False, 2e9),
        ([("a", "b"), ("c", "d")], False, 2e9),
        ([("a", "nowhere")], False, None),
        ([], False, None),
    ],
)
def test_all_pairs_together(
    pairs: list[tuple[str, str]], both_ways: bool, Bps: float | None
) -> None:
    assert allowed_Bps(TREE, pairs, both_ways) == (Bps and pytest.approx(Bps))


def test_links_without_a_speed_allow_anything() -> None:
    tree = parse_topology("left a,b\nright c,d\ntop left,right", "x")
    assert allowed_Bps(tree, [("a", "c")], False) is None
