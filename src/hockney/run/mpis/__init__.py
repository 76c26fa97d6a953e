"""MPI families, one file each: the algorithms of its collectives, its control variables, its rules.

A family is recognised by what its library reports of itself (MPI_Get_library_version). Each module
must satisfy the protocol Family; what it does not define is taken from another one (__getattr__).
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

import msgspec

from hockney.base.errors import UsageError
from hockney.base.registry import Registry
from hockney.plan.algorithms import common_names
from hockney.plan.axes import algorithm_text
from hockney.plan.held_rules import HeldRule

T = TypeVar("T")
COMMAND_TIMEOUT_S = 20.0
"""Timeout of an MPI command that only reports something."""


@dataclass(frozen=True)
class Mpi:
    """An MPI library: its compiler wrapper and its launcher."""

    mpicc: Path
    mpiexec: Path | None
    """Its launcher; None where only others start its programs."""
    family: str
    """The library, a module of mpis/."""
    launcher: str
    """The kind of `mpiexec`, a module of launchers/."""
    launcher_version: str
    notes: tuple[str, ...] = ()
    """Remarks on why this library is used and not another."""
    prebuilt: Path | None = None
    """The engine that was built elsewhere; None where it is built with `mpicc`."""

    @property
    def launcher_text(self) -> str:
        """Its launcher, for people."""
        if self.mpiexec is None:
            return "no launcher of its own"
        return f"{self.mpiexec} ({self.launcher} {self.launcher_version})"


@dataclass(frozen=True)
class Engine:
    """The measuring program, built with an MPI library."""

    path: Path
    notes: tuple[str, ...] = ()
    """Warnings about where the engine was built."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables without which it does not find its library."""


class Control(msgspec.Struct, kw_only=True):
    """A control variable; `choices` are the values of its enumeration."""

    name: str
    description: str | None = None
    value: str | None = None
    choices: list[str] = []


@dataclass(frozen=True)
class Radix:
    """The control variable of an algorithm's radix: the fan-out of its tree, or one more than the
    ranks with which each exchanges in a step."""

    control: str
    """The control variable."""
    most: int | None = None
    """The largest radix that the library takes; None for any."""


@dataclass(frozen=True)
class Requests:
    """The control variable of an algorithm's limit of messages in flight on each rank."""

    control: str
    """The control variable."""
    least: int = 1
    """The smallest limit: less means no limit to the library."""
    of_segments: bool = False
    """Whether the limit is on the segments of a message; else on the messages to other ranks."""


@dataclass(frozen=True)
class Algorithm:
    collective: str
    name: str
    """The common name, the same for all libraries."""
    own_name: str
    """The library's own name."""
    number: int | None = None
    """The number in the library's enumeration, if the library takes or reports that."""
    radix: Radix | None = None
    """How its radix is set; None if it has none, or this library lists no control variable for
    it."""
    requests: Requests | None = None
    """How its messages in flight are limited; None as with `radix`."""
    on_one_node: bool = False
    """Whether it is for ranks of one node only."""


class ParameterValues(NamedTuple):
    """Values of an algorithm's parameters, as workloads and points name them; None for the
    library's own value, or an algorithm without it."""

    segment_bytes: int | None = None
    """0 for unsegmented."""
    radix: int | None = None
    requests: int | None = None
    """The limit of messages in flight."""


OWN_PARAMETERS = ParameterValues()


@dataclass(frozen=True)
class Forcing:
    """The settings of a launch, what must be read back in it, and the axes of its samples."""

    algorithm: str
    """The common name without parameters; DEFAULT for the library's own decision."""
    parameters: ParameterValues = OWN_PARAMETERS
    env: tuple[tuple[str, str], ...] = ()
    cfg: tuple[str, ...] = ()
    """SimGrid's settings (key:value)."""
    controls: tuple[tuple[str, str | None], ...] = ()
    """Control variables of the library and their values after MPI_Init; None for any value."""


@dataclass(frozen=True)
class Rule:
    """An algorithm for one number of ranks and a range of sizes. Sizes are counted as the
    collective's bytes are."""

    collective: str
    ranks: int
    from_bytes: int
    to_bytes: int | None
    """The largest size, inclusive; None for no upper limit."""
    algorithm: str
    """The common name without parameters."""
    settings: tuple[tuple[str, str], ...]
    """Environment variables that forced the algorithm when it was measured."""
    segment_bytes: int | None = None
    radix: int | None = None
    requests: int | None = None
    nodes: int | None = None
    """The number of nodes of the measured layout; None for any."""
    per_node: int | None = None
    predicted: bool = False
    """Whether it holds in cells that were predicted and not measured."""

    @property
    def name(self) -> str:
        """The algorithm with its parameters, for people."""
        return algorithm_text(self.algorithm, self.segment_bytes, self.radix, self.requests)

    def holds_for(self, collective: str, ranks: int, bytes_: int) -> bool:
        within = self.from_bytes <= bytes_ and (self.to_bytes is None or bytes_ <= self.to_bytes)
        return within and (collective, ranks) == (self.collective, self.ranks)

    def setting(self, name: str, otherwise: str | None = None) -> str | None:
        return dict(self.settings).get(name, otherwise)


ONE_FOR_ALL_SIZES = frozenset({"barrier", "gather", "scatter", "scan"})
"""Collectives whose rules must not depend on the size. The ranks of gather and scatter may see
different sizes (arguments that are significant at the root only, MPI_IN_PLACE), would choose
different algorithms and deadlock; libraries see no size for barrier and scan."""


@dataclass(frozen=True)
class RulesFormat:
    """A format of decision rules that a library reads."""

    collectives: Container[str]
    """The collectives that rules can name."""
    render: Callable[[Sequence[Rule], Engine | None], dict[str, str]]
    """Writes the text of each file, by its suffix."""
    environment: Callable[[Path], dict[str, str]]
    """The variables that make the library read the files of that name."""
    with_fault: Callable[[Mapping[str, str]], dict[str, str]] | None = None
    """Adds a fault at the very end, which makes a library fail that reads everything before it;
    None if no fault has that effect."""
    controls: Callable[[Path], dict[str, str | None]] = lambda path: {}  # noqa: ARG005
    """Control variables (MPI_T) that show what the library reads; None for any value."""
    comment: str | None = None
    """The start of a line that the library ignores; None if there is no such thing."""
    suffixes: tuple[str, ...] = ("",)
    """Suffixes of the files, appended to the name that the user gives."""
    read: Callable[[Path], list[HeldRule]] = lambda path: []  # noqa: ARG005
    """Parses the rules in the files of that name; raises UsageError with the line of a mistake."""
    layout_key: Callable[[int, int], Hashable] = lambda nodes, per_node: None  # noqa: ARG005
    """The key by which the format distinguishes layouts (nodes, ranks per node): those with the
    same key have common rules."""
    own: Callable[[Engine], list[HeldRule]] = lambda engine: []  # noqa: ARG005
    """The library's own decisions, where it holds them in this format; else empty."""
    has_radix: Callable[[str, str], bool] = lambda collective, algorithm: False  # noqa: ARG005
    """Whether a rule can set the radix of that algorithm of a collective, by its common name."""
    has_requests: Callable[[str | None, str, str], bool] = lambda *_: False
    """Whether a rule can limit the messages in flight: version of the library, collective, common
    name of the algorithm."""
    is_read_by: Callable[[str | None], bool] = lambda version: True  # noqa: ARG005
    """Whether this version of the library reads the format."""


class Family(Protocol):
    LIBRARIES: Sequence[str]
    """Names of the family's libraries, as the engine reports them."""
    ENDPOINTS: str | None
    """The variable that sets how many endpoints a rank has, one for each thread; None if its
    libraries have only one, or no such variable."""
    PMI: Sequence[str]
    """Process management interfaces of its libraries (srun --mpi), the most reliable first."""
    PACKAGES: str
    """The packages that have its headers and libraries, by distribution."""
    FORMATS: Mapping[str, RulesFormat]
    """Formats of decision rules, by name; empty if the library reads none."""
    SETTINGS: Sequence[Sequence[str]]
    """Control variables of messages that are worth trying, each by the names that versions have
    for it."""
    SETTINGS_PREFIXES: Sequence[str]
    """Prefixes of environment variables that set control variables."""
    AWARE: Mapping[str, str]
    """Variables with which it sends from memory of accelerators; empty if it needs none."""
    VERBOSE: Mapping[str, str]
    """Variables with which the library prints what carries its messages; empty if it has none."""
    TELLS: Sequence[str]
    """Regular expressions of the lines that it prints then."""

    def format_for(self, version: str | None) -> str:
        """The name of the format that this version of the library reads."""

    def all_controls(
        self, engine: Engine, env: Mapping[str, str], timeout_s: float = COMMAND_TIMEOUT_S
    ) -> Mapping[str, Control]:
        """Every control variable by name, with its value under `env`; raises HockneyError where
        the library refuses that, or takes longer than `timeout_s`. Empty if nothing shows its
        settings."""

    def environment(self, mpi: Mpi) -> dict[str, str]:
        """Variables that its launches need, with any launcher."""

    def control_of(self, variable: str) -> str | None:
        """The control variable (MPI_T) that an environment variable sets; None where it sets none
        that is known."""

    def discover(self, mpi: Mpi, engine: Engine, collectives: Sequence[str]) -> list[Algorithm]:
        """The algorithms of these collectives that can be forced."""

    def is_segmented(self, algorithm: Algorithm) -> bool:
        """True if its segment size can be set."""

    def forcing(
        self, collective: str, algorithm: Algorithm | None, parameters: ParameterValues
    ) -> Forcing:
        """The settings that force `algorithm`; None leaves the library its own decision."""

    def replaced_by(
        self, algorithm: Algorithm, ranks: int, bytes_: int, segment: int | None
    ) -> str | None:
        """What the library does instead, and why: "runs ring: ...", "gives an error: ..."; None if
        it runs the algorithm. `bytes_`: a rank's block, or the whole buffer, as the collective's
        bytes are counted."""


def ask_command(
    command: Path,
    *arguments: str,
    env: Mapping[str, str] | None = None,
    timeout_s: float = COMMAND_TIMEOUT_S,
    cwd: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """Runs a program that only prints something, with `env` added to the environment. Raises
    OSError or TimeoutExpired."""
    return subprocess.run(
        [str(command), *arguments],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout_s,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **(env or {})},
        cwd=cwd,
    )


FAMILIES = Registry(__name__, "MPI family", Family, group="hockney.mpis")


OTHER = "other"
"""The family of unknown libraries."""


def family_of(mpi: Mpi) -> Family:
    return FAMILIES.find(mpi.family)


def names_here(family: Family, name: str, listed: Container[str]) -> list[str]:
    """What this version of a library calls a setting that other versions call `name`."""
    same = (names for names in family.SETTINGS if name in names)
    return [variable for names in same for variable in names if variable in listed]


def family_of_library(library: str | None) -> str:
    """The module of the family that has this library, as the engine reports it."""
    for name, family in FAMILIES.all().items():
        if library in family.LIBRARIES:
            return name
    return OTHER


def format_names() -> list[str]:
    """Names of the rules formats of all families."""
    return [name for family in FAMILIES.all().values() for name in family.FORMATS]


def format_named(name: str) -> RulesFormat:
    """The rules format of that name; raises UsageError if it is unknown."""
    for family in FAMILIES.all().values():
        if name in family.FORMATS:
            return family.FORMATS[name]
    raise UsageError(
        f"there is no format of rules called {name!r}", f"there are {', '.join(format_names())}"
    )


def format_for(library: str | None, version: str | None) -> str:
    """The name of the format that a library reads; raises UsageError if none is known."""
    for family in FAMILIES.all().values():
        if library in family.LIBRARIES and family.FORMATS:
            return family.format_for(version)
    raise UsageError(
        f"{library or 'an unknown MPI'} reads no decision rules in any known format",
        f"name a format with --format: {', '.join(format_names())}",
    )


P = TypeVar("P", Radix, Requests)
Known = Mapping[tuple[str, str], T]
"""Values by collective and the library's own name of an algorithm."""


def with_parameters(
    algorithms: Sequence[Algorithm],
    radices: Known[Radix],
    requests: Known[Requests],
    controls: Container[str],
) -> list[Algorithm]:
    """The algorithms, with those parameters whose control variables the library lists."""

    def of(known: Known[P], each: Algorithm) -> P | None:
        parameter = known.get((each.collective, each.own_name))
        return parameter if parameter and parameter.control in controls else None

    return [
        replace(algorithm, radix=of(radices, algorithm), requests=of(requests, algorithm))
        for algorithm in algorithms
    ]


def parameters_set(algorithm: Algorithm, values: ParameterValues) -> dict[str, str]:
    """The control variables of the radix and the limit of requests that are given, if it has
    them."""
    pairs = ((algorithm.radix, values.radix), (algorithm.requests, values.requests))
    return {of.control: str(value) for of, value in pairs if of and value is not None}


def listed(collective: str, own_names: Sequence[str], decision: str) -> list[Algorithm]:
    """The algorithms of an enumeration; `decision` is its entry for the library's own choice."""
    names = common_names(own_names)
    return [
        Algorithm(collective, names[own], own, number)
        for number, own in enumerate(own_names)
        if own != decision
    ]
