"""hockney cores: what each pair of places sees."""

from __future__ import annotations

from typing import Any

import click

from hockney.cli._options import measuring_options, question_of, ranks_by_nodes
from hockney.cli._parameters import SIZES
from hockney.errors import AskedWronglyError
from hockney.measure.checks import allowed_cpus, check_question
from hockney.measure.question import Question, Size
from hockney.units import parse_sizes

DEFAULT_SIZES = "8,1KiB,1MiB"


@click.command()
@click.option("-n", "ranks", type=int, help="Ranks to start, one a CPU.  [default: all allowed]")
@click.option(
    "--sizes", type=SIZES, metavar="LIST", help=f"As pingpong's.  [default: {DEFAULT_SIZES}]"
)
@click.option(
    "--parallel", is_flag=True, help="Pairs without a rank in common at once: sooner done."
)
@click.option("--gate", is_flag=True, help="Exit status 1 when a pair, place or node stands apart.")
@measuring_options
def command(**options: Any) -> None:
    """Measure every pair of places, one at a time while the others sleep.

    Prints the matrix as a heat map, a table of each group by what its places share and by the
    times themselves, where the two disagree, and the places that stand apart.
    """
    question = _question(options)
    check_question(question)
    from hockney.cli._measure import measure_and_show

    measure_and_show(question, options)


def _question(options: dict[str, Any]) -> Question:
    ranks = options["ranks"] or ranks_by_nodes(options)
    elsewhere = options["platform_file"] or options["nodes"] or options["hosts"]
    if elsewhere and ranks is None:
        raise AskedWronglyError("how many ranks take part, and of which nodes?", "say so with -n")
    if not elsewhere:
        allowed = allowed_cpus()
        ranks = allowed if ranks is None else ranks
        if ranks > allowed:
            raise AskedWronglyError(
                f"-n {ranks}: only {allowed} CPU{'s' * (allowed > 1)} may be used here",
                "each place is measured once: leave out -n to take them all",
            )
    return question_of(
        options,
        experiment="cores",
        sizes=tuple(Size(size) for size in options["sizes"] or parse_sizes(DEFAULT_SIZES)),
        ranks=ranks,
        arguments=("--parallel",) if options["parallel"] else (),
    )
