"""Message sizes."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec


class Size(msgspec.Struct, frozen=True, order=True, omit_defaults=True):
    """One message size, and where its counts are fixed, how often it is repeated."""

    bytes: int
    repetitions: int | None = None
    warmup: int = 0

    def __str__(self) -> str:
        """As the engine's --sizes takes it."""
        if self.repetitions is None and not self.warmup:
            return str(self.bytes)
        return f"{self.bytes}@{self.repetitions or 0}+{self.warmup}"


def sizes_of(bytes_: Iterable[int]) -> tuple[Size, ...]:
    """Sizes without counts of their own."""
    return tuple(Size(each) for each in bytes_)
