"""What a history keeps of each file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec

from hockney import records
from hockney.analysis import Analysis
from hockney.analysis.history import RunFacts
from hockney.cli._kept import Kept


class Known(msgspec.Struct, frozen=True):
    """What is known of one file."""

    cut: str | None
    """What is missing in the file (Run.cut)."""
    facts: RunFacts | None


class Facts(Kept[Known]):
    """The facts of files."""

    def __init__(self) -> None:
        super().__init__("facts", Known, _worked_out)

    def of(self, path: Path) -> Known:
        """As it is called here: an entry may be of the same file by another name."""
        known = super().of(path)
        if known.facts is None:
            return known
        return Known(known.cut, replace(known.facts, file=str(path)))


def _worked_out(path: Path) -> Known:
    run = records.read(path)
    return Known(run.cut, Analysis(run).facts)
