"""hockney collective: the time of collectives by algorithm, ranks and size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from hockney.cli import _options
from hockney.cli._help import option, sampling_option, verb, workload_option
from hockney.cli._option_groups import Common
from hockney.cli._options import measuring_options
from hockney.cli._parameters import (
    ARRIVAL,
    AUTO,
    COUNTS,
    RADICES,
    REQUESTS_IN_FLIGHT,
    SEGMENTS,
    SKEW,
    count_of,
    some_of,
)
from hockney.cli._verb import MeasuringVerb
from hockney.plan import Plan, sizes_of
from hockney.plan.workloads.collective import (
    ADDED_BYTES,
    COARSE_RADICES,
    COARSE_REQUESTS,
    COARSE_SEGMENTS,
    FORMS,
    LEAST_RADIX,
    RADIX,
    REQUESTS,
    SEGMENT,
    USUAL_ELEMENT,
    Collective,
    CollectiveForm,
)

if TYPE_CHECKING:
    from hockney.plan.arrivals import ArrivalRequest, Skew

DEFAULT_SIZES = "2..1MiB"
CASE_S = 8.0
"""Wall time for each collective, algorithm, number of ranks and value of its parameters."""


@verb(
    "hockney collective bcast --algorithm all",
    "hockney collective bcast --algorithm all --race --launches 10",
    "hockney collective bcast --algorithm all --radix 2,4,8 --race",
    "hockney collective bcast --algorithm all --radix auto --segment-size auto",
    "hockney collective allreduce,alltoall -n 2..64 --nodes 4",
    "hockney collective ibcast --overlap",
    "hockney collective allreduce --form blocking,nonblocking,persistent",
    "hockney collective allreduce --algorithm rabenseifner --phases rabenseifner",
    "hockney collective bcast --algorithm all --arrival none,ascending,last-late --skew 50us",
    cls=MeasuringVerb,
)
@click.argument("collectives", metavar="NAME[,NAME...]")
@option(
    "--algorithm",
    "algorithms",
    default="default",
    metavar="all|NAME,...",
    help="Algorithms to force, named as in `hockney algorithms`; default: the library's choice.",
)
@option(
    "-n",
    "--ranks",
    type=COUNTS,
    metavar="LIST",
    show_default="all CPUs that may be used",
    help="Numbers of ranks: 2,4,8; 2..64 by doubling; 2,4,...,48.",
)
@_options.sizes(
    DEFAULT_SIZES,
    "The whole buffer of bcast, reduce, allreduce and scans; the block of one rank of scatter, "
    "gather, allgather, alltoall and all others.",
)
@workload_option(
    "--segment-size",
    "segments",
    type=SEGMENTS,
    metavar="auto|LIST",
    show_default="the library's own",
    help="Segment sizes, for algorithms that segment messages; auto: as for --radix.",
)
@workload_option(
    "--radix",
    "radices",
    type=RADICES,
    metavar="auto|LIST",
    show_default="the library's own",
    help="Radices (fan-out of a tree, k of a k-ary exchange), for algorithms that have one; auto: "
    "race a few values far apart, then those around the best.",
)
@workload_option(
    "--requests",
    type=REQUESTS_IN_FLIGHT,
    metavar="auto|LIST",
    show_default="the library's own",
    help="Most messages in flight that a rank has, for algorithms that limit them; auto: as for "
    "--radix.",
)
@workload_option(
    "--form",
    "forms",
    type=some_of(FORMS),
    metavar="LIST",
    default="",
    show_default="as the name says: ibcast is nonblocking",
    help="Forms of the calls: blocking, nonblocking, persistent (MPI 4.0). Or bcast, scatter, "
    "gather, allgather and alltoall made one-sided: put-fence, get-fence (complete after a fence), "
    "put-flush, get-flush (after a flush and a barrier).",
)
@workload_option(
    "--threads",
    metavar="LIST",
    help="Threads of each rank that make the collective at once (MPI_THREAD_MULTIPLE), each on a "
    "communicator of its own.",
)
@workload_option(
    "--element",
    type=click.Choice(tuple(ADDED_BYTES)),
    default=USUAL_ELEMENT,
    help="Type of the elements that reductions add up.",
)
@workload_option(
    "--groups",
    type=count_of("ranks"),
    metavar="N",
    default=1,
    help="Divide the ranks into so many groups, which make the collective at the same time.",
)
@workload_option(
    "--overlap",
    is_flag=True,
    help="Also time nonblocking and persistent collectives during computation that takes as long "
    "as they do.",
)
@workload_option(
    "--arrival",
    type=ARRIVAL,
    metavar="LIST",
    help="When ranks arrive: none (together), ascending, descending, random, first-late, "
    "last-late, half-late, @FILE (seconds for each rank); several are measured side by side.",
)
@workload_option(
    "--skew",
    type=SKEW,
    show_default="1x, or that of the file",
    help="From the first rank's arrival to the last one's: 100us, or, for one algorithm, "
    "1.5x as long as it takes without a skew.",
)
@workload_option(
    "--phases",
    default="",
    metavar="all|NAME,...",
    help="Also make bcast, reduce, allreduce or allgather by messages, as the schedules of these "
    "algorithms say, and time their phases.",
)
@sampling_option(
    "--race",
    is_flag=True,
    help="Measure an algorithm no further at sizes where that would gain next to nothing.",
)
@measuring_options(CASE_S, "combination")
def command(
    common: Common,
    *,
    collectives: str,
    forms: tuple[CollectiveForm, ...],
    algorithms: str,
    ranks: list[int] | None,
    threads: str | None,
    sizes: list[int],
    segments: list[int] | str | None,
    radices: list[int] | str | None,
    requests: list[int] | str | None,
    arrival: ArrivalRequest | None,
    phases: str,
    skew: Skew | None,
    race: bool,
    **own: Any,
) -> Plan:
    """Measure collectives by algorithm, number of ranks and size.

    Each launch measures one algorithm and number of ranks at all sizes. A time is from the common
    start to the end on the last rank; with --arrival, from the last rank's arrival.
    """
    from hockney.plan.arrivals import arrivals_of
    from hockney.run.measure.preparation.setup import mpi_of
    from hockney.run.measure.studies.algorithm_names import checked_collectives
    from hockney.run.measure.studies.collective_study import Study, cases_of
    from hockney.run.measure.studies.pairing import parse_counts

    counts = parse_counts(threads, "--threads") if threads else ()
    counted = ranks or [common.ranks_by_nodes() or _usual_ranks(counts)]
    study = Study(
        named=checked_collectives(collectives.split(",")),
        forms=forms,
        algorithms=algorithms.split(","),
        ranks=counted,
        segments=_values(segments, COARSE_SEGMENTS),
        radices=_values(radices, [n for n in COARSE_RADICES if n <= max(*counted, LEAST_RADIX)]),
        requests=_values(requests, [n for n in COARSE_REQUESTS if n < max(*counted, 2)]),
        phases=tuple(filter(None, phases.split(","))),
        workload=Collective(
            collective=collectives,
            sizes=sizes_of(sizes),
            buffers=common.buffers,
            threads=counts,
            arrivals=arrivals_of(arrival, skew),
            **own,
        ),
    )
    cases, left_out = cases_of(study, common.placement, *mpi_of(common.placement))
    fields = {RADIX: radices, SEGMENT: segments, REQUESTS: requests}
    searched = tuple(name for name, values in fields.items() if values == AUTO)
    return Plan(
        cases=tuple(cases),
        sampling=common.sampling_of(len(cases), CASE_S),
        left_out=tuple(left_out),
        race=race or bool(searched),
        searched=searched,
    )


def _values(values: list[int] | str | None, coarse: Sequence[int]) -> Sequence[int]:
    """The values of an option, or the coarse values from which it is searched."""
    if isinstance(values, str):
        return coarse
    return values or ()


def _usual_ranks(threads: tuple[int, ...]) -> int:
    from hockney.run.measure.machine.capacity import allowed_cpus

    return max(allowed_cpus() // max(threads, default=1), 1)
