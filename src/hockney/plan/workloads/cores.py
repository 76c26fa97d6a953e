"""Messages between every two ranks, one pair after the other."""

from __future__ import annotations

from typing import Annotated

from hockney.plan.knobs import Knob
from hockney.plan.workloads import Buffers
from hockney.plan.workloads._devices import OnDevices
from hockney.plan.workloads._shared import Verify
from hockney.plan.workloads.pingpong import check_verify


class Cores(OnDevices, frozen=True, kw_only=True, tag="cores"):
    parallel: Annotated[
        bool, Knob("Measure pairs without a common rank at the same time: faster.")
    ] = False
    verify: Verify = False

    @property
    def usual_buffers(self) -> Buffers:
        return "separate" if self.verify else "returned"

    @property
    def ends_by_precision(self) -> bool:
        return False

    def check(self, ranks: int) -> None:  # noqa: ARG002
        check_verify(self.verify, self.buffers)

    def arguments(self, ranks: int, list_file: str | None = None) -> list[str]:  # noqa: ARG002
        return ["cores"]


WORKLOAD = Cores
