"""hockney congestion: what a loaded network costs those who share it."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from hockney.cli import _options
from hockney.cli._help import option, verb, workload_option
from hockney.cli._option_groups import Common
from hockney.cli._options import measuring_options
from hockney.cli._parameters import BURSTS, COUNTS, SIZES, count_of, some_of
from hockney.cli._verb import MeasuringVerb
from hockney.plan import Case, Plan, sizes_of
from hockney.plan.loads import AGGRESSORS, VICTIMS, Burst, Victim, roles_of
from hockney.plan.workloads.congestion import Congestion
from hockney.plan.workloads.pairs import USUAL_WINDOW

USUAL_SIZES: dict[Victim, int] = {"pingpong": 8, "stream": 128 * 1024, "allreduce": 8}
LEAST_RANKS = 4
CASE_S = 20.0
"""Wall time for each victim and number of ranks: tails need many samples."""


@verb(
    "hockney congestion -n 64 --nodes 16",
    "hockney congestion -n 64 --nodes 16 --aggressor incast,all-to-all --load-sizes 1KiB,1MiB",
    "hockney congestion -n 64 --nodes 16 --victim allreduce --burst steady,1ms/4ms --gate 3x",
    "hockney congestion -n 8 --platform cluster:8 --victim pingpong --sizes 8,64KiB",
    cls=MeasuringVerb,
)
@option(
    "--victim",
    "victims_",
    type=some_of(VICTIMS),
    metavar="LIST",
    default="pingpong",
    help="What is timed, alone and under load: pingpong, stream, allreduce.",
)
@option(
    "--aggressor",
    "aggressors",
    type=some_of(AGGRESSORS),
    metavar="LIST",
    default="incast",
    help="How other ranks load the network: incast (all to one), outcast (one to all), all-to-all, "
    "ring, permutation (each to another, at random).",
)
@option(
    "-n",
    "--ranks",
    type=COUNTS,
    metavar="LIST",
    show_default="all CPUs that may be used, at least 4",
    help="Numbers of ranks, victims and aggressors together.",
)
@_options.sizes(None, "Of the victims' messages.", "8; 128KiB of a stream")
@workload_option(
    "--load-sizes",
    type=SIZES,
    metavar="LIST",
    default="64KiB",
    help="Sizes of the aggressors' messages.",
)
@workload_option(
    "--load-windows",
    metavar="LIST",
    default="8",
    help="Messages in flight from an aggressor to each rank that it sends to: 1,8,64.",
)
@workload_option(
    "--burst",
    "bursts",
    type=BURSTS,
    metavar="LIST",
    default="steady",
    help="steady, or LENGTH/GAP: aggressors send for LENGTH and pause for GAP, such as 1ms/4ms.",
)
@workload_option(
    "--victims",
    type=count_of("ranks", 2),
    metavar="N",
    show_default="2; half of the ranks for allreduce",
    help="Number of victims.",
)
@workload_option(
    "--roles",
    metavar="random|blocks|FILE",
    default="random",
    help="Which ranks are victims: drawn anew for each launch, the first ones, or those of a FILE "
    'with two lines such as "victims 0,1" and "aggressors 2-7".',
)
@workload_option(
    "--window",
    type=count_of("messages in flight"),
    metavar="N",
    show_default=str(USUAL_WINDOW),
    help="Messages in flight of a victim stream.",
)
@measuring_options(CASE_S, "victim and number of ranks")
def command(
    common: Common,
    *,
    victims_: tuple[Victim, ...],
    ranks: list[int] | None,
    sizes: list[int] | None,
    load_sizes: list[int],
    load_windows: str,
    bursts: tuple[Burst, ...],
    victims: int | None,
    roles: str,
    window: int | None,
    aggressors: Any,
) -> Plan:
    """Measure what a loaded network costs those who share it.

    Some ranks, the victims, are timed alone and, in the same rounds of each launch, while the
    others load the network. The congestion factor is the ratio of the two times: of the medians,
    and of the 99 % and 99.9 % quantiles.
    """
    from hockney.run.measure.machine.capacity import allowed_cpus
    from hockney.run.measure.studies.pairing import parse_counts

    counts = ranks or [common.ranks_by_nodes() or max(allowed_cpus(), LEAST_RANKS)]
    cases = []
    for victim in victims_:
        for count in counts:
            usual = count // 2 if victim == "allreduce" and roles in ("random", "blocks") else None
            workload = Congestion(
                victim=victim,
                sizes=sizes_of(sizes or [USUAL_SIZES[victim]]),
                buffers=common.buffers,
                window=USUAL_WINDOW if window is None else window,
                aggressors=aggressors,
                load_sizes=tuple(load_sizes),
                load_windows=parse_counts(load_windows, "--load-windows"),
                bursts=bursts,
                roles=roles_of(roles, victims if victims is not None else usual),
                most_factor=common.most_factor,
            )
            title = ", ".join(
                [*[victim] * (len(victims_) > 1), *[f"{count} ranks"] * (len(counts) > 1)]
            )
            placement = replace(common.placement, ranks=count)
            cases.append(Case(workload=workload, placement=placement, title=title or None))
    return Plan(cases=tuple(cases), sampling=common.sampling_of(len(cases), CASE_S))
