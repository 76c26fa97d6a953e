"""hockney overheads: what messages cost their sender and their receiver."""

from __future__ import annotations

from typing import Any

import click

from hockney.cli._options import measuring_options, question_of
from hockney.cli._parameters import PEERS, SIZES
from hockney.measure.checks import check_question
from hockney.measure.question import Size
from hockney.units import parse_sizes

DEFAULT_SIZES = "1,8,64,256,1KiB,2KiB,4KiB"


@click.command()
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
@measuring_options
def command(**options: Any) -> None:
    """Measure what a message costs its sender and its receiver, and how soon the next may follow.

    Messages go in trains, with known delays between sends or between receives; the LogGP model's
    L, o_s, o_r, g and G follow from how long the trains take.
    """
    sizes = options["sizes"] or parse_sizes(DEFAULT_SIZES)
    if len(sizes) < 2:
        raise click.UsageError("--sizes: what grows with the size needs two of them at least")
    question = question_of(
        options,
        experiment="overheads",
        sizes=tuple(Size(size) for size in sizes),
        ranks=options["ranks"],
        peers=options["peers"],
    )
    check_question(question)
    from hockney.cli._measure import measure_and_show
    from hockney.measure.trains import Trains

    trains = Trains(question, options["messages"])
    measure_and_show(trains.first_question(), options, follow_up=trains.follow_up)
