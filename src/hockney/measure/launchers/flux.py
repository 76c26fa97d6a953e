"""Flux, inside one of its instances."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from functools import cache

from hockney.measure.launchers import Allocation, hydra
from hockney.measure.launchers._scheduler import answer, our_name
from hockney.measure.mpi import Mpi
from hockney.spec import Case, Placement


def allocation() -> Allocation | None:
    instance = os.environ.get("FLUX_URI")
    return _allocation(instance) if instance and shutil.which("flux") else None


@cache
def _allocation(instance: str) -> Allocation:  # noqa: ARG001
    """Flux tells the size of an instance by its own commands only. It gives every rank a core."""
    options = ["--no-header", "--states=up", "--format={nnodes} {ncores}"]
    words = answer(["flux", "resource", "list", *options]).stdout.split()
    return Allocation(int(words[0]), int(words[1])) if len(words) == 2 else Allocation()


def command(mpi: Mpi, case: Case, program: Sequence[str]) -> list[str]:
    """Unbound, because the engine pins; a rank that is gone takes the others with it, but not at
    once (exit-on-error): what it said would be lost. Open MPI needs the PMIx plug-in of Flux's
    shell."""
    placement = case.placement
    options = [f"--job-name={our_name()}", "-o", "cpu-affinity=off", "-o", "exit-timeout=5s"]
    if mpi.family == "openmpi":
        options += ["-o", "pmi=pmix"]
    if placement.hosts:
        options.append("--requires=hosts:" + ",".join(placement.hosts))
    nodes = _nodes(placement)
    if nodes:
        options.append(f"--nodes={nodes}")
    if placement.place == "node":
        options.append("--taskmap=cyclic")
    return ["flux", "run", *options, f"--ntasks={placement.ranks}", *program]


def _nodes(placement: Placement) -> int | None:
    """Flux fills a node before it takes another, unless it is told how many to take."""
    if placement.node_count or placement.place != "node":
        return placement.node_count
    found = allocation()
    return min(found.nodes, placement.ranks) if found and found.nodes else None


def end_strays() -> None:
    """Flux lets a job go on, or wait, whose flux run was killed: ends those that this process
    started."""
    listed = answer(["flux", "jobs", "--no-header", "--format={id}", f"--name={our_name()}"])
    for job in listed.stdout.split():
        answer(["flux", "cancel", job])
        # That asks first, and kills seconds later.
        answer(["flux", "job", "kill", "--signal=KILL", job])


def environment(mpi: Mpi) -> dict[str, str]:
    return hydra.environment(mpi)


def reach(mpi: Mpi, placement: Placement, script: str) -> list[list[str]]:  # noqa: ARG001
    return [["flux", "exec", "--rank=all", "sh", "-c", script]]
