"""The engine's words for a case."""

from __future__ import annotations

import re

import pytest

from hockney.plan import Case, Placement, Sampling, sizes_of
from hockney.plan.engine import engine_arguments, launch_arguments
from hockney.plan.workloads import Workload
from hockney.plan.workloads.collective import Collective
from hockney.plan.workloads.pairs import Pairs, halves, neighbours
from hockney.plan.workloads.pingpong import Pingpong

EIGHT = sizes_of([8])


def words(workload: Workload, placement: Placement, list_file: str | None = None) -> list[str]:
    case = Case(workload=workload, placement=placement)
    return engine_arguments(case, Sampling(), 1.0, list_file)


def test_what_must_be_read_back_is_told_to_the_engine() -> None:
    placement = Placement(controls={"A": "1", "B": None})
    assert "--read-back=A=1,B" in words(Collective(collective="bcast", sizes=EIGHT), placement)


def test_cpus_are_named_instead_of_a_place() -> None:
    arguments = words(Pingpong(sizes=EIGHT), Placement(cpus=(3, 0)))
    assert "--cpus=3,0" in arguments
    assert not [word for word in arguments if word.startswith("--place")]


def test_a_sweep_ends_by_its_counts() -> None:
    arguments = words(Pingpong(sizes=EIGHT, sweep=True), Placement())
    assert not [word for word in arguments if word.startswith(("--seconds=", "--precision="))]


def test_launches_differ_in_their_number_and_order() -> None:
    assert launch_arguments(4) == ["--launch=4", "--seed=5"]
    assert launch_arguments("$n", "$m") == ["--launch=$n", "--seed=$m"]


@pytest.mark.parametrize(
    ("pairing", "ranks", "said"),
    [
        (halves(8), 8, "halves"),
        (neighbours(8), 8, "neighbours"),
        (halves(7), 7, "0-3,1-4,2-5"),
        (halves(2), 4, "0-1"),
        (((3, 0), (1, 2)), 4, "3-0,1-2"),
    ],
)
def test_pairings_that_the_engine_knows_are_named(
    pairing: tuple[tuple[int, int], ...], ranks: int, said: str
) -> None:
    pairs = Pairs(sizes=EIGHT, pairing=pairing, active=(1,))
    assert f"--pairing={said}" in words(pairs, Placement(ranks=ranks))
    assert (pairs.long_list(ranks) is None) == said.isalpha()
    if not said.isalpha():
        assert "--pairing=@/a/list" in words(pairs, Placement(ranks=ranks), "/a/list")


def test_buffers_are_named_where_they_were_chosen() -> None:
    assert "--buffers=cold" in words(Pingpong(sizes=EIGHT, buffers="cold"), Placement())
    assert not [word for word in words(Pingpong(sizes=EIGHT), Placement()) if "buffers" in word]


def test_parameters_of_an_algorithm_stay_out_of_the_engine() -> None:
    chain = Collective(
        collective="bcast", sizes=EIGHT, algorithm="chain", segment_bytes=0, radix=8, requests=4
    )
    arguments = words(chain, Placement())
    assert "--algorithm=chain" in arguments
    assert not [word for word in arguments if re.search("segment|radix|requests", word)]
    assert chain.launch_axes == {"segment_bytes": 0, "radix": 8, "requests": 4}
    bare = Collective(collective="bcast", sizes=EIGHT, algorithm="binomial")
    assert bare.launch_axes == {}
