"""Decision rules for the user's MPI: which, in which format, and whether the library takes them.

One file a format, found by its name, as Format says.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hockney.errors import AskedWronglyError
from hockney.registry import module_named

if TYPE_CHECKING:
    from hockney.measure.build import Engine
    from hockney.records import Mpi
    from hockney.tuning.rules import Rule

FORMATS = ("openmpi", "openmpi-json", "mpich", "intel")


class Format(Protocol):
    COLLECTIVES: Container[str]
    """Those that its rules can be about."""
    SUFFIXES: tuple[str, ...]
    """What is added to the name that the user gives, for each file."""

    def render(self, rules: Sequence[Rule], engine: Engine | None) -> dict[str, str]:
        """Text of each file, by its suffix."""

    def with_fault(self, files: Mapping[str, str]) -> dict[str, str] | None:
        """The same with a fault at the very end, that a library which reads all of it stumbles
        over; None where none does."""

    def environment(self, path: Path) -> dict[str, str]:
        """What makes the library read them."""

    def controls(self, path: Path) -> dict[str, str | None]:
        """Its control variables (MPI_T) that show it; None: any value."""


def format_named(name: str) -> Format:
    """The module tuning/NAME.py."""
    return module_named(__name__, name.replace("-", "_"), Format)


def format_for(mpi: Mpi) -> str:
    """The format that a library reads."""
    library = mpi.library or ""
    if library == "Open MPI":
        major = re.match(r"\d+", mpi.version or "")
        return "openmpi-json" if major and int(major[0]) >= 6 else "openmpi"
    if library in ("MPICH", "MVAPICH"):
        return "mpich"
    if library == "Intel MPI":
        return "intel"
    raise AskedWronglyError(
        f"{library or 'an unknown MPI'} has no decision rules that are known here",
        f"name a format with --format: {', '.join(FORMATS)}",
    )
