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
from hockney.run.launchers import Launcher, answer, given, our_name
from hockney.run.mpis import Mpi, family_of

PROGRAM = "srun"


class _Srun(Launcher):
    def command(self, program: str, mpi: Mpi, case: Case, engine: Sequence[str]) -> list[str]:
        """A rank that fails ends the others."""
        placement, threads = case.placement, case.workload.threads_of_rank
        options = {
            "--mpi": wire_up(mpi),
            "--cpu-bind": "none",
            "--kill-on-bad-exit": 1,
            "--job-name": our_name(),
            "--nodelist": ",".join(placement.hosts),
            "--nodes": placement.node_count,
            "--ntasks-per-node": placement.ranks_per_node,
            "--cpus-per-task": threads if threads > 1 else None,
            "--distribution": "cyclic" if placement.place == "node" else None,
            "--ntasks": placement.ranks,
        }
        return [program, *given(options), *engine]

    def reach(self, program: str, placement: Placement, script: str) -> list[list[str]]:
        allocated = os.environ.get("SLURM_JOB_NUM_NODES", "")
        nodes = placement.node_count or (int(allocated) if is_whole(allocated) else 1)
        each = {"--nodes": nodes, "--ntasks": nodes, "--ntasks-per-node": 1}
        hosts = {"--nodelist": ",".join(placement.hosts[:nodes])}
        return [[program, *given(each), *given(hosts), "sh", "-c", script]]

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
