"""Figures written into files. matplotlib, which may not be installed, is loaded only for that."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hockney.base.errors import UsageError
from hockney.base.outputs import write_output

if TYPE_CHECKING:
    from hockney.show.drawing.description import Figure

SUFFIXES = (".png", ".svg", ".pdf")


def check_output(path: Path, force: bool) -> None:
    """Raises UsageError, before anything is drawn, for a wrong suffix or an existing file."""
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(
            f"{path}: figures are written as {', '.join(SUFFIXES)}", "choose one by the suffix"
        )
    if path.exists() and not force:
        raise UsageError(f"{path} exists", "name another file, or overwrite with --force")


def save(figure: Figure, path: Path, force: bool) -> None:
    """Writes PNG, SVG or PDF by the suffix; leaves no file if drawing fails."""
    check_output(path, force)
    from hockney.show.drawing.files import image

    write_output(path, image(figure, path.suffix.lower().removeprefix(".")), force)
