"""Other programs and formats, one file each: what is known of each of them.

A module is a Reader of its logs, a Writer of its files, a Layout of its tables, the Classic program
that a preset repeats, or several of these. Those that read and write share `logs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from hockney.registry import Registry

if TYPE_CHECKING:
    from hockney.analysis import Analysis
    from hockney.estimate.points import PointEstimate
    from hockney.logs.log import Log
    from hockney.logs.table import Table
    from hockney.records import Run
    from hockney.spec.preset import Preset


class Program(Protocol):
    """Nothing is common to all of them."""


class Reader(Protocol):
    HEADED: bool
    """Whether tables have a heading; without, any columns of numbers may look like one."""

    def recognise(self, log: Log) -> int | None:
        """The line in which a log shows that it is of this program; None where none does."""

    def read(self, log: Log) -> list[Table]:
        """The tables of a log."""


class Writer(Protocol):
    def write(self, analysis: Analysis) -> bytes:
        """The content of the file."""


class Layout(Protocol):
    ONLY: str | None
    """The one experiment whose results it shows; None: all."""

    def layout(self, run: Run, points: Sequence[PointEstimate]) -> str:
        """One curve of a run, as the program prints it."""


class Classic(Protocol):
    def preset(self) -> Preset:
        """The sizes, repetitions and statistic of the program."""


PROGRAMS = Registry(__name__, "format", Program, parts=(Reader, Writer, Layout, Classic))


def reader_names() -> list[str]:
    """Formats that are imported."""
    return list(PROGRAMS.offering(Reader))


def writer_names() -> list[str]:
    """Formats that are exported: files, and tables in a layout."""
    return sorted({*PROGRAMS.offering(Writer), *layout_names()})


def layout_names() -> list[str]:
    return list(PROGRAMS.offering(Layout))


def preset_names() -> list[str]:
    return list(PROGRAMS.offering(Classic))


def preset_named(name: str) -> Preset:
    """Raises KeyError where no program of that name has one."""
    return PROGRAMS.offering(Classic)[name].preset()
