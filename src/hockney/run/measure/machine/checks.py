"""Refuses plans that cannot be measured here, before anything is started."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from hockney.base.allowed import allowed_count, allowed_set
from hockney.base.errors import UsageError
from hockney.base.units import (
    format_estimated_size,
    format_seconds,
    format_size,
    how_many,
    number_ranges,
)
from hockney.plan import Case, Placement, Plan
from hockney.plan.accepts import check_accepted
from hockney.plan.bounds import check_count
from hockney.plan.sampling import Sampling
from hockney.plan.workloads import Workload
from hockney.plan.workloads.collective import Collective
from hockney.plan.workloads.congestion import Congestion
from hockney.plan.workloads.fabric import Fabric
from hockney.plan.workloads.pingpong import Messages, Pingpong
from hockney.run.measure.machine.cgroups import memory_left
from hockney.run.measure.machine.environment import text_of
from hockney.run.measure.machine.platforms import parse_shape
from hockney.run.schedulers import (
    MPIEXEC,
    Allocation,
    allocation_here,
    find_allocation,
    find_requested,
    slurm,
)

LEAST_NODES = 2
"""Fewest nodes of a run that may go on without others."""
PLACE_WORDS = {"socket": "socket", "numa": "NUMA domain"}
SILENT_REPETITIONS = 10
"""Least repetitions of a skewed collective between two records of the engine."""
MOST_RANKS_A_CPU, LEAST_RANKS_A_NODE = 16, 128
"""Most ranks on one machine: per CPU, or in all where that is more. With more, starting never
ends."""
MAPPINGS = Path("/proc/sys/vm/max_map_count")
"""Linux's file with the most memory mappings of a process: 65,530 unless it was raised."""
MAPPINGS_A_RANK, OTHER_MAPPINGS = 2, 3000
"""Memory mappings of a simulating process: for each rank (its stack and the guard), and for
libraries and shared buffers."""
HOST_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]*")
"""A name that no program mistakes for an option."""


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
    _check_launcher(placement)
    check_nodes(placement)
    _check_place_node(placement)
    if placement.platform is not None:
        _check_platform(case)
        return
    _check_number(placement)
    if placement.node_count is not None:
        return  # only the engine sees the nodes; this host may not be among them
    check_slots(placement, workload.threads_of_rank)
    check_memory(case)
    _check_place(placement.place)
    if placement.cpus:
        _check_cpus(placement.cpus, placement.ranks)


def _check_number(placement: Placement) -> None:
    """Refuses too many ranks for one node."""
    if placement.node_count is None:  # else the node of a batch job may have other CPUs
        _check_machine(placement)
    check_count(-(-placement.ranks // (placement.node_count or nodes())), "ranks per node")


def _check_machine(placement: Placement) -> None:
    """Refuses too many ranks for this machine, where it is the only one: each is a process with
    tens of MiB, and they share its CPUs."""
    most = max(MOST_RANKS_A_CPU * allowed_count(), LEAST_RANKS_A_NODE)
    if placement.ranks > most and (placement.node_count or nodes()) == 1:
        raise UsageError(
            f"-n {placement.ranks}: at most {most} ranks are started on this machine, which has "
            f"{how_many(allowed_count(), 'CPU')}",
            "ask for fewer, for more nodes, or simulate them with --platform",
        )


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


def _check_launcher(placement: Placement) -> None:
    """Refuses two launchers, and a template that cannot start the ranks."""
    if placement.launch is not None and placement.launcher:
        raise UsageError(
            f"--launch and --launcher {placement.launcher} both say what starts the ranks",
            "use only one of them",
        )
    if placement.launch is not None and placement.platform:
        raise UsageError("--launch: simulations have a launcher of their own", "leave it out")
    find_requested(placement)


def check_nodes(placement: Placement) -> None:
    """Refuses hosts, nodes and ranks that contradict each other."""
    for host in placement.hosts:
        if not HOST_NAME.fullmatch(host):
            raise UsageError(f"--hosts: {host!r} is not a host name", "write --hosts a,b")
    nodes, ranks = placement.node_count, placement.ranks
    if placement.hosts and nodes and nodes > len(placement.hosts):
        raise UsageError(
            f"--nodes {nodes}: --hosts names only {len(placement.hosts)}", "name more hosts"
        )
    if nodes is None and placement.ranks_per_node and placement.platform is None:
        raise UsageError(
            "--ranks-per-node: the number of nodes is not given", "give it with --nodes or --hosts"
        )
    if nodes is None:
        return
    if nodes > ranks or (placement.ranks_per_node and nodes * placement.ranks_per_node != ranks):
        each = f" with {placement.ranks_per_node} each" if placement.ranks_per_node else ""
        raise UsageError(
            f"{ranks} ranks do not fill {how_many(nodes, 'node')}{each}",
            "leave out one of -n, --nodes and --ranks-per-node",
        )


def _check_place_node(placement: Placement) -> None:
    if placement.place != "node" or placement.platform:
        return
    outside = Allocation(nodes=1)
    if (placement.node_count or allocation_here(placement.launcher, outside).nodes) == 1:
        raise UsageError(
            "--place node: only one node is available, so ranks cannot be on different nodes",
            "name --hosts, or ask for --nodes",
        )


def check_allocation(placement: Placement) -> None:
    """The job in which this process runs must have the nodes and CPUs that the plan needs. Not for
    batch jobs, which get an allocation of their own."""
    if not placement.platform:
        _check_machine(placement)
    if placement.platform or placement.hosts or find_requested(placement):
        return
    allocated = find_allocation(placement.launcher)
    if allocated is None:
        _check_one_node(placement)
        return
    name, has = allocated
    # mpiexec may oversubscribe CPUs.
    cpus = None if placement.launcher == MPIEXEC else has.cpus
    for needed, there, what, option in (
        (placement.node_count, has.nodes, "node", "--nodes"),
        (placement.ranks, cpus, "CPU", "-n"),
    ):
        if needed is not None and there is not None and needed > there:
            raise UsageError(
                f"this allocation ({name}) has {how_many(there, what)}, {option} {needed} asks for "
                "more",
                f"ask for less, or for an allocation of {how_many(needed, what)}",
            )


def _check_one_node(placement: Placement) -> None:
    """Refuses several nodes that neither an allocation nor --hosts names."""
    if (placement.nodes or 1) > 1 and placement.launcher in (None, MPIEXEC):
        left = slurm.left_over()
        raise UsageError(
            f"--nodes {placement.nodes}: "
            + (left or "no hosts are named, and this is no job of a scheduler"),
            "name --hosts, ask for an allocation, or say with --launch what starts the ranks",
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
    most = _most_simulated()
    if most is not None and placement.ranks > most:
        raise UsageError(
            f"-n {placement.ranks}: at most {most} ranks are simulated on this machine, which "
            f"allows a process {text_of(MAPPINGS)} pieces of memory",
            "ask for fewer, or raise vm.max_map_count (sysctl)",
        )
    here = (
        ("--floor", isinstance(workload, Pingpong) and workload.floor),
        ("--threads", isinstance(workload, (Messages, Collective)) and workload.threads),
        ("--mode partitioned", isinstance(workload, Messages) and workload.parts),
    )
    _refuse_simulated(here)


def check_simulated(placement: Placement) -> None:
    """Refuses options of this machine where one is simulated, and the other way round."""
    if placement.platform is None:
        if placement.cfg:
            raise UsageError(
                "--cfg is a setting of the simulator, and nothing is simulated",
                "leave it out, or add --platform",
            )
        return
    _refuse_simulated(
        (
            ("--cpus", placement.cpus),
            ("--hosts", placement.hosts),
            ("--nodes", placement.nodes),
            ("--broadcast", placement.broadcast),
        )
    )


def _refuse_simulated(options: Iterable[tuple[str, object]]) -> None:
    for flag, given in options:
        if given:
            raise UsageError(f"{flag} applies to this machine, but --platform simulates one")


def _most_simulated() -> int | None:
    """The most ranks for whose stacks one process gets memory; None where that is unknown."""
    allowed = text_of(MAPPINGS)
    if allowed is None or not allowed.isdigit():
        return None
    return max((int(allowed) - OTHER_MAPPINGS) // MAPPINGS_A_RANK, 2)


def nodes() -> int:
    """Number of nodes of the job in which this process runs; 1 outside of jobs."""
    return allocation_here().nodes or 1


def allowed_cpus() -> int:
    """Number of CPUs that ranks may use, assuming that all nodes are like this one."""
    here = nodes() * allowed_count()
    return min(here, allocation_here().cpus or here)


def would_share(placement: Placement, threads: int = 1) -> bool:
    """Whether ranks with so many threads each would share CPUs of this machine. On other nodes only
    the engine knows, which refuses it."""
    is_elsewhere = placement.platform is not None or placement.node_count is not None
    return not is_elsewhere and placement.ranks * threads > allowed_cpus()


def check_slots(placement: Placement, threads: int = 1) -> None:
    """Raises UsageError if ranks would share CPUs and may not."""
    if placement.oversubscribe or not would_share(placement, threads):
        return
    cpus = allowed_cpus()
    each = f" with {threads} threads each" * (threads > 1)
    there_are = f"there {'is' if cpus == 1 else 'are'} {how_many(cpus, 'CPU')}"
    raise UsageError(
        f"{placement.ranks} ranks{each} would share CPUs: {there_are}",
        "ask for fewer, or add --oversubscribe and expect times dominated by the OS scheduler",
    )


def check_memory(case: Case) -> None:
    """Raises UsageError if the buffers of all ranks of this node (all ranks, in a simulation)
    exceed its memory. Of named nodes the memory is unknown."""
    workload, placement = case.workload, case.placement
    if placement.platform is None and placement.node_count is not None:
        return
    ranks = workload.taking_part(placement.ranks)
    here = ranks if placement.platform is not None else -(-ranks // nodes())
    needed, available = here * workload.buffer_bytes(placement.ranks), available_memory()
    if available is not None and needed > available:
        raise UsageError(
            f"{workload.row} of {format_size(workload.largest_bytes)} by {ranks} ranks takes "
            f"{format_estimated_size(needed)} here, where {format_estimated_size(available)} are "
            "free",
            "leave out the largest sizes, or ask for fewer ranks",
        )


def available_memory(root: Path = Path("/")) -> int | None:
    """Bytes that can still be allocated here: the kernel's estimate, or what the tightest cgroup
    of all levels leaves, if that is less."""
    match = re.search(r"MemAvailable:\s+(\d+) kB", text_of(root / "proc/meminfo") or "")
    limits = (int(match[1]) * 1024 if match else None, memory_left(root))
    return min((limit for limit in limits if limit is not None), default=None)


def _check_place(place: str) -> None:
    """--place socket and numa need two sockets or NUMA domains on this node."""
    cpus = [Path(f"/sys/devices/system/cpu/cpu{cpu}") for cpu in allowed_set()]
    if place == "socket":
        places = {text_of(cpu / "topology" / "physical_package_id") for cpu in cpus}
    elif place == "numa":
        places = {node.name for cpu in cpus for node in cpu.glob("node[0-9]*")}
    else:
        return
    if len(places) < 2:
        raise UsageError(
            f"--place {place}: only one {PLACE_WORDS[place]} is available, so two ranks cannot "
            "be on different ones",
            "use --place core or --place spread, or name CPUs with --cpus",
        )


def _check_cpus(cpus: Sequence[int], ranks: int) -> None:
    text = ",".join(number_ranges(cpus))
    allowed = allowed_set()
    if not allowed:
        raise UsageError(
            f"--cpus {text}: on this system processes cannot be pinned", "leave out --cpus"
        )
    refused = sorted(set(cpus) - allowed)
    if refused:
        raise UsageError(
            f"--cpus {text}: this process may not run on CPU {refused[0]}",
            f"it may run on {','.join(number_ranges(sorted(allowed)))}",
        )
    if len(cpus) < ranks:
        raise UsageError(
            f"--cpus {text} names {how_many(len(cpus), 'CPU')} for {ranks} ranks",
            "name one CPU for each rank",
        )
