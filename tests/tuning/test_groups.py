"""Rules by layout, rules that hold in several conditions, and why they gain."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from collective_samples import collective_run
from conftest import RunHockney
from hockney.base.errors import UsageError
from hockney.plan.held_rules import rule_for
from hockney.records import Place, Run
from hockney.run.mpis import Rule, format_named, openmpi
from hockney.tuning.layouts import NodeLayout, layout_of, parse_layouts
from samples import write_run

FORCED = {
    "default": {},
    "binomial": {"OMPI_MCA_coll_tuned_bcast_algorithm": "6"},
    "chain": {"OMPI_MCA_coll_tuned_bcast_algorithm": "2"},
}


def run_of(layout: NodeLayout, seconds: dict[str, float], **more: Any) -> Run:
    """A run with so many ranks on so many nodes."""
    run = collective_run(
        lambda _, name, *__: seconds[name],
        algorithms={name: FORCED[name] for name in seconds},
        ranks=(layout.ranks,),
        **{"launches": 6, "sizes": (8, 64), **more},
    )
    for launch in run.launches:
        launch.places = [
            Place(rank=n, host=f"node-{n // layout.per_node}") for n in range(layout.ranks)
        ]
    return run


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., str]:
    def write(name: str, run: Run) -> str:
        run.header = msgspec.structs.replace(run.header, id=name)
        return str(write_run(run, tmp_path / f"{name}.jsonl"))

    return write


BINOMIAL = {"default": 10e-6, "binomial": 5e-6, "chain": 20e-6}
CHAIN = {"default": 10e-6, "binomial": 20e-6, "chain": 5e-6}
BOTH = {"default": 10e-6, "binomial": 5e-6, "chain": 5.5e-6}
ONE_EACH, SINGLE, TWO_NODES, FOUR_NODES = (
    NodeLayout(8, 1),
    NodeLayout(1, 8),
    NodeLayout(2, 4),
    NodeLayout(4, 2),
)


def test_layouts_get_rules_of_their_own(hockney: RunHockney, written: Callable[..., str]) -> None:
    files = [written("a", run_of(SINGLE, BINOMIAL)), written("b", run_of(ONE_EACH, CHAIN))]
    done = hockney.ok("tune", *files, "--json", "--format", "openmpi-json", "--layouts")
    rules = done.json["rules"]
    assert {(r["nodes"], r["per_node"], r["algorithm"]) for r in rules} == {
        (1, 8, "binomial"),
        (8, 1, "chain"),
    }
    table = hockney("tune", *files, "--format", "openmpi-json", "--layouts=1x8", "-q").stdout
    assert "1x8" in table
    assert "chain" not in table


def test_without_layouts_the_same_ranks_twice_are_refused(
    hockney: RunHockney, written: Callable[..., str]
) -> None:
    files = [written("a", run_of(SINGLE, BINOMIAL)), written("b", run_of(ONE_EACH, CHAIN))]
    hockney.refused("tune", *files, because="is in two files")


@pytest.mark.parametrize("form", ["openmpi", "openmpi-json"])
def test_layouts_that_a_format_cannot_tell_apart_share_their_rules(
    hockney: RunHockney, written: Callable[..., str], form: str
) -> None:
    files = [written("a", run_of(TWO_NODES, BOTH)), written("b", run_of(FOUR_NODES, CHAIN))]
    done = hockney.ok("tune", *files, "--json", "--format", form, "--layouts")
    rules = done.json["rules"]
    assert [(r["algorithm"], r["conditions"]) for r in rules] == [("chain", 2)]
    assert "cannot tell 2x4 from 4x2" in done.stderr


def test_a_layout_that_was_not_measured_is_refused(
    hockney: RunHockney, written: Callable[..., str]
) -> None:
    file = written("a", run_of(SINGLE, BINOMIAL))
    done = hockney.refused("tune", file, "--layouts=2x4", because="2x4 was not measured")
    assert "these files have 1x8" in done.stderr
    assert hockney("tune", file, "--layouts=eight").status == 2
    with pytest.raises(UsageError, match="not NODESxRANKS_PER_NODE"):
        parse_layouts("0x4")


def test_a_layout_has_as_many_ranks_on_each_node() -> None:
    uneven = [Place(rank=0, host="a"), Place(rank=1, host="a"), Place(rank=2, host="b")]
    assert layout_of(uneven) is None
    assert layout_of(uneven[1:]) == NodeLayout(2, 1)
    assert layout_of([Place(rank=0)]) is None


def rule(layout: NodeLayout, number: int) -> Rule:
    settings = (("OMPI_MCA_coll_tuned_bcast_algorithm", str(number)),)
    return Rule(
        *("bcast", layout.ranks, 0, None, "x", settings),
        nodes=layout.nodes,
        per_node=layout.per_node,
    )


def test_distributions_of_open_mpi_6(tmp_path: Path) -> None:
    """The special ones first, because the first that fits applies; `any` was measured for none of
    them, and leaves them to the library."""
    text = openmpi.render_json([rule(TWO_NODES, 6), rule(SINGLE, 2)], None)[""]
    sections = json.loads(text)["collectives"]["bcast"]
    assert [(s["comm_rank_distribution"], s["rules"][0]["alg"]) for s in sections] == [
        ("single-node", 2),
        ("one-per-node", 0),
        ("any", 6),
    ]
    (tmp_path / "rules").write_text(text)
    held = format_named("openmpi-json").read(tmp_path / "rules")
    rules = [(rule.layout, rule.algorithm) for rule in held if not rule.is_own]
    assert rules == [("single-node", "2"), ("any", "6")]


def test_ranks_per_node_in_a_tree_of_intel() -> None:
    settings = (("I_MPI_ADJUST_BCAST", "3"),)
    rules = [Rule("bcast", 8, 0, None, "ring", settings, nodes=2, per_node=4)]
    tree = json.loads(format_named("intel-tree").render(rules, None)[""])
    assert list(tree["coll=Bcast"]) == ["ppn=3", "ppn=4", "ppn=-1"]
    assert list(tree["coll=Bcast"]["ppn=4"]) == ["comm_size=7", "comm_size=8", "comm_size=-1"]


def test_each_layout_has_its_own_rules_in_a_tree_of_intel(tmp_path: Path) -> None:
    rules = [
        Rule("bcast", 8, 0, None, "", (("I_MPI_ADJUST_BCAST", number),), nodes=nodes, per_node=each)
        for number, nodes, each in (("3", 2, 4), ("1", 8, 1))
    ]
    form = format_named("intel-tree")
    (tmp_path / "rules").write_text(form.render(rules, None)[""])
    held = form.read(tmp_path / "rules")
    chosen = {}
    for nodes, each in ((8, 1), (4, 2), (2, 4), (1, 8)):
        here = [rule for rule in held if rule.holds_on(nodes, each)]
        first = rule_for(here, "bcast", 8, 1024)
        chosen[each] = first.algorithm if first else None
    assert chosen == {1: "1", 2: "0", 4: "3", 8: "0"}


def test_a_robust_rule_holds_on_every_day(hockney: RunHockney, written: Callable[..., str]) -> None:
    files = [written("mon", run_of(SINGLE, BOTH)), written("fri", run_of(SINGLE, CHAIN))]
    [rule] = hockney.ok("tune", *files, "--robust", "--json", "--format", "openmpi").json["rules"]
    assert (rule["algorithm"], rule["conditions"]) == ("chain", 2)
    assert rule["times_faster"] == pytest.approx(10 / 5.5, rel=0.02), "by the worse day"


def test_a_robust_rule_holds_in_every_pattern_of_arrival(
    hockney: RunHockney, written: Callable[..., str]
) -> None:
    arrivals = {"none": {}, "ascending": {"binomial": 4.0}}
    file = written("a", run_of(SINGLE, BOTH, arrivals=arrivals))
    plain = hockney("tune", file, "--json").json["rules"]
    robust = hockney("tune", file, "--robust", "--json").json["rules"]
    assert [rule["algorithm"] for rule in plain] == ["binomial"]
    assert [rule["algorithm"] for rule in robust] == ["chain"]


def test_a_size_of_one_day_alone_gains_nothing(
    hockney: RunHockney, written: Callable[..., str]
) -> None:
    """It once made a rule that held on one day, and was said to hold on two."""
    monday = written("mon", run_of(SINGLE, BINOMIAL, sizes=(8, 64, 512)))
    friday = written("fri", run_of(SINGLE, BINOMIAL, sizes=(8, 64)))
    four = written("four", run_of(NodeLayout(1, 4), BINOMIAL))
    words = ("--robust", "--json", "--format", "openmpi")
    [rule] = hockney("tune", monday, friday, four, *words).json["rules"]
    assert (rule["ranks"], rule["from_bytes"], rule["to_bytes"]) == (8, 8, 64)
    assert rule["conditions"] == 2


def test_a_size_of_one_layout_alone_gains_nothing_where_layouts_share_rules(
    hockney: RunHockney, written: Callable[..., str]
) -> None:
    files = [
        written("a", run_of(TWO_NODES, BINOMIAL, sizes=(8, 64, 512))),
        written("b", run_of(FOUR_NODES, BINOMIAL, sizes=(8, 64))),
        written("c", run_of(NodeLayout(1, 4), BINOMIAL)),
    ]
    rules = hockney("tune", *files, "--json", "--format", "openmpi", "--layouts").json["rules"]
    assert [(rule["ranks"], rule["to_bytes"], rule["conditions"]) for rule in rules] == [
        (4, 64, 1),
        (8, 64, 2),
    ]


def test_a_run_counts_once(hockney: RunHockney, written: Callable[..., str]) -> None:
    file = written("monday", collective_run(lambda *_: 1e-5, algorithms={"default": {}}))
    hockney.refused("tune", file, file, "--robust", because="is the same run as")


def test_one_condition_is_nothing_to_be_robust_over(
    hockney: RunHockney, written: Callable[..., str]
) -> None:
    hockney.refused(
        "tune",
        written("a", run_of(SINGLE, BOTH)),
        "--robust",
        because="one pattern of arrival and one file",
    )


def test_a_rule_is_explained(hockney: RunHockney, written: Callable[..., str]) -> None:
    """The chain of eight ranks has 4 messages on its longest path (fan-out 4), the binomial tree 3
    of each size; the chain is as fast as the library's own decision."""
    seconds = {"default": 10e-6, "binomial": 5e-6, "chain": 10.01e-6}
    file = written("a", run_of(SINGLE, seconds))
    done = hockney.ok("tune", file, "--explain")
    assert "gain: 2.00 times as fast over 2 cells" in done.stdout
    assert "evidence: 6 launches or more" in done.stdout
    assert "reason: binomial with 3 messages" in done.stdout
    assert "the library's own decision is as fast as chain" in done.stdout
    answer = hockney("tune", file, "--explain", "--json").json
    assert answer["explained"][0]["costs"]["messages"] == 3


def test_what_formats_tell_layouts_apart_by() -> None:
    assert format_named("mpich").layout_key(2, 4) == format_named("mpich").layout_key(4, 4)
    held = format_named("openmpi-json").layout_key
    assert {held(1, 8), held(8, 1), held(2, 4)} == {"single-node", "one-per-node", "any"}
