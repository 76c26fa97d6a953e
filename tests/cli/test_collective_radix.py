"""hockney collective --radix, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import RunHockney
from hockney import records
from hockney.mpis import Mpi

TREES = {"openmpi": "chain", "mpich": "tree"}
"""An algorithm of bcast with a radix."""
SHORT = ("--launches", "1", "--budget", "3s", "--sizes", "8", "-q")


@pytest.fixture
def tree(mpi: Mpi) -> str:
    if mpi.family not in TREES:
        pytest.skip("no radix can be set")
    return TREES[mpi.family]


def test_each_radix_is_measured_and_proved(hockney: RunHockney, tmp_path: Path, tree: str) -> None:
    words = ("--algorithm", f"{tree},binomial,default", "--radix", "2,3,8", "-n", "2,4")
    done = hockney(
        "collective", "bcast", *words, "--oversubscribe", "--verify", "-o", "run.jsonl", *SHORT
    )
    assert done.status == 0, done.stderr
    run = records.read(tmp_path / "run.jsonl")
    ran = {s.launch: (s.algorithm, s.radix, s.ranks) for s in run.samples}
    assert set(ran.values()) == {
        (tree, 2, 2),
        (tree, 2, 4),
        (tree, 3, 4),
        *(("binomial", None, ranks) for ranks in (2, 4)),
        *(("default", None, ranks) for ranks in (2, 4)),
    }
    for launch in run.launches:
        _, radix, _ = ran[launch.launch]
        read = [v for k, v in launch.controls.items() if k.endswith(("_KVAL", "_chain_fanout"))]
        assert read == ([] if radix is None else [str(radix)])
    assert f"{tree}, radix 3" in done.stdout
    assert f"left out: bcast {tree}, radix 8, 4 ranks, 8 B: the library does the same with" in (
        done.stdout
    )
    shown = json.loads(hockney("show", "run.jsonl", "--all-states", "--json").stdout)
    assert {(p["algorithm"], p["radix"]) for p in shown["points"]} >= {
        (tree, 2),
        (tree, 3),
        ("binomial", None),
    }


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--radix", "1"], "a radix is 2 or more"),
        (["--radix", "two"], "not a list of radices"),
        (["--algorithm", "binomial", "--radix", "4"], "lists no control variable"),
        (["--radix", "4"], "or name "),
        (["--algorithm", "TREE", "--radix", "4,8", "-n", "2"], "there are no more ranks"),
    ],
)
def test_asked_wrongly_starts_nothing(
    hockney: RunHockney, tmp_path: Path, tree: str, words: list[str], complaint: str
) -> None:
    done = hockney("collective", "bcast", *(tree if word == "TREE" else word for word in words))
    assert done.status == 2
    assert complaint in done.stderr
    assert not list(tmp_path.iterdir())


def test_algorithms_that_take_a_radix_are_listed(hockney: RunHockney, tree: str) -> None:
    done = hockney("algorithms", "--collective", "bcast", "--json")
    listed = {each["algorithm"]: each for each in json.loads(done.stdout)["algorithms"]}
    assert listed["binomial"]["radix"] is None
    assert listed[tree]["radix"].endswith(("BCAST_TREE_KVAL", "bcast_algorithm_chain_fanout"))
