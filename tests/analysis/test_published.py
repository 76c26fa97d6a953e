"""Is it normal: only like things are set beside each other, and by whose word."""

from __future__ import annotations

import pytest

from hockney.analysis.history import facts_of, histories
from hockney.analysis.published import SHARED_MEMORY, TCP, UNKNOWN_NETWORK, published, transport_of
from hockney.estimate import estimate
from hockney.records import Place, Run
from hockney.views.normal import beside_lines, beside_of, lies, source_lines
from samples import make_run, past_run


def run_on(hosts: tuple[str | None, str | None], env: dict[str, str] | None = None) -> Run:
    run = make_run(lambda _, __, size: [1000.0 + 0.1 * size], sizes=(0, 8, 1024, 2**20))
    for launch in run.launches:
        launch.places = [Place(rank=rank, host=host) for rank, host in enumerate(hosts)]
        launch.env = env or {}
    return run


def test_every_published_figure_has_a_source_and_a_definition() -> None:
    assert len(published()) > 40
    for one in published():
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


def test_shared_memory_is_set_beside_shared_memory_alone() -> None:
    run = run_on(("a", "a"))
    found = beside_of(run, estimate(run))
    kinds = {one.transport for place in found.places for one in place.like}
    assert kinds == {SHARED_MEMORY}
    assert {(place.quantity, place.bytes) for place in found.places} == {
        ("time_s", 8), ("time_s", 1024), ("time_s", 2**20), ("alpha_s", None), ("r_inf_Bps", None),
    }  # fmt: skip
    eight = next(place for place in found.places if place.bytes == 8)
    assert [one.value for one in eight.like] == [0.19e-6, 0.405e-6]
    assert "one-way time of 8 B 1 us: 2.47 times above the highest; 2 published" in " ".join(
        beside_lines(found)
    )
    assert any("Pintus" in line for line in source_lines(found))


def test_between_hosts_shared_memory_is_left_out() -> None:
    run = run_on(("a", "b"))
    found = beside_of(run, estimate(run))
    assert found.places
    assert SHARED_MEMORY not in {one.transport for place in found.places for one in place.like}
    assert "cannot be told" in " ".join(beside_lines(found))


def test_simulated_and_other_experiments_are_set_beside_nothing() -> None:
    simulated = run_on(("a", "a"))
    for launch in simulated.launches:
        launch.simulated = True
    assert beside_lines(beside_of(simulated, estimate(simulated))) == []
    other = run_on(("a", "a"))
    other.header = other.header.__class__(schema=1, hockney="1", id="x", started="",
                                          experiment="pairs")  # fmt: skip
    assert beside_of(other, estimate(other)).places == ()


def test_the_own_past_is_told() -> None:
    runs = [past_run(day, 1.0 + day / 10.0) for day in range(4)]
    facts = [facts_of(run, estimate(run)) for run in runs]
    found = histories([one for one in facts if one], 0.05)
    latency, bandwidth = beside_of(runs[3], estimate(runs[3]), found).past
    assert (latency.earlier, latency.lower) == (3, 3)
    assert (bandwidth.earlier, bandwidth.lower) == (3, 0)
    words = " ".join(beside_lines(beside_of(runs[3], estimate(runs[3]), found)))
    assert "3 of 3 earlier runs of this system were lower" in words
    assert beside_of(runs[0], estimate(runs[0]), found).past == ()


def test_where_a_value_lies() -> None:
    assert lies(1.0, [2.0, 4.0]) == "2 times below the lowest"
    assert lies(0.0, [2.0, 4.0]) == "below the lowest"
    assert lies(8.0, [2.0, 4.0]) == "2 times above the highest"
    assert lies(2.0, [2.0, 4.0]) == "inside their range"
