"""When fabric chooses rounds, and what it refuses."""

from __future__ import annotations

import click
import pytest

from conftest import RunHockney
from hockney import cli
from hockney.cli._verb import ask
from hockney.plan.workloads.fabric import Fabric


@pytest.mark.parametrize(
    ("words", "locates"),
    [
        ("-n 511", False),
        ("-n 512", True),
        ("-n 512 --all-pairs", False),
        ("-n 512 --serial", False),
        ("-n 512 --rounds 4", False),
        ("-n 16 --locate", True),
        ("-n 16 --locate --rounds 8", True),
    ],
)
def test_many_ranks_are_located_unless_something_else_is_asked(words: str, locates: bool) -> None:
    with click.Context(cli.cli):
        plan = ask(["fabric", *words.split(), "--platform", "cluster:512"]).plan
    assert isinstance(plan.first.workload, Fabric)
    assert plan.first.workload.locate == locates


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("-n 3 --locate", "3 ranks are too few to tell which one is slow"),
        ("-n 8 --locate --serial", "--locate chooses among rounds of all nodes"),
    ],
)
def test_what_cannot_be_located_is_refused(hockney: RunHockney, words: str, complaint: str) -> None:
    done = hockney("fabric", *words.split(), "--platform", "cluster:8", "-o", "run.jsonl")
    assert done.status == 2
    assert complaint in done.stderr


def test_a_launch_has_its_rounds_counted_from_one() -> None:
    workload = Fabric(sizes=(), locate=True, chosen=(0, 6), visits=40)
    assert workload.arguments(8) == ["fabric", "--parallel", "--arrangements=1,7"]
