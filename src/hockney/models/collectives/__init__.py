"""How long a collective takes by each algorithm, from what point-to-point messages cost.

One file a collective, found by its name, with ALGORITHMS: the schedule of each algorithm by the
name that libraries share. The schedule is walked through message by message; closed.py has the
textbook's formulas beside it.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hockney.errors import AskedWronglyError

if TYPE_CHECKING:
    from hockney.models.collectives.parameters import Parameters
    from hockney.models.collectives.schedule import Algorithm
    from hockney.records import Place

SHARED = ("closed", "parameters", "predicted", "schedule", "trees")
"""Modules here that are no collectives."""


def collectives() -> list[str]:
    """Those that have schedules."""
    names = (module.name for module in pkgutil.iter_modules(__path__))
    return sorted(name for name in names if name[0] != "_" and name not in SHARED)


def algorithms(collective: str) -> dict[str, Algorithm]:
    """The schedules of a collective by the name of the algorithm."""
    if collective not in collectives():
        raise AskedWronglyError(
            f"{collective!r} has no schedules here", f"there are {', '.join(collectives())}"
        )
    module = importlib.import_module(f"hockney.models.collectives.{collective}")
    found: dict[str, Algorithm] = module.ALGORITHMS
    return found


def schedule_of(collective: str, name: str) -> Algorithm:
    """The schedule of that name."""
    known = algorithms(collective)
    if name not in known:
        near = difflib.get_close_matches(name, known)
        raise AskedWronglyError(
            f"{collective}: no schedule of an algorithm called {name!r}",
            f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}",
        )
    return known[name]


def time(
    parameters: Parameters,
    collective: str,
    algorithm: str,
    ranks: int,
    bytes: int,
    segment: int | None = None,
    root: int = 0,
    placement: Sequence[Place] | None = None,
) -> float:
    """Seconds from the common start until the last rank is done.

    bytes: of one rank's block for scatter, gather, allgather, alltoall and reduce_scatter_block,
    of the whole buffer for the others. segment: bytes; algorithms that do not segment ignore it.
    placement: where each rank is; None: each on a node of its own.
    """
    from hockney.models.collectives._simulation import simulate
    from hockney.models.collectives.parameters import Machine
    from hockney.models.collectives.schedule import MOST_RANKS, bounded

    messages_of = schedule_of(collective, algorithm)
    if ranks < 1 or bytes < 0 or not 0 <= root < ranks:
        raise AskedWronglyError(
            f"{ranks} ranks, {bytes} bytes, root {root}",
            "there must be a rank, no fewer than 0 bytes, and a root among the ranks",
        )
    if ranks > MOST_RANKS:
        raise AskedWronglyError(
            f"{ranks} ranks: schedules are walked through message by message, for {MOST_RANKS} "
            "ranks at most",
            "halo2d, halo3d, ring and alltoall are predicted for more",
        )
    machine = Machine(parameters, ranks, placement, root)
    return float(simulate(machine, bounded(messages_of(ranks, bytes, segment))).max())


def effort(collective: str, algorithm: str, ranks: int, bytes: int) -> int:
    """How much there is to walk through, in messages."""
    from hockney.models.collectives.schedule import bounded, step_effort

    return sum(map(step_effort, bounded(schedule_of(collective, algorithm)(ranks, bytes, None))))
