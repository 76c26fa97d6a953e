"""MPI families, one file each: its launcher, the algorithms of its collectives, its rules.

A family is found by what its launcher prints as its version, or by the name of its library. Family
is what its module must have.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hockney.errors import AskedWronglyError
from hockney.registry import Registry
from hockney.spec import Case, Placement
from hockney.spec.algorithms import common_names
from hockney.spec.axes import algorithm_text

COMMAND_TIMEOUT_S = 20.0
"""A command of an MPI library that only reports something answers sooner."""


@dataclass(frozen=True)
class Mpi:
    """An MPI library as a user sees it: two commands."""

    mpicc: Path
    mpiexec: Path
    family: str
    """The name of a file of mpis/."""
    launcher_version: str


@dataclass(frozen=True)
class Engine:
    """The measuring program, built with an MPI library."""

    path: Path
    notes: tuple[str, ...] = ()
    """What the user should know about where it was put."""


@dataclass(frozen=True)
class Algorithm:
    collective: str
    name: str
    """The field's; the same for all libraries that have it."""
    own_name: str
    """The library's."""
    number: int | None = None
    """In the library's enumeration, where it reads back or takes that."""


@dataclass(frozen=True)
class Forcing:
    """What is set for a launch, what must be read back in it, and the axes of its samples."""

    algorithm: str
    """A bare name; DEFAULT: the library's own decision."""
    segment_bytes: int | None = None
    """0: unsegmented; None: the library's own size, or an algorithm without segments."""
    env: tuple[tuple[str, str], ...] = ()
    cfg: tuple[str, ...] = ()
    """SimGrid's settings (key:value)."""
    controls: tuple[tuple[str, str | None], ...] = ()
    """Control variables of the library and their values after MPI_Init; None: any value."""


@dataclass(frozen=True)
class Rule:
    """An algorithm for one number of ranks and a range of sizes, as the collective counts them."""

    collective: str
    ranks: int
    from_bytes: int
    to_bytes: int | None
    """Inclusive; None: no end."""
    algorithm: str
    """A bare name."""
    settings: tuple[tuple[str, str], ...]
    """Environment variables that forced the algorithm when it was measured."""
    segment_bytes: int | None = None

    @property
    def name(self) -> str:
        """The algorithm with its segments, for people."""
        return algorithm_text(self.algorithm, self.segment_bytes)

    def holds_for(self, collective: str, ranks: int, bytes_: int) -> bool:
        within = self.from_bytes <= bytes_ and (self.to_bytes is None or bytes_ <= self.to_bytes)
        return within and (self.collective, self.ranks) == (collective, ranks)

    def setting(self, name: str, otherwise: str | None = None) -> str | None:
        return dict(self.settings).get(name, otherwise)


ONE_FOR_ALL_SIZES = frozenset({"barrier", "gather", "scatter", "scan"})
"""Collectives whose rules must not depend on the size. The ranks of gather and scatter may see
different sizes (arguments that are significant at the root only, MPI_IN_PLACE), would choose
different algorithms and wait for each other for ever; libraries see no size of barrier and scan."""


@dataclass(frozen=True)
class RulesFormat:
    """Files of decision rules that a library reads."""

    collectives: Container[str]
    """Those that rules can be about."""
    render: Callable[[Sequence[Rule], Engine | None], dict[str, str]]
    """The text of each file, by its suffix."""
    environment: Callable[[Path], dict[str, str]]
    """The variables that make the library read the files of that name."""
    with_fault: Callable[[Mapping[str, str]], dict[str, str]] | None = None
    """The same texts with a fault at the very end, over which a library that reads all of it
    stumbles; None where no fault does that."""
    controls: Callable[[Path], dict[str, str | None]] = lambda path: {}  # noqa: ARG005
    """Control variables (MPI_T) that show what the library reads; None: any value."""
    suffixes: tuple[str, ...] = ("",)
    """What is added to the name that the user gives, for each file."""


class Family(Protocol):
    LAUNCHER: str
    """What records call its launcher."""
    LIBRARIES: Sequence[str]
    """The names by which the engine knows the libraries of this family."""
    STARTS: Sequence[str]
    """The libraries whose programs its launcher starts."""
    PMI: Sequence[str]
    """Ways in which its libraries let a scheduler wire ranks up, the surest first."""
    HOST_FILE: str
    """The launcher's option that names a file with a host in each line."""
    HOST_LIST: tuple[str, str]
    """Its option that names hosts, and printf's format of each host and its slots there."""
    FORMATS: Mapping[str, RulesFormat]
    """Formats of decision rules, by name; empty where it reads none."""

    def launcher_version(self, launcher: Path, words: str) -> str | None:
        """The version of a launcher of this family, from what `launcher --version` prints; None
        where it is not one."""

    def format_for(self, version: str | None) -> str:
        """Which of FORMATS that version of the library reads."""

    def command(self, mpi: Mpi, case: Case, program: Sequence[str]) -> list[str]:
        """The whole command line that starts `program` on every rank."""

    def environment(self, mpi: Mpi) -> dict[str, str]:
        """Variables that its launches need, whatever starts the ranks."""

    def reach(self, mpi: Mpi, placement: Placement, script: str) -> list[list[str]]:
        """Commands that together run a shell script once on every node."""

    def discover(self, mpi: Mpi, engine: Engine, collectives: Sequence[str]) -> list[Algorithm]:
        """The algorithms of these collectives that can be forced."""

    def is_segmented(self, algorithm: Algorithm) -> bool:
        """Whether the library can be given its segment size."""

    def forcing(self, collective: str, algorithm: Algorithm | None, segment: int | None) -> Forcing:
        """What forces `algorithm`, or leaves the library its own decision; `segment` in bytes,
        None: the library's own, or an algorithm that is not segmented."""

    def replaced_by(
        self, algorithm: Algorithm, ranks: int, bytes_: int, segment: int | None
    ) -> str | None:
        """What the library does instead, and why: "runs ring: ...", "gives an error: ..."; None
        where it does what was asked. `bytes_`: a rank's block, or the whole buffer where the
        collective has one."""


FAMILIES = Registry(__name__, "MPI family", Family)


def family_of(mpi: Mpi) -> Family:
    return FAMILIES.find(mpi.family)


def format_names() -> list[str]:
    """Formats of decision rules, of all families."""
    return [name for family in FAMILIES.all().values() for name in family.FORMATS]


def format_named(name: str) -> RulesFormat:
    """The rules format of that name; raises AskedWronglyError where there is none."""
    for family in FAMILIES.all().values():
        if name in family.FORMATS:
            return family.FORMATS[name]
    raise AskedWronglyError(
        f"there is no format of rules called {name!r}", f"there are {', '.join(format_names())}"
    )


def format_for(library: str | None, version: str | None) -> str:
    """The name of the format that a library reads; raises AskedWronglyError where none is known."""
    for family in FAMILIES.all().values():
        if library in family.LIBRARIES and family.FORMATS:
            return family.format_for(version)
    raise AskedWronglyError(
        f"{library or 'an unknown MPI'} reads no decision rules in a format that is known here",
        f"name a format with --format: {', '.join(format_names())}",
    )


def listed(collective: str, own_names: Sequence[str], decision: str) -> list[Algorithm]:
    """Algorithms of an enumeration; `decision` is its entry for the library's own."""
    names = common_names(own_names)
    return [
        Algorithm(collective, names[own], own, number)
        for number, own in enumerate(own_names)
        if own != decision
    ]
