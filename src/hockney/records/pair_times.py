"""Times of many pairs as arrays: a record of thousands of pairs is converted as it is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hockney.records.kinds import PairTimes

if TYPE_CHECKING:
    from numpy.typing import NDArray


ONE_WAY = "stream"
"""The operation whose messages go one way."""


@dataclass(frozen=True)
class PairBlock:
    """The times of pairs in successive visits of a pass."""

    launch: int
    pass_number: int
    visit: int
    visits: int
    operation: str
    bytes: tuple[int, ...]
    peers: NDArray[np.int32]
    """Shape (pairs, 2)."""
    ns: NDArray[np.float32]
    """Shape (sizes, pairs)."""

    @property
    def is_one_way(self) -> bool:
        """Whether each time is of messages from the first rank to the second one only."""
        return self.operation == ONE_WAY

    @classmethod
    def of(cls, record: PairTimes) -> PairBlock:
        peers: NDArray[Any] = np.array(record.peers, dtype=np.int32).reshape(-1, 2)
        return cls(
            launch=record.launch,
            pass_number=record.pass_number,
            visit=record.visit,
            visits=record.visits,
            operation=record.operation,
            bytes=tuple(record.bytes),
            peers=peers,
            ns=np.array(record.ns, dtype=np.float32).reshape(len(record.bytes), len(peers)),
        )

    def record(self) -> PairTimes:
        """The record of the block, with the stored precision."""
        return PairTimes(
            launch=self.launch,
            pass_number=self.pass_number,
            visit=self.visit,
            visits=self.visits,
            operation=self.operation,
            bytes=list(self.bytes),
            peers=self.peers.ravel().tolist(),
            ns=self.ns.tolist(),
        )


def visits_made(blocks: list[PairBlock], pass_number: int) -> int:
    """Number of complete visits of a pass, which is resumed after them."""
    return max((b.visit + b.visits for b in blocks if b.pass_number == pass_number), default=0)
