"""hockney predict: what messages and patterns of them will take, by fitted models."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hockney.cli._parameters import SIZES
from hockney.errors import AskedWronglyError
from hockney.models import CHANNELS, TERMS

if TYPE_CHECKING:  # numbers are loaded when there is something to predict
    from hockney.models._channel import Channel
    from hockney.models._patterns import Pattern
    from hockney.records import Run


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--bytes", "sizes", type=SIZES, metavar="LIST", help="One message of each size.")
@click.option(
    "--pattern",
    "patterns",
    multiple=True,
    metavar="NAME:ranks=N,bytes=SIZE",
    help="halo3d:ranks=4096,bytes=64KiB, halo2d, ring, alltoall; with per-node=32 where "
    "so many ranks share a node (from a run of pairs); of collectives the algorithm "
    "first: bcast:binomial,ranks=64,bytes=1MiB. May be repeated.",
)
@click.option(
    "--what-if",
    "what_if",
    metavar="TERM=FACTORx,...",
    help="bandwidth=2x,latency=0.5x; overhead and gap of loggp.",
)
@click.option(
    "--model",
    type=click.Choice(CHANNELS),
    help="By which model.  [default: the most detailed that the file carries]",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(
    files: tuple[Path, ...],
    sizes: list[int] | None,
    patterns: tuple[str, ...],
    what_if: str | None,
    model: str | None,
    as_json: bool,
) -> None:
    """Predict the time of messages or of patterns of them from what was measured.

    Every rank is as far from every other as the measured ones; intervals are by resampling
    launches and know nothing of what a pattern does to the network besides.
    """
    from hockney import load
    from hockney.models._channel import channel_of
    from hockney.models._patterns import Pattern, parse_pattern

    factors = parse_factors(what_if) if what_if else {}
    asked = [Pattern("message", size) for size in sizes or ()]
    asked += [parse_pattern(text) for text in patterns]
    if not asked:
        raise click.UsageError("nothing to predict: give --bytes or --pattern")
    found = [load(file) for file in files]
    channels = [channel_of(one.points_to_fit, model).scaled(factors) for one in found]
    _show(
        [(one.run, channel) for one, channel in zip(found, channels, strict=True)], asked, as_json
    )


def _show(channels: list[tuple[Run, Channel]], asked: list[Pattern], as_json: bool) -> None:
    from hockney.models._patterns import predict
    from hockney.views.as_json import dumps
    from hockney.views.predictions import prediction_json, prediction_lines

    found = [(run, channel, [predict(channel, one) for one in asked]) for run, channel in channels]
    if as_json:
        rows = [
            {"label": run.label, "file": str(run.path), **prediction_json(channel, one)}
            for run, channel, predictions in found
            for one in predictions
        ]
        click.echo(dumps({"predictions": rows}))
        return
    for run, channel, predictions in found:
        lines = prediction_lines(channel, predictions)
        click.echo("\n".join([f"{run.label} ({run.path})", *lines]))


def parse_factors(text: str) -> dict[str, float]:
    """Reads "bandwidth=2x,latency=0.5x"."""
    factors: dict[str, float] = {}
    for word in text.split(","):
        term, equals, factor = word.strip().partition("=")
        if not equals or term not in TERMS:
            raise AskedWronglyError(
                f"--what-if {text}: there is no parameter called {term!r}",
                f"there are {', '.join(TERMS)}; write latency=0.5x",
            )
        try:
            value = float(factor.removesuffix("x"))
        except ValueError:
            value = 0.0
        if not 0.0 < value < math.inf:
            raise AskedWronglyError(f"--what-if {text}: {factor!r} is not a factor above 0")
        factors[term] = value
    return factors
