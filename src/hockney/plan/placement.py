"""Placement: ranks, their hosts and CPUs, their launcher and environment."""

from __future__ import annotations

import math
import re

import msgspec

from hockney.base.errors import UsageError
from hockney.plan.platform_network import PlatformNetwork
from hockney.plan.topology import Topology

PLACES = ("core", "socket", "numa", "node", "spread", "none")
"""Ways of the engine to pin neighbouring ranks: on different cores, sockets, ..., or not at all."""

MOST_CPUS = 1 << 16
"""Most CPUs in one range; a larger range is a mistake or a damaged file."""


def parse_cpus(text: str) -> tuple[int, ...]:
    """CPU numbers of "0,3" or "4-7", in the order of the ranks. Raises UsageError."""
    cpus: list[int] = []
    for item in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})(?:-(\d{1,9}))?\s*", item)
        if not match or not 0 <= int(match[2] or match[1]) - int(match[1]) < MOST_CPUS:
            raise UsageError(f"{item!r} is not a CPU number or range", "write 0,3 or 4-7")
        cpus.extend(range(int(match[1]), int(match[2] or match[1]) + 1))
    return tuple(cpus)


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    ranks: int = 2
    place: str = "core"
    """Way of the engine to pin neighbouring ranks, one of PLACES."""
    cpus: tuple[int, ...] = ()
    """The CPU of each rank of a node; empty to pin by `place`."""
    oversubscribe: bool = False
    """Whether ranks or threads may share CPUs."""
    hosts: tuple[str, ...] = ()
    """Hosts on which mpiexec starts the ranks; empty for this host or the allocation."""
    nodes: int | None = None
    ranks_per_node: int | None = None
    launcher: str | None = None
    """A scheduler or a launcher (a module of schedulers/ or launchers/), or mpiexec for the MPI's
    own; None to detect it."""
    launch: str | None = None
    """The launcher's command with placeholders, such as `aprun -n {ranks} {command}`."""
    mpicc: str | None = None
    """The compiler wrapper of the MPI; None for $MPICC or mpicc."""
    engine: str | None = None
    """An engine that was built elsewhere; None to build it."""
    without_bad_nodes: bool = False
    """Whether to go on without nodes that make a launch fail or hang."""
    broadcast: str | None = None
    """A directory on each node to copy the engine into, without a shared file system."""
    platform: str | None = None
    """A SimGrid platform file or a shape; the launch is simulated on it."""
    hostfile: str | None = None
    """A file with a simulated host per line, in the order of ranks; None for SimGrid's order."""
    cfg: tuple[str, ...] = ()
    """Settings for the simulator, as it takes them (key:value)."""
    topology: Topology | None = None
    """The switches of the network; None for those that the scheduler reports."""
    network: PlatformNetwork | None = None
    """The routes of a platform, by which --locate looks for cables; None where they are unknown."""
    env: dict[str, str] = {}
    """Variables for the ranks, such as those that force an algorithm."""
    controls: dict[str, str | None] = {}
    """Control variables of the library to read back, with their required values."""

    @property
    def node_count(self) -> int | None:
        """Number of nodes; None if it is not given."""
        return self.nodes or len(self.hosts) or None

    @property
    def per_node(self) -> int | None:
        """Ranks per node; None if the number of nodes is not given."""
        if self.ranks_per_node or self.node_count is None:
            return self.ranks_per_node
        return math.ceil(self.ranks / self.node_count)
