"""How ranks are started: one file a launcher, found by its name.

A launcher module has two functions: `command(mpi, question, program)` returns the whole command
line that starts `program` on every rank, `environment(mpi)` the variables that this needs.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Protocol, cast

from hockney.measure.mpi import Mpi
from hockney.measure.question import Question


class Launcher(Protocol):
    def command(self, mpi: Mpi, question: Question, program: Sequence[str]) -> list[str]: ...

    def environment(self, mpi: Mpi) -> dict[str, str]: ...


def launcher_named(name: str) -> Launcher:
    """The module launchers/NAME.py."""
    return cast(Launcher, importlib.import_module(f"hockney.measure.launchers.{name}"))
