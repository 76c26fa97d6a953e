"""hockney pingpong: latency and bandwidth between two ranks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from hockney.cli._options import measuring_options, question_of, ranks_by_nodes, was_given
from hockney.cli._parameters import PEERS, SIZE, SIZES
from hockney.measure.checks import check_question
from hockney.measure.presets import PRESETS
from hockney.measure.question import Question, Size
from hockney.units import parse_sizes
from hockney.views.layouts import layout_names

DEFAULT_SIZES = "0,1..4MiB"


@click.command()
@click.option("-n", "ranks", type=int, default=2, show_default=True, help="Ranks to start.")
@click.option(
    "--peers",
    type=PEERS,
    default="0,1",
    show_default=True,
    help="Which two of them exchange messages; the others sleep.",
)
@click.option(
    "--sizes",
    type=SIZES,
    metavar="LIST",
    help=f"0,1,8 or 1..4MiB (powers of two), 1..4e6x10 (by tens), 1..1MiB/4 (four an "
    f"octave).  [default: {DEFAULT_SIZES}]",
)
@click.option("--from", "first", type=SIZE, help="Smallest size of a range by powers of two.")
@click.option("--to", "last", type=SIZE, help="Largest size of that range.")
@click.option("--per-octave", type=click.IntRange(1, 64), help="Sizes an octave in that range.")
@click.option(
    "--every-iteration",
    is_flag=True,
    help="Time each exchange on its own, clock cost subtracted: for variability.",
)
@click.option("--floor", is_flag=True, help="Measure the hardware's limit in the same rounds.")
@click.option(
    "--two-buffers",
    is_flag=True,
    help="Receive into another buffer than is sent from: large messages then stay cached.",
)
@click.option("--cold-cache", is_flag=True, help="Walk through buffers beyond the last cache.")
@click.option(
    "--refine", is_flag=True, help="Find where the curve breaks, to the byte where noise allows."
)
@click.option("--verify", is_flag=True, help="Check every message on arrival, untimed.")
@click.option(
    "--preset",
    type=click.Choice(sorted(PRESETS)),
    help="Sizes, repetitions, statistic and table of a classic program.",
)
@click.option(
    "--format",
    "layout",
    type=click.Choice(layout_names()),
    help="Print in the layout of a classic program.",
)
@measuring_options
def command(**options: Any) -> None:
    """Measure the one-way time of messages between two ranks.

    Prints a table with the median of each size and its interval, and Hockney's fit
    T(b) = alpha + beta b; keeps every sample in a result file.
    """
    question = _question(options)
    check_question(question)
    from hockney.cli._measure import measure_and_show

    layout = options["layout"] or (PRESETS[question.preset]().format if question.preset else None)
    if not options["refine"]:
        measure_and_show(question, options, layout)
        return
    from hockney.measure.refine import Refinement

    if question.sweep or len(question.sizes) < 2:
        raise click.UsageError("--refine looks between sizes: give it some, and no --preset")
    if question.over_s is not None:
        raise click.UsageError("--refine seeks, launch by launch: --over is for what is known")
    refinement = Refinement(question)
    measure_and_show(refinement.first_question(), options, layout, refinement.follow_up)
    from hockney.views.switches import lost_words

    if refinement.lost and not options["quiet"]:
        click.echo(f"note: {lost_words(refinement.lost)}", err=True)


def _question(options: dict[str, Any]) -> Question:
    question = question_of(
        options,
        experiment="pingpong",
        sizes=tuple(Size(size) for size in _sizes(options)),
        ranks=_ranks(options),
        peers=options["peers"],
        every_iteration=options["every_iteration"],
        floor=options["floor"],
        two_buffers=options["two_buffers"],
        cold_cache=options["cold_cache"],
        verify=options["verify"],
    )
    return _with_preset(question, options) if options["preset"] else question


def _ranks(options: dict[str, Any]) -> int:
    by_nodes = None if was_given("ranks") else ranks_by_nodes(options)
    return by_nodes or int(options["ranks"])


def _sizes(options: dict[str, Any]) -> list[int]:
    sizes, first, last = options["sizes"], options["first"], options["last"]
    if sizes and (first is not None or last is not None or options["per_octave"]):
        raise click.UsageError("--sizes already says it all: leave out --from, --to, --per-octave")
    if sizes:
        return list(sizes)
    if first is None and last is None and not options["per_octave"]:
        return parse_sizes(DEFAULT_SIZES)
    first = 1 if first is None else first
    steps = f"/{options['per_octave']}" if options["per_octave"] else ""
    zero = [0] if first == 0 else []
    return zero + parse_sizes(f"{max(first, 1)}..{4 << 20 if last is None else last}{steps}")


def _with_preset(question: Question, options: dict[str, Any]) -> Question:
    """A preset is one launch as the classic program makes it; sizes and launches may be changed,
    but what makes it that preset may not."""
    preset = PRESETS[options["preset"]]()
    sizes = preset.sizes
    if any(options[name] is not None for name in ("sizes", "first", "last", "per_octave")):
        wanted = set(_sizes(options))
        sizes = tuple(size for size in preset.sizes if size.bytes in wanted)
        if not sizes:
            raise click.UsageError(f"--preset {options['preset']} has none of these sizes")
    if not was_given("launches"):
        question = replace(question, least_launches=1, most_launches=1)
    return replace(question, sizes=sizes, sweep=True, preset=options["preset"], **preset.options)
