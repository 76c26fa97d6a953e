"""What some nodes have and others have not is what makes a launch fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from hockney.plan import Placement
from hockney.run.measure.launches.launch import NodeFinding
from hockney.run.measure.launches.node_faults import NodeFacts, faults_of, nodes_in
from hockney.run.measure.launches.nodes import NodesAnswer, ask_nodes
from hockney.run.mpis import Mpi

GIB = 1 << 30


def node(**more: object) -> NodeFacts:
    return NodeFacts("a", **{"free_bytes": GIB, **more})  # type: ignore[arg-type]


ALONE: dict[str, tuple[NodeFacts, str]] = {
    "library": (node(lacks=["libmpi.so.12"]), "b lacks libmpi.so.12"),
    "shared memory": (node(free_bytes=1 << 20), "b has 1 MiB left in /dev/shm"),
    "slow names": (node(slow=["c"]), "b takes more than 2 s to resolve the name c"),
    "unknown name": (node(unknown=["c"]), "b does not know the name c"),
}


@pytest.mark.parametrize("name", ALONE)
def test_what_one_node_alone_has_is_its_fault(name: str) -> None:
    bad, words = ALONE[name]
    assert faults_of({"a": node(), "b": bad, "c": node()}) == [NodeFinding(words, "b")]


@pytest.mark.parametrize("name", [name for name in ALONE if name != "slow names"])
def test_what_all_nodes_have_is_not_said_of_one(name: str) -> None:
    bad, _ = ALONE[name]
    assert faults_of({"a": bad, "b": bad}) == []


def test_names_that_are_slow_everywhere_are_said_and_no_nodes_fault() -> None:
    slow = node(slow=["c"])
    assert faults_of({"a": slow, "b": slow}) == [
        NodeFinding("a takes more than 2 s to resolve the name c, as all others do")
    ]


def test_nodes_that_do_not_reach_each_other_are_a_pair() -> None:
    nodes = {
        "a": node(reaches=["b", "c"]),
        "b": node(reaches=["a"], misses=["c"]),
        "c": node(reaches=["a", "b"]),
    }
    assert faults_of(nodes) == [NodeFinding("b and c do not reach each other")]


def test_a_node_that_no_other_reaches_is_the_cause() -> None:
    nodes = {
        "a": node(reaches=["c"], misses=["b"]),
        "b": node(misses=["a", "c"]),
        "c": node(reaches=["a"], misses=["b"]),
    }
    assert faults_of(nodes) == [NodeFinding("b reaches no other node", "b")]


def test_nothing_is_said_where_no_node_reaches_another() -> None:
    """A firewall before all of them is none of the launch's business."""
    nodes = {"a": node(misses=["b", "c"]), "b": node(misses=["a", "c"]), "c": node(misses=["a"])}
    assert faults_of(nodes) == []


def test_what_nodes_say_is_read() -> None:
    lines = ["node\tA\there\t", "node\tA\tfree\t1024", "node\tA\tlacks\tx.so", "rank\tA\t1", "?"]
    answer = NodesAnswer(["ssh", "a", ":"], 0, "", "\n".join(lines), "a")
    assert nodes_in([answer]) == {"a": NodeFacts("A", ["x.so"], 1 << 20)}


@pytest.mark.long
def test_a_node_that_hangs_does_not_silence_those_asked_after_it(
    mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rsh = tmp_path / "rsh"
    rsh.write_text('#!/bin/sh\n[ "$1" = slow ] && sleep 60\necho here\n')
    rsh.chmod(0o755)
    monkeypatch.setenv("HYDRA_LAUNCHER_EXEC", str(rsh))
    monkeypatch.setenv("PRTE_MCA_plm_ssh_agent", str(rsh))
    monkeypatch.setenv("OMPI_MCA_plm_rsh_agent", str(rsh))
    placement = Placement(ranks=2, hosts=("slow", "other"))
    slow, other = ask_nodes(mpi, placement, ":", timeout_s=3.0)
    assert (slow.host, slow.status) == ("slow", None)
    assert (other.host, other.status, other.stdout) == ("other", 0, "here\n")
