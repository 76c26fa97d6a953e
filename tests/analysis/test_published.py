"""Comparison with published figures: only of like systems, with their sources."""

from __future__ import annotations

import pwd
import sys
from collections import Counter
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from hockney.base.errors import UsageError
from hockney.base.units import format_seconds
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.claims.published import Position, Positions, transport_of
from hockney.infer.analysis.claims.published_base import (
    HALF_ROUND_TRIP,
    OUR_LINE,
    OWN_BASE,
    SHARED_MEMORY,
    SIZES,
    TCP,
    THEIR_LINE,
    UNKNOWN_NETWORK,
    PublishedFigure,
    encoded,
    own_base,
    own_systems,
    published_figures,
    published_systems,
)
from hockney.infer.analysis.claims.publishing import entry_of
from hockney.infer.analysis.history.histories import histories
from hockney.records import Place, Run
from hockney.show.claims.published_lines import (
    place_among,
    position_lines,
    published_json,
    source_lines,
)
from samples import make_run, past_run

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def run_on(hosts: tuple[str | None, str | None], env: dict[str, str] | None = None) -> Run:
    run = make_run(lambda _, __, size: [1000.0 + 0.1 * size], sizes=(0, 8, 1024, 2**20))
    for launch in run.launches:
        launch.places = [Place(rank=rank, host=host) for rank, host in enumerate(hosts)]
        launch.env = env or {}
    return run


def test_every_published_system_has_a_source_and_a_definition() -> None:
    assert len({system.system for system in published_systems()}) == len(published_systems()) >= 60
    for system in published_systems():
        assert len(system.source) > 10
        assert len(system.definition) > 10
        assert system.method in {HALF_ROUND_TRIP, THEIR_LINE}
        assert len({(n.quantity, n.bytes) for n in system.numbers}) == len(system.numbers) > 0
    for figure in published_figures():
        assert figure.value > 0.0
        assert figure.quantity in {"time_s", "alpha_s", "r_inf_Bps"}
        assert (figure.bytes is not None) == (figure.quantity == "time_s")


def test_classes_of_transport_have_several_systems() -> None:
    classes = Counter(system.transport for system in published_systems())
    assert classes[SHARED_MEMORY] >= 20
    assert classes[TCP] >= 10
    assert classes["InfiniBand"] >= 10
    assert len(classes) >= 8


def test_published_numbers_are_those_of_the_facts() -> None:
    """benchmarks/published.py builds the base from these facts and the logs they name."""
    facts = tomllib.loads((BENCHMARKS / "published.toml").read_text())
    systems = {system.system: system for system in published_systems()}
    entries = [*facts["paper"], *facts["log"]]
    assert [entry["system"] for entry in entries] == list(systems)
    for entry in entries:
        system = systems[entry["system"]]
        for name in ("transport", "detail", "library", "date"):
            assert getattr(system, name) == entry.get(name)
    for paper in facts["paper"]:
        own = [
            (n.quantity, *([] if n.bytes is None else [n.bytes]), n.value)
            for n in systems[paper["system"]].numbers
        ]
        assert own == [tuple(number) for number in paper["numbers"]]
    for log in facts["log"]:
        assert facts["repositories"][log["repository"]] in systems[log["system"]].source
    kept = files("hockney.infer.analysis.claims") / "published.json"
    assert kept.read_bytes() == encoded(published_systems())


@pytest.mark.parametrize(
    ("system", "bytes", "printed_us"),
    [
        ("ARCHER2, cores of one CCX", 8, 0.34),
        ("Tesseract", 1024, 0.93),
        ("ORFEO THIN, two nodes, UCX", 0, 0.99),
        ("Lassen, host memory", 1 << 20, 82.03),
        ("RDMA-Experiment, Ethernet", 1 << 22, 35947.10),
        ("Fugaku, by its operator", 4, None),
    ],
)
def test_numbers_are_those_that_the_logs_print(
    system: str, bytes: int, printed_us: float | None
) -> None:
    """Lassen's log has 20 tables, whose median is close to the first."""
    [published] = [
        published_system
        for published_system in published_systems()
        if published_system.system == system
    ]
    times = {n.bytes: n.value for n in published.numbers if n.quantity == "time_s"}
    if printed_us is None:
        assert bytes not in times
    else:
        assert times[bytes] == pytest.approx(printed_us * 1e-6, rel=1e-3)
    assert set(times) <= set(SIZES)


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
    positions = Analysis(run).positions()
    kinds = {figure.transport for place in positions.places for figure in place.like}
    assert kinds == {SHARED_MEMORY}
    alike = [place for place in positions.places if place.is_alike]
    assert {(place.quantity, place.bytes) for place in alike} == {
        ("time_s", 0),
        ("time_s", 8),
        ("time_s", 1024),
        ("time_s", 2**20),
        ("alpha_s", None),
        ("r_inf_Bps", None),
    }
    words = " ".join(position_lines(positions))
    eight = next(place for place in alike if place.bytes == 8)
    assert f"better than {eight.percentile:.0f} % of {len(eight.systems)} systems" in words
    assert any("Pintus" in line for line in source_lines(positions))


def test_numbers_of_other_definitions_are_kept_apart() -> None:
    """Lines that others drew through their times are not compared with ours."""
    positions = Analysis(run_on(("a", "a"))).positions()
    lines = [place for place in positions.places if place.quantity == "alpha_s"]
    assert [(place.method, place.is_alike) for place in lines] == [
        (OUR_LINE, True),
        (THEIR_LINE, False),
    ]
    assert {figure.method for figure in lines[0].like} == {OUR_LINE}
    assert "another definition (a line by others)" in " ".join(position_lines(positions))
    shown = published_json(positions)
    assert shown is not None
    assert not {"Hamilton 6, inside a node"} & set(shown["numbers"][-2]["of"])


def test_a_strip_has_the_run_where_it_lies() -> None:
    place = next(p for p in Analysis(run_on(("a", "a"))).positions().places if p.bytes == 8)
    [row] = [line for line in position_lines(Positions("", (place,), (), None)) if "of 8 B" in line]
    assert row.count("X") == 1
    slow = replace(place, value=1.0)
    [row] = [line for line in position_lines(Positions("", (slow,), (), None)) if "of 8 B" in line]
    assert "times the slowest of" in row
    assert row.rpartition("X")[2].split() == [
        format_seconds(place.like[-1].value, 3).split()[0],
        "us",
    ]


def test_each_network_is_compared_on_its_own_where_it_is_unknown() -> None:
    positions = Analysis(run_on(("a", "b"))).positions()
    words = " ".join(position_lines(positions))
    assert "of InfiniBand" in words
    assert f"of {TCP}" in words
    shown = published_json(positions)
    assert shown is not None
    each = shown["numbers"][0]["by_transport"]
    assert sum(transport["systems"] for transport in each) == shown["systems"]


def test_between_hosts_shared_memory_is_left_out() -> None:
    run = run_on(("a", "b"))
    positions = Analysis(run).positions()
    assert positions.places
    assert SHARED_MEMORY not in {
        figure.transport for place in positions.places for figure in place.like
    }
    assert "does not show which network" in " ".join(position_lines(positions))


def test_where_hosts_are_unknown_the_comparison_says_so() -> None:
    words = " ".join(position_lines(Analysis(run_on(("a", None))).positions()))
    assert "does not show whether the ranks were on one host" in words


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
    all_histories = histories([fact for fact in facts if fact], 0.05)
    latency, bandwidth = Analysis(runs[3]).positions(all_histories).past
    assert (latency.earlier, latency.lower) == (3, 3)
    assert (bandwidth.earlier, bandwidth.lower) == (3, 0)
    words = " ".join(position_lines(Analysis(runs[3]).positions(all_histories)))
    assert "3 of 3 earlier runs of this system were lower" in words
    assert Analysis(runs[0]).positions(all_histories).past == ()


def test_where_a_value_is_among_published_ones() -> None:
    def among(value: float, quantity: str = "time_s") -> str:
        like = [
            PublishedFigure(f"{figure}", "", quantity, None, figure, "", "")
            for figure in (2.0, 4.0)
        ]
        return place_among(Position(quantity, None, value, tuple(like)))

    assert among(1.0) == "0.5 times the fastest of 2 (few)"
    assert among(8.0) == "2 times the slowest of 2 (few)"
    assert among(1.0, "r_inf_Bps") == "0.5 times the slowest of 2 (few)"
    assert among(2.0) == "better than 75 % of 2 systems (few)"


def figure(system: str, value: float, quantity: str = "time_s") -> PublishedFigure:
    return PublishedFigure(system, TCP, quantity, 8, value, "a definition", "a source")


@pytest.mark.parametrize(
    ("value", "percentile"), [(0.5, 100.0), (1.0, 87.5), (2.5, 50.0), (4.0, 12.5), (9.0, 0.0)]
)
def test_a_percentile_counts_the_systems_that_are_worse(value: float, percentile: float) -> None:
    """A system with two figures counts by their median: d has 4."""
    times = [
        figure("a", 1.0),
        figure("b", 2.0),
        figure("c", 3.0),
        figure("d", 3.9),
        figure("d", 4.1),
    ]
    assert Position("time_s", 8, value, tuple(times)).percentile == percentile
    rates = tuple(figure(time.system, time.value, "r_inf_Bps") for time in times)
    assert Position("r_inf_Bps", None, value, rates).percentile == 100.0 - percentile


def test_json_has_the_percentile_of_the_first_number_and_of_all() -> None:
    positions = Analysis(run_on(("a", "a"))).positions()
    shown = published_json(positions)
    assert shown is not None
    assert (shown["quantity"], shown["bytes"], shown["transport"]) == ("time_s", 0, SHARED_MEMORY)
    assert 0.0 <= shown["percentile"] <= 100.0
    assert shown["systems"] == len(shown["of"]) == len(positions.places[0].systems)
    alike = [place.quantity for place in positions.places if place.is_alike]
    assert [number["quantity"] for number in shown["numbers"]] == alike


def test_what_is_compared_with_nothing_has_no_percentile() -> None:
    run = run_on(("a", "a"))
    for launch in run.launches:
        launch.simulated = True
    assert published_json(Analysis(run).positions()) is None


def test_an_own_system_is_published_and_compared_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OWN_BASE, str(tmp_path / "own.json"))
    runs = [past_run(day, 1.0 + day) for day in range(3)]
    facts = [run_facts for run_facts in (Analysis(run).facts for run in runs) if run_facts]
    [history] = histories(facts, 0.05)
    entry = entry_of(history, runs[-1])
    assert (entry.transport, entry.date) == (SHARED_MEMORY, "2026-01-03")
    middle = facts[1].latencies
    assert {n.bytes: n.value for n in entry.numbers} == {
        size: middle[size][0] for size in SIZES if size in middle
    }
    own_base().write_bytes(encoded([entry]))
    assert [
        published_figure
        for published_figure in published_figures()
        if published_figure.system == entry.system
    ]
    other = run_on(("a", "a"))
    assert entry.system in {o.system for p in Analysis(other).positions().places for o in p.like}
    itself = Analysis(runs[-1]).positions().places
    assert entry.system not in {figure.system for place in itself for figure in place.like}


def test_a_damaged_base_and_what_cannot_be_published_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OWN_BASE, str(tmp_path / "own.json"))
    (tmp_path / "own.json").write_text('[{"system": 1}]')
    with pytest.raises(UsageError, match=r"own\.json: no base of published systems"):
        published_figures()
    run = past_run(1)
    [history] = histories([run_facts for run_facts in [Analysis(run).facts] if run_facts], 0.05)
    for launch in run.launches:
        launch.simulated = True
    with pytest.raises(UsageError, match="on a real machine"):
        entry_of(history, run)


def test_without_a_home_there_are_no_systems_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object) -> str:
        raise KeyError

    for name in ("HOME", "XDG_DATA_HOME", OWN_BASE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    assert own_systems() == ()
