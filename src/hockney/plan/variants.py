"""Variants of a plan: the same measurement under several settings, side by side in one run."""

from __future__ import annotations

import msgspec

ENVIRONMENT = "env:"
"""Precedes the name of an environment variable among the keys of a variant."""
DEFAULT_TOLERANCE = 0.01
LEAST_BLOCKS = 8
"""The fewest blocks that can tell two variants apart: the signed-rank test of fewer has no p small
enough for the 95 % level, halved for points and the whole."""


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    """Its name in tables and figures, and the axis `variant` of its points."""
    values: dict[str, str]
    """Values by key, as the user wrote them: options of the verb, and env:NAME."""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """The variants of a plan, and what is asked about them."""

    variants: tuple[Variant, ...]
    """The others are compared with the first."""
    tolerance: float = DEFAULT_TOLERANCE
    """A variant is the same where its ratio surely lies within this of 1."""
    gate: float | None = None
    """A variant that is surely slower by more than this fails the run; None for no gate."""
    narrows: bool = False
    """Whether points are measured no further that are decided, or do not look slower."""

    @property
    def names(self) -> list[str]:
        return [variant.name for variant in self.variants]
