"""Files that a verb over many runs is given: files, and directories of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hockney.errors import AskedWronglyError

PATTERNS = ("*.jsonl", "*.jsonl.zst")


def result_files(paths: Sequence[Path]) -> list[Path]:
    """Every file as given; of a directory all result files below it, by name."""
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        inside = sorted(file for pattern in PATTERNS for file in path.rglob(pattern))
        if not inside:
            raise AskedWronglyError(f"{path}: no {' or '.join(PATTERNS)} in this directory")
        found += inside
    return list({file.resolve(): file for file in found}.values())


def write_text(path: Path, text: str, force: bool) -> None:
    """Writes a whole file; raises AskedWronglyError where that is impossible."""
    try:
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise AskedWronglyError(
            f"{path} exists", "name another file with -o, or overwrite it with --force"
        ) from error
    except OSError as error:
        raise AskedWronglyError(f"{path} cannot be written: {error.strerror}") from error
    click.echo(f"wrote {path}", err=True)
