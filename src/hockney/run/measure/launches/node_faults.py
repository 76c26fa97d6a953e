"""Finds what is wrong with nodes, by a shell on each: a fault that only some of them have is the
cause of a launch that fails or hangs."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hockney.base.errors import HockneyError
from hockney.base.units import format_size
from hockney.plan import Placement
from hockney.run.measure.launches.causes import LEAST_SHARED
from hockney.run.measure.launches.launch import NodeFinding
from hockney.run.measure.launches.nodes import NodesAnswer, ask_nodes, silences
from hockney.run.measure.machine.shared_memory import DIRECTORY
from hockney.run.mpis import Engine, Mpi

SLOW_NAME_S = 2
"""A name that takes longer to be resolved is slow: a resolver asks its next server after 5 s."""
MOST_NAMES = 8
"""Most names of other nodes that a node resolves, all at the same time."""
PORT = 22
"""The port of ssh: a node that is there accepts a connection, or refuses it at once."""
TIMED_OUT, NOT_FOUND = 124, 2
"""Exit statuses of timeout and getent."""
NODE_SCRIPT = r"""
host=$(uname -n)
say() {{ printf 'node\t%s\t%s\t%s\n' "$host" "$1" "$2"; }}
say here ''
if [ -x {engine} ]; then
    LD_LIBRARY_PATH={libraries} ldd {engine} 2>/dev/null | while read -r name _ not found _; do
        [ "$not $found" = 'not found' ] && say lacks "$name"
    done
else
    say lacks {engine}
fi
df -Pk {shared} 2>/dev/null | {{
    read -r _ && read -r _ _ _ free _ && say free "$free"
}}
for name in {names}; do
    (
        timeout {slow_s} getent hosts "$name" >/dev/null 2>&1
        case $? in
        0) case $(LC_ALL=C timeout {slow_s} bash -c "</dev/tcp/$name/{port} && echo open" 2>&1) in
            open | *refused*) say reaches "$name" ;;
            *'not found'*) ;;
            *) say misses "$name" ;;
            esac ;;
        {timed_out}) say slow "$name" ;;
        {not_found}) say unknown "$name" ;;
        esac
    ) &
done
wait
"""


@dataclass
class NodeFacts:
    """What a node reports."""

    name: str
    """The name that the node reports."""
    lacks: list[str] = field(default_factory=list)
    """Libraries of the engine that it does not find, or the engine itself."""
    free_bytes: int | None = None
    """Room for shared memory; None where it is not known."""
    slow: list[str] = field(default_factory=list)
    """Names of nodes that take long to be resolved."""
    unknown: list[str] = field(default_factory=list)
    """Names of nodes that it does not know."""
    reaches: list[str] = field(default_factory=list)
    """Nodes that answer it."""
    misses: list[str] = field(default_factory=list)
    """Nodes that do not."""


def node_script(engine: Engine, placement: Placement) -> str:
    libraries = engine.env.get("LD_LIBRARY_PATH", os.environ.get("LD_LIBRARY_PATH", ""))
    return NODE_SCRIPT.format(
        engine=shlex.quote(str(engine.path)),
        libraries=shlex.quote(libraries),
        shared=DIRECTORY,
        names=shlex.join(placement.hosts[: placement.node_count][:MOST_NAMES]),
        slow_s=SLOW_NAME_S,
        timed_out=TIMED_OUT,
        not_found=NOT_FOUND,
        port=PORT,
    )


def find_faults(
    mpi: Mpi, engine: Engine, placement: Placement, timeout_s: float
) -> list[NodeFinding]:
    """What is wrong with the nodes on which a launch failed; call it when the launch is gone."""
    try:
        script = node_script(engine, placement)
        answers = ask_nodes(mpi, placement, script, timeout_s + SLOW_NAME_S)
    except HockneyError:  # no node can be reached: the failure is reported all the same
        return []
    silent = [silence for silence in silences(answers) if silence.host is not None]
    return [*silent, *faults_of(nodes_in(answers))]


def nodes_in(answers: Sequence[NodesAnswer]) -> dict[str, NodeFacts]:
    """What nodes reported, by their names in the placement, else by their own."""
    nodes: dict[str, NodeFacts] = {}
    for answer in answers:
        for line in answer.stdout.splitlines():
            kind, name, what, value = [*line.split("\t"), "", "", "", ""][:4]
            if kind != "node":
                continue
            facts = nodes.setdefault(answer.host or name, NodeFacts(name))
            if what in ("lacks", "slow", "unknown", "reaches", "misses"):
                getattr(facts, what).append(value)
            elif what == "free" and value.isdigit():
                facts.free_bytes = int(value) * 1024
    return nodes


def faults_of(nodes: Mapping[str, NodeFacts]) -> list[NodeFinding]:
    """The faults that some nodes have and others have not; slow names also if all have them."""
    findings = []
    faults = {host: _faults(node) for host, node in nodes.items()}
    for kind in ("lacks", "full", "slow", "unknown"):
        words = {host: words[kind] for host, words in faults.items() if kind in words}
        if len(words) < len(nodes):
            findings += [NodeFinding(f"{host} {said}", host) for host, said in words.items()]
        elif kind == "slow" and words:
            host, said = next(iter(words.items()))
            others = ", as all others do" if len(nodes) > 1 else ""
            findings.append(NodeFinding(f"{host} {said}{others}"))
    return [*findings, *_apart(nodes)]


def _faults(node: NodeFacts) -> dict[str, str]:
    """What is wrong with a node, in words, by the kind of fault."""
    faults = {}
    if node.lacks:
        faults["lacks"] = f"lacks {', '.join(node.lacks)}"
    if node.free_bytes is not None and node.free_bytes < LEAST_SHARED:
        faults["full"] = f"has {format_size(node.free_bytes)} left in {DIRECTORY}"
    if node.slow:
        faults["slow"] = f"takes more than {SLOW_NAME_S} s to resolve the name {node.slow[0]}"
    if node.unknown:
        faults["unknown"] = f"does not know the name {node.unknown[0]}"
    return faults


def _apart(nodes: Mapping[str, NodeFacts]) -> list[NodeFinding]:
    """Pairs of nodes that do not reach each other, where others do; a node that reaches none."""
    every = [
        (frozenset((host, other)), other in node.reaches)
        for host, node in nodes.items()
        for other in (*node.reaches, *node.misses)
        if other in nodes and other != host
    ]
    missed = {pair for pair, is_reached in every if not is_reached}
    pairs = {pair for pair, _ in every} - missed
    if not missed or not pairs:
        return []
    alone = [
        host
        for host in nodes
        if sum(host in pair for pair in missed) >= 2 and not any(host in pair for pair in pairs)
    ]
    findings = [NodeFinding(f"{host} reaches no other node", host) for host in alone]
    rest = [pair for pair in missed if not any(host in pair for host in alone)]
    words = sorted(" and ".join(sorted(pair)) for pair in rest)
    return [*findings, *(NodeFinding(f"{pair} do not reach each other") for pair in words)]
