"""hockney pairs: many ranks exchange messages in pairs, all at once."""

from __future__ import annotations

from typing import Any

import click
from msgspec.structs import replace

from hockney.base.errors import UsageError
from hockney.base.units import format_seconds, parse_sizes
from hockney.cli import _options, fabric
from hockney.cli._help import option, verb, workload_option
from hockney.cli._messages import MESSAGES, NAMES, messages_of
from hockney.cli._option_groups import Common
from hockney.cli._options import measuring_options
from hockney.cli._parameters import SECONDS, SIZE, count_of
from hockney.cli._verb import MeasuringVerb
from hockney.plan import Plan, Sampling, single, sizes_of
from hockney.plan.knobs import knobs_of, option_of
from hockney.plan.messages import whole_sizes
from hockney.plan.preset import imb_size
from hockney.plan.words import STANDARD
from hockney.plan.workloads.pairs import MODES, PAIR_OPERATIONS, USUAL_WINDOW, WINDOWED, Pairs
from hockney.run.measure.machine.capacity import allowed_cpus
from hockney.run.measure.machine.topology import with_topology
from hockney.run.measure.preparation.endpoints import with_endpoints
from hockney.run.measure.studies.pairing import pairing_of, parse_counts

DEFAULT_SIZES = "0,8,1KiB,64KiB,1MiB"
MULTI_SIZES = "0,1..16MiB"
MULTI_RANKS = 8
"""Default ranks of the multi-mode: two groups of up to four processes, as in the paper."""
LEAST_POINT_S = 0.01
"""Least time of a point of the multi-mode, on any machine (s)."""
DEFAULT_ACTIVE = "1,all"
MULTI = "IMB's multi-mode"
OWN = (
    *("pairing", "active", "operation", "window", "mode", "duration"),
    *(*NAMES, "partitions", *(name for name in knobs_of(Pairs) if name != "verify")),
)
"""Options of pairs that --multi fixes."""
MULTI_OWN = ("multi", "msgs_per_sample", "overall_volume", "verify")


@verb(
    "hockney pairs --pairs-active 1,2,4,...,all     # contention on this machine",
    "hockney pairs --nodes 2 --operation stream --window 1,64",
    "hockney pairs -n 2 --operation stream --threads 1,2,4   # message rate over threads",
    "hockney pairs -n 2 --datatype vector:64:8:64           # and packed by hand",
    "hockney pairs -n 2 --mode partitioned --partitions 4 --stagger 10us",
    "hockney pairs -n 32 --nodes 32 --topology switches.txt --per-switch --gate",
    "hockney pairs --multi -o multi.jsonl",
    cls=MeasuringVerb,
)
@_options.sizes(None, shown=f"{DEFAULT_SIZES}; {MULTI_SIZES} with --multi")
@_options.ranks(None, f"one per CPU; {MULTI_RANKS} with --multi")
@option(
    "--pairs-active",
    "active",
    metavar="LIST",
    default=DEFAULT_ACTIVE,
    help="How many pairs exchange messages at the same time, such as 1,2,4,...,all.",
)
@option(
    "--operation",
    type=click.Choice(PAIR_OPERATIONS),
    default="pingpong",
    help="pingpong: messages to and fro; stream: a window of messages one way; bidirectional: both "
    "ways; exchange: MPI_Sendrecv.",
)
@workload_option(
    "--pairing",
    default="halves",
    metavar="NAME|FILE",
    help="halves: rank i with i + n/2; neighbours: 2i with 2i + 1; random; or a file with two "
    "ranks per line.",
)
@workload_option(
    "--idle-last",
    is_flag=True,
    help="Leave out the last of an odd number of ranks.",
)
@workload_option(
    "--window",
    metavar="LIST",
    default=str(USUAL_WINDOW),
    help="Messages in flight in stream and bidirectional, such as 1,2,4,...,64.",
)
@workload_option(
    "--mode",
    type=click.Choice(MODES),
    default="standard",
    help="Mode of the sends.",
)
@MESSAGES
@workload_option(
    "--partitions",
    metavar="LIST",
    default="",
    help="Partitions of a message (--mode partitioned), with a thread for each; compared with "
    "messages that wait for all of their parts.",
)
@workload_option(
    "--duration",
    type=SECONDS,
    help="Make one launch that measures for this long: a time series.",
)
@option(
    "--multi",
    is_flag=True,
    heading=MULTI,
    help="Two groups of ranks, 1 to n/2 pairs at the same time, with IMB's repetitions.",
)
@option(
    "--msgs-per-sample",
    type=count_of("repetitions"),
    metavar="N",
    default=1000,
    heading=MULTI,
    help="Most repetitions of a size.",
)
@option(
    "--overall-volume",
    type=SIZE,
    metavar="VOLUME",
    default="40MiB",
    heading=MULTI,
    help="At most max(1, VOLUME / size) repetitions of a size.",
)
@_options.TOPOLOGY
@_options.PER_SWITCH
@measuring_options()
def command(
    common: Common,
    *,
    ranks: int | None,
    multi: bool,
    topology: str | None,
    per_switch: bool,
    **options: Any,
) -> Plan:
    """Measure pairs of ranks that exchange messages at the same time.

    Prints the time of the median and the slowest pair and the total bandwidth, for each size and
    number of pairs; the slowdown against one pair alone; and outliers.
    """
    if per_switch:
        own = (*OWN, *MULTI_OWN, "idle_last")
        return fabric.per_switch_plan(common, ranks, topology, options["sizes"], own)
    threads = max((number for both in options["threads"] or () for number in both), default=1)
    ranks = ranks or common.ranks_by_nodes() or _usual_ranks(common, multi, threads)
    workload = _multi(common, ranks, **options) if multi else _pairs(common, ranks, **options)
    sampling = common.sampling
    if options["duration"]:
        sampling = _lasting(common, options["duration"])
    placement = replace(with_endpoints(common.placement, workload), ranks=ranks)
    return single(workload, with_topology(placement, topology), sampling)


def _usual_ranks(common: Common, multi: bool, threads: int) -> int:
    common.check_not_simulated()
    return MULTI_RANKS if multi else max(allowed_cpus() // threads // 2 * 2, 2)


def _pairs(
    common: Common,
    ranks: int,
    *,
    sizes: list[int] | None,
    pairing: str,
    idle_last: bool,
    active: str,
    operation: str,
    window: str,
    mode: str,
    partitions: str,
    **others: Any,
) -> Pairs:
    given = common.given_among("msgs_per_sample", "overall_volume")
    if given:
        raise click.UsageError(f"{given[0]} needs --multi")
    pairs = pairing_of(pairing, ranks, idle_last)
    if "window" in common.given and operation not in WINDOWED:
        raise click.UsageError(f"--window is for {' and '.join(WINDOWED)}, not for {operation}")
    takes_packing = operation == "pingpong" and mode == STANDARD
    workload = Pairs(
        sizes=sizes_of(sizes or []),
        buffers=common.buffers,
        pairing=pairs,
        active=parse_counts(active, "--pairs-active", len(pairs)),
        operation=operation,
        mode=mode,
        windows=parse_counts(window, "--window"),
        partitions=parse_counts(partitions, "--partitions") if partitions else (),
        **messages_of(common, others, max(sizes or [0]), takes_packing),
    )
    if sizes:
        return workload
    return replace(
        workload, sizes=sizes_of(whole_sizes(parse_sizes(DEFAULT_SIZES), workload.unit_bytes))
    )


def _multi(
    common: Common,
    ranks: int,
    *,
    sizes: list[int] | None,
    idle_last: bool,
    msgs_per_sample: int,
    overall_volume: int,
    **_pairs_alone: Any,
) -> Pairs:
    """The multi-mode ping-pong; raises an error for options that it fixes."""
    given = [option_of(name) for name in OWN if name in common.given]
    if given:
        raise click.UsageError(f"--multi fixes the workload: leave out {', '.join(given)}")
    pairs = pairing_of("halves", ranks, idle_last)
    grid = sizes or parse_sizes(MULTI_SIZES)
    points, budget_s = len(grid) * len(pairs), common.sampling.budget_s
    if budget_s < points * LEAST_POINT_S and not common.placement.platform:
        raise UsageError(
            f"--multi: {points} points, each with its own number of repetitions, do not fit into "
            f"the budget of {format_seconds(budget_s)}",
            f"give --budget {format_seconds(points * LEAST_POINT_S)} or more, or fewer --sizes",
        )
    return Pairs(
        sizes=tuple(imb_size(size, msgs_per_sample, overall_volume) for size in grid),
        buffers=common.buffers,
        pairing=pairs,
        active=tuple(range(1, len(pairs) + 1)),
    )


def _lasting(common: Common, seconds: float) -> Sampling:
    """One launch that lasts this long, however precise it is."""
    if common.given_among("launches", "budget", "precision"):
        raise click.UsageError(
            "--duration makes one launch: leave out --launches, --budget and --precision"
        )
    return replace(
        common.sampling, least_launches=1, most_launches=1, budget_s=seconds, precision=0.0
    )
