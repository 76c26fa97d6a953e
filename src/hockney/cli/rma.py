"""hockney rma: one-sided operations beside the two-sided exchange of the same size."""

from __future__ import annotations

from typing import Any

import click
from msgspec.structs import replace

from hockney.base.units import parse_sizes
from hockney.cli import _options
from hockney.cli._help import option, verb, workload_option
from hockney.cli._option_groups import Common
from hockney.cli._options import measuring_options
from hockney.cli._parameters import some_of
from hockney.cli._verb import MeasuringVerb
from hockney.plan import Plan, single, sizes_of
from hockney.plan.words import (
    DIRECTIONS,
    ELEMENT_BYTES,
    ELEMENTS,
    SYNCHRONIZATIONS,
    WINDOW_KINDS,
    Element,
)
from hockney.plan.workloads.pairs import USUAL_WINDOW
from hockney.plan.workloads.rma import ONE_ELEMENT, RMA_OPERATIONS, Rma
from hockney.run.measure.studies.pairing import pairing_of, parse_counts

DEFAULT_SIZES = "8..4MiB"


@verb(
    "hockney rma put                                # is it faster than a message?",
    "hockney rma get --sync all --window-kind all   # every way to do it",
    "hockney rma put -n 8 --direction one-way --pairs-active 1,all   # message rate",
    cls=MeasuringVerb,
)
@click.argument("operation", type=click.Choice(RMA_OPERATIONS))
@_options.sizes(None, shown=f"{DEFAULT_SIZES}; one element for fetch-and-op, compare-and-swap")
@_options.ranks(2)
@option(
    "--sync",
    "synchronizations",
    type=some_of(SYNCHRONIZATIONS, strict=True),
    metavar="LIST",
    default="flush",
    help="What completes operations. fence, pscw: both ranks; lock, lock-all: the origin, by a "
    "lock each time; flush, flush-local (its buffer may be reused): under one lock of all. Or all.",
)
@workload_option(
    "--window-kind",
    "window_kinds",
    type=some_of(WINDOW_KINDS, strict=True),
    metavar="LIST",
    default=(),
    show_default="allocate; create with --memory of an accelerator",
    help="Memory of the window. allocate: from MPI_Win_allocate; create: the program's own; "
    "dynamic: attached later; shared: by the ranks of a node. Or all.",
)
@option(
    "--direction",
    type=click.Choice(DIRECTIONS),
    show_default="one operation at a time",
    help="Streams of operations. one-way: from one rank; both-ways: from both at once.",
)
@workload_option(
    "--window",
    "windows",
    metavar="LIST",
    show_default=str(USUAL_WINDOW),
    help="Operations of a stream that are completed together, such as 1,2,4,...,64.",
)
@workload_option(
    "--element",
    type=click.Choice(ELEMENTS),
    default="int64",
    help="Type of the elements of all but put and get.",
)
@_options.peers("Origin and target; the others sleep.")
@workload_option(
    "--pairs-active",
    "active",
    metavar="LIST",
    show_default="only --peers",
    help="Numbers of pairs at the same time, each with a window of its own, such as 1,2,4,...,all.",
)
@workload_option(
    "--pairing",
    default="halves",
    metavar="NAME|FILE",
    help="Who is paired with whom, as in hockney pairs: halves, neighbours, random or a file.",
)
@measuring_options()
def command(
    common: Common,
    *,
    operation: str,
    ranks: int,
    sizes: list[int] | None,
    windows: str | None,
    active: str | None,
    pairing: str,
    **own: Any,
) -> Plan:
    """Measure one-sided operations, and in the same rounds the two-sided exchange of the same size.

    Latency is the time of one operation until it is completed; of fence and pscw, half of an
    exchange in which each rank in turn is the origin. It is compared with half of a ping-pong;
    streams are compared with as many messages in flight.
    """
    ranks = (None if "ranks" in common.given else common.ranks_by_nodes()) or ranks
    if own["direction"] is None and windows is not None:
        raise click.UsageError("--window: operations in flight need --direction")
    if active is None and "pairing" in common.given:
        raise click.UsageError("--pairing needs --pairs-active")
    if active is not None and "peers" in common.given:
        raise click.UsageError("--pairs-active measures pairs of all ranks: leave out --peers")
    pairs = pairing_of(pairing, ranks, False) if active is not None else ()
    workload = Rma(
        operation=operation,
        sizes=sizes_of(sizes or _usual_sizes(operation, own["element"])),
        buffers=common.buffers,
        windows=parse_counts(windows or str(USUAL_WINDOW), "--window"),
        pairing=pairs,
        active=parse_counts(active, "--pairs-active", len(pairs)) if active is not None else (),
        **own,
    )
    return single(workload, replace(common.placement, ranks=ranks), common.sampling)


def _usual_sizes(operation: str, element: Element) -> list[int]:
    return [ELEMENT_BYTES[element]] if operation in ONE_ELEMENT else parse_sizes(DEFAULT_SIZES)
