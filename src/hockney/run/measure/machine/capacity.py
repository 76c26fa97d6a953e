"""How many ranks this machine takes, and how much memory they may have."""

from __future__ import annotations

import re
from pathlib import Path

from hockney.base.allowed import allowed_count
from hockney.base.errors import UsageError
from hockney.base.units import format_estimated_size, format_size, how_many
from hockney.plan import Case, Placement
from hockney.run.measure.machine.cgroups import memory_left
from hockney.run.measure.machine.environment import text_of
from hockney.run.schedulers import allocation_here

MOST_RANKS_A_CPU, LEAST_RANKS_A_NODE = 16, 128
"""Most ranks on one machine: per CPU, or in all where that is more. With more, starting never
ends."""
MAPPINGS = Path("/proc/sys/vm/max_map_count")
"""Linux's file with the most memory mappings of a process: 65,530 unless it was raised."""
MAPPINGS_A_RANK, OTHER_MAPPINGS = 2, 3000
"""Memory mappings of a simulating process: for each rank (its stack and the guard), and for
libraries and shared buffers."""


def nodes() -> int:
    """Number of nodes of the job in which this process runs; 1 outside of jobs."""
    return allocation_here().nodes or 1


def allowed_cpus() -> int:
    """Number of CPUs that ranks may use, assuming that all nodes are like this one."""
    here = nodes() * allowed_count()
    return min(here, allocation_here().cpus or here)


def check_number(placement: Placement) -> None:
    """Refuses too many ranks for this machine, where it is the only one: each is a process with
    tens of MiB, and they share its CPUs."""
    most = max(MOST_RANKS_A_CPU * allowed_count(), LEAST_RANKS_A_NODE)
    if placement.ranks > most and (placement.node_count or nodes()) == 1:
        raise UsageError(
            f"-n {placement.ranks}: at most {most} ranks are started on this machine, which has "
            f"{how_many(allowed_count(), 'CPU')}",
            "ask for fewer, for more nodes, or simulate them with --platform",
        )


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


def check_simulated_number(ranks: int) -> None:
    """Refuses more ranks than those for whose stacks one process gets memory."""
    allowed = text_of(MAPPINGS)
    if allowed is None or not allowed.isdigit():
        return
    most = max((int(allowed) - OTHER_MAPPINGS) // MAPPINGS_A_RANK, 2)
    if ranks > most:
        raise UsageError(
            f"-n {ranks}: at most {most} ranks are simulated on this machine, which "
            f"allows a process {allowed} pieces of memory",
            "ask for fewer, or raise vm.max_map_count (sysctl)",
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
