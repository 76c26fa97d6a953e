"""hockney pairs: many ranks exchange messages in pairs, all at once."""

from __future__ import annotations

from typing import Any

import click
from msgspec.structs import replace

from hockney.cli._options import Common, measuring_options
from hockney.cli._parameters import SECONDS, SIZE, SIZES
from hockney.cli._verb import MeasuringVerb
from hockney.errors import AskedWronglyError
from hockney.measure.checks import allowed_cpus
from hockney.measure.pairing import PAIRINGS, pairing_of, parse_counts
from hockney.spec import Plan, Sampling, single, sizes_of
from hockney.spec.accepts import option_of
from hockney.spec.preset import imb_size
from hockney.spec.workloads.pairs import MODES, PAIR_OPERATIONS, USUAL_WINDOW, WINDOWED, Pairs
from hockney.units import parse_sizes

DEFAULT_SIZES = "0,8,1KiB,64KiB,1MiB"
MULTI_SIZES = "0,1..16MiB"
MULTI_RANKS = 8
"""Two groups of up to four processes, as in the paper."""
DEFAULT_ACTIVE = "1,all"


@click.command(cls=MeasuringVerb)
@click.option("-n", "ranks", type=int, help="Ranks to start.  [default: one a CPU; 8 with --multi]")
@click.option(
    "--pairing",
    default="halves",
    show_default=True,
    metavar="|".join((*PAIRINGS, "FILE")),
    help="Rank r with r + n/2, 2i with 2i + 1, by lot, or a file with two ranks a line.",
)
@click.option("--idle-last", is_flag=True, help="Leave the last one of an odd number of ranks out.")
@click.option(
    "--pairs-active",
    "active",
    metavar="LIST",
    help="How many pairs at once, such as 1,2,4,...,all: the contention curve.  "
    f"[default: {DEFAULT_ACTIVE}]",
)
@click.option(
    "--operation",
    type=click.Choice(PAIR_OPERATIONS),
    default="pingpong",
    show_default=True,
    help="Messages there and back, a window of them one way or both ways, or sendrecv.",
)
@click.option(
    "--window",
    metavar="LIST",
    help=f"Messages on their way at once in stream and bidirectional: 1,2,4,...,64.  "
    f"[default: {USUAL_WINDOW}]",
)
@click.option(
    "--mode",
    type=click.Choice(MODES),
    default="standard",
    show_default=True,
    help="How messages are sent.",
)
@click.option(
    "--sizes", type=SIZES, metavar="LIST", help=f"As pingpong's.  [default: {DEFAULT_SIZES}]"
)
@click.option(
    "--every-iteration", is_flag=True, help="Every rank times each exchange: for variability."
)
@click.option(
    "--duration", type=SECONDS, help="One launch that measures for so long: a time series."
)
@click.option(
    "--multi",
    is_flag=True,
    help="As IMB's -multi: two groups, 1 to n/2 processes of each at once, with IMB's repetitions.",
)
@click.option(
    "--msgs-per-sample",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="Of --multi: most repetitions.",
)
@click.option(
    "--overall-volume",
    type=SIZE,
    default="40MiB",
    show_default=True,
    help="Of --multi: repetitions are no more than this over the size, but one.",
)
@click.option("--verify", is_flag=True, help="Check every message on arrival, untimed.")
@click.option("--gate", is_flag=True, help="Exit status 1 when a pair, place or node stands apart.")
@measuring_options()
def command(common: Common, *, ranks: int | None, multi: bool, **options: Any) -> Plan:
    """Measure pairs of ranks that exchange messages at the same time.

    Prints per-pair and aggregate time and bandwidth of each size and number of pairs, the best and
    the worst pair, the slowdown against one pair alone, and the pairs that stand apart.
    """
    ranks = ranks or common.ranks_by_nodes() or _usual_ranks(common, multi)
    workload = _multi(common, ranks, **options) if multi else _pairs(common, ranks, **options)
    sampling = common.sampling
    if options["duration"]:
        sampling = _lasting(common, options["duration"])
    return single(workload, replace(common.placement, ranks=ranks), sampling)


def _usual_ranks(common: Common, multi: bool) -> int:
    if common.placement.platform:
        raise AskedWronglyError("--platform: how many of its hosts take part?", "say so with -n")
    return MULTI_RANKS if multi else max(allowed_cpus() // 2 * 2, 2)


def _pairs(
    common: Common,
    ranks: int,
    *,
    sizes: list[int] | None,
    pairing: str,
    idle_last: bool,
    active: str | None,
    operation: str,
    window: str | None,
    mode: str,
    every_iteration: bool,
    verify: bool,
    **_multi_alone: Any,
) -> Pairs:
    given = common.given_among("msgs_per_sample", "overall_volume")
    if given:
        raise click.UsageError(f"{given[0]} is of --multi")
    pairs = pairing_of(pairing, ranks, idle_last)
    if window and operation not in WINDOWED:
        raise click.UsageError(f"--window is about {' and '.join(WINDOWED)}, not {operation}")
    return Pairs(
        sizes=sizes_of(sizes or parse_sizes(DEFAULT_SIZES)),
        buffers=common.buffers,
        pairing=pairs,
        active=parse_counts(active or DEFAULT_ACTIVE, "--pairs-active", len(pairs)),
        operation=operation,
        mode=mode,
        windows=parse_counts(window, "--window") if window else (USUAL_WINDOW,),
        every_iteration=every_iteration,
        verify=verify,
    )


def _multi(
    common: Common,
    ranks: int,
    *,
    sizes: list[int] | None,
    idle_last: bool,
    msgs_per_sample: int,
    overall_volume: int,
    verify: bool,
    **_pairs_alone: Any,
) -> Pairs:
    """What makes it the multi-mode ping-pong may not be changed."""
    own = ("pairing", "active", "operation", "window", "mode", "every_iteration", "duration")
    given = [option_of(name) for name in own if name in common.given]
    if given:
        raise click.UsageError(f"--multi already says it all: leave out {', '.join(given)}")
    pairs = pairing_of("halves", ranks, idle_last)
    grid = sizes or parse_sizes(MULTI_SIZES)
    return Pairs(
        sizes=tuple(imb_size(size, msgs_per_sample, overall_volume) for size in grid),
        buffers=common.buffers,
        pairing=pairs,
        active=tuple(range(1, len(pairs) + 1)),
        verify=verify,
    )


def _lasting(common: Common, seconds: float) -> Sampling:
    """Precise or not, it goes on until the time is up."""
    if common.given_among("launches", "budget", "precision"):
        raise click.UsageError("--duration is one launch: no --launches, --budget or --precision")
    return replace(
        common.sampling, least_launches=1, most_launches=1, budget_s=seconds, precision=0.0
    )
