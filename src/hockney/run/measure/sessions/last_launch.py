"""The records of a run's last launch, which are the last of each kind."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Protocol, TypeVar


class OfLaunch(Protocol):
    @property
    def launch(self) -> int: ...


R = TypeVar("R", bound=OfLaunch)


def of_last_launch(records: Sequence[R], launch: int) -> list[R]:
    """The records of `launch`, the last one that has ended."""
    return list(takewhile(lambda record: record.launch == launch, reversed(records)))
