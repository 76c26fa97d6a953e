"""Shows what carries messages, by a launch of its own in which the library may print much."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hockney.base.errors import HockneyError
from hockney.plan import Case, Placement, Size
from hockney.plan.workloads.collective import Collective
from hockney.records import Record
from hockney.run.measure.doctor.launch import last_words
from hockney.run.measure.launches.causes import cause_of
from hockney.run.measure.launches.launch import Outcome
from hockney.run.measure.launches.start import engine_messages
from hockney.run.measure.launches.trial import launch_once
from hockney.run.measure.preparation.setup import mpi_of
from hockney.run.mpis import Mpi, family_of
from hockney.run.schedulers import NO_ALLOCATION, allocation_here

SIZES = (8, 1 << 10, 8 << 10, 64 << 10, 1 << 20, 4 << 20)
"""Sizes of messages (bytes): the transport may change with the protocol."""
RANKS_A_NODE = 2
SECONDS, TIMEOUT_S = 0.01, 30.0
MOST_LINES = 100_000
"""Most lines of a library that are read."""
NOTHING_MEASURED = Collective(sizes=(Size(0),), collective="barrier")


@dataclass(frozen=True)
class TransportTrial:
    """What a launch showed about how messages are sent."""

    mpi: Mpi
    records: tuple[Record, ...]
    says: tuple[str, ...]
    """What the library prints about it, each line once."""


def try_transports(mpicc: str | None, hosts: Sequence[str]) -> TransportTrial:
    """Exchanges messages of each of SIZES between two ranks of each node, and between nodes: those
    of the allocation, or `hosts`, or this one. Raises HockneyError."""
    mpi, engine = mpi_of(Placement(mpicc=mpicc))
    if mpi.family == "smpi":
        raise HockneyError(
            "SimGrid's messages are simulated: nothing on this machine carries them",
            "name a real MPI with --mpicc",
        )
    family = family_of(mpi)
    case = Case(workload=NOTHING_MEASURED, placement=_placement(hosts))
    sizes = ["--paths=" + ",".join(map(str, SIZES))]
    verbose, kept_lines = family.VERBOSE, MOST_LINES
    trial = launch_once(mpi, engine, case, SECONDS, TIMEOUT_S, sizes, verbose, kept_lines)
    if trial.outcome.exit_status != 0:
        raise _failure(trial.outcome)
    return TransportTrial(mpi, trial.records, _said(family.TELLS, trial.outcome))


def _placement(hosts: Sequence[str]) -> Placement:
    """Two ranks on each host, or on each node of the allocation; one where it gives no more."""
    allocation = NO_ALLOCATION if hosts else allocation_here()
    nodes, cpus = allocation.nodes or 1, allocation.cpus
    if nodes == 1:
        count = RANKS_A_NODE * max(len(hosts), 1)
        return Placement(ranks=count, hosts=tuple(hosts), oversubscribe=True)
    each = 1 if cpus is not None and cpus < RANKS_A_NODE * nodes else RANKS_A_NODE
    return Placement(ranks=each * nodes, nodes=nodes, ranks_per_node=each, oversubscribe=True)


def _failure(outcome: Outcome) -> HockneyError:
    said = engine_messages(outcome)
    return HockneyError(
        f"no messages could be exchanged: {said[0] if said else last_words(outcome)}",
        cause_of(outcome, said) or "`hockney doctor` says more",
    )


def _said(tells: Iterable[str], outcome: Outcome) -> tuple[str, ...]:
    """The lines that match, by what their groups match."""
    patterns = [re.compile(tell) for tell in tells]
    lines = dict[str, None]()
    for line in (*outcome.printed, *outcome.last_lines):
        for pattern in patterns:
            if match := pattern.search(line):
                lines[" ".join(match[1].split())] = None
    return tuple(lines)
