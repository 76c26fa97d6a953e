"""Pairs of ranks that exchange messages, several pairs at once."""

from __future__ import annotations

from hockney.spec.axes import MODES as MODES
from hockney.spec.workloads import Buffers, Row, Workload
from hockney.spec.workloads.pingpong import check_verify

Pair = tuple[int, int]
Pairing = tuple[Pair, ...]

FIELDS = frozenset({"pairing", "active", "operation", "every_iteration", "verify"})
"""Fields of all operations."""
WINDOWED = ("stream", "bidirectional")
"""Operations with a window of messages in flight."""
USUAL_WINDOW = 64
"""Messages in flight."""


def halves(ranks: int) -> Pairing:
    """Pairs rank r with r + n/2; the last of an odd number of ranks stays idle."""
    half = ranks // 2
    return tuple(zip(range(half), range(half, 2 * half), strict=True))


def neighbours(ranks: int) -> Pairing:
    """Pairs rank 2i with 2i + 1; the last of an odd number of ranks stays idle."""
    paired = ranks // 2 * 2
    return tuple(zip(range(0, paired, 2), range(1, paired, 2), strict=True))


class Pairs(Workload, frozen=True, kw_only=True, tag="pairs"):
    pairing: Pairing
    active: tuple[int, ...]
    """Numbers of concurrent pairs; each uses the first pairs of `pairing`."""
    operation: str = "pingpong"
    mode: str = "standard"
    """The send mode, one of MODES."""
    windows: tuple[int, ...] = (USUAL_WINDOW,)
    """Messages in flight, for operations with a window."""
    every_iteration: bool = False
    verify: bool = False

    @property
    def usual_buffers(self) -> Buffers:
        return "separate" if self.operation in WINDOWED or self.verify else "returned"

    @property
    def ends_by_precision(self) -> bool:
        return False

    def check(self, ranks: int) -> None:  # noqa: ARG002
        check_verify(self.verify, self.buffers)

    @property
    def times_every_iteration(self) -> bool:
        return self.every_iteration

    @classmethod
    def rows(cls) -> dict[str, Row]:
        return {
            "pingpong": Row(FIELDS | {"mode"}),
            "stream": Row(FIELDS | {"windows"}, ("separate", "cold")),
            "bidirectional": Row(FIELDS | {"windows"}),
            "exchange": Row(FIELDS),
        }

    @property
    def row(self) -> str:
        return self.operation

    def long_list(self, ranks: int) -> str | None:
        """The list of pairs, unless the engine knows the pairing by name."""
        if self._name(ranks) is not None:
            return None
        return ",".join(f"{first}-{second}" for first, second in self.pairing)

    def arguments(self, ranks: int, list_file: str | None = None) -> list[str]:
        listed = f"@{list_file}" if list_file else self.long_list(ranks)
        words = [
            "pairs",
            f"--pairing={self._name(ranks) or listed}",
            f"--operation={self.operation}",
            f"--mode={self.mode}",
        ]
        if self.operation in WINDOWED:
            words.append("--window=" + ",".join(map(str, self.windows)))
        words.append("--pairs-active=" + ",".join(map(str, self.active)))
        return [*words, *self.flags("every_iteration", "verify")]

    def _name(self, ranks: int) -> str | None:
        """The engine's name of the pairing, if it has one (for even numbers of ranks)."""
        named = {halves(ranks): "halves", neighbours(ranks): "neighbours"}
        return None if ranks % 2 else named.get(self.pairing)


WORKLOAD = Pairs
PAIR_OPERATIONS = tuple(Pairs.rows())
