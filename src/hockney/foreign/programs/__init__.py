"""Other programs and formats, one file each.

A module is a Reader of logs, a Writer of files, an OrderWriter or ProfileReader, a TableWriter, the
Classic program of a preset, or several of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from hockney.base.addition import AdditionError
from hockney.base.registry import Registry

if TYPE_CHECKING:
    from pathlib import Path

    from hockney.foreign.logs.log import Log
    from hockney.foreign.logs.table import LogTable
    from hockney.infer.analysis import Analysis
    from hockney.infer.estimate.points import PointEstimate
    from hockney.plan.preset import Preset
    from hockney.profiling.kinds import Profile
    from hockney.profiling.order import Order
    from hockney.records import Run


class ForeignProgram(Protocol):
    """The empty protocol that all programs satisfy."""


class Reader(Protocol):
    HEADED: bool
    """True if tables have a heading; others are recognised by columns of numbers."""

    def recognise(self, log: Log) -> int | None:
        """The line that identifies the program; None if the log is another program's."""

    def read(self, log: Log) -> list[LogTable]:
        """The tables of a log."""


class Writer(Protocol):
    def write(self, analysis: Analysis) -> bytes:
        """The content of the file."""


class ColumnWriter(Protocol):
    def write_columns(self, analysis: Analysis, names: Sequence[str] = ()) -> bytes:
        """The content of the file with these columns, or with all, also those without a value.
        Raises UsageError for a name of none."""


class OrderWriter(Protocol):
    def write_order(self, order: Order, name: str) -> Iterable[tuple[str, str]]:
        """Names and contents of files with the order of a program's calls: first the file `name`,
        then those that belong beside it."""


class ProfileReader(Protocol):
    def is_profile(self, path: Path) -> bool:
        """Whether the file holds what a program does."""

    def read_profile(self, path: Path) -> tuple[Profile, list[str]]:
        """The program's calls and their order, and warnings."""


class TableWriter(Protocol):
    ONLY: str | None
    """The only experiment that the table can show; None for all."""

    def layout(self, run: Run, points: Sequence[PointEstimate]) -> str:
        """One curve of a run, as the program prints it."""


class Classic(Protocol):
    def preset(self) -> Preset:
        """The sizes, repetitions and statistic of the program."""


PROGRAMS = Registry(
    __name__,
    "format",
    ForeignProgram,
    parts=(Reader, Writer, OrderWriter, ProfileReader, TableWriter, Classic),
    group="hockney.programs",
)


def reader_names() -> list[str]:
    """Formats that can be imported."""
    return list(PROGRAMS.offering(Reader))


def writer_names() -> list[str]:
    """Formats that can be exported: files, and tables in a layout."""
    return sorted({*PROGRAMS.offering(Writer), *layout_names()})


def order_writer_names() -> list[str]:
    """Formats that hold the order of a profiled program's calls."""
    return list(PROGRAMS.offering(OrderWriter))


def layout_names() -> list[str]:
    return list(PROGRAMS.offering(TableWriter))


def preset_names() -> list[str]:
    return list(PROGRAMS.offering(Classic))


def preset_named(name: str) -> Preset:
    """The preset of that name; raises KeyError if it is unknown."""
    return PROGRAMS.offering(Classic)[name].preset()


def profile_in(path: Path) -> tuple[Profile, list[str]] | None:
    """The profile in another program's file, with warnings; None if it is no such file."""
    for module in PROGRAMS.offering(ProfileReader).values():
        try:
            is_its = module.is_profile(path)
        except AdditionError as error:
            error.warn()
            continue
        if is_its:
            return module.read_profile(path)
    return None
