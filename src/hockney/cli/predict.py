"""hockney predict: what messages and patterns of them will take, by fitted models."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hockney.base.errors import HockneyError, UsageError
from hockney.cli import _options
from hockney.cli._help import option, verb
from hockney.cli._parameters import SIZES
from hockney.infer.models import CHANNELS, TERMS

if TYPE_CHECKING:
    from hockney.infer.predict.answers import Answers
    from hockney.records import Run


@verb(
    "hockney predict run.jsonl --bytes 8,1MiB",
    "hockney predict run.jsonl --pattern halo3d:ranks=4096,bytes=64KiB",
    "hockney predict run.jsonl --pattern bcast:binomial,ranks=64,bytes=1MiB --what-if latency=0.5x",
    "hockney predict --profile p.jsonl --on messages.jsonl",
)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@option("--bytes", "sizes", type=SIZES, metavar="LIST", help="Predict a message of each size.")
@option(
    "--pattern",
    "patterns",
    multiple=True,
    metavar="NAME:ranks=N,bytes=SIZE",
    help="Predict halo3d, halo2d, ring or alltoall, with per-node=32 where 32 ranks share a node "
    "(needs a run of pairs); or a collective, its algorithm first. May be repeated.",
)
@option(
    "--what-if",
    "what_if",
    metavar="TERM=FACTORx,...",
    help="Change the machine: bandwidth=2x,latency=0.5x; overhead and gap with loggp.",
)
@option(
    "--profile",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Predict the communication of a profiled program, with the times of --on.",
)
@option(
    "--on",
    "measured",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="With --profile: messages of the other machine or MPI; and collectives, where they were "
    "measured. May be repeated.",
)
@option(
    "--model",
    type=click.Choice(CHANNELS),
    show_default="the most detailed that the file allows",
    help="Model to predict from.",
)
@_options.MOST_INPUT
@_options.JSON
def command(
    files: tuple[Path, ...],
    sizes: list[int] | None,
    patterns: tuple[str, ...],
    what_if: str | None,
    profile: Path | None,
    measured: tuple[Path, ...],
    model: str | None,
    as_json: bool,
) -> None:
    """Predict the time of messages and communication patterns from measured ones.

    A message of a measured size takes what was measured. All pairs of ranks are taken to
    communicate like the measured ones. Confidence intervals are by a bootstrap over launches and
    contain what the model is off at that size; they do not cover effects of a pattern on the
    network.
    """
    from hockney.cli._files import load, warn_of_modes
    from hockney.cli._profiles import predict_profile
    from hockney.infer.predict.answers import answers_of
    from hockney.infer.predict.patterns import MESSAGE, Pattern, parse_pattern

    factors = parse_factors(what_if) if what_if else {}
    if profile is not None or measured:
        if profile is None or not measured or files or sizes or patterns:
            raise click.UsageError("give --profile FILE --on FILE, without other files or patterns")
        predict_profile(profile, measured, model, factors, as_json)
        return
    if not files:
        raise click.UsageError("nothing to predict from: give result files, or --profile and --on")
    questions = [Pattern(MESSAGE, size) for size in sizes or ()]
    questions += [parse_pattern(text) for text in patterns]
    if not questions:
        raise click.UsageError("nothing to predict: give --bytes or --pattern")
    analyses = [load(file) for file in files]
    answers = [
        (analysis.run, answers_of(analysis.points_to_fit, questions, model, factors))
        for analysis in analyses
    ]
    _show(answers, as_json)
    warn_of_modes(analyses)
    _refuse(answers)


def _refuse(answered: list[tuple[Run, Answers]]) -> None:
    """Raises HockneyError with what no run allows to predict, beside the measured sizes."""
    refused = [
        f"{run.path}: {' and '.join(pattern.words for pattern in answers.refused)}: "
        f"{answers.why.message}"
        for run, answers in answered
        if answers.refused and answers.why
    ]
    if refused:
        advice = next(answers.why.advice for _, answers in answered if answers.why)
        raise HockneyError("; ".join(refused), advice)


def _show(answered: list[tuple[Run, Answers]], as_json: bool) -> None:
    from hockney.cli._files import warn_of_sources
    from hockney.infer.analysis.warnings import source_notes
    from hockney.show.profiles.predictions import prediction_json, prediction_lines
    from hockney.show.tables.as_json import dumps

    if as_json:
        rows = [
            {
                "label": run.label,
                "file": str(run.path),
                **prediction_json(answers.model, prediction),
                "warnings": [note.text for note in source_notes(run)],
            }
            for run, answers in answered
            for prediction in answers.predictions
        ]
        click.echo(dumps({"predictions": rows}))
        return
    for run, answers in answered:
        click.echo("\n".join([f"{run.label} ({run.path})", *prediction_lines(answers)]))
    warn_of_sources(run for run, _ in answered)


def parse_factors(text: str) -> dict[str, float]:
    """Reads "bandwidth=2x,latency=0.5x"."""
    factors: dict[str, float] = {}
    for word in text.split(","):
        term, equals, factor = word.strip().partition("=")
        if not equals or term not in TERMS:
            raise UsageError(
                f"--what-if {text}: unknown term {term!r}",
                f"known are {', '.join(TERMS)}; write latency=0.5x",
            )
        try:
            value = float(factor.removesuffix("x"))
        except ValueError:
            value = 0.0
        if not 0.0 < value < math.inf:
            raise UsageError(f"--what-if {text}: {factor!r} is not a factor above 0")
        if term in factors:
            raise UsageError(f"--what-if {text}: {term} is given twice", "give it once")
        factors[term] = value
    return factors
