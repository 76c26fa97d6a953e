"""Histories of systems, from the result files that a verb is given."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hockney.base.errors import UsageError
from hockney.cli._files import followed, result_files, warn, warn_of_cut

if TYPE_CHECKING:
    from hockney.infer.analysis.history.histories import History
    from hockney.infer.index import Index

TOLERANCE = 0.05


def histories_of(
    index: Index, paths: tuple[Path, ...], tolerance: float, since: datetime | None, together: bool
) -> tuple[list[History], list[Path]]:
    """One history per system, and files that are newer than all runs, but have no result. Files
    without results are named and left out."""
    from hockney import records
    from hockney.infer.analysis.history.histories import histories
    from hockney.infer.analysis.history.run_facts import RunFacts, time_of
    from hockney.infer.index.history_rows import facts_from

    runs = dict[str, RunFacts]()
    without = dict[Path, datetime]()
    for path in followed(result_files(paths), "files read"):
        try:
            known = facts_from(index, path)
        except UsageError as error:
            click.echo(f"left out: {error.message}", err=True)
            continue
        warn_of_cut(path, known.cut)
        facts = known.facts
        if facts is None:
            click.echo(f"left out: {path}: nothing was measured, or its date is missing", err=True)
            if started := time_of(records.read(path).header.started):
                without[path] = started
        elif facts.id in runs:
            same = runs[facts.id].file
            click.echo(f"left out: {path}: the same run as {same}", err=True)
        elif since is None or facts.started >= since.replace(tzinfo=timezone.utc):
            runs[facts.id] = facts
    if not runs:
        raise UsageError("no run to show", "name result files, or a directory of them")
    newest = max(run.started for run in runs.values())
    newer = [path for path, started in without.items() if started > newest]
    return histories(list(runs.values()), tolerance, together), newer


def histories_with(paths: tuple[Path, ...], past: tuple[Path, ...]) -> list[History]:
    """Histories of earlier runs and these; empty where no earlier ones were named."""
    from hockney.infer.index import Index

    if not past:
        return []
    with closing(Index.in_cache()) as index:
        histories, _ = histories_of(index, (*past, *paths), TOLERANCE, None, False)
        warn(index.notes)
        return histories
