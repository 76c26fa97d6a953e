"""What the times of rounds show: the slow parts, and how certain every other part is."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hockney.infer.arrays import Array, Whole
from hockney.infer.estimate.interval import Interval


@dataclass(frozen=True)
class LikelyFault:
    """A part that explains times by being slow, by its number."""

    part: int
    same: tuple[int, ...]
    """Other parts that exactly the same observations passed: nothing separates them."""
    like: tuple[int, ...]
    """Other parts that are not 1,000 times less likely, the likeliest first."""
    odds_log: float
    """Logarithm of how much likelier it is than the next explanation, at most that of no fault."""
    next_part: int | None
    """The next explanation; None if that is that nothing is slow."""
    size: int
    """The size that shows it most."""
    shows: tuple[int, ...]
    """All sizes that show it."""
    ratio: float
    interval: Interval
    """How many times the usual time its messages take at that size, with a 95 % interval; of a part
    that loses messages, that of the lost ones."""
    lost: float | None
    """The fraction of slow messages, of a part that loses some; None where all are slow."""
    observations: int


@dataclass
class Explanations:
    """How likely every part is slow, given all times."""

    slow_parts: list[LikelyFault] = field(default_factory=list)
    open: Whole = field(default_factory=lambda: np.zeros(0, np.int64))
    """Parts that may be slow and may not."""
    unclear: Whole = field(default_factory=lambda: np.zeros(0, np.int64))
    """Parts that too few pairs passed to know whether they are sound, the open ones too."""
    unjudged: Whole = field(default_factory=lambda: np.zeros(0, np.int64))
    """Parts that so many pairs passed that their time is the usual one."""
    log_odds: Array = field(default_factory=lambda: np.zeros(0))
    """Shape (parts,): log odds that each part is slow, given the slow parts found."""
