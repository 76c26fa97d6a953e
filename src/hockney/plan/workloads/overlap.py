"""One message between two ranks, alone and while its sender or its receiver computes."""

from __future__ import annotations

from hockney.base.errors import UsageError
from hockney.plan.workloads import Buffers, Row
from hockney.plan.workloads._devices import OnDevices
from hockney.plan.workloads._shared import Sync, Verify, check_sync

SENDER, RECEIVER = "isend", "irecv"
"""Operations by who computes: the sender during MPI_Isend, the receiver during MPI_Irecv."""


class Overlap(OnDevices, frozen=True, kw_only=True, tag="overlap"):
    sync: Sync = "clock"
    verify: Verify = False

    @property
    def usual_buffers(self) -> Buffers:
        return "separate"

    @classmethod
    def rows(cls) -> dict[str, Row]:
        return {"overlap": Row(buffers=("separate", "cold"))}

    def arguments(self, ranks: int, list_file: str | None = None) -> list[str]:  # noqa: ARG002
        return ["overlap"]

    def check(self, ranks: int) -> None:
        if ranks != 2:
            raise UsageError(f"overlap is between 2 ranks, not {ranks}", "leave out -n")
        check_sync(self.verify, self.sync)


WORKLOAD = Overlap
