"""Comparison with published figures: only of like systems, with their sources."""

from __future__ import annotations

import pytest

from hockney.analysis import Analysis
from hockney.analysis.history import histories
from hockney.analysis.published import (
    SHARED_MEMORY,
    TCP,
    UNKNOWN_NETWORK,
    Position,
    PublishedFigure,
    published_figures,
    transport_of,
)
from hockney.records import Place, Run
from hockney.views.published import place_among, position_lines, source_lines
from samples import make_run, past_run


def run_on(hosts: tuple[str | None, str | None], env: dict[str, str] | None = None) -> Run:
    run = make_run(lambda _, __, size: [1000.0 + 0.1 * size], sizes=(0, 8, 1024, 2**20))
    for launch in run.launches:
        launch.places = [Place(rank=rank, host=host) for rank, host in enumerate(hosts)]
        launch.env = env or {}
    return run


def test_every_published_figure_has_a_source_and_a_definition() -> None:
    assert len(published_figures()) > 40
    for one in published_figures():
        assert len(one.source) > 10
        assert len(one.definition) > 10
        assert one.value > 0.0
        assert one.quantity in {"time_s", "alpha_s", "r_inf_Bps"}
        assert (one.bytes is not None) == (one.quantity == "time_s")
        assert one.transport in {SHARED_MEMORY, TCP, "InfiniBand", UNKNOWN_NETWORK}


@pytest.mark.parametrize(
    ("hosts", "env", "transport"),
    [
        (("a", "a"), {}, SHARED_MEMORY),
        (("a", "b"), {}, UNKNOWN_NETWORK),
        (("a", "b"), {"FI_PROVIDER": "tcp"}, TCP),
        (("a", "b"), {"OMPI_MCA_btl": "tcp,self"}, TCP),
        (("a", "b"), {"UCX_TLS": "rc,sm,self"}, UNKNOWN_NETWORK),
        (("a", "b"), {"UCX_TLS": "rc,tcp"}, UNKNOWN_NETWORK),
        (("a", None), {}, UNKNOWN_NETWORK),
    ],
)
def test_the_transport_is_told_as_far_as_it_is_known(
    hosts: tuple[str | None, str | None], env: dict[str, str], transport: str
) -> None:
    assert transport_of(run_on(hosts, env)) == transport


def test_shared_memory_is_compared_with_shared_memory_alone() -> None:
    run = run_on(("a", "a"))
    found = Analysis(run).positions()
    kinds = {one.transport for place in found.places for one in place.like}
    assert kinds == {SHARED_MEMORY}
    assert {(place.quantity, place.bytes) for place in found.places} == {
        ("time_s", 8), ("time_s", 1024), ("time_s", 2**20), ("alpha_s", None), ("r_inf_Bps", None),
    }  # fmt: skip
    eight = next(place for place in found.places if place.bytes == 8)
    assert [one.value for one in eight.like] == [0.19e-6, 0.405e-6]
    assert "one-way time of 8 B 1 us: 2.47 times the slowest of 2 published" in " ".join(
        position_lines(found)
    )
    assert any("Pintus" in line for line in source_lines(found))


def test_between_hosts_shared_memory_is_left_out() -> None:
    run = run_on(("a", "b"))
    found = Analysis(run).positions()
    assert found.places
    assert SHARED_MEMORY not in {one.transport for place in found.places for one in place.like}
    assert "does not show which network" in " ".join(position_lines(found))


def test_simulated_and_other_experiments_are_compared_with_nothing() -> None:
    simulated = run_on(("a", "a"))
    for launch in simulated.launches:
        launch.simulated = True
    assert position_lines(Analysis(simulated).positions()) == []
    other = run_on(("a", "a"))
    other.header = other.header.__class__(
        schema=1, hockney="1", id="x", started="", experiment="pairs"
    )
    assert Analysis(other).positions().places == ()


def test_the_own_past_is_told() -> None:
    runs = [past_run(day, 1.0 + day / 10.0) for day in range(4)]
    facts = [Analysis(run).facts for run in runs]
    found = histories([one for one in facts if one], 0.05)
    latency, bandwidth = Analysis(runs[3]).positions(found).past
    assert (latency.earlier, latency.lower) == (3, 3)
    assert (bandwidth.earlier, bandwidth.lower) == (3, 0)
    words = " ".join(position_lines(Analysis(runs[3]).positions(found)))
    assert "3 of 3 earlier runs of this system were lower" in words
    assert Analysis(runs[0]).positions(found).past == ()


def test_where_a_value_is_among_published_ones() -> None:
    def among(value: float, quantity: str = "time_s") -> str:
        like = [PublishedFigure("", "", quantity, None, figure, "", "") for figure in (2.0, 4.0)]
        return place_among(Position(quantity, None, value, tuple(like)))

    assert among(1.0) == "0.5 times the fastest of 2 published"
    assert among(8.0) == "2 times the slowest of 2 published"
    assert among(1.0, "r_inf_Bps") == "0.5 times the slowest of 2 published"
    assert among(2.0) == "in the range of 2 published"
