"""hockney collective: what collectives take, by algorithm, ranks and size."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from hockney.cli._options import measuring_options, question_of, ranks_by_nodes, was_given
from hockney.cli._parameters import COUNTS, SIZES
from hockney.measure.question import Question, Size
from hockney.units import format_seconds, parse_sizes

DEFAULT_SIZES = "2..1MiB"
QUESTION_S = 8.0
"""Wall time for each collective, algorithm and number of ranks, unless --budget says otherwise."""


@click.command()
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
@click.option("--oversubscribe", is_flag=True, help="More ranks than CPUs.")
@measuring_options
def command(**options: Any) -> None:
    """Measure collectives by algorithm, ranks and size.

    A launch for each algorithm and number of ranks in turn, which visits all sizes. A time is from
    the common start to the end of the last rank.
    """
    from hockney.cli._measure import measure_cycle_and_show
    from hockney.measure.algorithms import checked_collectives
    from hockney.measure.build import build_engine
    from hockney.measure.checks import allowed_cpus, check_question
    from hockney.measure.collective import Study, questions_of
    from hockney.measure.mpi import find_mpi
    from hockney.measure.prepare import Asked

    study = Study(
        collectives=checked_collectives(options["collectives"].split(",")),
        algorithms=options["algorithms"].split(","),
        ranks=options["ranks"] or [ranks_by_nodes(options) or allowed_cpus()],
        segments=options["segments"] or (),
        root=options["root"],
        sync=options["sync"],
        oversubscribe=options["oversubscribe"],
        overlap=options["overlap"],
    )
    sizes = tuple(Size(size) for size in options["sizes"] or parse_sizes(DEFAULT_SIZES))
    base = question_of(options, experiment="collective", sizes=sizes)
    mpi = find_mpi(options["mpicc"], simulated=base.platform is not None)
    engine = build_engine(mpi)
    questions, left_out = questions_of(study, base, mpi, engine)
    questions = _with_budget(questions, options["quiet"])
    for question in questions:
        check_question(question)
    measure_cycle_and_show(Asked(questions, mpi, engine, left_out), options)


def _with_budget(questions: list[Question], quiet: bool) -> list[Question]:
    """The same time for each, unless the user has said how long all may take."""
    budget_s = questions[0].budget_s if was_given("budget") else QUESTION_S * len(questions)
    if not quiet and len(questions) > 1:
        click.echo(
            f"{len(questions)} combinations share {format_seconds(budget_s)} (--budget)", err=True
        )
    return [replace(question, budget_s=budget_s) for question in questions]
