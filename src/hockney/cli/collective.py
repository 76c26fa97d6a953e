"""hockney collective: what collectives take, by algorithm, ranks and size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from hockney.cli._options import Common, measuring_options
from hockney.cli._parameters import COUNTS, SECONDS, SIZES
from hockney.cli._verb import MeasuringVerb
from hockney.spec import Plan, sizes_of
from hockney.spec.workloads.collective import Root, Sync
from hockney.units import parse_sizes

if TYPE_CHECKING:
    from hockney.measure.collective import Study

DEFAULT_SIZES = "2..1MiB"
CASE_S = 8.0
"""Wall time for each collective, algorithm, segment size and number of ranks."""


@click.command(cls=MeasuringVerb)
@click.argument("collectives", metavar="NAME[,NAME...]")
@click.option(
    "--algorithm",
    "algorithms",
    default="default",
    show_default=True,
    metavar="all|NAME,...",
    help="Which to force, as `hockney algorithms` lists them; default is the library's decision.",
)
@click.option(
    "-n",
    "--ranks",
    type=COUNTS,
    metavar="LIST",
    help="2,4,8 or 2..64 (by doubling) or 2,4,...,48.  [default: the CPUs there are]",
)
@click.option(
    "--sizes",
    type=SIZES,
    metavar="LIST",
    help="The whole buffer of bcast, reduce, allreduce and scan, a rank's block of the others."
    f"  [default: {DEFAULT_SIZES}]",
)
@click.option(
    "--segment-size",
    "segments",
    type=SIZES,
    metavar="LIST",
    help="Segments of algorithms that can be told them.",
)
@click.option(
    "--root",
    type=click.Choice(("first", "rotate")),
    default="first",
    show_default=True,
    help="Rank 0, or another rank each time.",
)
@click.option(
    "--sync",
    type=click.Choice(("clock", "barrier")),
    default="clock",
    show_default=True,
    help="Start at a time on a common clock, or after a barrier.",
)
@click.option(
    "--overlap",
    is_flag=True,
    help="Nonblocking ones also while computing for as long as they take.",
)
@click.option("--verify", is_flag=True, help="Check every result, untimed.")
@click.option("--oversubscribe", is_flag=True, help="More ranks than CPUs.")
@measuring_options(
    budget=click.option(
        "--budget",
        type=SECONDS,
        help=f"Wall time that all launches may take.  [default: {CASE_S:g}s for each combination]",
    )
)
def command(common: Common, *, ranks: list[int] | None, oversubscribe: bool, **own: Any) -> Plan:
    """Measure collectives by algorithm, ranks and size.

    A launch for each algorithm and number of ranks in turn, which visits all sizes. A time is from
    the common start to the end of the last rank.
    """
    from hockney.measure.checks import allowed_cpus
    from hockney.measure.collective import cases_of
    from hockney.measure.run import mpi_of

    ranks = ranks or [common.ranks_by_nodes() or allowed_cpus()]
    study = _study(common, ranks, oversubscribe, **own)
    cases, left_out = cases_of(study, common.placement, *mpi_of(common.placement))
    sampling = common.sampling
    if "budget" not in common.given:
        sampling = replace(sampling, budget_s=CASE_S * len(cases))
    return Plan(cases=tuple(cases), sampling=sampling, left_out=tuple(left_out))


def _study(
    common: Common,
    ranks: list[int],
    oversubscribe: bool,
    *,
    collectives: str,
    algorithms: str,
    sizes: list[int] | None,
    segments: list[int] | None,
    root: Root,
    sync: Sync,
    overlap: bool,
    verify: bool,
) -> Study:
    from hockney.measure.algorithms import checked_collectives
    from hockney.measure.collective import Study

    return Study(
        collectives=checked_collectives(collectives.split(",")),
        algorithms=algorithms.split(","),
        ranks=ranks,
        segments=segments or (),
        sizes=sizes_of(sizes or parse_sizes(DEFAULT_SIZES)),
        buffers=common.buffers,
        root=root,
        sync=sync,
        oversubscribe=oversubscribe,
        overlap=overlap,
        verify=verify,
    )
