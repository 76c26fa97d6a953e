"""hockney overheads: what messages cost their sender and their receiver."""

from __future__ import annotations

import click
from msgspec.structs import replace

from hockney.cli import _options
from hockney.cli._help import verb, workload_option
from hockney.cli._option_groups import Common
from hockney.cli._options import measuring_options
from hockney.cli._verb import MeasuringVerb
from hockney.plan import Plan, single, sizes_of
from hockney.plan.workloads.overheads import Overheads

DEFAULT_SIZES = "1,8,64,256,1KiB,2KiB,4KiB"


@verb(
    "hockney overheads",
    "hockney overheads --sizes 1..4KiB --budget 30s -o overheads.jsonl",
    "hockney predict overheads.jsonl --pattern halo3d:ranks=512,bytes=8KiB",
    cls=MeasuringVerb,
)
@_options.sizes(DEFAULT_SIZES, "Choose sizes of one protocol.")
@_options.ranks(2)
@_options.peers("Sender and receiver; the others sleep.")
@workload_option(
    "--messages",
    type=click.IntRange(2, 1000),
    metavar="N",
    default=16,
    help="Messages in a train.",
)
@measuring_options()
def command(
    common: Common, *, ranks: int, peers: tuple[int, int], sizes: list[int], messages: int
) -> Plan:
    """Measure the parameters of the LogGP model: the time that a message takes of its sender (o_s),
    of its receiver (o_r) and on the wire (L, g, G).

    Messages are sent in trains with known delays between the sends or between the receives; the
    parameters follow from the times of the trains.
    """
    workload = Overheads(
        sizes=sizes_of(sizes), buffers=common.buffers, peers=peers, messages=messages
    )
    return single(workload, replace(common.placement, ranks=ranks), common.sampling)
