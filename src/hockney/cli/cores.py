"""hockney cores: the time between every two CPUs or nodes."""

from __future__ import annotations

from msgspec.structs import replace

from hockney.base.errors import UsageError
from hockney.base.units import how_many
from hockney.cli import _options, fabric
from hockney.cli._help import verb
from hockney.cli._option_groups import Common
from hockney.cli._options import measuring_options
from hockney.cli._verb import MeasuringVerb
from hockney.plan import Plan, single, sizes_of
from hockney.plan.workloads.cores import Cores
from hockney.run.measure.machine.capacity import allowed_cpus
from hockney.run.measure.machine.topology import with_topology

DEFAULT_SIZES = "8,1KiB,1MiB"


@verb(
    "hockney cores                                      # every two CPUs of this machine",
    "hockney cores -n 64 --nodes 64 --parallel --gate   # 64 nodes; exit status 1 for an outlier",
    "hockney cores -n 32 --nodes 32 --topology switches.txt --per-switch --gate",
    "hockney plot --what matrix FILE -o map.png",
    cls=MeasuringVerb,
)
@_options.sizes(DEFAULT_SIZES)
@_options.ranks(None, "all CPUs that may be used")
@_options.TOPOLOGY
@_options.PER_SWITCH
@measuring_options()
def command(
    common: Common,
    *,
    ranks: int | None,
    sizes: list[int],
    topology: str | None,
    per_switch: bool,
) -> Plan:
    """Measure every pair of CPUs or nodes, one pair at a time while the other ranks sleep.

    Prints a heat map, the groups of pairs by the hardware that they share and by their times, where
    the two disagree, and outliers.
    """
    if per_switch:
        given = sizes if "sizes" in common.given else None
        return fabric.per_switch_plan(common, ranks, topology, given, ("parallel", "verify"))
    workload = Cores(sizes=sizes_of(sizes), buffers=common.buffers)
    placement = replace(common.placement, ranks=_ranks(common, ranks))
    return single(workload, with_topology(placement, topology), common.sampling)


def _ranks(common: Common, given: int | None) -> int:
    ranks = given or common.ranks_by_nodes()
    if common.placement.platform or common.placement.node_count:
        if ranks is None:
            raise UsageError("the number of ranks is not given", "give it with -n")
        return ranks
    allowed = allowed_cpus()
    if ranks is not None and ranks > allowed:
        raise UsageError(
            f"-n {ranks}: only {how_many(allowed, 'CPU')} may be used here",
            "each place is measured once: leave out -n to take them all",
        )
    return ranks or allowed
