"""hockney overlap: how much of a message hides behind computation, and what it costs processors."""

from __future__ import annotations

from msgspec.structs import replace

from hockney.cli import _options
from hockney.cli._help import verb
from hockney.cli._option_groups import Common
from hockney.cli._options import measuring_options
from hockney.cli._verb import MeasuringVerb
from hockney.plan import Plan, single, sizes_of
from hockney.plan.workloads.overlap import Overlap

DEFAULT_SIZES = "8,1KiB,64KiB,1MiB"


@verb(
    "hockney overlap --sizes 8,64KiB,1MiB",
    "hockney overlap --hosts a,b --place node",
    cls=MeasuringVerb,
)
@_options.sizes(DEFAULT_SIZES)
@_options.ranks(2)
@measuring_options()
def command(common: Common, *, ranks: int, sizes: list[int]) -> Plan:
    """Measure how much of a message hides behind computation.

    One rank sends to another, alone and while the sender, or the receiver, computes for as long as
    the message takes alone. Prints the hidden fraction, and the host overhead: the time in which
    the computing rank could not compute.
    """
    workload = Overlap(sizes=sizes_of(sizes), buffers=common.buffers)
    return single(workload, replace(common.placement, ranks=ranks), common.sampling)
