"""Files that a verb over many runs is given: files, and directories of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

import hockney
from hockney.analysis.between import may_repeat
from hockney.errors import AskedWronglyError
from hockney.measure.journal import NAME as SUITE_JOURNAL
from hockney.records.reading import header_of, why_no_result

if TYPE_CHECKING:
    from hockney.records import Run
    from hockney.result import Result

SUFFIXES = (".jsonl", ".jsonl.zst")
MOST_OTHERS, MOST_BYTES = 20, 64 << 20
"""Other runs that are read, and their bytes: a MiB takes 0.1 s, and more runs make a deviation
between runs hardly better known."""
MOST_ENTRIES = 200_000
"""Most files in a directory and all below it: more take seconds, and / was not meant."""


def load(path: Path) -> Result:
    """The analysis of a result file; warns of what could not be read."""
    found = hockney.load(path)
    warn_of_cut(found.run)
    return found


def warn_of_cut(run: Run) -> None:
    if run.cut is not None:
        click.echo(f"warning: {run.path}: {run.cut}; what follows is from the rest", err=True)


def result_files(paths: Sequence[Path]) -> list[Path]:
    """Every file as given; of a directory all result files below it, by name."""
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        inside = sorted(_inside(path))
        if not inside:
            raise AskedWronglyError(f"{path}: no *{' or *'.join(SUFFIXES)} in this directory")
        found += inside
    return list({file.resolve(): file for file in found}.values())


def _inside(directory: Path) -> Iterator[Path]:
    """Result files at any depth; others of that suffix are named and left out."""
    entries = 0
    for place, directories, names in os.walk(directory):
        entries += len(directories) + len(names)
        if entries > MOST_ENTRIES:
            raise AskedWronglyError(
                f"{directory}: more than {MOST_ENTRIES} files are in this directory or below",
                "name a directory of result files",
            )
        for path in (Path(place, name) for name in names if name.endswith(SUFFIXES)):
            reason = why_no_result(path) if path.is_file() else "not a file"
            if reason is None:
                yield path
            elif path.name != SUITE_JOURNAL:
                click.echo(f"left out: {path}: {reason}", err=True)


def others_beside(files: Sequence[Path], past: Sequence[Path]) -> list[Result]:
    """Other runs of the same questions as these files ask, the newest of those in their directories
    and of those named by --history. What cannot be read is no history."""
    known = {file.resolve() for file in files}
    found = {path.resolve() for path in result_files(past)} if past else set()
    for directory in {file.resolve().parent for file in files}:
        found |= {path for path in directory.iterdir() if path.name.endswith(SUFFIXES)}
    states = [(path, path.stat()) for path in found - known if path.is_file()]
    states.sort(key=lambda one: -one[1].st_mtime)
    headers = [header for file in files if (header := header_of(file)) is not None]
    alike: list[Path] = []
    left = MOST_BYTES
    for path, state in states:
        header = header_of(path) if state.st_size <= left else None
        if header is not None and any(may_repeat(header, one) for one in headers):
            alike.append(path)
            left -= state.st_size
        if len(alike) == MOST_OTHERS:
            break
    return [hockney.load(path) for path in alike]


def write_text(path: Path, text: str, force: bool) -> None:
    """Writes a whole file; raises AskedWronglyError where that is impossible."""
    try:
        with path.open("w" if force else "x", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except FileExistsError as error:
        raise AskedWronglyError(
            f"{path} exists", "name another file with -o, or overwrite it with --force"
        ) from error
    except OSError as error:
        raise AskedWronglyError(f"{path} cannot be written: {error.strerror}") from error
    click.echo(f"wrote {path}", err=True)
