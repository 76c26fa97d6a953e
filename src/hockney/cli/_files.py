"""Reads the files and directories that verbs over many runs are given."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

import hockney
from hockney.base.errors import HockneyError, UsageError
from hockney.base.outputs import Content, write_outputs
from hockney.base.terminal import MARKS, is_terminal
from hockney.base.units import whole_percent
from hockney.infer.analysis.conditions.unlike_launches import unlike_launches
from hockney.infer.analysis.warnings import source_notes
from hockney.infer.memory.question import may_repeat
from hockney.records.reading import header_of, why_no_result

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis
    from hockney.records import Run
    from hockney.result import Result

T = TypeVar("T")

SUFFIXES = (".jsonl", ".jsonl.zst")
MOST_OTHERS, MOST_BYTES = 20, 64 << 20
"""Most other runs that are read, and their bytes: a MiB takes 0.1 s, and more runs make a deviation
between runs hardly better known."""
MOST_LOOKED_AT = 500
"""Most files whose first line is read to find other runs."""
MOST_ENTRIES = 200_000
"""Most files in a directory and all below it: more take seconds, and / was not meant."""
MOST_WARNINGS = 2
"""Most warnings of a run beside what is made of it; `hockney show` has all."""
FEWEST_COUNTED, REDRAWN_S = 5, 0.25
"""Fewest items that are counted on a terminal, and how often the count is drawn (s)."""


def load(path: Path) -> Result:
    """The analysis of a result file; warns of what could not be read."""
    analysis = hockney.load(path)
    warn_of_cut(path, analysis.run.cut)
    return analysis


def warn_of_cut(path: Path, cut: str | None) -> None:
    """Warns of what is missing in a file (Run.cut)."""
    if cut is not None:
        click.echo(f"warning: {path}: {cut}; what follows is from the rest", err=True)


def followed(items: Sequence[T], done: str) -> Iterator[T]:
    """The items, with a line on a terminal that counts those done. The cursor stays at its start,
    so that a message takes its place."""
    shown = is_terminal(sys.stderr) and len(items) >= FEWEST_COUNTED
    drawn, clear = time.monotonic(), MARKS["start"] + MARKS["erase"]
    for number, item in enumerate(items):
        if shown and time.monotonic() - drawn > REDRAWN_S:
            drawn = time.monotonic()
            words = f"{clear}{number} of {len(items)} {done}{MARKS['start']}"
            click.echo(words, err=True, nl=False)
        yield item
    if shown:
        click.echo(clear, err=True, nl=False)


def result_files(
    paths: Sequence[Path], also: Callable[[Path], bool] = lambda _: False
) -> list[Path]:
    """The files as given, and of each directory all result files below it, by name, and others that
    the verb takes."""
    candidates: list[Path] = []
    for path in paths:
        if not path.is_dir():
            candidates.append(path)
            continue
        inside = sorted(_inside(path, also))
        if not inside:
            raise UsageError(f"{path}: no *{' or *'.join(SUFFIXES)} in this directory")
        candidates += inside
    return list({file.resolve(): file for file in candidates}.values())


def _inside(directory: Path, also: Callable[[Path], bool]) -> Iterator[Path]:
    """Result files at any depth; others of that suffix are named and left out."""
    from hockney.run.measure.journal import NAME as SUITE_JOURNAL

    entries = 0
    for place, directories, names in os.walk(directory):
        entries += len(directories) + len(names)
        if entries > MOST_ENTRIES:
            raise UsageError(
                f"{directory}: more than {MOST_ENTRIES} files are in this directory or below",
                "name a directory of result files",
            )
        for path in (Path(place, name) for name in names if name.endswith(SUFFIXES)):
            reason = why_no_result(path) if path.is_file() else "not a file"
            if reason is None or (path.is_file() and also(path)):
                yield path
            elif path.name != SUITE_JOURNAL:
                click.echo(f"left out: {path}: {reason}", err=True)


def others_beside(files: Sequence[Path], past: Sequence[Path]) -> list[Result]:
    """Other runs of the same questions as these files', the newest of those in their directories
    and of those named by --history. Files that cannot be read are ignored."""
    known = {file.resolve() for file in files}
    candidates = {path.resolve() for path in result_files(past)} if past else set()
    for directory in {file.resolve().parent for file in files}:
        with suppress(OSError):
            candidates |= {path for path in directory.iterdir() if path.name.endswith(SUFFIXES)}
    others: list[Result] = []
    left = MOST_BYTES
    for path, size in alike(files, candidates - known):
        if size > left:
            continue
        with suppress(HockneyError):
            others.append(hockney.load(path))
            left -= size
        if len(others) == MOST_OTHERS:
            break
    return others


def alike(files: Sequence[Path], among: Iterable[Path]) -> Iterator[tuple[Path, int]]:
    """Files, by their first lines, that may repeat the question of one of these, with their bytes;
    the newest first."""
    headers = [header for file in files if (header := header_of(file)) is not None]
    for path, size in newest(among)[:MOST_LOOKED_AT]:
        header = header_of(path)
        if header is not None and any(may_repeat(header, other) for other in headers):
            yield path, size


def newest(paths: Iterable[Path]) -> list[tuple[Path, int]]:
    """Files with their bytes, the newest first."""
    dated = []
    for path in paths:
        with suppress(OSError):
            if path.is_file():
                state = path.stat()
                dated.append((state.st_mtime, path, state.st_size))
    return [(path, size) for _, path, size in sorted(dated, reverse=True)]


def warn_of_sources(runs: Iterable[Run]) -> None:
    """Warns of what was wrong with the logs that the numbers are from."""
    warn(dict.fromkeys(note.text for run in runs for note in source_notes(run)))


def warn_of_modes(analyses: Iterable[Analysis]) -> None:
    """Warns where launches are of several modes, of which a fit describes none; and of a state that
    not all rounds had, which a fit describes alone."""
    listed = list(analyses)
    warn(dict.fromkeys(text for analysis in listed for text in _modes(analysis)))
    for analysis in listed:
        first, *others = analysis.states.states
        if others:
            part = f"state 0 alone, {whole_percent(first.fraction)} of its rounds"
            click.echo(f"note: {analysis.run.path}: from {part}", err=True)


def _modes(analysis: Analysis) -> list[str]:
    return [warning.text for warning in unlike_launches(analysis.estimates)]


def warn_gravest(analysis: Analysis) -> None:
    """Warns of what is gravest of a run, beside its modes and sources, and where to read the
    others."""
    known = {*_modes(analysis), *(note.text for note in source_notes(analysis.run))}
    texts = [text for warning in analysis.warnings if (text := warning.text) not in known]
    warn(texts[:MOST_WARNINGS])
    if len(texts) > MOST_WARNINGS:
        path = shlex.quote(str(analysis.run.path))
        click.echo(f"more: hockney show {path} --diagnose", err=True)


def warn(texts: Iterable[str]) -> None:
    """Prints a line on stderr for each warning."""
    for text in texts:
        click.echo(f"warning: {text}", err=True)


def write_and_say(files: Iterable[tuple[Path, Content]], force: bool) -> None:
    """Writes all files or none, and prints their names."""
    for path in write_outputs(files, force):
        click.echo(f"wrote {path}", err=True)
