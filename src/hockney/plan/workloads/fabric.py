"""Passes over all pairs of a network, or over those inside switches and between them."""

from __future__ import annotations

from hockney.base.errors import UsageError
from hockney.plan.workloads import Buffers, Workload


class Fabric(Workload, frozen=True, kw_only=True, tag="fabric"):
    serial: bool = False
    """One pair at a time; otherwise as many disjoint pairs as there are."""
    switch_numbers: tuple[tuple[str, int], ...] = ()
    """The number of each node's switch, to pair ranks inside switches and between every two; empty
    to pair every two ranks."""
    visits: int | None = None
    """Most rounds, a random sample of all; None for all."""

    @property
    def usual_buffers(self) -> Buffers:
        return "returned"

    @property
    def ends_by_precision(self) -> bool:
        return False

    def check(self, ranks: int) -> None:  # noqa: ARG002
        if self.serial and self.switch_numbers:
            raise UsageError("--per-switch measures all switches at once", "leave out --serial")

    def long_list(self, ranks: int) -> str | None:  # noqa: ARG002
        words = [f"{node}={number}" for node, number in self.switch_numbers]
        return ",".join(words) or None

    def arguments(self, ranks: int, list_file: str | None = None) -> list[str]:
        words = ["fabric", *([] if self.serial else ["--parallel"])]
        listed = self.long_list(ranks)
        if listed is not None:
            words.append(f"--switches={f'@{list_file}' if list_file else listed}")
        if self.visits is not None:
            words.append(f"--visits={self.visits}")
        return words


WORKLOAD = Fabric
