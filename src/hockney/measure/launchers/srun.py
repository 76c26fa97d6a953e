"""Slurm's srun, inside one of its jobs."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from functools import cache

from hockney.errors import AskedWronglyError
from hockney.measure.launchers import Allocation, hydra
from hockney.measure.launchers._scheduler import answer, our_name
from hockney.measure.mpi import Mpi
from hockney.spec import Case, Placement

SPOKEN = {"hydra": ("pmi2", "cray_shasta", "pmix"), "openmpi": ("pmix",)}
"""Ways to wire up ranks that each family's libraries know, the surest first. MPICH has PMIx only
where it was built with it; Open MPI has nothing else since version 5."""


def allocation() -> Allocation | None:
    job = os.environ.get("SLURM_JOB_ID")
    if not job or not shutil.which("srun"):
        return None
    nodes = os.environ.get("SLURM_JOB_NUM_NODES")
    return Allocation(int(nodes) if nodes else None, _cpus())


def _cpus() -> int | None:
    """The sum of a list such as "36(x2),24"."""
    told = os.environ.get("SLURM_JOB_CPUS_PER_NODE", "")
    parts = re.findall(r"(\d+)(?:\(x(\d+)\))?", told)
    return sum(int(cpus) * int(nodes or 1) for cpus, nodes in parts) or None


def command(mpi: Mpi, case: Case, program: Sequence[str]) -> list[str]:
    """Unbound, because the engine pins; a rank that fails takes the others with it."""
    placement = case.placement
    options = [f"--mpi={_wire_up(mpi)}", "--cpu-bind=none", "--kill-on-bad-exit=1"]
    options.append(f"--job-name={our_name()}")
    if placement.hosts:
        options.append("--nodelist=" + ",".join(placement.hosts))
    if placement.node_count:
        options.append(f"--nodes={placement.node_count}")
    if placement.ranks_per_node:
        options.append(f"--ntasks-per-node={placement.ranks_per_node}")
    if placement.place == "node":
        options.append("--distribution=cyclic")
    return ["srun", *options, f"--ntasks={placement.ranks}", *program]


@cache
def _offered() -> tuple[str, ...]:
    listed = answer(["srun", "--mpi=list"])
    words = listed.stdout + listed.stderr
    return tuple(re.findall(r"\b(?:pmi2|pmix|cray_shasta)\b(?! plugin)", words))


def _wire_up(mpi: Mpi) -> str:
    offered, spoken = _offered(), SPOKEN.get(mpi.family, ())
    for name in spoken:
        if name in offered:
            return name
    raise AskedWronglyError(
        f"this Slurm wires ranks up by {', '.join(offered) or 'nothing known'}, the MPI of "
        f"{mpi.mpicc} by {' or '.join(spoken)}",
        "start them by the MPI's own mpiexec: --launcher mpiexec",
    )


def end_strays() -> None:
    """Slurm lets a step go on whose srun was killed: ends those that this process started."""
    job = os.environ["SLURM_JOB_ID"]
    listed = answer(["squeue", "--noheader", "--steps", f"--jobs={job}", "--format=%i %j"])
    for line in listed.stdout.splitlines():
        step, _, name = line.strip().partition(" ")
        if name == our_name():
            answer(["scancel", "--signal=KILL", step])


def environment(mpi: Mpi) -> dict[str, str]:
    return hydra.environment(mpi)


def reach(mpi: Mpi, placement: Placement, script: str) -> list[list[str]]:  # noqa: ARG001
    nodes = placement.node_count or int(os.environ.get("SLURM_JOB_NUM_NODES", "1"))
    options = [f"--nodes={nodes}", f"--ntasks={nodes}", "--ntasks-per-node=1"]
    return [["srun", *options, "sh", "-c", script]]
