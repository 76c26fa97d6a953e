"""hockney cores: what each pair of places sees."""

from __future__ import annotations

import click
from msgspec.structs import replace

from hockney.cli._options import Common, measuring_options
from hockney.cli._parameters import SIZES
from hockney.cli._verb import MeasuringVerb
from hockney.errors import AskedWronglyError
from hockney.measure.checks import allowed_cpus
from hockney.spec import Plan, single, sizes_of
from hockney.spec.workloads.cores import Cores
from hockney.units import parse_sizes

DEFAULT_SIZES = "8,1KiB,1MiB"


@click.command(cls=MeasuringVerb)
@click.option("-n", "ranks", type=int, help="Ranks to start, one a CPU.  [default: all allowed]")
@click.option(
    "--sizes", type=SIZES, metavar="LIST", help=f"As pingpong's.  [default: {DEFAULT_SIZES}]"
)
@click.option(
    "--parallel", is_flag=True, help="Pairs without a rank in common at once: sooner done."
)
@click.option("--verify", is_flag=True, help="Check every message on arrival, untimed.")
@click.option("--gate", is_flag=True, help="Exit status 1 when a pair, place or node stands apart.")
@measuring_options()
def command(
    common: Common, *, ranks: int | None, sizes: list[int] | None, parallel: bool, verify: bool
) -> Plan:
    """Measure every pair of places, one at a time while the others sleep.

    Prints the matrix as a heat map, a table of each group by what its places share and by the
    times themselves, where the two disagree, and the places that stand apart.
    """
    workload = Cores(
        sizes=sizes_of(sizes or parse_sizes(DEFAULT_SIZES)),
        buffers=common.buffers,
        parallel=parallel,
        verify=verify,
    )
    placement = replace(common.placement, ranks=_ranks(common, ranks))
    return single(workload, placement, common.sampling)


def _ranks(common: Common, asked: int | None) -> int:
    ranks = asked or common.ranks_by_nodes()
    if common.placement.platform or common.placement.node_count:
        if ranks is None:
            raise AskedWronglyError(
                "how many ranks take part, and of which nodes?", "say so with -n"
            )
        return ranks
    allowed = allowed_cpus()
    if ranks is not None and ranks > allowed:
        raise AskedWronglyError(
            f"-n {ranks}: only {allowed} CPU{'s' * (allowed > 1)} may be used here",
            "each place is measured once: leave out -n to take them all",
        )
    return ranks or allowed
