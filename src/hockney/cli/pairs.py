"""hockney pairs: many ranks exchange messages in pairs, all at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from hockney.cli._options import measuring_options, question_of, ranks_by_nodes, was_given
from hockney.cli._parameters import SECONDS, SIZE, SIZES
from hockney.errors import AskedWronglyError
from hockney.measure.checks import allowed_cpus, check_question
from hockney.measure.pairing import PAIRINGS, pairing_of, pairing_words, parse_counts
from hockney.measure.presets import imb_size
from hockney.measure.question import Question, Size
from hockney.units import parse_sizes

DEFAULT_SIZES = "0,8,1KiB,64KiB,1MiB"
MULTI_SIZES = "0,1..16MiB"
MULTI_RANKS = 8
"""Two groups of up to four processes, as in the paper."""
OPERATIONS = ("pingpong", "stream", "bidirectional", "exchange")
WINDOWED = ("stream", "bidirectional")
DEFAULT_WINDOW = "64"
MODES = ("standard", "synchronous", "nonblocking", "persistent")


@click.command()
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
    help="How many pairs at once, such as 1,2,4,...,all: the contention curve.  [default: 1,all]",
)
@click.option(
    "--operation",
    type=click.Choice(OPERATIONS),
    default="pingpong",
    show_default=True,
    help="Messages there and back, a window of them one way or both ways, or sendrecv.",
)
@click.option(
    "--window",
    metavar="LIST",
    help=f"Messages on their way at once in stream and bidirectional: 1,2,4,...,64.  "
    f"[default: {DEFAULT_WINDOW}]",
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
@click.option("--gate", is_flag=True, help="Exit status 1 when a pair, place or node stands apart.")
@measuring_options
def command(**options: Any) -> None:
    """Measure pairs of ranks that exchange messages at the same time.

    Prints per-pair and aggregate time and bandwidth of each size and number of pairs, the best and
    the worst pair, the slowdown against one pair alone, and the pairs that stand apart.
    """
    question = _question(options)
    check_question(question)
    from hockney.cli._measure import measure_and_show

    measure_and_show(question, options)


def _question(options: dict[str, Any]) -> Question:
    ranks = options["ranks"] or ranks_by_nodes(options) or _default_ranks(options)
    pairing = pairing_of(options["pairing"], ranks, options["idle_last"])
    active = parse_counts(options["active"] or "1,all", "--pairs-active", len(pairing))
    arguments = [f"--pairing={pairing_words(pairing)}"]
    if options["multi"]:
        _check_multi()
        active = tuple(range(1, len(pairing) + 1))
    else:
        arguments += _operation(options)
    question = question_of(
        options,
        experiment="pairs",
        sizes=_sizes(options),
        ranks=ranks,
        every_iteration=options["every_iteration"],
        arguments=(*arguments, f"--pairs-active={','.join(map(str, active))}"),
    )
    return _lasting(question, options["duration"]) if options["duration"] else question


def _default_ranks(options: dict[str, Any]) -> int:
    if options["platform_file"]:
        raise AskedWronglyError("--platform: how many of its hosts take part?", "say so with -n")
    return MULTI_RANKS if options["multi"] else max(allowed_cpus() // 2 * 2, 2)


def _operation(options: dict[str, Any]) -> list[str]:
    operation = options["operation"]
    arguments = [f"--operation={operation}", f"--mode={options['mode']}"]
    if operation in WINDOWED:
        windows = parse_counts(options["window"] or DEFAULT_WINDOW, "--window")
        arguments.append(f"--window={','.join(map(str, windows))}")
    elif options["window"]:
        raise click.UsageError(f"--window is about {' and '.join(WINDOWED)}, not {operation}")
    return arguments


def _check_multi() -> None:
    """What makes it the multi-mode ping-pong may not be changed."""
    own = ("pairing", "active", "operation", "window", "mode", "every_iteration", "duration")
    names = {"active": "pairs-active"}
    given = [f"--{names.get(name, name).replace('_', '-')}" for name in own if was_given(name)]
    if given:
        raise click.UsageError(f"--multi already says it all: leave out {', '.join(given)}")


def _sizes(options: dict[str, Any]) -> tuple[Size, ...]:
    default = MULTI_SIZES if options["multi"] else DEFAULT_SIZES
    sizes = options["sizes"] or parse_sizes(default)
    if options["multi"]:
        messages, volume = options["msgs_per_sample"], options["overall_volume"]
        return tuple(imb_size(size, messages, volume) for size in sizes)
    return tuple(Size(size) for size in sizes)


def _lasting(question: Question, seconds: float) -> Question:
    """Precise or not, it goes on until the time is up."""
    if was_given("launches") or was_given("budget") or was_given("precision"):
        raise click.UsageError("--duration is one launch: no --launches, --budget or --precision")
    return replace(question, least_launches=1, most_launches=1, budget_s=seconds, precision=0.0)
