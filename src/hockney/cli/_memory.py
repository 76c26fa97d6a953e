"""The memory of a host that verbs are given: a file, or a directory of runs with such a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hockney.base.errors import HockneyError, UsageError
from hockney.base.outputs import write_output
from hockney.base.units import how_many
from hockney.cli._files import (
    SUFFIXES,
    alike,
    followed,
    newest,
    others_beside,
    result_files,
    warn,
)
from hockney.infer.analysis.comparison.run_drift import as_earlier
from hockney.infer.memory.host import DamagedError, EarlierRun, earlier_run, encoded, read_memory
from hockney.records.reading import header_of

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis
    from hockney.infer.index import Index

NAME = "hockney-memory.json"
"""The memory of a directory of runs."""
MOST_REMEMBERED = 300
"""Most runs of a directory or of the index that are read: more hardly narrow a deviation."""


def earlier_runs(
    files: Sequence[Path], past: Sequence[Path], memory: Path | None, read: Sequence[Analysis]
) -> list[EarlierRun]:
    """Runs of these files' questions: in their directories and in `past` (--history), in the memory
    of a host if one is named (--memory), and what `hockney history` knows. read: runs of the files,
    which that memory is to keep."""
    for path in past:
        if not path.exists():
            raise UsageError(f"--history {path}: no such file or directory")
    named = result_files(past)  # once: what is left out is said
    beside = others_beside(files, named)
    used = {result.run.path.resolve() for result in beside if result.run.path is not None}
    if named and used.isdisjoint(path.resolve() for path in named):
        names = ", ".join(map(str, past))
        warn([f"--history {names}: no other run there has the same plan and label; none is used"])
    known = [*as_earlier(beside), *known_to_history(files)]
    return known if memory is None else remembered(memory, [*as_earlier(read), *known])


def known_to_history(files: Sequence[Path]) -> list[EarlierRun]:
    """The runs of these files' questions that `hockney history` has in its index."""
    from hockney.infer.index import Index
    from hockney.infer.index.history_rows import FACTS

    with closing(Index.in_cache()) as index:
        left_out = {file.resolve() for file in files}
        known = [path for path in index.files_with(FACTS) if path not in left_out]
        paths = [path for path, _ in alike(files, known)]
        return list(_read(index, paths[:MOST_REMEMBERED]))


def remembered(memory: Path, more: Sequence[EarlierRun]) -> list[EarlierRun]:
    """The runs of a memory, with what is new: `more`, and the runs of a directory. The file is made
    or written again; a damaged one is made of the runs beside it."""
    from hockney.infer.index import Index

    file = memory / NAME if memory.is_dir() else memory
    known: list[EarlierRun] = []
    is_damaged = False
    if file.exists():
        try:
            known = read_memory(file)
        except DamagedError as error:
            is_damaged = True
            warn([f"{file}: {error}; it is made again of the runs beside it"])
    beside: list[Path] = []
    if memory.is_dir():
        beside = [path for path, _ in newest(_below(memory))]
    elif is_damaged:
        paths = (path for path in file.parent.iterdir() if path.name.endswith(SUFFIXES))
        beside = [path for path, _ in newest(paths)]
    if is_damaged and not beside:
        raise UsageError(
            f"{file} is damaged, and no runs are beside it",
            "delete it, or name the directory of its runs",
        )
    ids = {run.id for run in known}
    new = list(more)
    with closing(Index.in_cache()) as index:
        unread = [path for path in beside if (header := header_of(path)) and header.id not in ids]
        new += _read(index, unread[:MOST_REMEMBERED])
        warn(index.notes)
    added = {run.id: run for run in new if run.id not in ids}
    if added or is_damaged:
        known += added.values()
        try:
            write_output(file, encoded(known), force=True)
        except HockneyError as error:  # the verdict is worth more
            warn([f"{error}; this run is not remembered"])
            return known
        click.echo(f"{file}: {how_many(len(added), 'run')} added, {len(known)} in all", err=True)
    return known


def _below(directory: Path) -> list[Path]:
    """The result files of a directory; it may have none."""
    try:
        return result_files([directory])
    except UsageError:
        return []


def _read(index: Index, paths: Sequence[Path]) -> Iterator[EarlierRun]:
    """Those of the files that can be read."""
    if not paths:
        return
    from hockney.infer.index.report_rows import REDUCED

    for path in followed(paths, "earlier runs read"):
        with suppress(HockneyError):
            analysis = index.of(path, REDUCED).analysis(path)
            yield earlier_run(analysis.run, analysis.of_every_launch)
