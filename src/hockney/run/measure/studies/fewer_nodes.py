"""Plans a run that goes on without bad nodes: the same workloads, with fewer ranks."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable

from msgspec.structs import replace

from hockney.base.errors import HockneyError, UsageError
from hockney.plan import Case, Placement, Plan
from hockney.plan.workloads.collective import DEFAULT, Collective
from hockney.plan.workloads.fabric import Fabric
from hockney.plan.workloads.pairs import Pairs
from hockney.plan.workloads.rma import Rma
from hockney.records import LeftOutNode
from hockney.run.measure.machine.checks import LEAST_NODES, check_case
from hockney.run.schedulers import SCHEDULERS, find_allocation

ASK_AGAIN = "repair it, or name the other nodes with --hosts"


def without_nodes(plan: Plan, left_out: Iterable[LeftOutNode]) -> Plan:
    """The plan without these nodes. Raises HockneyError where the others cannot measure it."""
    nodes = {node.host: node.why for node in left_out}
    if not nodes:
        return plan
    cases: dict[tuple[object, ...], Case] = {}
    try:
        for case in plan.cases:
            fewer = _without(case, nodes)
            cases.setdefault((fewer.workload, repr(fewer.placement), fewer.variant), fewer)
    except HockneyError as error:
        reasons = "; ".join(nodes.values())
        raise HockneyError(
            f"{reasons}; nothing is measured without {', '.join(nodes)}: {error.message}", ASK_AGAIN
        ) from error
    return replace(plan, cases=tuple(cases.values()))


def _without(case: Case, nodes: Collection[str]) -> Case:
    before = case.placement
    placement = _placed(before, nodes)
    fewer = replace(case, placement=placement)
    if placement.ranks != before.ranks:
        _check_of_any_ranks(case, placement.ranks)
        if case.title is not None:
            title = case.title.replace(f"{before.ranks} ranks", f"{placement.ranks} ranks")
            fewer = replace(fewer, title=title)
    check_case(fewer)
    return fewer


def _placed(placement: Placement, nodes: Collection[str]) -> Placement:
    """The placement on the other nodes, with as many ranks on each as before."""
    hosts, launcher = placement.hosts, placement.launcher
    allocated = None if hosts else find_allocation(launcher)
    if allocated is not None:
        scheduler, allocation = allocated
        hosts = allocation.hosts
        starts = SCHEDULERS.find(scheduler).launcher() is not None
        launcher = launcher or (scheduler if starts else None)
    left = tuple(host for host in hosts if not any(_is_same(host, node) for node in nodes))
    if len(left) < LEAST_NODES:
        raise UsageError(f"{', '.join(left) or 'no node'} is left, and it needs {LEAST_NODES}")
    node_count = placement.node_count or len(hosts)
    each = placement.ranks_per_node or math.ceil(placement.ranks / node_count)
    now = min(node_count, len(left))
    return replace(
        placement,
        hosts=left,
        launcher=launcher,
        nodes=None if placement.nodes is None and now == len(left) else now,
        ranks=min(placement.ranks, each * now),
    )


def _is_same(host: str, other: str) -> bool:
    """Whether two names are of one host, also if only one has a domain."""
    return host == other or (
        host.partition(".")[0] == other.partition(".")[0] and ("." in host) != ("." in other)
    )


def _check_of_any_ranks(case: Case, ranks: int) -> None:
    """Raises UsageError for workloads that were planned for their number of ranks."""
    workload = case.workload
    planned = None
    if isinstance(workload, Collective) and (workload.algorithm != DEFAULT or workload.phases):
        planned = "its algorithms"
    elif isinstance(workload, Collective) and workload.arrivals is not None:
        planned = "its arrivals"
    elif isinstance(workload, Pairs) or (isinstance(workload, Rma) and workload.pairing):
        planned = "its pairs"
    elif isinstance(workload, Fabric) and workload.switch_numbers:
        planned = "its switches"
    if planned is not None:
        raise UsageError(f"{planned} were chosen for {case.placement.ranks} ranks, not {ranks}")
