"""Flux's `flux run`, inside one of its instances."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from functools import cache

from hockney.plan import Case, Placement
from hockney.plan.bounds import is_whole
from hockney.run.launchers import Launcher, answer, given, our_name
from hockney.run.mpis import Mpi, family_of

PROGRAM = "flux"


class _Flux(Launcher):
    def command(self, program: str, mpi: Mpi, case: Case, engine: Sequence[str]) -> list[str]:
        """A rank that exits ends the others after a delay: exit-on-error would lose its output. A
        library that only has PMIx needs the plug-in of Flux's shell."""
        placement, threads = case.placement, case.workload.threads_of_rank
        options = [f"--job-name={our_name()}", "-o", "cpu-affinity=off", "-o", "exit-timeout=5s"]
        if tuple(family_of(mpi).PMI) == ("pmix",):
            options += ["-o", "pmi=pmix"]
        layout = {
            "--requires": placement.hosts and "hosts:" + ",".join(placement.hosts),
            "--nodes": _nodes(placement),
            "--cores-per-task": threads if threads > 1 else None,
            "--taskmap": "cyclic" if placement.place == "node" else None,
            "--ntasks": placement.ranks,
        }
        return [program, "run", *options, *given(layout), *engine]

    def reach(self, program: str, placement: Placement, script: str) -> list[list[str]]:  # noqa: ARG002
        return [[program, "exec", "--rank=all", "sh", "-c", script]]

    def end_strays(self) -> None:
        """Flux does not end a job when its `flux run` is killed."""
        listed = answer([PROGRAM, "jobs", "--no-header", "--format={id}", f"--name={our_name()}"])
        for job in listed.stdout.split():
            answer([PROGRAM, "cancel", job])
            # `cancel` sends SIGTERM first and kills seconds later.
            answer([PROGRAM, "job", "kill", "--signal=KILL", job])


def _nodes(placement: Placement) -> int | None:
    """Flux fills one node after the other, unless the number of nodes is given."""
    if placement.node_count or placement.place != "node":
        return placement.node_count
    here = instance()
    known = resources(here) if here else None
    return min(known[0], placement.ranks) if known else None


def instance() -> str | None:
    """The instance in which this process runs; None outside of one."""
    uri = os.environ.get("FLUX_URI")
    return uri if uri and shutil.which(PROGRAM) else None


@cache
def resources(of_instance: str) -> tuple[int, int] | None:  # noqa: ARG001
    """Nodes and cores of an instance, which only Flux's own commands show; None where they do
    not."""
    options = ["--no-header", "--states=up", "--format={nnodes} {ncores}"]
    words = answer([PROGRAM, "resource", "list", *options]).stdout.split()
    known = len(words) == 2 and all(map(is_whole, words))
    return (int(words[0]), int(words[1])) if known else None


LAUNCHER = _Flux(name=PROGRAM, programs=(PROGRAM,))
