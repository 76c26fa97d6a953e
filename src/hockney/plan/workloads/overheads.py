"""Trains of messages with known delays, which show the overheads of sender and receiver."""

from __future__ import annotations

from hockney.base.errors import UsageError
from hockney.plan.trains import Train
from hockney.plan.workloads._devices import OnDevices
from hockney.plan.workloads.pingpong import check_peers, peers_argument

ROUND_TRIP = Train(1)


class Overheads(OnDevices, frozen=True, kw_only=True, tag="overheads"):
    peers: tuple[int, int] = (0, 1)
    """Sender and receiver."""
    messages: int = 16
    """Messages of a long train."""
    trains: tuple[Train, ...] = (ROUND_TRIP,)
    """Trains of a launch. The first launch measures round trips, from which the delays of the
    others follow."""

    def arguments(self, ranks: int, list_file: str | None = None) -> list[str]:  # noqa: ARG002
        trains = ",".join(map(str, self.trains))
        return ["overheads", peers_argument(self.peers), f"--trains={trains}"]

    def check(self, ranks: int) -> None:
        check_peers(self.peers, ranks)
        if len(self.sizes) < 2:
            raise UsageError(
                "--sizes: overheads need at least two sizes, because they may grow with the size",
                "name two sizes or more",
            )

    def taking_part(self, ranks: int) -> int:  # noqa: ARG002
        return 2


WORKLOAD = Overheads
