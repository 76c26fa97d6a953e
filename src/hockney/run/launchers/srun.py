"""Slurm's srun, inside one of its jobs."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from functools import cache

from hockney.base.errors import UsageError, why_failed
from hockney.plan import Case, Placement
from hockney.plan.bounds import is_whole
from hockney.run.launchers import Launcher, answer, our_name
from hockney.run.mpis import Mpi, family_of

PROGRAM = "srun"


class _Srun(Launcher):
    def command(self, program: str, mpi: Mpi, case: Case, engine: Sequence[str]) -> list[str]:
        """A rank that fails ends the others."""
        placement = case.placement
        options = [f"--mpi={wire_up(mpi)}", "--cpu-bind=none", "--kill-on-bad-exit=1"]
        options.append(f"--job-name={our_name()}")
        if placement.hosts:
            options.append("--nodelist=" + ",".join(placement.hosts))
        if placement.node_count:
            options.append(f"--nodes={placement.node_count}")
        if placement.ranks_per_node:
            options.append(f"--ntasks-per-node={placement.ranks_per_node}")
        if case.workload.threads_of_rank > 1:
            options.append(f"--cpus-per-task={case.workload.threads_of_rank}")
        if placement.place == "node":
            options.append("--distribution=cyclic")
        return [program, *options, f"--ntasks={placement.ranks}", *engine]

    def reach(self, program: str, placement: Placement, script: str) -> list[list[str]]:
        allocated = os.environ.get("SLURM_JOB_NUM_NODES", "")
        nodes = placement.node_count or (int(allocated) if is_whole(allocated) else 1)
        options = [f"--nodes={nodes}", f"--ntasks={nodes}", "--ntasks-per-node=1"]
        if placement.hosts:
            options.append("--nodelist=" + ",".join(placement.hosts[:nodes]))
        return [[program, *options, "sh", "-c", script]]

    def end_strays(self) -> None:
        """Slurm does not end a step when its srun is killed."""
        job = os.environ.get("SLURM_JOB_ID", "")
        listed = answer(["squeue", "--noheader", "--steps", f"--jobs={job}", "--format=%i %j"])
        for line in listed.stdout.splitlines():
            step, _, name = line.strip().partition(" ")
            if name == our_name():
                answer(["scancel", "--signal=KILL", step])


def is_here() -> bool:
    """Whether this machine knows what its Slurm offers."""
    return _offered() is not None


@cache
def _offered() -> tuple[str, ...] | None:
    """The interfaces of this Slurm; None where srun is not here or, outside of a job, has no
    cluster to ask."""
    if not shutil.which(PROGRAM):
        return None
    listed = answer([PROGRAM, "--mpi=list"])
    if listed.returncode != 0 and "SLURM_JOB_ID" not in os.environ:
        return None
    if listed.returncode != 0:
        raise UsageError(
            f"srun does not work here: {why_failed(listed)}",
            "start ranks with the MPI's own mpiexec (--launcher mpiexec; outside of a job, unset "
            "SLURM_JOB_ID), or give the command: --launch 'srun --mpi=pmix -n {ranks} {command}'",
        )
    words = listed.stdout + listed.stderr
    return tuple(re.findall(r"\b(?:pmi2|pmix|cray_shasta)\b(?! plugin)", words))


def wire_up(mpi: Mpi) -> str:
    """The interface by which this Slurm starts ranks of the MPI; for a script of another machine
    the most reliable one."""
    supported = family_of(mpi).PMI
    offered = _offered()
    if offered is None:
        return supported[0]
    for name in supported:
        if name in offered:
            return name
    raise UsageError(
        f"this Slurm supports {', '.join(offered) or 'no known interface'} to start MPI ranks, the "
        f"MPI of {mpi.mpicc} needs {' or '.join(supported)}",
        "start them with the MPI's own mpiexec: --launcher mpiexec",
    )


LAUNCHER = _Srun(name=PROGRAM, programs=(PROGRAM,))
