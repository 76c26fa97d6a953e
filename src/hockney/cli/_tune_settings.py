"""hockney tune pingpong|pairs --settings: settings of messages, judged by paired variants."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from hockney.base.errors import HockneyError
from hockney.base.units import format_seconds, how_many
from hockney.cli import _measure
from hockney.cli._option_groups import OF_OUTPUT
from hockney.cli._verb import ask
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.variant_verdicts import VariantStudy
from hockney.plan import Plan
from hockney.plan.variants import LEAST_BLOCKS, Comparison
from hockney.run.measure.execution import Target
from hockney.run.measure.launches.trial import SHORTEST_LAUNCH_S, launch_s
from hockney.run.measure.preparation.parameter_files import NOTHING_HELD, held_in_files
from hockney.run.measure.preparation.setup import mpi_of
from hockney.run.measure.sessions.session import Session
from hockney.run.measure.studies.joined_variants import joined
from hockney.show.tables.as_json import dumps
from hockney.show.tuning.settings_lines import settings_json, settings_lines, values_of
from hockney.tuning.settings import (
    SEARCH,
    AlreadySet,
    Setting,
    Time,
    already_set,
    own_name,
    settings_of,
    variants_of,
)
from hockney.tuning.settings_choice import chosen_of, gains_of, largest_gain, range_text, to_confirm
from hockney.tuning.settings_files import SUFFIXES, files_of, modules_of, write

USUAL_SIZES = "8,4KiB,16KiB,64KiB,1MiB,4MiB"
"""Message sizes on both sides of the usual thresholds, and one beyond all thresholds and most
caches, as a setting holds for large messages too; each more would need more blocks."""
SILENT_S = 10.0
"""Timeout: a library that reports nothing for so long hangs under its setting."""
VARIANT_S = 12.0
"""Wall time for each variant, unless --budget is given."""
MOST_BUDGETED = 10
"""Most variants for which the usual budget grows."""


def tune_settings(words: Sequence[str], options: dict[str, Any]) -> None:
    """Tunes settings of messages; words: the verb and its own options."""
    verb, *rest = words
    defaults = {"sizes": USUAL_SIZES, "mpicc": options["mpicc"]}
    given = {name: value for name, value in defaults.items() if value}
    request = ask([verb, *rest], (*OF_OUTPUT, "gate"), **given)
    output: Path | None = options["output"]
    _check_output(output, options["force"])
    placement = request.plan.first.placement
    mpi, engine = mpi_of(placement)
    tried = settings_of(options["settings"], mpi, engine)
    left_out = list(tried.left_out)
    variables = {setting.variable for setting in tried.settings}
    timeout_s = request.plan.sampling.timeout_s
    held = held_in_files(mpi, engine, placement.env, timeout_s, variables) or NOTHING_HELD
    already = already_set(tried.settings, os.environ, held.files, held.overriding)
    studies: list[VariantStudy] = []
    budget_s = options["budget"] or VARIANT_S * min(len(tried.settings) + 1, MOST_BUDGETED)
    time = Time(budget_s, launch_s(mpi, engine))
    measuring = _Measuring(request.plan, verb, output, options, left_out, tried.settings, already)
    settings: list[tuple[Setting, ...]] = [(setting,) for setting in tried.settings]
    if time.needs_search(len(settings)):
        searched = time.searched(sum(setting.is_named for setting in tried.settings))
        late = ", ".join(setting.name for setting in tried.settings[searched:])
        if late:
            left_out.append(f"{late}: no time within {format_seconds(budget_s)} (--budget)")
        settings, budget_s = settings[:searched], (1.0 - SEARCH) * budget_s
        study = measuring.study("search", settings, SEARCH * time.budget_s)
        studies.append(study)
        settings = to_confirm(study, tried.settings, time.confirmed)
    if settings:
        studies.append(measuring.study("confirm", settings, budget_s))
    # Without anything promising the search itself is the last word.
    chosen = chosen_of(studies[-1], tried.settings) if settings else None
    most = largest_gain(studies)
    gains = gains_of(studies[-1], chosen)
    sizes = range_text(gains)
    values = values_of(chosen)
    texts = files_of(values, gains, already) | (
        modules_of(values, gains) if options["deploy"] else {}
    )
    files = write(output, texts, options["force"]) if output and chosen else []
    if options["as_json"]:
        content = settings_json(studies, chosen, gains, sizes, most, left_out, files, already)
        click.echo(dumps(content))
    else:
        lines = settings_lines(studies[-1], chosen, sizes, most, left_out, already)
        click.echo("\n".join(lines))
    if not options["quiet"]:
        for file in files:
            click.echo(f"wrote {file}", err=True)
        if output and not files:
            click.echo("nothing was written", err=True)


class _Measuring:
    """Measures combinations of settings against the library's own."""

    def __init__(
        self,
        plan: Plan,
        verb: str,
        output: Path | None,
        options: dict[str, Any],
        left_out: list[str],
        tried: Sequence[Setting],
        already: Sequence[AlreadySet],
    ) -> None:
        sampling = replace(plan.sampling, timeout_s=min(plan.sampling.timeout_s, SILENT_S))
        # All variants read all settings back, which shows what differs between them.
        controls = {setting.control: None for setting in tried if setting.control is not None}
        cases = tuple(
            replace(case, placement=replace(case.placement, controls=dict(controls)))
            for case in plan.cases
        )
        self._plan = replace(plan, sampling=sampling, cases=cases)
        self._verb, self._output, self._options = verb, output, options
        self._left_out, self._already = left_out, already

    def study(
        self, stage: str, chosen: Sequence[Sequence[Setting]], budget_s: float
    ) -> VariantStudy:
        variants = variants_of(chosen, self._already)
        plans = [(variant, self._plan) for variant in variants]
        plan = joined(plans, Comparison(variants=variants), budget_s)
        file = self._file(stage)
        quiet = self._options["quiet"]
        if not quiet:
            budget = format_seconds(budget_s)
            click.echo(f"{stage}: {len(variants)} variants share {budget} (--budget)", err=True)
        is_chosen = self._output is not None
        target = Target(file, force=self._options["force"], is_chosen=is_chosen)
        session = _measure.measured(plan, target, quiet)
        if session.was_stopped:
            raise KeyboardInterrupt
        self._left_out += _failed(session, own_name(self._already))
        study = Analysis(session.run).variants
        if study is None or not study.ratios:
            launches = sum(answer.launches for answer in session.answers)
            each_s = session.launches_wall_s / launches if launches else budget_s
            each_s = max(each_s, SHORTEST_LAUNCH_S)
            times = math.ceil(len(plan.cases) * LEAST_BLOCKS * each_s / budget_s)
            raise HockneyError(
                "no block of launches is complete: nothing can be compared",
                f"a launch took {format_seconds(each_s)}: give {max(times, 2)} times the --budget",
            )
        if not quiet:
            click.echo(
                f"{stage}: {how_many(study.blocks, 'block')}; samples are in {session.file.path}",
                err=True,
            )
        return study

    def _file(self, stage: str) -> Path:
        if self._output is None:
            return _measure.default_output(f"tune-{self._verb}-{stage}")
        return self._output.with_name(f"{self._output.name}.{stage}.jsonl")


def _failed(session: Session, own: str) -> list[str]:
    """A line for each variant whose launches failed or hung; raises HockneyError where the
    library fails with its own settings, or those that are set already (the variant `own`)."""
    lines = []
    for answer in session.answers:
        if answer.problem is not None:
            if answer.case.variant == own:
                raise HockneyError(str(answer.problem))
            words = answer.problem.without_options or answer.problem.first_line
            lines.append(f"{answer.case.variant}: {words}")
    return lines


def _check_output(output: Path | None, force: bool) -> None:
    if output is None:
        return
    if not output.name or output.is_dir():
        raise click.UsageError(f"{output} is a directory: name a file in it with -o")
    names = [*SUFFIXES, ".search.jsonl", ".confirm.jsonl"]
    taken = next((f for s in names if (f := output.with_name(output.name + s)).exists()), None)
    if taken is not None and not force:
        raise click.UsageError(f"{taken} exists: name another, or overwrite with --force")
