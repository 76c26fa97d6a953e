"""Messages to a late receiver, which show whether sends wait. A step of `pingpong --refine`."""

from __future__ import annotations

from hockney.plan.workloads import Workload
from hockney.plan.workloads.pingpong import check_peers, peers_argument


class Late(Workload, frozen=True, kw_only=True, tag="late"):
    peers: tuple[int, int] = (0, 1)
    delay_ns: int = 0
    """Delay of the receiver before it receives, and of the sender after it has sent."""

    def arguments(self, ranks: int, list_file: str | None = None) -> list[str]:  # noqa: ARG002
        trains = f"--trains=1:{self.delay_ns}:{self.delay_ns}"
        return ["pingpong", peers_argument(self.peers), "--operation=late", trains]

    def check(self, ranks: int) -> None:
        check_peers(self.peers, ranks)

    def taking_part(self, ranks: int) -> int:  # noqa: ARG002
        return 2


WORKLOAD = Late
