"""Compares the nodes of an allocation: a shell on each reports what measurements depend on."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence

from hockney.base.errors import HockneyError
from hockney.plan import Placement
from hockney.run.measure.doctor.finding import DoctorFinding
from hockney.run.measure.launches.nodes import NodesAnswer, ask_nodes
from hockney.run.mpis import Mpi
from hockney.run.schedulers import allocation_here

TIMEOUT_S = 20.0
CPU = "/sys/devices/system/cpu"
LOAD = "load"
LEAST_MORE = 1.0
"""One busy CPU more than on the least busy node: smaller differences are momentary."""
FACTS = {
    "kernel": "uname -r",
    "CPU": "sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1",
    "microcode": "sed -n 's/^microcode[^:]*: //p' /proc/cpuinfo | head -n 1",
    "CPUs": f"cat {CPU}/online",
    "allowed CPUs": "nproc",
    "governor": f"cat {CPU}/cpu*/cpufreq/scaling_governor | sort -u",
    "hardware threads": f"cat {CPU}/smt/control",
    "clock source": "cat /sys/devices/system/clocksource/clocksource0/current_clocksource",
    "huge pages": "cat /sys/kernel/mm/transparent_hugepage/enabled",
    "NUMA balancing": "cat /proc/sys/kernel/numa_balancing",
    "memory": "awk '/^MemTotal/ {printf \"%.0f GiB\", $2 / 1048576}' /proc/meminfo",
    "shared memory": "df -Pk /dev/shm | awk 'NR == 2 {printf \"%.0f MiB\", $2 / 1024}'",
    "locked memory": "ulimit -l",
    "open files": "ulimit -n",
    "RDMA devices": "ls /sys/class/infiniband",
    LOAD: "cut -d ' ' -f 1 /proc/loadavg",
}
"""Shell commands, with tools that every Linux has."""
NOTHING = "unknown"
OfNodes = Mapping[str, Mapping[str, str]]
"""What each node reported, by the name of the fact."""


def compare_nodes(mpi: Mpi | None) -> list[DoctorFinding]:
    """What differs between the nodes of the allocation, then what is the same; empty outside of
    jobs and on one node."""
    nodes = allocation_here().nodes
    if mpi is None or nodes is None or nodes < 2:
        return []
    placement = Placement(ranks=nodes, nodes=nodes)
    try:
        answers = ask_nodes(mpi, placement, script(), TIMEOUT_S)
    except HockneyError as error:
        return [DoctorFinding("nodes", "bad", error.message, error.advice)]
    return [*_silent(answers, nodes), *compared(read(answers))]


def script() -> str:
    """Prints a line for each fact: node, name and value, with tabs between them."""
    lines = (
        f"printf '%s\\t%s\\t%s\\n' \"$n\" {shlex.quote(name)} "
        f"\"$({{ {command}; }} 2>/dev/null | tr '\\n\\t' '  ')\""
        for name, command in FACTS.items()
    )
    return "\n".join(["n=$(uname -n)", *lines])


def read(answers: Sequence[NodesAnswer]) -> OfNodes:
    """The facts of all answers; srun may label lines, and mixes those of the nodes."""
    facts: dict[str, dict[str, str]] = {}
    for line in "\n".join(answer.stdout for answer in answers).splitlines():
        node, *rest = line.split("\t")
        if len(rest) == 2 and rest[0] in FACTS:
            facts.setdefault(rest[0], {})[node.rpartition(" ")[2]] = rest[1].strip() or NOTHING
    return facts


def _silent(answers: Sequence[NodesAnswer], nodes: int) -> list[DoctorFinding]:
    """A finding if some nodes did not answer."""
    heard = {node for values in read(answers).values() for node in values}
    if len(heard) >= nodes:
        return []
    said = "; ".join(filter(None, (answer.stderr for answer in answers if answer.status != 0)))
    fact = f"{len(heard)} of {nodes} nodes of the allocation answered"
    return [
        DoctorFinding(
            "nodes", "bad", f"{fact}: {said}" if said else fact, "leave out those that do not"
        )
    ]


def _loads(values: Mapping[str, str]) -> dict[str, str]:
    """The loads of nodes, made equal where they differ by less than a CPU."""
    known = [float(value) for value in values.values() if value != NOTHING]
    most = min(known, default=0.0) + LEAST_MORE
    return {
        node: value if value == NOTHING or float(value) > most else f"up to {most:.1f}"
        for node, value in values.items()
    }


def compared(facts: OfNodes) -> list[DoctorFinding]:
    """A row for each fact in which nodes differ, and one for all others."""
    same, different = [], []
    for name, values in facts.items():
        values = _loads(values) if name == LOAD else values
        usual, count = Counter(values.values()).most_common(1)[0]
        others = {node: value for node, value in sorted(values.items()) if value != usual}
        if others:
            words = "; ".join(f"{node}: {value}" for node, value in others.items())
            different.append(
                DoctorFinding(
                    f"nodes: {name}",
                    "warn",
                    f"{words}; {count} of {len(values)} nodes: {usual}",
                    "results of such nodes differ: measure them apart, or make them alike",
                )
            )
        elif usual != NOTHING:
            same.append(f"{name}: {usual}")
    if not same:
        return different
    count = max(map(len, facts.values()))
    fact = "\n".join([f"the same on all {count}:", *same])
    return [*different, DoctorFinding("nodes", "ok", fact)]
