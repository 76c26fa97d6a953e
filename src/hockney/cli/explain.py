"""hockney explain: why two runs differ."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hockney.cli import _options
from hockney.cli._help import given_options, option, verb
from hockney.cli._parameters import SECONDS

if TYPE_CHECKING:
    from hockney.infer.analysis.comparison.explanation import Explanation
    from hockney.infer.analysis.comparison.factor import DifferingFactor
    from hockney.infer.analysis.comparison.one_factor import TriedFactors


@verb(
    "hockney explain before.jsonl after.jsonl",
    "hockney explain mpich.jsonl openmpi.jsonl --json",
    "hockney explain good.jsonl bad.jsonl --try     # measures what decides, on B's machine",
)
@click.argument("base", metavar="A", type=click.Path(path_type=Path))
@click.argument("other", metavar="B", type=click.Path(path_type=Path))
@_options.TOLERANCE
@option(
    "--try",
    "tries",
    is_flag=True,
    help="Measure B again with single settings of A, until 90 % is explained.",
)
@option("--budget", type=SECONDS, default="20s", help="Time for each setting that --try measures.")
@_options.HISTORY
@_options.host_memory()
@_options.MOST_INPUT
@_options.QUIET
@_options.JSON
def command(
    base: Path,
    other: Path,
    tolerance: float,
    tries: bool,
    budget: float,
    past: tuple[Path, ...],
    memory: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Explain why run B differs from run A: by settings, places, conditions of the machine,
    libraries.

    What differs between the runs is a cause only if the runs recorded that it acted, and if the
    form of the difference over the sizes is one that it is known to have. The part of the
    difference that each explains is the sum over all points of the logarithms of ratios. A slow
    node, cable or pair that one run shows by itself and the other does not is named first. Exit
    status 3 where the runs have nothing in common, with the measurement that is missing, or where
    nothing is named and points are not judged.
    """
    from hockney.cli._files import load
    from hockney.cli._memory import earlier_runs
    from hockney.cli._present import end_by
    from hockney.infer.analysis.comparison.explanation import explanation
    from hockney.show.comparison.explanation_lines import (
        answer_words,
        explanation_json,
        explanation_lines,
    )
    from hockney.show.tables.as_json import dumps

    if not tries and "budget" in given_options(click.get_current_context()):
        raise click.UsageError("--budget is for --try: leave it out, or add --try")
    first, second = load(base), load(other)
    known = earlier_runs((base, other), past, memory, [first, second])
    answer = explanation(first, second, tolerance, known)
    for note in answer.notes:
        click.echo(f"note: {note}", err=True)
    tried = _tried(answer, budget, quiet) if tries and answer.shown else []
    if as_json:
        click.echo(dumps(explanation_json(answer, tried)))
    else:
        from hockney.base.terminal import styled

        click.echo(styled(answer_words(answer), "bold") + "\n")
        click.echo("\n".join(explanation_lines(answer, tried)))
    end_by(answer.ends_by)


def _tried(explanation: Explanation, budget_s: float, quiet: bool) -> list[TriedFactors]:
    """Measures B beside B with settings of A, one more in each run, until enough is explained.
    Settings that change nothing are left out of the next runs."""
    from hockney.base.errors import HockneyError
    from hockney.cli._measure import measured, target_of
    from hockney.infer.analysis import Analysis
    from hockney.infer.analysis.comparison.explanation import ENOUGH, LEAST_PART
    from hockney.infer.analysis.comparison.one_factor import TriedFactors, part_gone
    from hockney.run.measure.studies.as_before import check_at_hand, with_as_before

    plan = check_at_hand(explanation.second)
    factors = [
        *(cause.factor for cause in explanation.causes),
        *(cleared.factor for cleared in explanation.cleared),
    ]
    open_ = [factor for factor in factors if factor.change and not factor.why_not]
    kept: list[DifferingFactor] = []
    tried: list[TriedFactors] = []
    reached = 0.0
    for factor in open_:
        names = tuple(setting.name for setting in (*kept, factor))
        try:
            both = with_as_before(plan, factors, (*kept, factor), budget_s)
            session = measured(both, target_of(None, "explain", force=False), quiet)
        except HockneyError as error:
            tried.append(TriedFactors(names, 0.0, 0, error.message))
            continue
        study = Analysis(session.run).variants
        if study is None or not study.ratios:
            tried.append(TriedFactors(names, 0.0, 0, "no complete block was measured"))
            continue
        part = part_gone(explanation, study, study.comparison.names[1])
        tried.append(TriedFactors(names, part, study.blocks))
        if part - reached >= LEAST_PART:
            kept, reached = [*kept, factor], part
        if reached >= ENOUGH:
            break
    return tried
