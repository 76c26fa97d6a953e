"""Files that launches read: simulated platforms, and lists too long for an argument."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from hockney.errors import AskedWronglyError
from hockney.measure.platforms import platform_file
from hockney.spec import Case, Placement, Plan
from hockney.spec.engine import LONGEST_ARGUMENT


@dataclass(frozen=True)
class Files:
    placement: Placement
    """Of the plan's first case, with its platform in a file."""
    list_file: str | None = None
    """Where the engine reads what is too long for its command line."""

    def placed(self, case: Case) -> Case:
        """The case with the names of files in place of words."""
        platform, hostfile = self.placement.platform, self.placement.hostfile
        placement = msgspec.structs.replace(case.placement, platform=platform, hostfile=hostfile)
        return msgspec.structs.replace(case, placement=placement)


@contextmanager
def files_of(plan: Plan, directory: Path) -> Iterator[Files]:
    """Writes the files that a plan needs and removes them at the end. Lists are written into
    `directory`, that of the result, which all nodes are most likely to share."""
    with platform_file(plan.first.placement) as placement:
        words = long_list_of(plan)
        if words is None:
            yield Files(placement)
            return
        with tempfile.NamedTemporaryFile(
            "w", dir=directory, prefix=".hockney-", suffix=".list"
        ) as file:
            file.write(words)
            file.flush()
            yield Files(placement, str(Path(file.name).absolute()))


def long_list_of(plan: Plan) -> str | None:
    """What the first case cannot say on a command line; None where it can say all. Raises
    AskedWronglyError where the nodes cannot read it."""
    placement = plan.first.placement
    words = plan.first.workload.long_list(placement.ranks)
    if words is None or len(words) <= LONGEST_ARGUMENT:
        return None
    if placement.broadcast is not None:
        raise AskedWronglyError(
            f"--broadcast: the list of pairs is {len(words)} bytes long and must be read from a "
            "file, which these nodes do not share",
            "use --pairing halves or neighbours, or a directory that all nodes share",
        )
    return words
