"""Message sizes."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec


class Size(msgspec.Struct, frozen=True, order=True, omit_defaults=True):
    """One message size, with its repetitions if they are fixed."""

    bytes: int
    repetitions: int | None = None
    warmup: int = 0

    def __str__(self) -> str:
        """The size as the engine's --sizes takes it."""
        if self.repetitions is None and not self.warmup:
            return str(self.bytes)
        return f"{self.bytes}@{self.repetitions or 0}+{self.warmup}"


def sizes_of(bytes_: Iterable[int]) -> tuple[Size, ...]:
    """Sizes without fixed repetitions."""
    return tuple(Size(each) for each in bytes_)
