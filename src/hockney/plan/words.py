"""Words of plans and records: values of axes that several modules use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

NONBLOCKING = "nonblocking"
"""A form of an operation, as is PERSISTENT; blocking calls have no form."""
STANDARD = "standard"
"""The mode of MPI_Send."""
PERSISTENT, REPLACE, PARTITIONED = "persistent", "replace", "partitioned"
MODES = (STANDARD, "synchronous", "nonblocking", PERSISTENT, REPLACE, PARTITIONED)
ALL_PHASES = "all"
"""The phase that is the whole of a collective by messages."""
CONTIGUOUS = "contiguous"
"""The datatype of messages without gaps that are measured beside those with a layout."""
RETURNED, SEPARATE = "returned", "separate"
Synchronization = Literal["fence", "pscw", "lock", "lock-all", "flush", "flush-local"]
SYNCHRONIZATIONS: tuple[Synchronization, ...] = get_args(Synchronization)
ALLOCATE = "allocate"
WindowKind = Literal["allocate", "create", "dynamic", "shared"]
WINDOW_KINDS: tuple[WindowKind, ...] = get_args(WindowKind)
Direction = Literal["one-way", "both-ways"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
ONE_WAY, BOTH_WAYS = DIRECTIONS
Element = Literal["int8", "int32", "int64", "float16", "bfloat16", "float", "double", "byte"]
ELEMENTS: tuple[Element, ...] = get_args(Element)
ELEMENT_BYTES: dict[Element, int] = dict(zip(ELEMENTS, (1, 4, 8, 2, 2, 4, 8, 1), strict=True))
"""MPI has no types of 16 bits; some libraries have."""
Reduction = Literal["sum", "min", "max", "band", "bor", "bxor", "replace", "no-op"]
PARAMETERS = frozenset({"segment_bytes", "radix", "requests"})
"""Axes that only the algorithms of a library have."""


def grid_text(sides: Iterable[int]) -> str:
    """A grid as the engine's --grid takes it: "4x2"."""
    return "x".join(map(str, sides))
