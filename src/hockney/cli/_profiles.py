"""Shows profiles of programs, as verbs do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hockney.base.errors import UsageError
from hockney.base.terminal import styled

if TYPE_CHECKING:
    from hockney.infer.estimate.points import PointEstimate
    from hockney.infer.predict.program_memories import WayTime
    from hockney.profiling.kinds import Profile
    from hockney.show.report.profiles import Profiled

WARMER_BUFFERS = (
    "most bytes of the program come from several buffers in turn, those of --on from one that "
    "stays in a cache: measure --on with pingpong --buffers separate"
)


def load_profile(path: Path) -> Profile:
    """The profile in a file; warns of what could not be read."""
    from hockney.cli._files import warn_of_cut
    from hockney.profiling import kinds

    profile = kinds.read(path)
    warn_of_cut(path, profile.cut)
    return profile


def profiled(path: Path) -> Profiled:
    """The profile in a file as a report shows it."""
    from hockney.profiling.findings import findings_of
    from hockney.profiling.summary import ProfileSummary
    from hockney.show.report.profiles import Profiled

    summary = ProfileSummary(load_profile(path))
    return Profiled(path.stem, summary, findings_of(summary))


def show_profile(path: Path, as_json: bool, measured: Path | None = None) -> None:
    """Shows the answer and the tables, or all of the profile as JSON; with what its messages from
    memory of accelerators take by each way that another file measured."""
    from hockney.profiling.findings import findings_of
    from hockney.profiling.summary import ProfileSummary
    from hockney.show.profiles.profile import (
        answer_lines,
        profile_json,
        profile_parts,
        ways_json,
        ways_table,
    )
    from hockney.show.tables.as_json import dumps

    summary = ProfileSummary(load_profile(path))
    findings = findings_of(summary)
    ways = [] if measured is None else _ways(summary.profile, measured)
    if as_json:
        content = profile_json(summary, findings)
        click.echo(dumps(content if measured is None else {**content, "ways": ways_json(ways)}))
        return
    answer = "\n".join(styled(line, "bold") for line in answer_lines(summary, findings))
    click.echo("\n\n".join([answer, *profile_parts(summary), *ways_table(ways)]))


def _ways(profile: Profile, measured: Path) -> list[WayTime]:
    from hockney.cli._files import load
    from hockney.infer.predict.program_memories import ways_of

    return ways_of(profile, load(measured).points_to_fit)


def _check_measured_once(messages: Sequence[PointEstimate]) -> None:
    """Raises UsageError where files of two machines or libraries have the same message."""
    from hockney.base.units import format_size
    from hockney.plan.axes import point_of

    known = set()
    for message in messages:
        point = point_of(message)
        if point in known:
            raise UsageError(
                f"--on has messages of {format_size(point.bytes)} twice",
                "name one file with messages, that of the machine and MPI which is asked about",
            )
        known.add(point)


def predict_profile(
    path: Path,
    measured: Sequence[Path],
    model: str | None,
    factors: Mapping[str, float],
    as_json: bool,
) -> None:
    """Predicts the communication of a profiled program on the machine of some result files."""
    from hockney.cli._files import load, warn
    from hockney.infer.analysis.algorithms.best import is_collective
    from hockney.infer.predict.fitted_channel import channel_of
    from hockney.infer.predict.program_mix import beyond_measured, has_warmer_buffers, predict_mix
    from hockney.infer.predict.program_run import predict_order
    from hockney.profiling.mix import mix_of
    from hockney.profiling.order import has_order, order_of
    from hockney.show.profiles.mix_lines import mix_json, mix_lines
    from hockney.show.profiles.order_lines import order_json, order_lines
    from hockney.show.tables.as_json import dumps

    profile = load_profile(path)
    mix = mix_of(profile)
    analyses = [load(file) for file in measured]
    points = [point for analysis in analyses for point in analysis.points_to_fit]
    collectives = [point for point in points if is_collective(point)]
    messages = [point for point in points if not is_collective(point)]
    if not messages:
        raise UsageError(
            "--on: no times of messages", "measure them: hockney pingpong -o messages.jsonl"
        )
    _check_measured_once(messages)
    channel = channel_of(messages, model).scaled(factors)
    prediction = predict_mix(mix, channel, collectives)
    has_caches = not any(analysis.run.is_simulated for analysis in analyses)
    warnings = [profile.first_alone] if profile.first_alone else []
    warnings += beyond_measured(mix, channel, collectives)
    if has_caches and has_warmer_buffers(mix, messages):
        warnings.append(WARMER_BUFFERS)
    order = order_of(profile) if has_order(profile) else None
    ordered = None
    if order is not None:
        ordered = predict_order(order, channel, collectives)
    if as_json:
        content = mix_json(mix, channel.model, prediction, warnings)
        if order is not None and ordered is not None:
            content["order"] = order_json(order, ordered)
        click.echo(dumps(content))
        return
    click.echo("\n".join(mix_lines(mix, channel.model, prediction)))
    if order is not None and ordered is not None:
        click.echo("\n" + "\n".join(order_lines(order, ordered)))
    warn(warnings)
