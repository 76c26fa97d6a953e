"""hockney overheads: what messages cost their sender and their receiver."""

from __future__ import annotations

import click
from msgspec.structs import replace

from hockney.cli._options import Common, measuring_options
from hockney.cli._parameters import PEERS, SIZES
from hockney.cli._verb import MeasuringVerb
from hockney.spec import Plan, single, sizes_of
from hockney.spec.workloads.overheads import Overheads
from hockney.units import parse_sizes

DEFAULT_SIZES = "1,8,64,256,1KiB,2KiB,4KiB"


@click.command(cls=MeasuringVerb)
@click.option("-n", "ranks", type=int, default=2, show_default=True, help="Ranks to start.")
@click.option(
    "--peers",
    type=PEERS,
    default="0,1",
    show_default=True,
    help="Sender and receiver; the others sleep.",
)
@click.option(
    "--sizes",
    type=SIZES,
    metavar="LIST",
    help=f"Of one protocol, where o and g are to be lines.  [default: {DEFAULT_SIZES}]",
)
@click.option(
    "--messages", type=click.IntRange(2, 1000), default=16, show_default=True, help="In a train."
)
@measuring_options()
def command(
    common: Common,
    *,
    ranks: int,
    peers: tuple[int, int],
    sizes: list[int] | None,
    messages: int,
) -> Plan:
    """Measure what a message costs its sender and its receiver, and how soon the next may follow.

    Messages go in trains, with known delays between sends or between receives; the LogGP model's
    L, o_s, o_r, g and G follow from how long the trains take.
    """
    workload = Overheads(
        sizes=sizes_of(sizes or parse_sizes(DEFAULT_SIZES)),
        buffers=common.buffers,
        peers=peers,
        messages=messages,
    )
    return single(workload, replace(common.placement, ranks=ranks), common.sampling)
