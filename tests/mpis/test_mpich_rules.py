"""Selection trees for MPICH: the rules in front, the library's own decisions behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from libraries import MPICHS
from rule_samples import SIZES, mpich_rule, ranges

from hockney.base.errors import HockneyError
from hockney.run.measure.toolchain.build import build_engine
from hockney.run.mpis import Engine, Rule, mpich

COLLECTIVES = ("bcast", "allreduce", "reduce", "allgather", "alltoall", "scatter", "barrier")
RANKS = range(1, 15)


@pytest.fixture(params=MPICHS)
def mpich_engine(request: pytest.FixtureRequest) -> Engine:
    return build_engine(request.param)


def decide(tree: dict[str, Any], collective: str, ranks: int, size: int, **facts: str) -> str:
    """The decision as csel.c makes it: down the first condition that holds; there is no way
    back."""

    def holds(key: str) -> bool:
        name, _, value = key.partition("=")
        if key == f"collective={collective}" or key == "comm_type=intra" or value == "any":
            return True
        if name in facts:
            return facts[name] == value
        if key == "comm_size=pow2":
            return not ranks & (ranks - 1)
        for kind, measured in (
            ("comm_size", ranks),
            ("avg_msg_size", size),
            ("total_msg_size", size * ranks),
        ):
            if key.startswith(f"{kind}<="):
                return measured <= int(key.partition("<=")[2])
            if key.startswith(f"{kind}<"):
                return measured < int(key.partition("<")[2])
        if key == "count<pow2":
            return size // 4 < 1 << (ranks.bit_length() - 1)
        return False

    while True:
        first = next(iter(tree))
        if first.startswith(("algorithm=", "composition=")):
            return first
        tree = next(below for key, below in tree.items() if holds(key))


FACTS = {
    "comm_hierarchy": "parent",
    "is_op_built_in": "yes",
    "is_commutative": "yes",
    "is_sendbuf_inplace": "no",
    "is_node_consecutive": "yes",
    "comm_size": "node_comm_size",
}


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_the_rules_hold_where_they_should_and_nowhere_else(
    mpich_engine: Engine, data: st.DataObject
) -> None:
    rules = [mpich_rule(*range_, name="chosen") for range_ in data.draw(ranges(COLLECTIVES))]
    files = mpich.render(rules, mpich_engine)
    trees = {suffix: json.loads(text) for suffix, text in files.items()}
    own = {suffix: json.loads(text) for suffix, text in mpich.render([], mpich_engine).items()}
    for collective in COLLECTIVES:
        for ranks in RANKS:
            for size in SIZES:
                ruled = any(holds(rule, collective, ranks, size) for rule in rules)
                cell = (collective, ranks, size)
                algorithm = decide(trees[""], *cell, **FACTS)
                device = decide(trees[".ch4"], *cell, **FACTS)
                if ruled:
                    assert algorithm == f"algorithm=MPIR_{collective.capitalize()}_intra_chosen"
                    flat = decide(
                        own[".ch4"], *cell, **{**FACTS, "comm_hierarchy": "flat", "comm_size": ""}
                    )
                    assert device == flat
                else:
                    assert algorithm == decide(own[""], *cell, **FACTS)
                    assert device == decide(own[".ch4"], *cell, **FACTS)


def holds(rule: Rule, collective: str, ranks: int, size: int) -> bool:
    within = rule.from_bytes <= size and (rule.to_bytes is None or size <= rule.to_bytes)
    return (rule.collective, rule.ranks) == (collective, ranks) and within


def test_an_operation_of_the_user_is_left_to_the_library(mpich_engine: Engine) -> None:
    rule = mpich_rule("allreduce", 4, 0, 1 << 20, "reduce_scatter_allgather")
    tree = json.loads(mpich.render([rule], mpich_engine)[""])
    ours = "algorithm=MPIR_Allreduce_intra_reduce_scatter_allgather"
    own = "algorithm=MPIR_Allreduce_intra_recursive_doubling"
    assert decide(tree, "allreduce", 4, 4096, **FACTS) == ours
    assert decide(tree, "allreduce", 4, 4096, **{**FACTS, "is_op_built_in": "no"}) == own
    assert decide(tree, "allreduce", 4, 8, **FACTS) == own, "fewer elements than ranks"


def test_what_an_algorithm_must_be_told_is_told(mpich_engine: Engine) -> None:
    rule = mpich_rule("bcast", 4, 0, 8, "pipelined_tree")
    more = ("MPIR_CVAR_BCAST_TREE_PIPELINE_CHUNK_SIZE", "4096")
    rule = Rule(*(rule.collective, 4, 0, 8, "pipelined_tree"), (*rule.settings, more))
    text = mpich.render([rule], mpich_engine)[""]
    assert '"chunk_size=4096": {}' in text
    assert '"tree_type=kary": {}' in text


@pytest.mark.parametrize(
    ("rule", "complaint"),
    [
        (Rule("bcast", 4, 0, 8, "binomial", ()), "do not record MPIR_CVAR_BCAST_INTRA_ALGORITHM"),
        (mpich_rule("bcast", 4, 0, 1 << 31, "binomial"), "up to 2147483647 B only"),
        (mpich_rule("nonesuch", 4, 0, 8, "binomial"), "no selection tree for nonesuch"),
    ],
)
def test_what_cannot_be_written_is_told(mpich_engine: Engine, rule: Rule, complaint: str) -> None:
    with pytest.raises(HockneyError, match=complaint):
        mpich.render([rule], mpich_engine)


def test_a_rule_with_a_layout_holds_for_its_ranks_per_node_alone(mpich_engine: Engine) -> None:
    rule = mpich_rule("bcast", 8, 0, 1 << 20, "chosen")
    rule = Rule(*("bcast", 8, 0, 1 << 20, "chosen", rule.settings), nodes=2, per_node=4)
    tree = json.loads(mpich.render([rule], mpich_engine)[""])
    branch = tree["collective=bcast"]["comm_type=intra"]["comm_size<=8"]
    assert list(branch) == ["comm_avg_ppn<=3", "comm_avg_ppn<=4", "comm_size=any"]
    assert "chosen" in json.dumps(branch["comm_avg_ppn<=4"]["avg_msg_size<=1048576"])
    assert "chosen" not in json.dumps([branch["comm_avg_ppn<=3"], branch["comm_size=any"]])


def test_an_algorithm_that_needs_no_element_for_each_rank_also_holds_below() -> None:
    rule = mpich_rule("allreduce", 4, 0, 1 << 20, "k_reduce_scatter_allgather")
    own: dict[str, Any] = {"algorithm=own": {}}
    guarded = mpich._guarded(rule, own, lambda *_: {"algorithm=chosen": {}})
    assert guarded["is_op_built_in=yes"] == {"algorithm=chosen": {}}


def test_without_ldd_it_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "engine").touch()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HockneyError, match="put ldd on PATH"):
        mpich.render([], Engine(tmp_path / "engine"))
