"""The algorithms that an MPI library has for its collectives, what forces one, what proves that
it took, and where the library would silently run another: one file an MPI family.

A family module has four functions: `discover`, `is_segmented`, `forcing` and `replaced_by`, as
Family says.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hockney.errors import AskedWronglyError
from hockney.measure.algorithms.names import COMMON, common_names
from hockney.measure.build import Engine
from hockney.measure.mpi import Mpi
from hockney.registry import module_named
from hockney.spec.workloads.collective import COLLECTIVES, DEFAULT
from hockney.spec.workloads.collective import INT_BYTES as INT_BYTES


@dataclass(frozen=True)
class Algorithm:
    collective: str
    name: str
    """The field's; the same for all libraries that have it."""
    own_name: str
    """The library's."""
    number: int | None = None
    """Of the library's enumeration, where it reads back or takes that."""


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


def listed(collective: str, own_names: Sequence[str], decision: str) -> list[Algorithm]:
    """Algorithms of an enumeration; `decision` is its entry for the library's own."""
    names = common_names(own_names)
    return [
        Algorithm(collective, names[own], own, number)
        for number, own in enumerate(own_names)
        if own != decision
    ]


class Family(Protocol):
    def discover(self, mpi: Mpi, engine: Engine, collectives: Sequence[str]) -> list[Algorithm]: ...

    def is_segmented(self, algorithm: Algorithm) -> bool:
        """Whether the library can be told its segment size."""

    def forcing(self, collective: str, algorithm: Algorithm | None, segment: int | None) -> Forcing:
        """For `algorithm`, or for the library's own decision; segments in bytes, None: the
        library's own, or one that is not segmented."""

    def replaced_by(
        self, algorithm: Algorithm, ranks: int, bytes_: int, segment: int | None
    ) -> str | None:
        """What the library does instead, and why: "runs ring: ...", "gives an error: ..."; None
        where it does as it is told. `bytes_` is a rank's block, or the whole buffer where the
        collective has one."""


def family_of(mpi: Mpi) -> Family:
    """The module of this package that knows the family of `mpi`."""
    if mpi.family == "hydra":
        name = "intel" if "Intel" in mpi.launcher_version else "mpich"
    else:
        name = {"openmpi": "openmpi", "smpirun": "smpi"}[mpi.family]
    return module_named(__name__, name, Family)


def checked_collectives(names: Sequence[str]) -> list[str]:
    """The same names without repeats; raises AskedWronglyError for one that is not measured."""
    for name in names:
        if name not in COLLECTIVES:
            raise AskedWronglyError(
                f"{name!r} is not a collective that is measured",
                _nearest(name, COLLECTIVES, f"they are {', '.join(COLLECTIVES)}"),
            )
    return list(dict.fromkeys(names))


def chosen(
    available: Sequence[Algorithm], collective: str, names: Sequence[str]
) -> list[Algorithm | None]:
    """What `all`, `default` or names of algorithms stand for; None is the library's decision. A
    name that only another of the collectives has is passed over.

    Raises AskedWronglyError where the library lacks one.
    """
    of_it = [each for each in available if each.collective == collective]
    found: list[Algorithm | None] = []
    for name in names:
        if name == "all":
            found += [None, *of_it]
        elif name == DEFAULT:
            found.append(None)
        elif named := [each for each in available if name in (each.name, each.own_name)]:
            found += [each for each in named if each.collective == collective]
        else:
            raise _unknown(of_it, collective, name)
    if not found:
        raise _unknown(of_it, collective, names[0])
    return list(dict.fromkeys(found))


def _unknown(of_it: Sequence[Algorithm], collective: str, name: str) -> AskedWronglyError:
    known = name in COMMON.values() or name in COMMON
    return AskedWronglyError(
        f"{collective}: this MPI library has no algorithm {name!r}"
        + (", others have" if known else ""),
        _nearest(
            name,
            [DEFAULT, *(each.name for each in of_it), *(each.own_name for each in of_it)],
            f"it has {', '.join(each.name for each in of_it) or 'none that can be forced'}",
        ),
    )


def _nearest(name: str, words: Sequence[str], otherwise: str) -> str:
    near = list(dict.fromkeys(difflib.get_close_matches(name, words, n=3)))
    return f"did you mean {' or '.join(near)}? ({otherwise})" if near else otherwise
