"""hockney startup: from the launcher to the last rank, and to the end of MPI_Finalize."""

from __future__ import annotations

from msgspec.structs import replace

from hockney.cli import _options
from hockney.cli._help import option, verb
from hockney.cli._option_groups import Common
from hockney.cli._options import measuring_options
from hockney.cli._parameters import COUNTS
from hockney.cli._verb import MeasuringVerb
from hockney.plan import Case, Plan, sizes_of
from hockney.plan.workloads.startup import Startup


@verb(
    "hockney startup -n 2..64",
    "hockney startup -n 64,128,256 --nodes 4 -o startup.jsonl",
    "hockney plot --what startup startup.jsonl -o startup.svg",
    cls=MeasuringVerb,
)
@option(
    "-n",
    "--ranks",
    type=COUNTS,
    metavar="LIST",
    default="2",
    help="Numbers of ranks: 2,4,8; 2..64 by doubling; 2,4,...,48.",
)
@_options.sizes("8", "One size: of messages, and of the memory of each rank in a window.")
@measuring_options()
def command(common: Common, *, ranks: list[int], sizes: list[int]) -> Plan:
    """Measure what it takes until ranks can work: launching, MPI_Init, first messages, new
    communicators and windows; and MPI_Finalize.

    Each launch measures all of it once, so that launches are what is repeated. A time is that of
    the last rank.
    """
    by_nodes = None if "ranks" in common.given else common.ranks_by_nodes()
    counts = [by_nodes] if by_nodes else ranks
    workload = Startup(sizes=sizes_of(sizes), buffers=common.buffers)
    cases = tuple(
        Case(
            workload=workload,
            placement=replace(common.placement, ranks=count),
            title=f"{count} ranks" if len(counts) > 1 else None,
        )
        for count in counts
    )
    return Plan(cases=cases, sampling=common.sampling)
