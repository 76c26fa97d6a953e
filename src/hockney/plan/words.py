"""Words of plans and records: values of axes that several modules use."""

from __future__ import annotations

from collections.abc import Iterable

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
RETURNED, SEPARATE, COLD = "returned", "separate", "cold"
SYNCHRONIZATIONS = ("fence", "pscw", "lock", "lock-all", "flush", "flush-local")
ALLOCATE = "allocate"
WINDOW_KINDS = (ALLOCATE, "create", "dynamic", "shared")
ONE_WAY, BOTH_WAYS = DIRECTIONS = ("one-way", "both-ways")
ELEMENTS = ("int8", "int32", "int64", "float", "double", "byte")
REDUCTIONS = ("sum", "min", "max", "band", "bor", "bxor", "replace", "no-op")
PARAMETERS = frozenset({"segment_bytes", "radix", "requests"})
"""Axes that only the algorithms of a library have."""


def grid_text(sides: Iterable[int]) -> str:
    """A grid as the engine's --grid takes it: "4x2"."""
    return "x".join(map(str, sides))
