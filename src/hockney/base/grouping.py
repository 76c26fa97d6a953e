"""Rows that share a key."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


def by_key(rows: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """The rows of each key, keys and rows in the order in which they come."""
    groups: dict[K, list[T]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups
