from __future__ import annotations

from itertools import combinations

import msgspec
import pytest

from fabric_samples import fabric_run
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.conditions.traces import traces_of
from hockney.infer.analysis.network.places import shared
from hockney.records import Place, Run
from samples import make_pairs_run, make_run, one_a_node

HERE = {"rank": 0, "host": "a", "package": 0, "l3": 0, "l2": 0, "core": 0, "pu": 0}


@pytest.mark.parametrize(
    ("differs", "word"),
    [
        ({}, "same CPU"),
        ({"pu": 1}, "same core"),
        ({"pu": 1, "core": 1}, "same L2"),
        ({"pu": 1, "core": 1, "l2": 1}, "same L3"),
        ({"pu": 1, "core": 1, "l2": 1, "l3": 1}, "same package"),
        ({"pu": 1, "core": 0, "l2": 1, "l3": 1, "package": 1}, "same node"),
        ({"host": "b"}, "different nodes"),
        ({"host": None}, "unknown places"),
        ({"pu": None, "core": None, "l2": None, "l3": None, "package": None}, "same node"),
    ],
)
def test_what_two_places_share(differs: dict[str, object], word: str) -> None:
    first, second = Place(**HERE), Place(**{**HERE, **differs})
    assert shared(first, second) == shared(second, first) == word


def test_slurm_tells_the_switch() -> None:
    nodes = [
        Place(rank=0, host=host, topology=f"{switches}.{host}" if switches else None)
        for host, switches in (("a", "s0.s1"), ("b", "s0.s1"), ("c", "s0.s2"), ("d", ""), ("e", ""))
    ]
    assert shared(nodes[0], nodes[1]) == "same switch"
    assert shared(nodes[0], nodes[2]) == "one hop"
    assert shared(nodes[3], nodes[4]) == "different nodes"


def test_a_run_that_went_on_with_another_node_accuses_the_one_that_was_slow() -> None:
    """The node of the first launch was named, which was sound."""

    def times_ns(launch: int, pair: tuple[int, int], *_: int) -> list[float]:
        return [3e3 if 3 in pair and launch > 0 else 1e3 + launch]

    run: Run = make_pairs_run(times_ns, [[p] for p in combinations(range(8), 2)], one_a_node(8))
    resumed = [*one_a_node(8)[:3], Place(rank=3, host="spare", pu=0, pinned=True)]
    resumed += one_a_node(8)[4:]
    run.launches[1:] = [
        msgspec.structs.replace(launch, places=resumed) for launch in run.launches[1:]
    ]
    gate = Analysis(run).gate(True)
    assert gate is not None
    assert (gate.status, gate.culprits) == ("failed", ("spare",))


@pytest.mark.parametrize(
    ("cores", "shared_by_both"),
    [((0, 0), "one core"), ((0, 1), "one host"), ((None, None), None)],
    ids=["one", "two", "unknown"],
)
def test_ranks_whose_cores_are_unknown_share_no_known_core(
    cores: tuple[int | None, int | None], shared_by_both: str | None
) -> None:
    run = make_run(lambda *_: [1e3], launches=1)
    run.launches[0].places[:] = [
        Place(rank=rank, host="a", pu=rank, core=core) for rank, core in enumerate(cores)
    ]
    assert traces_of(Analysis(run)).distance == shared_by_both


def test_places_that_are_compared_are_counted() -> None:
    run = fabric_run(nodes=16)
    for launch in run.launches:
        launch.places[:] = [
            Place(rank=rank, host=f"n{rank // 2}", pu=rank % 2) for rank in range(16)
        ]
    verdict = Analysis(run).verdict
    assert verdict is not None
    assert verdict.judged_words.startswith("8 nodes, 16 places")
