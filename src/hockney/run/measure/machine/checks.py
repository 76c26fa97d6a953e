"""Refuses plans that cannot be measured here, before anything is started."""

from __future__ import annotations

from pathlib import Path

from hockney.base.errors import UsageError
from hockney.base.units import format_seconds, how_many
from hockney.plan import Case, Plan
from hockney.plan.accepts import check_accepted
from hockney.plan.bounds import check_count
from hockney.plan.sampling import Sampling
from hockney.plan.workloads import Workload
from hockney.plan.workloads.collective import Collective
from hockney.plan.workloads.congestion import Congestion
from hockney.plan.workloads.fabric import Fabric
from hockney.plan.workloads.pingpong import Messages, Pingpong
from hockney.run.measure.machine.capacity import (
    check_memory,
    check_number,
    check_simulated_number,
    check_slots,
    nodes,
)
from hockney.run.measure.machine.placements import (
    check_cpus,
    check_launcher,
    check_nodes,
    check_place,
    check_place_node,
    check_simulated,
    refuse_simulated,
)
from hockney.run.measure.machine.platforms import parse_shape
from hockney.run.schedulers import allocation_here

LEAST_NODES = 2
"""Fewest nodes of a run that may go on without others."""
SILENT_REPETITIONS = 10
"""Least repetitions of a skewed collective between two records of the engine."""


def check_plan(plan: Plan) -> None:
    """Raises UsageError if the plan cannot be measured on this machine."""
    _check_sampling(plan)
    if plan.comparison is not None and isinstance(plan.first.workload, Fabric):
        raise UsageError(
            "--vary: a pass over all pairs has no variants", "measure each by itself, and compare"
        )
    _check_without_bad_nodes(plan)
    for case in plan.cases:
        check_case(case)
        _check_skew(case.workload, plan.sampling)
        _check_bursts(case.workload, plan.sampling)


def _check_without_bad_nodes(plan: Plan) -> None:
    placement = plan.first.placement
    if not placement.without_bad_nodes:
        return
    if plan.comparison is not None:
        raise UsageError(
            "--without-bad-nodes: variants are compared on the same nodes",
            "leave out --vary, or the nodes that are known to be bad",
        )
    hosts = placement.hosts
    if not hosts and not placement.platform:
        hosts = allocation_here(placement.launcher).hosts
    if len(hosts) < LEAST_NODES:
        raise UsageError(
            "--without-bad-nodes: fewer than two nodes are known by name, so none can be left out",
            "name them with --hosts, or ask inside an allocation",
        )


def check_case(case: Case) -> None:
    """Raises UsageError if this case cannot be measured on this machine."""
    workload, placement = case.workload, case.placement
    if placement.ranks < 2:
        raise UsageError(
            f"{workload.experiment} needs at least two ranks, not {placement.ranks}",
            "use -n 2 or more",
        )
    check_accepted(workload)
    workload.check(placement.ranks)
    workload.check_memory(placement.platform is not None)
    check_simulated(placement)
    check_launcher(placement)
    check_nodes(placement)
    check_place_node(placement)
    if placement.platform is not None:
        _check_platform(case)
        return
    if placement.node_count is None:  # else the node of a batch job may have other CPUs
        check_number(placement)
    check_count(-(-placement.ranks // (placement.node_count or nodes())), "ranks per node")
    if placement.node_count is not None:
        return  # only the engine sees the nodes; this host may not be among them
    check_slots(placement, workload.threads_of_rank)
    check_memory(case)
    check_place(placement.place)
    if placement.cpus:
        check_cpus(placement.cpus, placement.ranks)


def _check_sampling(plan: Plan) -> None:
    over_s, budget_s = plan.sampling.over_s, plan.sampling.budget_s
    if over_s is None:
        return
    workload = plan.first.workload
    if isinstance(workload, Pingpong) and workload.refine:
        raise UsageError(
            "--refine decides after each launch what to measure next, and --over spreads launches "
            "that are known before",
            "use only one of them",
        )
    if plan.first.placement.platform is not None:
        raise UsageError("--over: a simulated machine does not drift")
    if over_s < budget_s:
        raise UsageError(
            f"--over {format_seconds(over_s)} is shorter than the launches themselves "
            f"({format_seconds(budget_s)})",
            "spread them over a longer time, or shorten them with --budget",
        )


def _check_skew(workload: Workload, sampling: Sampling) -> None:
    """Refuses long visits of several repetitions, in which a launch writes nothing."""
    arrivals = workload.arrivals if isinstance(workload, Collective) else None
    skew_s = arrivals.skew.seconds if arrivals else None
    if skew_s is not None and skew_s * SILENT_REPETITIONS > sampling.timeout_s:
        raise UsageError(
            f"--skew {format_seconds(skew_s)}: a launch would be silent for {SILENT_REPETITIONS} "
            f"times as long, and is ended after {format_seconds(sampling.timeout_s)}",
            "choose a shorter skew, or a longer --timeout",
        )


def _check_bursts(workload: Workload, sampling: Sampling) -> None:
    """Refuses long rounds of several periods of each burst, in which a launch writes nothing."""
    period_s = workload.longest_period_s if isinstance(workload, Congestion) else 0.0
    if period_s * SILENT_REPETITIONS > sampling.timeout_s:
        raise UsageError(
            f"--burst: a launch would be silent for {SILENT_REPETITIONS} times "
            f"{format_seconds(period_s)}, and is ended after {format_seconds(sampling.timeout_s)}",
            "choose shorter bursts and gaps, or a longer --timeout",
        )


def _check_platform(case: Case) -> None:
    workload, placement = case.workload, case.placement
    assert placement.platform is not None
    shape = parse_shape(placement.platform)
    if shape is None and not Path(placement.platform).is_file():
        raise UsageError(f"--platform {placement.platform}: no such file")
    if shape is not None and placement.ranks > shape.nodes * (placement.ranks_per_node or 1):
        raise UsageError(
            f"--platform {placement.platform} has {how_many(shape.nodes, 'node')}, -n asks for "
            f"{placement.ranks} ranks",
            "ask for more nodes, or set --ranks-per-node",
        )
    check_simulated_number(placement.ranks)
    refuse_simulated(
        {
            "--floor": isinstance(workload, Pingpong) and workload.floor,
            "--threads": isinstance(workload, (Messages, Collective)) and workload.threads,
            "--mode partitioned": isinstance(workload, Messages) and workload.parts,
        }
    )
