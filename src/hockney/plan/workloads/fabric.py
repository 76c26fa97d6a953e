"""Passes over all pairs of a network, or over those inside switches and between them."""

from __future__ import annotations

from typing import Annotated

from hockney.base.errors import UsageError
from hockney.plan.knobs import Knob
from hockney.plan.workloads import Buffers
from hockney.plan.workloads._devices import OnDevices

LEAST_TO_LOCATE = 4
"""Fewest ranks among which an outlier can be identified."""


class Fabric(OnDevices, frozen=True, kw_only=True, tag="fabric"):
    serial: bool = False
    """One pair at a time; otherwise as many disjoint pairs as there are."""
    switch_numbers: tuple[tuple[str, int], ...] = ()
    """The number of each node's switch, to pair ranks inside switches and between every two; empty
    to pair every two ranks."""
    one_way: Annotated[
        bool,
        Knob(
            "Measure each direction by itself: some messages in flight one way, then the other.",
        ),
    ] = False
    visits: int | None = None
    """Most rounds, a random sample of all; None for all."""
    locate: bool = False
    """Rounds are chosen launch by launch, until what is slow is known."""
    chosen: tuple[int, ...] = ()
    """The rounds of a launch, by their numbers; empty for all."""

    @property
    def usual_buffers(self) -> Buffers:
        return "separate" if self.one_way else "returned"

    @property
    def ends_by_precision(self) -> bool:
        return False

    def check(self, ranks: int) -> None:
        if self.serial and self.switch_numbers:
            raise UsageError("--per-switch measures all switches at once", "leave out --serial")
        if self.one_way and self.buffers == "returned":
            raise UsageError("--one-way: nothing is returned", "use --buffers separate or cold")
        if not self.locate:
            return
        if self.serial or self.switch_numbers:
            which = "--serial" if self.serial else "--per-switch"
            raise UsageError("--locate chooses among rounds of all nodes", f"leave out {which}")
        if ranks < LEAST_TO_LOCATE:
            raise UsageError(
                f"--locate: {ranks} ranks are too few to tell which one is slow",
                "measure all pairs: --all-pairs",
            )

    def long_list(self, ranks: int) -> str | None:  # noqa: ARG002
        words = [f"{node}={number}" for node, number in self.switch_numbers]
        return ",".join(words) or None

    def arguments(self, ranks: int, list_file: str | None = None) -> list[str]:
        words = ["fabric", *([] if self.serial else ["--parallel"])]
        listed = self.long_list(ranks)
        if listed is not None:
            words.append(f"--switches={f'@{list_file}' if list_file else listed}")
        if self.chosen:
            words.append("--arrangements=" + ",".join(str(number + 1) for number in self.chosen))
        elif self.visits is not None:
            words.append(f"--visits={self.visits}")
        return words


WORKLOAD = Fabric
