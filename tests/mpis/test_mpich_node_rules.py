"""MPICH's third file: how the ranks of a node communicate, judged from the memory that they
share."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from libraries import MPICHS
from rule_samples import mpich_rule

from hockney.base.errors import HockneyError
from hockney.plan import Placement, sizes_of
from hockney.plan.workloads.collective import Collective
from hockney.run.measure.studies.collective_study import Study, cases_of
from hockney.run.measure.toolchain.build import build_engine
from hockney.run.mpis import OWN_PARAMETERS, Engine, Mpi, Rule, mpich
from hockney.tuning.check import changing
from hockney.tuning.rule_files import held_in
from hockney.tuning.rules_trial import start, try_files, write_tried

FORM = mpich.FORMATS["mpich"]


OVER_SHARED_MEMORY = [param for param in MPICHS if param.values[0].launcher_version[0] != "4"]
"""Debian's MPICH 4 leaves messages within a node to UCX: its variables have no effect."""


@pytest.fixture(params=OVER_SHARED_MEMORY)
def a_mpich(request: pytest.FixtureRequest) -> Mpi:
    mpi: Mpi = request.param
    return mpi


@pytest.fixture
def engine(a_mpich: Mpi) -> Engine:
    return build_engine(a_mpich)


def node_rule(collective: str, from_: int, to: int | None, name: str, ranks: int = 2) -> Rule:
    variable = f"MPIR_CVAR_{collective.upper()}_POSIX_INTRA_ALGORITHM"
    return Rule(collective, ranks, from_, to, name, ((variable, name),))


def ways(mpi: Mpi, tmp_path: Path, env: dict[str, str], *sizes: int) -> list[str]:
    """How two ranks broadcast messages of these sizes."""
    program = tmp_path / "shared"
    if not program.exists():
        source = Path(__file__).parent / "shared.c"
        subprocess.run([mpi.mpicc, source, "-o", program], check=True)
    done = subprocess.run(
        [mpi.mpiexec, "-n", "2", program, *map(str, sizes)],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return [line.partition(": ")[2] for line in done.stdout.splitlines()]


@pytest.mark.long
def test_a_rule_changes_what_the_ranks_of_a_node_do(
    a_mpich: Mpi, engine: Engine, tmp_path: Path
) -> None:
    """A rule has an effect where it holds and nowhere else, also beside rules of the other
    files."""
    _, here = start(a_mpich, engine, {})
    assert here is not None
    rules = [
        node_rule("bcast", 1000, 5000, "mpir"),
        node_rule("bcast", 16384, 20000, "release_gather"),
        node_rule("allreduce", 0, 100, "mpir"),
        node_rule("barrier", 0, None, "mpir"),
        mpich_rule("bcast", 2, 30000, 40000, "binomial"),
    ]
    file, sizes = tmp_path / "rules", (8, 4096, 8192, 16384, 32768)
    assert ways(a_mpich, tmp_path, {}, *sizes) == ["shared"] * 5
    assert write_tried(FORM, rules, file, here, a_mpich, engine) is True
    env = FORM.environment(file)
    taken = ways(a_mpich, tmp_path, env, *sizes)
    assert taken == ["shared", "messages", "shared", "shared", "messages"]
    threads = {**env, "THREADS": "1"}
    assert ways(a_mpich, tmp_path, threads, 8) == ways(a_mpich, tmp_path, {"THREADS": "1"}, 8)

    write_tried(FORM, rules[-1:], file, here, a_mpich, engine)
    assert not file.with_name("rules.posix").exists(), "it would hold still"
    assert ways(a_mpich, tmp_path, FORM.environment(file), 4096) == ["shared"]


def test_the_library_reads_the_third_file(a_mpich: Mpi, engine: Engine) -> None:
    files = mpich.render([node_rule("bcast", 0, 8, "mpir", ranks=3)], engine)
    assert set(files) == {"", ".ch4", ".posix"}
    assert try_files(FORM, files, a_mpich, engine) is True
    spoiled = {**files, ".posix": mpich.with_fault(files)[".posix"]}
    with pytest.raises(HockneyError, match="does not start with these rules"):
        try_files(FORM, spoiled, a_mpich, engine)
    variable = "MPIR_CVAR_CH4_POSIX_COLL_SELECTION_TUNING_JSON_FILE"
    unread = SimpleNamespace(
        with_fault=FORM.with_fault,
        environment=lambda path: {k: v for k, v in FORM.environment(path).items() if k != variable},
    )
    with pytest.raises(HockneyError, match="ignores these rules"):
        try_files(unread, files, a_mpich, engine)


def test_a_check_tells_rules_of_a_node_from_what_the_library_does_anyway(
    a_mpich: Mpi, engine: Engine, tmp_path: Path
) -> None:
    rules = [
        node_rule("allreduce", 8, 4096, "mpir"),
        node_rule("bcast", 8, 4096, "release_gather"),
        mpich_rule("bcast", 2, 30000, 40000, "scatter_ring_allgather"),
    ]
    for suffix, text in mpich.render(rules, engine).items():
        (tmp_path / f"rules{suffix}").write_text(text)
    held, own = held_in(FORM, tmp_path / "rules", a_mpich, engine), FORM.own(engine)

    def rule_at(collective: str, size: int) -> tuple[str, str] | None:
        rule = changing(held, own, (collective, 2, size))
        return None if rule is None else (rule.algorithm, rule.suffix)

    assert rule_at("allreduce", 4) is rule_at("allreduce", 8192) is None
    assert rule_at("allreduce", 8) == rule_at("allreduce", 4096) == ("mpir", ".posix")
    assert rule_at("bcast", 8) is None, "release_gather is the library's own decision"
    assert rule_at("bcast", 32768) == ("scatter_ring_allgather", "")


@pytest.mark.parametrize("any_mpich", MPICHS)
def test_what_has_no_variable_or_one_without_effect_is_no_contender(any_mpich: Mpi) -> None:
    algorithms = mpich.discover(any_mpich, build_engine(any_mpich), ["bcast", "alltoall"])
    listed = OVER_SHARED_MEMORY and any_mpich in [param.values[0] for param in OVER_SHARED_MEMORY]
    assert {algorithm.collective for algorithm in algorithms if algorithm.on_one_node} == (
        {"bcast"} if listed else set()
    )


def test_its_algorithms_are_contenders_on_one_node(engine: Engine, a_mpich: Mpi) -> None:
    algorithms = mpich.discover(a_mpich, engine, ["bcast", "alltoall"])
    on_node = [algorithm for algorithm in algorithms if algorithm.on_one_node]
    assert {algorithm.collective for algorithm in on_node} == {"bcast"}, (
        "alltoall has no leaf in the tree"
    )
    assert {"mpir", "release_gather"} <= {algorithm.own_name for algorithm in on_node}
    [shared] = [algorithm for algorithm in on_node if algorithm.own_name == "release_gather"]
    forcing = mpich.forcing("bcast", shared, OWN_PARAMETERS)
    assert dict(forcing.env) == {"MPIR_CVAR_BCAST_POSIX_INTRA_ALGORITHM": "release_gather"}
    outcome, _ = start(a_mpich, engine, dict(forcing.env))
    assert outcome.exit_status == 0


def test_an_operation_of_the_user_and_other_ranks_are_left_to_the_library(engine: Engine) -> None:
    own = json.loads(mpich.render([node_rule("bcast", 0, 8, "mpir")], engine)[".posix"])
    rule = node_rule("allreduce", 0, 100, "mpir", ranks=4)
    tree = json.loads(mpich.render([rule], engine)[".posix"])
    key = "collective=allreduce"
    branches = tree[key]["comm_type=intra"]
    assert branches["comm_size<=3"] == branches["comm_size=any"] == own[key]["comm_type=intra"]
    assert (
        branches["comm_size<=4"]["avg_msg_size<=100"]["is_op_built_in=no"]
        == (own[key]["comm_type=intra"])
    )


def test_on_several_nodes_they_are_left_out(a_mpich: Mpi, engine: Engine) -> None:
    """There the ranks of the rule would be those of each node, and not the measured ones."""
    study = Study(
        **dict.fromkeys(("forms", "segments", "radices", "requests", "phases"), ()),
        named=["bcast"],
        algorithms=["default", "release_gather"],
        ranks=[4],
        workload=Collective(collective="bcast", sizes=sizes_of([8])),
    )
    here, _ = cases_of(study, Placement(oversubscribe=True), a_mpich, engine)
    assert len(here) == 2
    there, left_out = cases_of(study, Placement(hosts=("a", "b")), a_mpich, engine)
    assert [case.title for case in there] == ["bcast default, 4 ranks"]
    assert left_out == ["bcast release_gather, 4 ranks: it is for the ranks of one node"]
