"""How ranks are started: one file a launcher, found by its name.

A launcher module has `command(mpi, case, program)`, the whole command line that starts
`program` on every rank, `environment(mpi)`, the variables that this needs, and
`reach(mpi, placement, script)`, the commands that together run a shell script once on every node.
One that belongs to a scheduler has `allocation()`: what this process was given, None outside of a
job; and it may have `end_strays()`, where ranks outlive a launcher that is killed. A scheduler
without a launcher of its own has `allocation()` alone: MPI's mpiexec gets its hosts.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Protocol

import msgspec

from hockney.errors import AskedWronglyError
from hockney.measure.mpi import Mpi
from hockney.registry import module_named
from hockney.spec import Case, Placement

MPIEXEC = "mpiexec"
"""The MPI's own launcher, whatever its family."""
FAMILIES = ("hydra", "openmpi", "smpirun")


@dataclass(frozen=True)
class Allocation:
    """What a scheduler gave this process; None is not known."""

    nodes: int | None = None
    cpus: int | None = None
    hosts: tuple[str, ...] = ()


class Launcher(Protocol):
    def command(self, mpi: Mpi, case: Case, program: Sequence[str]) -> list[str]: ...

    def environment(self, mpi: Mpi) -> dict[str, str]: ...

    def reach(self, mpi: Mpi, placement: Placement, script: str) -> list[list[str]]: ...


class HasAllocation(Protocol):
    def allocation(self) -> Allocation | None: ...


def launcher_named(name: str) -> Launcher:
    """The module launchers/NAME.py."""
    return module_named(__name__, name, Launcher)


def launcher_names() -> list[str]:
    """What --launcher may be: mpiexec, or a scheduler's."""
    return [MPIEXEC, *_schedulers()]


def find_launcher(mpi: Mpi, placement: Placement) -> tuple[str, Placement]:
    """The launcher's name, and the placement with the hosts that its allocation has.

    Outside of a job, over named hosts, or when asked for, it is the MPI's own mpiexec.
    """
    if placement.platform is not None or placement.launcher == MPIEXEC:
        return mpi.family, placement
    if placement.hosts and placement.launcher is None:
        return mpi.family, placement
    found = find_allocation(placement.launcher)
    if found is None:
        return mpi.family, placement
    name, allocation = found
    if hasattr(_module(name), "command"):
        return name, placement
    hosts = placement.hosts or allocation.hosts
    return mpi.family, msgspec.structs.replace(placement, hosts=hosts)


def find_allocation(launcher: str | None = None) -> tuple[str, Allocation] | None:
    """The scheduler whose job this process runs in, or the one that was asked for."""
    asked = launcher if launcher != MPIEXEC else None
    for name in [asked] if asked else _schedulers():
        allocation = module_named(__name__, name, HasAllocation).allocation()
        if allocation is not None:
            return name, allocation
    if asked:
        raise AskedWronglyError(
            f"--launcher {launcher}: this is not inside one of its jobs",
            "ask for an allocation first, or submit a job (`hockney job --help`)",
        )
    return None


def end_strays(name: str) -> None:
    """Ends ranks that outlive their launcher, where a scheduler lets them."""
    end = getattr(_module(name), "end_strays", None)
    if end is not None:
        end()


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{name}")


def _schedulers() -> list[str]:
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    return sorted(name for name in names if name not in FAMILIES and not name.startswith("_"))
