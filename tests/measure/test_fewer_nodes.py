"""Runs that go on without a node (--without-bad-nodes)."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from conftest import TEST_TIMEOUT_S, RunHockney
from hockney import records
from hockney.base.errors import HockneyError
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.warnings import WithoutNodes
from hockney.plan import Case, Placement, Plan, Sampling, single, sizes_of
from hockney.plan.workloads.collective import Collective
from hockney.plan.workloads.halo import Halo
from hockney.records import LeftOutNode
from hockney.run.measure.studies import fewer_nodes
from hockney.run.measure.studies.fewer_nodes import without_nodes
from hockney.run.mpis import Engine, Mpi
from hockney.run.schedulers import Allocation
from hockney.show.experiments import answer_of
from samples import make_run
from virtual_hosts import virtual_hosts, why_not

BAD = LeftOutNode(host="b", why="b does not answer")
ASKED = Placement(ranks=6, hosts=("a", "b", "c"), without_bad_nodes=True)
BARRIER = Collective(collective="allreduce", sizes=sizes_of([8]))


def plan_on(placement: Placement, workload: object = BARRIER) -> Plan:
    return single(workload, placement, Sampling())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("placement", "hosts", "ranks"),
    [
        (ASKED, ("a", "c"), 4),
        (replace(ASKED, ranks_per_node=2), ("a", "c"), 4),
        (replace(ASKED, ranks=5), ("a", "c"), 4),
        (replace(ASKED, hosts=("a", "b.cluster", "c")), ("a", "c"), 4),
        (replace(ASKED, nodes=2, ranks=2), ("a", "c"), 2),
    ],
    ids=["each", "per node", "uneven", "domain", "one to spare"],
)
def test_the_other_nodes_keep_their_ranks(
    placement: Placement, hosts: tuple[str, ...], ranks: int
) -> None:
    fewer = without_nodes(plan_on(placement), [BAD]).first.placement
    assert (fewer.hosts, fewer.ranks) == (hosts, ranks)


def test_in_an_allocation_its_launcher_gets_the_other_nodes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    allocation = Allocation(3, 6, ("a", "b", "c"))
    monkeypatch.setattr(fewer_nodes, "find_allocation", lambda _: ("slurm", allocation))
    placement = Placement(ranks=6, nodes=3, ranks_per_node=2, without_bad_nodes=True)
    fewer = without_nodes(plan_on(placement), [BAD]).first.placement
    assert (fewer.hosts, fewer.nodes, fewer.ranks) == (("a", "c"), 2, 4)
    assert fewer.launcher == "slurm"


def test_titles_have_the_ranks_that_are_measured_and_cases_are_not_repeated() -> None:
    cases = [
        Case(
            workload=BARRIER,
            placement=replace(ASKED, ranks=ranks),
            title=f"allreduce default, {ranks} ranks",
        )
        for ranks in (3, 6)
    ]
    fewer = without_nodes(Plan(cases=tuple(cases), sampling=Sampling()), [BAD])
    assert [case.title for case in fewer.cases] == [
        "allreduce default, 2 ranks",
        "allreduce default, 4 ranks",
    ]


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        (plan_on(replace(ASKED, hosts=("a", "b"), ranks=2)), "a is left, and it needs 2"),
        (plan_on(ASKED, replace(BARRIER, algorithm="ring")), "its algorithms were chosen for 6"),
        (plan_on(ASKED, Halo(sizes=sizes_of([8]), grid=(3, 2))), "grid"),
    ],
    ids=["two nodes", "algorithm", "grid"],
)
def test_what_fewer_ranks_cannot_answer_is_refused(plan: Plan, says: str) -> None:
    with pytest.raises(HockneyError) as caught:
        without_nodes(plan, [BAD])
    assert "b does not answer; nothing is measured without b: " in caught.value.message
    assert says in caught.value.message


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "fewer than two nodes are known by name"),
        (("--hosts", "a,b", "--vary", "place=core,none"), "compared on the same nodes"),
    ],
)
def test_what_cannot_go_on_without_a_node_is_refused(
    hockney: RunHockney, words: tuple[str, ...], says: str
) -> None:
    hockney.refused("pingpong", "--without-bad-nodes", *words, because=says)


def test_launches_with_a_node_that_was_left_out_are_not_counted() -> None:
    run = make_run(lambda launch, *_: [1.0 + launch], launches=5, sizes=[8])
    for launch in run.launches[2:]:
        launch.left_out = [BAD]
    analysis = Analysis(run)
    assert [launch.launch for launch in analysis.run.launches] == [2, 3, 4]
    (point,) = analysis.estimates.own()
    assert point.launches == 3
    assert answer_of(analysis)[0] == "measured without b"
    warning = next(warning for warning in analysis.warnings if isinstance(warning, WithoutNodes))
    assert warning.text == (
        "measured without b (b does not answer); 2 launches made with it are not counted"
    )


def test_a_last_launch_without_a_sample_hides_nothing() -> None:
    run = make_run(lambda *_: [1.0], launches=2, sizes=[8])
    run.launches.append(replace(run.launches[-1], launch=2, left_out=[BAD]))
    assert {sample.launch for sample in Analysis(run).run.samples} == {0, 1}
    assert run.left_out == []


@pytest.mark.long
def test_a_run_goes_on_without_a_node_whose_rank_is_stopped(
    mpi: Mpi,
    engine: Engine,  # noqa: ARG001
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if (reason := why_not()) is not None:
        pytest.skip(reason)
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "run.jsonl"
    words = ("collective", "allreduce", "-n", "3", "--hosts", "n1,n2,n3", "--without-bad-nodes")
    limits = ("--sizes", "8", "--launches", "3", "--timeout", "15s", "--oversubscribe", "-q")
    with virtual_hosts() as hosts:
        process = hosts.start(
            *(sys.executable, "-m", "hockney", *words, *limits, "-o", str(path)),
            MPICC=str(mpi.mpicc),
        )
        while process.poll() is None and not (
            path.exists() and b'"kind":"launch"' in path.read_bytes()
        ):
            time.sleep(0.02)
        os.kill(hosts.engines("n2")[0], signal.SIGSTOP)
        stdout, stderr = process.communicate(timeout=TEST_TIMEOUT_S)
    assert process.returncode == 0, stderr
    assert "hockney: goes on without n2: rank 1 (n2, process " in stderr
    assert "measured without n2\n" in stdout
    run = records.read(path)
    assert [node.host for node in run.left_out] == ["n2"]
    last = run.launches[-1]
    assert [place.host for place in last.places] == ["n1", "n3"]
    assert run.left_out[0].launch == run.ends[0].launch
