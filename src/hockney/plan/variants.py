"""Variants of a plan: the same measurement under several settings, side by side in one run."""

from __future__ import annotations

import re

import msgspec

ENVIRONMENT = "env:"
"""Prefix of the name of an environment variable in the keys of a variant."""
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""Valid names of environment variables."""
DEFAULT_TOLERANCE = 0.01
LEAST_BLOCKS = 8
"""Fewest blocks that can separate two variants: with fewer, the signed-rank test has no p below the
95 % level, halved for points and the whole."""


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    """Name in tables and figures, and value of the axis `variant` of its points."""
    values: dict[str, str]
    """Values by key, as the user wrote them: options of the verb, and env:NAME."""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """The variants of a plan, and the question about them."""

    variants: tuple[Variant, ...]
    """The variants; all others are compared with the first."""
    tolerance: float = DEFAULT_TOLERANCE
    """Relative difference up to which a variant is the same."""
    gate: float | None = None
    """Relative slowdown above which a variant fails the run; None for no gate."""
    narrows: bool = False
    """Whether points are measured no further once decided, or if they do not look slower."""

    @property
    def names(self) -> list[str]:
        return [variant.name for variant in self.variants]
