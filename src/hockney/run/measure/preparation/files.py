"""Writes files that launches read: simulated platforms, and lists too long for an argument."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from hockney.base.errors import UsageError
from hockney.base.temporary import temporary_file
from hockney.plan import Case, Placement, Plan
from hockney.plan.engine import LONGEST_ARGUMENT
from hockney.run.measure.machine.platforms import platform_file
from hockney.run.measure.preparation.message_schedules import schedules_text


@dataclass(frozen=True)
class Files:
    placement: Placement
    """The placement of the plan's first case, with its platform in a file."""
    list_file: str | None = None
    """The file from which the engine reads a list that is too long for its command line."""

    def placed(self, case: Case) -> Case:
        """The case with its platform replaced by the name of the file."""
        platform, hostfile = self.placement.platform, self.placement.hostfile
        placement = replace(case.placement, platform=platform, hostfile=hostfile)
        return replace(case, placement=placement)


@contextmanager
def files_of(plan: Plan, directory: Path) -> Iterator[Files]:
    """Writes the files that a plan needs and removes them at the end. Lists go into `directory`,
    the directory of the result file, which all nodes are most likely to share."""
    with platform_file(plan.first.placement) as placement:
        words = long_list_of(plan)
        if words is None:
            yield Files(placement)
            return
        with temporary_file(".hockney-", ".list", directory) as file:
            file.write_text(words)
            yield Files(placement, str(file))


def long_list_of(plan: Plan) -> str | None:
    """The schedules of all cases, or the list of the first one if it is too long for a command
    line, else None. Raises UsageError if the nodes could not read it from a file."""
    placement = plan.first.placement
    words = schedules_text(plan)
    if words is None:
        words = plan.first.workload.long_list(placement.ranks)
        if words is None or len(words) <= LONGEST_ARGUMENT:
            return None
    if placement.broadcast is not None:
        raise UsageError(
            f"--broadcast: a list is {len(words)} bytes long and must be read from a "
            "file, which these nodes do not share",
            "use a directory that all nodes share; of pairs, --pairing halves or neighbours",
        )
    return words
