"""hockney tune --profile: measures what a program uses, and whether the program gains."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from hockney.base.errors import UsageError
from hockney.base.units import how_many
from hockney.cli import _measure
from hockney.cli._profiles import load_profile
from hockney.cli._tune_check import end_unjudged
from hockney.cli._verb import ask
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.gate import not_judged
from hockney.infer.estimate.quantiles import LEAST_LAUNCHES
from hockney.run.measure.execution import Target
from hockney.run.measure.recording import mpi_of_command
from hockney.show.tables.table import between
from hockney.tuning.program import ProgramGain, Used, gain_of, used_collectives

CELL_S = 60.0
"""Wall time for each collective of one size: some ten algorithms are started five times each, as
intervals need."""


def measured_for(words: Sequence[str], check: bool, options: dict[str, Any]) -> list[Analysis]:
    """Measures the collectives of a profiled program; `words`: the command that starts it."""
    if check and not words:
        raise click.UsageError("--check -- COMMAND: the command that starts the program")
    if check and options["as_json"]:
        raise click.UsageError("--json shows the rules: leave it out with --check")
    if words and not check:
        raise click.UsageError("a command after -- needs --check")
    path: Path = options["profile"]
    if words and options["mpicc"] is None:
        options["mpicc"] = str(mpi_of_command(words, None).mpicc)
    used = used_collectives(load_profile(path))
    if not used:
        raise UsageError(
            f"{path}: no blocking collective on the host's memory takes a part of the time "
            "that tuning could gain",
            "settings of messages are tuned by: hockney tune pingpong --settings auto",
        )
    options["output"] = options["output"] or Path(f"{path.stem}.rules")
    return _measured(used, path, options)


def _measured(used: Sequence[Used], path: Path, options: dict[str, Any]) -> list[Analysis]:
    """Measures a run for each number of ranks, in files beside the profile."""
    analyses = []
    for ranks in sorted({cell.ranks for cell in used}):
        cells = [cell for cell in used if cell.ranks == ranks]
        names = ",".join(dict.fromkeys(cell.collective for cell in cells))
        sizes = ",".join(map(str, sorted({_whole(cell.bytes) for cell in cells})))
        words = ["collective", names, "--algorithm", "all", "--ranks", str(ranks)]
        plan = ask([*words, "--sizes", sizes], mpicc=options["mpicc"]).plan
        budget_s = options["budget"] or CELL_S * len(cells)
        plan = replace(plan, sampling=replace(plan.sampling, budget_s=budget_s))
        output = path.with_name(f"{path.stem}-collectives-{ranks}.jsonl")
        target = Target(output, force=options["force"], resume=None)
        analyses.append(_measure.whole(plan, target, options["quiet"]))
    return analyses


def _whole(bytes_: int) -> int:
    """The size rounded to whole integers, in which reductions are measured."""
    return max(4, bytes_ // 4 * 4)


def check_program(words: Sequence[str], settings: dict[str, str], options: dict[str, Any]) -> None:
    """Measures the program with the rules, and exits with status 1 where they make it slower, with
    3 where too few blocks were made to tell."""
    least, _ = options["launches"]
    gain = gain_of(words, settings, least)
    click.echo(_gain_text(gain))
    if gain.verdict == "slower":
        raise click.exceptions.Exit(1)
    if gain.interval is None:
        few = f"{how_many(len(gain.ratios), 'block')} of the program cannot show a difference"
        end_unjudged(not_judged(few, f"give --launches {LEAST_LAUNCHES} or more"))


def _gain_text(gain: ProgramGain) -> str:
    if gain.interval is None:
        return (
            f"the program: {gain.ratio:.3f} times its time with the rules; too few blocks to tell"
        )
    limits = between(gain.interval, "{:.3f}".format)
    known = f"{gain.ratio:.3f} times its time [{limits}], {how_many(len(gain.ratios), 'block')}"
    if gain.verdict == "no difference":
        return f"the program: no gain from the rules can be shown ({known})"
    return f"the program is {gain.verdict} with the rules: {known}"
